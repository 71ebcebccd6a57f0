"""What a worksheet is about: a line, a round trip, and who sends over it."""

import math
from dataclasses import dataclass
from typing import Annotated, get_type_hints

from qoslib import tcp, units
from qoslib.record import NotNegative, Within, checked, fail

__all__ = [
    "AROUND_BYTES",
    "ETHERNET_BYTES",
    "HEADERS_BYTES",
    "LEAST_FRAMES",
    "PACED_SHARE",
    "Path",
    "readable",
]

#: IPv4, and TCP with time stamps; what Ethernet adds to a packet on the line, and of that what a
#: pacer counts [B].
HEADERS_BYTES, AROUND_BYTES, ETHERNET_BYTES = 52, 38, 14
#: No buffer is smaller: one packet waits while another leaves.
LEAST_FRAMES = 2
#: A paced flow gets so much of its share of the line, so that a queue drains again.
PACED_SHARE = 0.95
#: A longer round trip is believed, but may be a mistake: ms in place of s.
LONG_TRIP_S = 2.0
#: Lowest rate that `iperf3 --fq-rate` can be given here [bit/s].
LEAST_PACED_BPS = units.kbps(1)


@dataclass(frozen=True)
class Path:
    """What the worksheet is about: numbers in a range beyond which a unit has been mistaken."""

    rate_bps: Annotated[float, Within(1e3, 1e13, open_low=True)]
    round_trip_s: Annotated[float, Within(1e-6, 100, open_low=True)]
    flows: Annotated[int, Within(1, 1e6)]
    buffer_bytes: Annotated[float, Within(0, 1e12)] | None
    window_bytes: Annotated[float, Within(0, 1e11)] | None
    background_bps: NotNegative
    packet_bytes: Annotated[int, Within(HEADERS_BYTES, 65_535, open_low=True)]

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(Path, include_extras=True).items():
            object.__setattr__(self, name, checked(hint, getattr(self, name), name))
        if self.background_bps >= self.rate_bps:
            fail("background_bps", self.background_bps, "from 0 to below rate_bps")
        for name, packets in (("buffer_bytes", LEAST_FRAMES), ("window_bytes", 1)):
            value, least = getattr(self, name), packets * self.packet_bytes
            if value is not None and value < least:
                fail(name, value, f"at least {packets} packet{'s' * (packets > 1)}, {least} B")

    @property
    def left_bps(self) -> float:
        return self.rate_bps - self.background_bps

    @property
    def packets_pps(self) -> float:
        """Packets per second that the line carries; those of the background are as large."""
        return units.rate_pps(self.rate_bps, self.packet_bytes + AROUND_BYTES)

    @property
    def loss_free_bytes(self) -> float | None:
        """The buffer that holds all windows without loss [B]; None if windows have no limit."""
        if self.window_bytes is None:
            return None
        given = (self.rate_bps, self.round_trip_s, self.background_bps)
        return tcp.loss_free_buffer_bytes(self.flows * self.window_bytes, *given)

    @property
    def slow_start_bytes(self) -> float | None:
        """Most that waits in slow start [B]; None if windows have no limit.

        Each ACK releases two packets, so a flow's last round sends its window at twice the line
        rate, and half of it waits.
        """
        return None if self.window_bytes is None else self.flows * self.window_bytes / 2

    @property
    def windows_bps(self) -> float | None:
        """Payload that the windows allow, where it is less than the line's [bit/s]; else None."""
        if self.window_bytes is None:
            return None
        allowed = self.flows * tcp.window_limited_bps(self.window_bytes, self.round_trip_s)
        return allowed if allowed < self.payload_bps else None

    @property
    def payload_bps(self) -> float:
        """Payload that the line carries beside the background [bit/s]."""
        payload = (self.packet_bytes - HEADERS_BYTES) / (self.packet_bytes + AROUND_BYTES)
        return self.left_bps * payload

    @property
    def most_bps(self) -> float:
        """Payload that line and windows allow, whatever the buffer [bit/s]."""
        return self.windows_bps or self.payload_bps

    @property
    def paced_bps(self) -> float | None:
        """Rate to pace each flow at [bit/s]; None where its share is less than can be set.

        A pacer may count the headers once for a whole burst. On the line each segment has headers
        and a gap. So the rate is a share of the payload that the line can carry, or what the
        windows allow, if that is less.
        """
        share_bps = self.payload_bps * PACED_SHARE
        whole = math.floor(min(share_bps, self.most_bps) / self.flows)
        return None if whole < LEAST_PACED_BPS else float(whole)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What limits the flows whatever the buffer, and what may be a mistake in a unit."""
        said = []
        if self.round_trip_s > LONG_TRIP_S:
            trip = f"{self.round_trip_s:g}"
            said.append(f"The round trip is {trip} s. Is this in ms? Then give {trip}e-3.")
        if self.windows_bps is not None:
            carries = readable(self.payload_bps)
            said.append(
                f"The windows allow {readable(self.windows_bps)} of payload at most, and the line"
                f" carries {carries}. Above that no buffer helps, only larger windows."
            )
        return tuple(said)

    @property
    def title(self) -> str:
        """It in a line, with its rates in units to read."""
        wait = units.convert(self.round_trip_s, "s", "ms")
        several = f"{self.flows} flows" if self.flows > 1 else "1 flow"
        others = (
            f", {readable(self.background_bps)} of other traffic" if self.background_bps else ""
        )
        return f"{readable(self.rate_bps)}, {wait:g} ms, {several}{others}"


def readable(rate_bps: float) -> str:
    """A rate in its usual unit, to three digits.

    >>> readable(8.944e9)
    '8.94 Gb/s'
    """
    known = ("Gbit/s", "Mbit/s")
    unit = next((unit for unit in known if rate_bps >= units.UNITS[unit][1]), "kbit/s")
    return f"{units.convert(rate_bps, 'bit/s', unit):.3g} {unit.replace('bit', 'b')}"
