"""What a worksheet is about: a line, a round trip, and who sends over it."""

from dataclasses import dataclass
from numbers import Real

from qoslib import tcp, units
from qoslib.record import fail

__all__ = ["AROUND_BYTES", "HEADERS_BYTES", "TEST_S", "Path"]

#: IPv4, and TCP with time stamps; what Ethernet adds to a packet on the line [B].
HEADERS_BYTES, AROUND_BYTES = 52, 38
#: Length of the test [s].
TEST_S = 30.0
#: Above and up to which each is believed: beyond, somebody has mistaken a unit.
LIMITS = {
    "rate_bps": (0, 1e13),
    "round_trip_s": (0, 100),
    "window_bytes": (0, 1e11),
    "flows": (0, 1e6),
    "packet_bytes": (HEADERS_BYTES, 65_535),
}


@dataclass(frozen=True)
class Path:
    """What the worksheet is about."""

    rate_bps: float
    round_trip_s: float
    flows: int
    window_bytes: float | None
    background_bps: float
    packet_bytes: int

    def __post_init__(self):
        for name, (low, high) in LIMITS.items():
            value, whole = getattr(self, name), name in ("flows", "packet_bytes")
            if name == "window_bytes" and value is None:
                continue
            if not isinstance(value, int if whole else Real) or not low < float(value) <= high:
                fail(name, value, f"a {'whole ' * whole}number above {low}, up to {high:g}")
        if not (isinstance(self.background_bps, Real) and 0 <= self.background_bps < self.rate_bps):
            fail("background_bps", self.background_bps, "from 0 to below rate_bps")

    @property
    def left_bps(self):
        return self.rate_bps - self.background_bps

    @property
    def loss_free_bytes(self):
        """The buffer in which all windows stand still [B]; None without a limit of the windows."""
        if self.window_bytes is None:
            return None
        given = (self.rate_bps, self.round_trip_s, self.background_bps)
        return tcp.loss_free_buffer_bytes(self.flows * self.window_bytes, *given)

    @property
    def payload(self):
        """Payload of a packet, as a share of what it takes on the line."""
        return (self.packet_bytes - HEADERS_BYTES) / (self.packet_bytes + AROUND_BYTES)

    @property
    def title(self):
        """It in a line, with its rates in units to read."""
        wait = units.convert(self.round_trip_s, "s", "ms")
        several = f"{self.flows} flows" if self.flows > 1 else "1 flow"
        beside = f", {_readable(self.background_bps)} beside them" if self.background_bps else ""
        return f"{_readable(self.rate_bps)}, {wait:g} ms, {several}{beside}"


def _readable(rate):
    """A rate in the unit in which it is said."""
    unit = next((unit for unit in ("Gbit/s", "Mbit/s") if rate >= units.UNITS[unit][1]), "kbit/s")
    return f"{units.convert(rate, 'bit/s', unit):g} {unit.replace('bit', 'b')}"
