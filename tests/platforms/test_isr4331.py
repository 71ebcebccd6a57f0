"""The ISR4331: what each reading of its policer predicts, and what was not used to fit it."""

import numpy as np
import pytest

from qoslib import compare, packets, units
from qoslib.compare.run import MODELS
from qoslib.packets.phases import random_phases
from qoslib.platforms import isr4331
from qoslib.platforms.isr4331 import FACTS, PLATFORM

#: Published: experiment, stream, datagrams lost, Mbit/s by the receiver's interval.
PRINTED = [
    ("unmarked_alone", "default", 46_396, 95.2),
    ("ef_alone", "EF", 0, 29.9),
    ("default_alone", "default", 10, 79.6),
    ("llq_ef_alone", "EF", 0, 29.9),
    ("llq", "EF", 8406, 19.7),
    ("llq", "default", 2982, 76.2),
]
ALONE = [each for each in PRINTED if each[0].endswith("alone")]
#: The stopped run in the last listing, of which only the sum with the printed run is shown.
STOPPED = {"EF": 10_404 - 8406, "default": 3705 - 2982}


def test_a_run_ends_a_second_after_the_last_packet_may_be_sent():
    runs = PLATFORM.experiments().values()
    ends_s = {r.name: max(s.stop_s for s in r.streams) + r.started_within_s + 1 for r in runs}
    assert {each.name: each.duration_s for each in runs} == pytest.approx(ends_s)
    assert ends_s["no_llq"] == 12.0


@pytest.fixture(scope="module")
def board(answered_once):
    return compare.score(platforms=["isr4331"])


@pytest.fixture(scope="module")
def rows(board):
    return {
        (r.experiment, r.stream, r.quantity, r.model, r.assumptions): r
        for r in board.rows
        if r.modelled is not None
    }


def lost(experiment):
    """Lost packets of each stream, shape (seeds, streams)."""
    return np.array([result.packets.lost for result in MODELS["packets"](experiment)])


def run(port, streams, duration_s, seed=1):
    quiet = {"seed": seed, "progress": lambda done_s, total_s: None}
    return packets.simulate(port, random_phases(streams, seed), duration_s, **quiet)


@pytest.mark.parametrize("model", ["fluid", "packets"])
@pytest.mark.parametrize(("experiment", "stream", "lost_packets", "mbps"), PRINTED)
def test_rates_are_within_two_percent(rows, experiment, stream, lost_packets, mbps, model):
    row = rows[experiment, stream, "throughput", model, "base"]
    assert row.published == mbps
    assert abs(row.error) <= 0.02


@pytest.mark.parametrize("model", ["fluid", "packets"])
@pytest.mark.parametrize(("experiment", "stream", "lost_packets", "mbps"), PRINTED)
def test_losses_are_within_a_tenth(rows, experiment, stream, lost_packets, mbps, model):
    row = rows[experiment, stream, "dropped_packets", model, "base"]
    assert row.published == lost_packets
    if experiment == "default_alone":
        assert row.verdict == "misfit", "named: ten lost without congestion"
    else:
        assert abs(row.error) <= 0.1


def test_the_head_start_is_fitted_on_one_value_and_checked_on_another(rows):
    fitted = [key for key, row in rows.items() if row.fitted]
    assert {key[:3] for key in fitted} == {("llq", "EF", "dropped_packets")}
    ef = rows["llq", "EF", "dropped_packets", "packets", "base"]
    default = rows["llq", "default", "dropped_packets", "packets", "base"]
    assert abs(ef.error) < 0.001
    assert (default.fitted, default.verdict) == (False, "within")
    assert default.modelled == pytest.approx(3077, abs=15)


def test_the_readings_differ_where_nothing_was_fitted(rows):
    for name, verdict in (("base", "within"), ("drains", "misfit")):
        assert rows["llq", "EF", "dropped_packets", "packets", name].verdict == "within"
        assert rows["llq", "default", "dropped_packets", "packets", name].verdict == verdict


@pytest.mark.parametrize(
    ("reading", "head_start", "errors"),
    [
        ("keeps", FACTS.head_start_s, {"EF": 0.01, "default": 0.08}),
        ("drains", FACTS.head_start_drains_s, {"EF": 0.01, "default": 0.56}),
    ],
)
def test_the_stopped_run_was_never_fitted(reading, head_start, errors):
    """With the head start of the printed run, the run before it tells the readings apart."""
    streams = isr4331._stopped(float(head_start))
    result = run(isr4331.llq(reading), streams, 8.0)
    offered = dict(zip(("EF", "default"), result.packets.offered, strict=True))
    assert offered == pytest.approx({"EF": 7717, "default": 33_939}, abs=3)
    for name, dropped in zip(("EF", "default"), result.packets.lost, strict=True):
        assert abs(dropped / STOPPED[name] - 1) == pytest.approx(errors[name], abs=0.01)


