"""TCP by the fluid model: windows that follow what comes back a round trip later."""

import warnings
from collections.abc import Sequence

from qoslib.flows import Host
from qoslib.packets.kernels.clock import PS_PER_S
from qoslib.packets.plan import Run
from qoslib.packets.progress import Progress, play
from qoslib.port import Port
from qoslib.record import checked
from qoslib.results import Result
from qoslib.tcp.fluid.collect import collected
from qoslib.tcp.fluid.kernels.loop import run
from qoslib.tcp.fluid.kernels.tables import State
from qoslib.tcp.fluid.plan import planned
from qoslib.tcp.plan import names_of
from qoslib.traffic import Stream

__all__ = ["solve"]

#: Rows of flows and streams that are played between two looks at the bar and the stop button:
#: about a twentieth of a second.
CHUNK_ROWS = 2_000_000


def solve(
    port: Port,
    hosts: Sequence[Host],
    duration_s: float,
    *,
    streams: Sequence[Stream] = (),
    seed: int = 0,
    warmup_s: float = 0.0,
    progress: Progress | None = None,
) -> Result:
    """TCP connections and streams at a port with one queue, by the fluid model over time.

    The same description and seed give the same record, bit for bit. Stopping it (Ctrl-C, the
    notebook's stop button) ends it early, with a warning and a record of what was played.

    Parameters
    ----------
    port : Port
        With one tail-drop queue, without policer or shaper; it may have `Queue.marking`.
    hosts : sequence of Host
        At least one.
    duration_s : float
        Simulated time [s].
    streams : sequence of Stream
        Traffic that answers to nothing, at its mean rate.
    seed : int
        Of the draws that say which flow loses a packet; 0 or more. One flow alone has no draws.
    warmup_s : float
        What happens before this is left out of the record [s].
    progress : callable, optional
        Called with simulated time done and in all [s]; by default a bar after two seconds.

    Returns
    -------
    Result
        Flows first, then streams; ``tcp`` has the windows over time, and ``notes`` says where a
        buffer is too small for this model.

    Raises
    ------
    ValueError
        If a name stands twice, the port or a flow has what only the packet model runs, or the
        run would take too many steps or too much memory.
    KeyboardInterrupt
        If it is stopped before the warm-up is over, or stopped twice.

    Notes
    -----
    A delay-differential equation, in steps of a hundredth of the shortest round trip. A flow keeps
    ``min(w, W)`` packets outstanding; what it sends waits at its host for the access rate, then in
    the queue ``dq/dt = sum x + u - C`` on [0, B], where all shares leave alike. The excess at
    ``q = B`` is lost in whole packets: when a step leaves e of them over, flow i loses

        ``floor(e S_i + U) - floor(e S_(i-1) + U)``,  ``S_i = sum x_1..i / sum x``,

    with one U, uniform on [0, 1), for the step: its own expected number, rounded up or down. So
    losses find flows in proportion to what they send, and only some flows reduce at a full queue.
    A flow that had not yet sent all of a lost packet pays the rest with what it sends next. What
    passed comes back as ACKs after the base round trip R and feeds the window law; what was lost
    is known after R and the wait, and starts a recovery. While that lasts the receiver's window
    stands still; new packets that are lost in it start another. There are no bursts shorter than a
    step, no phase effect and no timeout for a lost repair.

    What arrives at a queue with `marking` is marked in the share that its thresholds give for the
    queue's length, and the ACKs report it. A window shrinks by half a packet of marks, and then by
    no more for a round trip. DCTCP averages the share marked once a round trip. With a step and
    equal round trips the share of the line used is within 0.02 of `qoslib.tcp.simulate` (1 to 20
    flows of Reno, CUBIC, H-TCP and DCTCP). Marks at random find single flows there and all of them
    here, so that between two thresholds the difference is up to 0.07.

    Valid where the buffer holds at least ``C R / sqrt(n)`` of n flows (Appenzeller, Keslassy and
    McKeown 2004): where their round trips differ and hosts send single packets, the share of the
    line that they use is then within 0.03 of `qoslib.tcp.simulate` (4 to 256 flows). With less,
    and with less than a fifth of ``C R`` for one flow, bursts decide what is lost: `Result.notes`
    says so.

    References
    ----------
    Misra, Gong and Towsley 2000, doi:10.1145/347059.347421, for drop-tail. Appenzeller, Keslassy
    and McKeown 2004, doi:10.1145/1015467.1015499.

    Examples
    --------
    >>> from qoslib.flows import Flow, Host, Reno
    >>> from qoslib.port import ByteLimit, Queue
    >>> port = Port("line", 100e6, (Queue("all", ByteLimit(250_000)),))
    >>> hosts = [Host("sender", 1e9, (Flow("a", 0.02, Reno(), mss_bytes=1448, frame_bytes=1500),))]
    >>> bool(solve(port, hosts, 30.0).sent_bps[0] > 95e6)
    True
    """
    port = checked(Port, port, "port")
    hosts = checked(tuple[Host, ...], hosts, "hosts")
    streams = checked(tuple[Stream, ...], streams, "streams")
    names = names_of(hosts, streams)
    options = Run(duration_s, warmup_s, seed)
    state = planned(port, hosts, streams, options)
    done_ps = play(lambda watch: _advanced(state, options), options, progress)
    result = collected(port, hosts, streams, names, state, options, done_ps)
    if result.interrupted:
        warnings.warn(f"stopped after {result.duration_s:.6g} s simulated", stacklevel=2)
    return result


def _advanced(state: State, options: Run) -> int:
    """Play some steps; how far all is done then [ps]."""
    line = state.line[0]
    chunk = max(CHUNK_ROWS // len(state.flows), 1)
    run(state, min(int(line["done"]) + chunk, int(line["steps"])))
    if line["done"] == line["steps"]:
        return options.end_ps
    done_ps = round(int(line["done"]) * float(line["step_s"]) * PS_PER_S)
    return done_ps if line["done"] > line["warm_steps"] else min(done_ps, options.warm_ps)
