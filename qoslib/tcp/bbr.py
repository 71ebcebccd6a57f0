"""BBR, simplified as `qoslib.flows.Bbr` says (Cardwell et al. 2016)."""

from qoslib.packets.clock import PS_PER_S
from qoslib.tcp.kernel import kernel

__all__ = ["bbr_acts"]

STARTUP, DRAIN, CYCLE, PROBE_RTT = range(4)
_PROBE_PS = PS_PER_S // 5
_CYCLE = 8
#: Start-up ends when the rate has grown by less than this in each of three rounds.
_STILL_GROWS = 1.25
_FULL_ROUNDS = 3


@kernel
def _new_round(flow, rates, now_ps):
    """A round trip is over: its rate of delivery enters the window of the last rounds."""
    passed_ps = max(now_ps - flow.round_ps, 1)
    rate = (flow.una - flow.round_from) / passed_ps
    first = flow.bandwidths
    rates[first + flow.rounds % flow.bandwidth_count] = rate
    flow.rounds += 1
    flow.rate = 0.0
    for i in range(min(flow.rounds, flow.bandwidth_count)):
        flow.rate = max(flow.rate, rates[first + i])
    flow.round_from, flow.round_ps = flow.una, now_ps
    if flow.phase == STARTUP:
        _is_full(flow)


@kernel
def _is_full(flow):
    if flow.rate > flow.full_rate * _STILL_GROWS:
        flow.full_rate, flow.full_rounds = flow.rate, 0
        return
    flow.full_rounds += 1
    if flow.full_rounds == _FULL_ROUNDS:
        flow.phase, flow.gain = DRAIN, 1.0 / flow.startup_gain


@kernel
def _cycles(flow, now_ps):
    """The gain of each eighth of the cycle lasts a least round trip."""
    if now_ps - flow.phase_ps > flow.least_ps:
        flow.cycles = (flow.cycles + 1) % _CYCLE
        flow.phase_ps = now_ps
        flow.gain = 1.25 if flow.cycles == 0 else (0.75 if flow.cycles == 1 else 1.0)


@kernel
def _starts_cycle(flow, now_ps):
    flow.phase, flow.phase_ps, flow.cycles, flow.gain = CYCLE, now_ps, 2, 1.0


@kernel
def _probes(flow, rtt_ps, now_ps):
    """Keep the least round trip; when it is old, empty the pipe to find a new one."""
    old = now_ps - flow.min_at_ps > flow.probe_every_ps
    if rtt_ps > 0 and (rtt_ps <= flow.least_ps or old):
        flow.least_ps, flow.min_at_ps = rtt_ps, now_ps
    if old and flow.phase != PROBE_RTT and flow.phase != STARTUP:
        flow.phase, flow.gain = PROBE_RTT, 1.0
        flow.phase_ps = now_ps + _PROBE_PS + flow.last_rtt_ps
    elif flow.phase == PROBE_RTT and now_ps >= flow.phase_ps:
        flow.min_at_ps = now_ps
        _starts_cycle(flow, now_ps)


@kernel
def bbr_acts(flow, rates, rtt_ps, round_over, now_ps):
    """On every ACK: rate, round trip, phase; then the window and the time between packets."""
    if round_over:
        _new_round(flow, rates, now_ps)
    _probes(flow, rtt_ps, now_ps)
    if flow.rate == 0.0:
        return
    pipe = flow.rate * flow.least_ps
    if flow.phase == DRAIN and flow.flight <= pipe:
        _starts_cycle(flow, now_ps)
    if flow.phase == CYCLE:
        _cycles(flow, now_ps)
    gain = flow.startup_gain if flow.phase <= DRAIN else flow.window_gain
    flow.cwnd = max(gain * pipe, 4.0)
    if flow.phase == PROBE_RTT:
        flow.cwnd = float(flow.probe_packets)
    flow.pace_gap_ps = int(1.0 / (flow.gain * flow.rate))
