"""A sending host: what its flows share before their packets reach the port."""

from typing import Annotated

from qoslib.flows.flow import Flow
from qoslib.flows.pacing import Pacing
from qoslib.record import AtLeastOne, NotNegative, Positive, Record, Within, fail, record

__all__ = ["Host", "NetemQueue"]

Burst = Annotated[int, Within(1, 65_535)]


@record
class NetemQueue(Record):
    """Linux's netem on the host's way out: a delay, and a limit that counts bursts.

    Parameters
    ----------
    limit_bursts : int
        Bursts that may be under way in it, those that wait for the line included (its `limit`);
        one more is dropped, which the sender learns at once and answers like a mark (RFC 3168).
    delay_s : float
        What it adds on the way to the port [s], a part of the flows' base round trips.
    """

    limit_bursts: AtLeastOne = 1000
    delay_s: NotNegative = 0.0


@record
class Host(Record):
    """A host, and the flows that share its line, its queue and its pacing.

    Parameters
    ----------
    name : str
    access_bps : float
        Rate of its line [bit/s]; the line adds the port's `overhead_bytes` to each frame.
    flows : tuple of Flow
        At least one, each name once.
    burst_packets : int
        Most segments handed down at once (TSO), back to back on the line; Linux counts them in 16
        bits (`skb_shared_info.gso_segs`), so at most 65,535. What the window has room for waits
        until it is as many, or a third of the window, or nothing is in flight; what is sent again
        goes one by one.
    queue : NetemQueue or None
        None: as long as it has to be.
    pacing : FqPacing, HtbPacing or None
        Of each flow, whose packets then wait in its socket; or of the whole host, whose packets
        wait in its queue and are in flight.
    jitter_s : float
        Each packet reaches the port late by a uniform draw from [0, jitter) [s]; order is kept.
        Without any, packets of a line as fast as the port's take every place that it frees, and a
        full queue drops all others (phase effects: Floyd and Jacobson 1991); one packet's time on
        the line is enough.
    """

    name: str
    access_bps: Positive
    flows: tuple[Flow, ...]
    burst_packets: Burst = 1
    queue: NetemQueue | None = None
    pacing: Pacing | None = None
    jitter_s: NotNegative = 0.0

    def check(self) -> None:
        names = [flow.name for flow in self.flows]
        if not names or len(set(names)) != len(names):
            fail(f"the flows of host {self.name!r}", names, "at least one, each name once", "are")
        delay_s = self.queue.delay_s if self.queue else 0.0
        for flow in self.flows:
            if flow.round_trip_s < delay_s:
                fail(f"Flow {flow.name!r} round_trip_s", flow.round_trip_s, f"at least {delay_s}")
