"""BBR, version 1, as `qoslib.flows.Bbr` says: its model of the path, its phases, its window.

Rates are in packets per picosecond.
"""

import math

from qoslib.packets.kernels.clock import NEVER, PS_PER_S
from qoslib.packets.kernels.compiling import kernel
from qoslib.packets.kernels.draws import uniform
from qoslib.tcp.kernels.codes import CYCLE, DRAIN, LOSS, OPEN, PROBE_RTT, RECOVERY, STARTUP

#: Least time with few packets in flight, to find the least round trip.
_PROBE_PS = PS_PER_S // 5
#: Phases of the cycle, and among how many of them the first one is drawn.
_CYCLE, _FIRST = 8, 7
#: Start-up ends when the rate has grown by less than this in each of three rounds.
_STILL_GROWS = 1.25
_FULL_ROUNDS = 3
#: Pacing stays so far below the rate.
_MARGIN = 0.99
#: Smallest window after an ACK, and the one up to which it grows whatever the rate [packets].
_LEAST, _FIRST_WINDOW = 4.0, 10
#: The most that bunched ACKs add to the window: what is delivered in this time at the rate.
_BUNCH_PS = PS_PER_S // 10
#: The largest bunch is kept for so many rounds and those before them, so 5 to 10.
_BUNCH_ROUNDS = 5
#: Counting starts anew after so many packets at the latest.
_MOST_COUNTED = 1 << 20


