"""One step after the other: windows, hosts, the line, and what comes back a round trip later."""

import math

from qoslib.packets.kernels.compiling import kernel
from qoslib.packets.kernels.draws import uniform
from qoslib.tcp.fluid.kernels.window import ONE_PACKET, grow, hear, learn, recover, refuse
from qoslib.tcp.kernels.codes import (
    AVOID,
    DROPPED,
    OFFERED,
    OUTSTANDING,
    PAST,
    RECOVER,
    ROUND_TRIP,
    SENT,
    SILENT,
    SLOW,
    THRESHOLD,
    WINDOW,
)

#: Delays are rounded to steps: what was sent last before a reduction is known to be lost up to so
#: many later than a round trip.
ROUNDED_STEPS = 2.0


@kernel
def _round_trip_s(flow, host, line):
    """As it is for what is sent now."""
    steps = flow.before_steps + flow.after_steps + host.backlog_bytes / host.step_bytes
    return steps * line.step_s + line.wait_s


@kernel
def _as_window(flow, room, rtt_s, now_s, step_s):
    """What the window leaves of the room that there is, and for how long it counts as used up."""
    left = flow.window - flow.outstanding
    if left <= room:
        flow.limited_s = now_s + (rtt_s if flow.by_round else ROUNDED_STEPS * step_s)
    return min(left, room)


@kernel
def _answer(flow, host, line, acked, lost, marked, now_s):
    """What a flow makes of its ACKs, and how many packets it hands to its host."""
    rtt_s = _round_trip_s(flow, host, line)
    if lost > 0.0:
        learn(flow, lost, rtt_s + ROUNDED_STEPS * line.step_s, now_s)
    flow.outstanding -= acked + lost
    flow.delivered += acked
    if math.isnan(flow.finished_s) and flow.delivered > flow.whole - ONE_PACKET:
        flow.finished_s = now_s
    adds = hear(flow, acked, marked, rtt_s, now_s) if flow.capable else acked
    if flow.phase == RECOVER or flow.phase == SILENT:
        recover(flow, acked, now_s)
    elif adds > 0.0:
        grow(flow, adds, rtt_s, now_s)
    if flow.phase == SILENT:
        return 0.0
    room = min(flow.most, flow.whole - flow.delivered) - flow.outstanding
    room = _as_window(flow, min(room, flow.paced), rtt_s, now_s, line.step_s)
    if flow.phase == RECOVER:
        room = min(room, flow.refill * acked, flow.holes + flow.granted)
    return max(room, 0.0)


@kernel
def _pushed(flow, host, wanted, rtt_s, now_s):
    """What of it the host's queue takes; a local loss is known at once and not sent."""
    free_bytes = max(host.limit_bytes - host.held_bytes, 0.0)
    taken = min(wanted, free_bytes / flow.line_bytes)
    flow.outstanding += taken
    if flow.phase == RECOVER:
        new = max(taken - flow.holes, 0.0)
        flow.holes -= taken - new
        flow.granted -= new
        flow.renewed += new
    if taken < wanted:
        flow.refused += wanted - taken
        if flow.phase == SLOW or flow.phase == AVOID:
            refuse(flow, wanted - taken, rtt_s, now_s)
    host.held_bytes += taken * flow.line_bytes
    return taken


@kernel
def _windows(state, step):
    """All flows: answer to what came back, send on, and leave the host's delay."""
    line = state.line[0]
    slot, now_s = step % line.ring, step * line.step_s
    for index in range(line.flows):
        flow = state.flows[index]
        host = state.hosts[flow.host]
        acked, lost, marked = (
            state.acked[index, slot],
            state.lost[index, slot],
            state.marked[index, slot],
        )
        state.acked[index, slot] = state.lost[index, slot] = state.marked[index, slot] = 0.0
        wanted = _answer(flow, host, line, acked, lost, marked, now_s)
        if flow.start_step <= step < flow.stop_step and wanted > 0.0:
            rtt_s = (flow.before_steps + flow.after_steps) * line.step_s
            at = (step + flow.before_steps) % line.ring
            state.leaving[index, at] += _pushed(flow, host, wanted, rtt_s, now_s)
        out = state.leaving[index, slot]
        state.leaving[index, slot] = 0.0
        flow.backlog += out
        host.backlog_bytes += out * flow.line_bytes


@kernel
def _sent(state, step):
    """What reaches the line in a step: each host's backlog at its rate, and the streams."""
    line = state.line[0]
    line.arrived = line.arrived_bytes = line.ready_bytes = 0.0
    for index in range(len(state.flows)):
        flow = state.flows[index]
        if index < line.flows:
            host = state.hosts[flow.host]
            share = min(host.step_bytes / max(host.backlog_bytes, host.step_bytes), 1.0)
            flow.arrived = min(flow.backlog * share, flow.paced)
        else:
            flow.arrived = flow.paced if flow.start_step <= step < flow.stop_step else 0.0
        line.arrived += flow.arrived
        line.arrived_bytes += flow.arrived * flow.line_bytes
        line.ready_bytes += max(flow.queued + flow.arrived, 0.0) * flow.line_bytes
    for index in range(line.flows):
        flow = state.flows[index]
        host = state.hosts[flow.host]
        flow.backlog -= flow.arrived
        host.backlog_bytes = max(host.backlog_bytes - flow.arrived * flow.line_bytes, 0.0)
        host.held_bytes = max(host.held_bytes - flow.arrived * flow.line_bytes, 0.0)