def test_the_other_order_of_starting_is_excluded_by_the_stopped_run():
    """With EF inside the other client's time, no offset lets as many of its packets through."""
    ef, default = isr4331._stopped(0.0)
    for offset_s in (0.2, 0.9, 1.9):
        inside = ef.replace(start_s=offset_s, stop_s=offset_s + ef.stop_s)
        dropped = run(isr4331.llq(), (inside, default), 8.0).packets.lost[0]
        assert dropped > 1.15 * STOPPED["EF"]


def test_the_last_listing_is_the_sum_of_two_runs(rows):
    for stream, listed in (("EF", 10_404), ("default", 3705)):
        row = rows["llq_cumulative", stream, "queue_dropped_packets", "packets", "base"]
        assert row.published == listed
        assert row.verdict == "within"
        assert abs(row.error) < 0.05


def test_without_congestion_the_policer_drops_nothing():
    for reading in ("keeps", "drains"):
        alone = (isr4331.stream("EF", FACTS.EF_bps),)
        assert run(isr4331.llq(reading), alone, 11.0).packets.lost[0] == 0


@pytest.mark.parametrize("waiting", [4, 64])
def test_when_congestion_begins_hardly_matters(waiting):
    experiment = PLATFORM.experiments()["llq"]
    first, second = experiment.port.queues
    policer = first.policer.replace(congestion_packets=waiting)
    port = experiment.port.replace(queues=(first.replace(policer=policer), second))
    changed = run(port, experiment.streams, experiment.duration_s)
    assumed = run(experiment.port, experiment.streams, experiment.duration_s)
    assert changed.packets.lost == pytest.approx(assumed.packets.lost, rel=0.015)


def test_the_published_pair_lies_in_the_distribution_of_phases(rows):
    for stream in ("EF", "default"):
        row = rows["no_llq", stream, "dropped_packets", "packets", "base"]
        assert row.low < row.published < row.high
        assert row.verdict == "within"
        assert row.high - row.low > 1.5 * row.published, "it is a lottery, not a share"


def test_where_in_the_distribution_the_pair_lies(answered_once):
    dropped = lost(PLATFORM.experiments()["no_llq"])
    assert dropped.shape == (100, 2)
    below = (dropped < [6943, 4538]).mean(axis=0)
    assert 0.65 < below[0] < 0.95
    assert 0.05 < below[1] < 0.35


def test_a_fluid_has_no_phase(rows):
    for stream, sign in (("EF", -1), ("default", 1)):
        row = rows["no_llq", stream, "dropped_packets", "fluid", "base"]
        assert row.verdict == "misfit"
        assert row.error * sign > 0.5
    assert rows["no_llq", "", "throughput", "fluid", "base"].verdict == "within"


def test_phases_and_starts_are_drawn_not_chosen():
    experiment = PLATFORM.experiments()["no_llq"]
    phases = {random_phases(experiment.streams, seed)[0].arrivals.phase_s for seed in range(1, 101)}
    assert len(phases) == 100
    assert max(phases) < units.ms(1)
    assert experiment.replications == 100
    assert PLATFORM.experiments()["llq"].started_within_s == 0


def test_the_queue_without_a_policy_may_be_512_packets():
    """Sent for 10 s, 83,076 datagrams arrive: the line's 82,563, and a full queue of 513."""
    unmarked = (isr4331.stream("default", FACTS.unmarked_bps),)
    offs = {}
    for limit in (40, 416, 512):
        result = run(isr4331.fifo(limit), unmarked, 11.5)
        offs[limit] = abs(result.packets.sent[0] - (129_472 - 46_396))
    assert offs[512] < 20 < offs[416] < offs[40]


def test_the_announced_test_is_a_prediction(board):
    rows, predictions = board.rows, board.predictions
    told = {
        (p["experiment"], p["stream"], p["quantity"]): p["modelled"]
        for p in predictions
        if (p["model"], p["assumptions"]) == ("packets", "base")
    }
    assert not [row for row in rows if row.experiment.startswith("llq_300")]
    assert told["llq_300", "EF", "throughput"] == pytest.approx(units.mbps(19.8), rel=0.01)
    assert told["llq_300", "EF", "drop_ratio"] == pytest.approx(0.93, abs=0.01)
    assert told["llq_300", "default", "throughput"] == pytest.approx(units.mbps(76.3), rel=0.01)
    assert told["llq_300_later", "EF", "throughput"] == pytest.approx(units.mbps(22.5), rel=0.01)


def test_iperf_counts_payload():
    """30 Mb/s of 1448 B are 2590 datagrams a second, of 1490 B in the router's counters."""
    (ef,) = PLATFORM.experiments()["ef_alone"].streams
    assert units.rate_pps(ef.rate_bps, ef.frame_bytes) == pytest.approx(2590, abs=1)
    assert units.rate_bps(2589.78, 1448) == pytest.approx(30e6, rel=1e-5)


def test_an_unknown_set_of_assumptions_is_refused():
    with pytest.raises(ValueError, match="allowed: base, drains, hold_queue"):
        PLATFORM.experiments("wishful")