@kernel
def _fits(flow, gain, more):
    """Packets in flight at a gain and so many more, with three bursts at the ends, even."""
    pipe = float(_FIRST_WINDOW)
    if flow.least_ps < NEVER:
        pipe = float(math.ceil(flow.rate * flow.least_ps * gain))
    count = 2 * ((int(pipe) + more + 3 * flow.burst + 1) // 2)
    return count + 2 if flow.phase == CYCLE and flow.cycles == 0 else count


@kernel
def _keeps_largest(flow, rates, bandwidth):
    """The largest rate of this round and the last ones; rounds without a sample do not count."""
    count, first = flow.bandwidth_count, flow.bandwidths
    at = first + flow.rounds % count
    if flow.rounds > flow.rate_round:
        for passed in range(min(flow.rounds - flow.rate_round, count)):
            rates[first + (flow.rounds - passed) % count] = 0.0
        flow.rate_round, flow.rate = flow.rounds, 0.0
        for i in range(count):
            flow.rate = max(flow.rate, rates[first + i])
    rates[at] = max(rates[at], bandwidth)
    flow.rate = max(flow.rate, bandwidth)


@kernel
def _samples(flow, rates, sample):
    """Whether a round is over: a packet has been delivered that was sent in it."""
    rate, prior, app_limited = sample
    if rate == 0.0:
        return False
    over = prior >= flow.round_upto
    if over:
        flow.round_upto = flow.delivered
        flow.rounds += 1
        flow.conserves = 0
    if not app_limited or rate >= flow.rate:
        _keeps_largest(flow, rates, rate)
    return over


@kernel
def _counts_bunch(flow, delivered, round_over):
    """How many packets more than the rate explains have been delivered since counting began.

    Counting begins anew with the first ACK by which they are no more than that.
    """
    if round_over and flow.rounds % _BUNCH_ROUNDS == 0:
        flow.old_bunch, flow.bunch = flow.bunch, 0
    expected = int(flow.rate * (flow.delivered_ps - flow.counted_from_ps))
    if flow.counted <= expected or flow.counted + delivered >= _MOST_COUNTED:
        flow.counted, flow.counted_from_ps = 0, flow.delivered_ps
        expected = 0
    flow.counted += delivered
    flow.bunch = max(flow.bunch, min(flow.counted - expected, int(flow.cwnd)))


@kernel
def _allowance(flow):
    """Packets for the silence before the next bunch of ACKs, once the pipe was found full."""
    if not flow.full:
        return 0
    return min(max(flow.bunch, flow.old_bunch), int(flow.rate * _BUNCH_PS))


@kernel
def _starts_cycle(flow, now_ps):
    """At any phase but that of 0.75."""
    flow.phase, flow.phase_ps = CYCLE, now_ps
    flow.cycles = (_CYCLE - int(uniform(flow) * _FIRST)) % _CYCLE


@kernel
def _cycles(flow, was_in_flight, found):
    """The next gain after a least round trip; probing lasts until it shows, draining no longer."""
    over = flow.delivered_ps - flow.phase_ps > flow.least_ps
    if flow.cycles == 0:
        over = over and (found > 0 or was_in_flight >= _fits(flow, flow.gain, 0))
    elif flow.cycles == 1:
        over = over or was_in_flight <= _fits(flow, 1.0, 0)
    if over:
        flow.cycles = (flow.cycles + 1) % _CYCLE
        flow.phase_ps = flow.delivered_ps


@kernel
def _finds_full(flow):
    """At the end of a round of start-up."""
    if flow.rate >= flow.full_rate * _STILL_GROWS:
        flow.full_rate, flow.full_rounds = flow.rate, 0
        return
    flow.full_rounds += 1
    flow.full = flow.full_rounds >= _FULL_ROUNDS


@kernel
def _drains(flow):
    if flow.phase == STARTUP and flow.full:
        flow.phase = DRAIN
    if flow.phase == DRAIN and flow.flight <= _fits(flow, 1.0, 0):
        _starts_cycle(flow, flow.delivered_ps)


@kernel
def bbr_keeps_window(flow, timeout):
    """A loss, a mark or a probe: the window to come back to."""
    if flow.before == OPEN and flow.phase != PROBE_RTT:
        flow.prior = flow.cwnd
    else:
        flow.prior = max(flow.prior, flow.cwnd)
    if timeout:
        flow.before, flow.full_rate = LOSS, 0.0


@kernel
def _waits(flow, round_over, now_ps):
    """With few packets in flight, for 0.2 s and a round; their low rates do not count."""
    flow.app_limited = max(flow.delivered + flow.flight, 1)
    if flow.probed_ps == NEVER:
        if flow.flight <= flow.probe_packets:
            flow.probed_ps, flow.probed_round = now_ps + _PROBE_PS, 0
            flow.round_upto = flow.delivered
        return
    flow.probed_round |= round_over
    if flow.probed_round and now_ps > flow.probed_ps:
        flow.min_at_ps = now_ps
        flow.cwnd = max(flow.cwnd, flow.prior)
        flow.phase = STARTUP
        if flow.full:
            _starts_cycle(flow, flow.delivered_ps)


@kernel
def _probes(flow, rtt_ps, round_over, now_ps):
    """Keep the least round trip; when it is old, empty the pipe to find a new one."""
    old = now_ps - flow.min_at_ps > flow.probe_every_ps
    if rtt_ps > 0 and (rtt_ps <= flow.least_ps or old):
        flow.least_ps, flow.min_at_ps = rtt_ps, now_ps
    if old and flow.phase != PROBE_RTT:
        bbr_keeps_window(flow, False)
        flow.phase, flow.probed_ps = PROBE_RTT, NEVER
    if flow.phase == PROBE_RTT:
        _waits(flow, round_over, now_ps)


@kernel
def _paces(flow):
    """Until the pipe is full only faster, from the first window in a round trip on."""
    flow.gain = 1.0
    if flow.phase == STARTUP:
        flow.gain = flow.startup_gain
    elif flow.phase == DRAIN:
        flow.gain = 1.0 / flow.startup_gain
    elif flow.phase == CYCLE and flow.cycles <= 1:
        flow.gain = 1.25 if flow.cycles == 0 else 0.75
    if flow.pace_rate == 0.0 and flow.srtt_ps > 0:
        flow.pace_rate = flow.startup_gain * flow.cwnd / flow.srtt_ps * _MARGIN
    rate = flow.gain * flow.rate * _MARGIN
    if flow.full or rate > flow.pace_rate:
        flow.pace_rate = rate
    if flow.pace_rate > 0.0:
        flow.pace_gap_ps = int(1.0 / flow.pace_rate)


@kernel
def _recovers(flow, delivered, found):
    """What losses do to the window: packet conservation for a round, and its return after it."""
    cwnd = max(flow.cwnd - found, 1.0)
    if flow.state == RECOVERY and flow.before != RECOVERY:
        flow.conserves, flow.round_upto = 1, flow.delivered
        cwnd = float(flow.flight + delivered)
    elif flow.state == OPEN and flow.before != OPEN:
        cwnd, flow.conserves = max(cwnd, flow.prior), 0
    flow.before = flow.state
    return max(cwnd, float(flow.flight + delivered)) if flow.conserves else cwnd


@kernel
def _sets_window(flow, delivered, found):
    """Towards the gain's share of the pipe, by what is delivered."""
    cwnd = _recovers(flow, delivered, found)
    if not flow.conserves:
        gain = 1.0 if flow.phase == PROBE_RTT else flow.window_gain
        if flow.phase <= DRAIN:
            gain = flow.startup_gain
        most = _fits(flow, gain, _allowance(flow))
        if flow.full:
            cwnd = min(cwnd + delivered, float(most))
        elif cwnd < most or flow.delivered < _FIRST_WINDOW:
            cwnd += delivered
        cwnd = max(cwnd, _LEAST)
    flow.cwnd = cwnd


@kernel
def bbr_acts(flow, rates, sample, rtt_ps, was_in_flight, delivered, found, now_ps):
    """On every ACK, which reported so many delivered and found lost: the model, then the window."""
    round_over = _samples(flow, rates, sample)
    if sample[0] > 0.0:
        _counts_bunch(flow, delivered, round_over)
    if flow.phase == CYCLE:
        _cycles(flow, was_in_flight, found)
    if round_over and not flow.full and not sample[2]:
        _finds_full(flow)
    _drains(flow)
    _probes(flow, rtt_ps, round_over, now_ps)
    _paces(flow)
    if delivered > 0:
        _sets_window(flow, delivered, found)
    if flow.phase == PROBE_RTT:
        flow.cwnd = min(flow.cwnd, float(flow.probe_packets))