@kernel
def _noted(state, flow, index, at):
    """How a flow stands at the end of a bin."""
    state.past[WINDOW, index, at] = flow.window
    state.past[THRESHOLD, index, at] = flow.threshold
    state.past[OUTSTANDING, index, at] = flow.outstanding
    state.past[ROUND_TRIP, index, at] = _round_trip_s(flow, state.hosts[flow.host], state.line[0])


@kernel
def _overflowing(line):
    """How many whole packets find no room: none while it is less than half a packet."""
    over_bytes = line.queue_bytes - line.limit_bytes
    if over_bytes <= 0.0 or line.arrived == 0.0:
        return 0.0
    return math.floor(over_bytes * line.arrived / line.arrived_bytes + ONE_PACKET)


@kernel
def _drop(state, step, at, lost):
    """Whose the lost packets are: each flow's in proportion to what it sent, by one draw.

    Flow i loses ``floor(lost S_i + u) - floor(lost S_(i-1) + u)`` packets, S the share of what
    arrived that is of the flows up to it: ``lost`` of all, and of its own the expected number,
    rounded up or down.
    """
    line = state.line[0]
    line.overflowed = 1
    wait_steps = int(line.limit_bytes / line.step_bytes)
    drawn, arrived, upto = uniform(line), 0.0, 0.0
    for index in range(len(state.flows)):
        flow = state.flows[index]
        arrived += flow.arrived
        before, upto = upto, math.floor(lost * arrived / line.arrived + drawn)
        gone = upto - before
        if gone > 0.0:
            flow.queued -= gone
            flow.dropped += gone
            line.queue_bytes -= gone * flow.line_bytes
            state.past[DROPPED, index, at] += gone
            if index < line.flows:
                known = (step + flow.after_steps + wait_steps) % line.ring
                state.lost[index, known] += gone


@kernel
def _mark(state, step):
    """What arrives finds a queue so long that a share of it is marked, which its ACKs report."""
    line = state.line[0]
    if line.queue_bytes < line.mark_low_bytes:
        return
    share = 1.0
    if line.queue_bytes < line.mark_high_bytes:
        above_bytes = line.queue_bytes - line.mark_low_bytes
        share = line.mark_most * above_bytes / (line.mark_high_bytes - line.mark_low_bytes)
    wait_steps = int(line.wait_s / line.step_s)
    for index in range(line.flows):
        flow = state.flows[index]
        known = (step + flow.after_steps + wait_steps) % line.ring
        state.marked[index, known] += flow.arrived * share


@kernel
def _line(state, step, at):
    """The queue of one step: all parts leave alike; one below 0 still owes a packet it has lost."""
    line = state.line[0]
    served = min(line.step_bytes / max(line.ready_bytes, line.step_bytes), 1.0)
    line.queue_bytes += line.arrived_bytes - line.ready_bytes * served
    lost = _overflowing(line)
    held_bytes = min(max(line.queue_bytes, 0.0), line.limit_bytes)
    line.wait_s = held_bytes / line.step_bytes * line.step_s
    for index in range(len(state.flows)):
        flow = state.flows[index]
        out = max(flow.queued + flow.arrived, 0.0) * served
        flow.queued += flow.arrived - out
        flow.waited_s += out * line.wait_s
        state.past[OFFERED, index, at] += flow.arrived
        state.past[SENT, index, at] += out
        if index < line.flows:
            _noted(state, flow, index, at)
            state.acked[index, (step + flow.after_steps) % line.ring] += out
        else:
            flow.delivered += out
    if line.marks:
        _mark(state, step)
    if lost > 0.0:
        _drop(state, step, at, lost)
    state.past_queue_bytes[at] = max(state.past_queue_bytes[at], held_bytes)


@kernel
def _forget(state):
    """What is counted begins anew: the warm-up has ended."""
    line = state.line[0]
    for index in range(len(state.flows)):
        flow = state.flows[index]
        flow.delivered_before = flow.delivered
        flow.dropped = flow.refused = flow.waited_s = 0.0
        flow.reductions = flow.timeouts = 0
        for at in range(line.bins):
            for which in range(PAST):
                state.past[which, index, at] = 0.0
    for at in range(line.bins):
        state.past_queue_bytes[at] = 0.0


@kernel
def run(state, last):
    """Play from where it stands to before step `last`."""
    line = state.line[0]
    for step in range(line.done, last):
        if step == line.warm_steps:
            _forget(state)
        at = max(step - line.warm_steps, 0) // line.bin_steps
        _windows(state, step)
        _sent(state, step)
        _line(state, step, at)
    line.done = last
