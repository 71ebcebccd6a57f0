"""A flow's choices as numbers of its row: congestion control, slow start, recovery."""

from qoslib.flows import (
    Bbr,
    Cubic,
    HTcp,
    NewRenoRecovery,
    PathologicalRecovery,
    RateHalving,
    Reno,
    SackRecovery,
    TimeoutOnly,
)
from qoslib.packets.clock import NEVER, picoseconds
from qoslib.tcp import tables

__all__ = ["fill_choices"]

_LAWS = {Reno: tables.RENO, Cubic: tables.CUBIC, HTcp: tables.HTCP, Bbr: tables.BBR}
_RECOVERIES = {
    SackRecovery: tables.SACK,
    RateHalving: tables.HALVING,
    PathologicalRecovery: tables.PATHOLOGICAL,
    NewRenoRecovery: tables.NEW_RENO,
    TimeoutOnly: tables.TIMEOUT,
}
_BOUNDS = {
    "safe": tables.SAFE,
    "slow_start": tables.SLOW_START,
    "conservative": tables.CONSERVATIVE,
}


def fill_choices(row, flow):
    """Write what a flow has chosen into its row."""
    _fill_congestion(row, flow)
    _fill_slow_start(row, flow.slow_start)
    _fill_recovery(row, flow.recovery)


def _fill_congestion(row, flow):
    law = flow.congestion
    row["law"] = _LAWS[type(law)]
    match law:
        case Reno(beta):
            row["beta"] = beta
        case Cubic():
            row["beta"], row["c"] = law.beta, law.c
            row["fast"], row["friendly"] = law.fast_convergence, law.friendly
        case HTcp():
            row["low_s"], row["switch"], row["scaling"] = law.low_s, law.switch, law.rtt_scaling
            row["beta"] = row["beta_low"] = law.beta_low
            row["beta_high"], row["alpha"] = law.beta_high, 1.0
            row["min_srtt_ps"] = NEVER
            row["epoch_ps"] = row["bandwidth_ps"] = picoseconds(flow.start_s)
        case Bbr():
            _fill_bbr(row, flow, law)


def _fill_bbr(row, flow, law):
    row["gain"] = row["startup_gain"] = law.startup_gain
    row["window_gain"], row["probe_packets"] = law.window_gain, law.probe_packets
    row["probe_every_ps"], row["bandwidth_count"] = picoseconds(law.probe_s), law.rounds + 1
    row["min_at_ps"] = picoseconds(flow.start_s)
    row["least_ps"] = row["probed_ps"] = NEVER


def _fill_slow_start(row, start):
    row["cwnd"], row["counts_acks"] = start.initial_window_packets, start.counts == "acks"
    row["by_round"] = start.validation == "round"
    threshold = start.initial_threshold_packets
    row["ssthresh"] = float("inf") if threshold is None else threshold
    hystart = start.hystart
    if hystart:
        row["hystart"], row["delay_sign"], row["train_sign"] = 1, hystart.delay, hystart.train
        row["low"], row["samples"] = hystart.low_packets, hystart.samples
        row["share"], row["train_share"] = hystart.share, hystart.train_share
        row["low_ps"], row["high_ps"] = picoseconds(hystart.low_s), picoseconds(hystart.high_s)
        row["gap_ps"] = picoseconds(hystart.gap_s)


def _fill_recovery(row, recovery):
    row["recovery"], row["repeats"] = _RECOVERIES[type(recovery)], 1
    row["duplicate"] = getattr(recovery, "duplicate_packets", 3)
    if isinstance(recovery, SackRecovery):
        row["bound"], row["repeats"] = _BOUNDS[recovery.bound], recovery.finds_repeats
    if isinstance(recovery, PathologicalRecovery):
        row["critical"] = recovery.critical_packets
        row["threshold"] = recovery.threshold_packets
