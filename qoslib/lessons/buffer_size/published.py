"""What was published of TCP through a buffer: throughput and drops, by buffer and paced rate."""

from functools import cache
from typing import NamedTuple

from qoslib import units
from qoslib.compare import published
from qoslib.flows import HtbPacing
from qoslib.platforms import platform as platform_named
from qoslib.plots import style
from qoslib.port import TimeLimit

__all__ = ["CALLED", "LIKE", "TcpTest", "Value", "tcp_tests"]

#: Platform -> what a figure calls it, and the class whose colour and symbol it has.
CALLED = {"mx80": "MX80", "catalyst6506": "6506", "mlx": "MLX"}
LIKE = {"mx80": "BE", "catalyst6506": "CS1", "mlx": "CS2", "": "CS3"}

#: What a published number looks like that cannot be as described.
CROSS = {"symbol": "x-thin", "size": 11, "line": {"width": 2, "color": style.INK}}


class Value(NamedTuple):
    """A published number, how far its print may be from it, and whether it is possible."""

    value: float
    half_width: float
    possible: bool


class TcpTest(NamedTuple):
    """One published test; the buffer as configured, a rate of None where nothing was paced."""

    platform: str
    buffer_bytes: float
    paced_bps: float | None
    background_bps: float
    carried_bps: Value
    dropped_packets: Value


@cache
def tcp_tests(platform: str) -> tuple[TcpTest, ...]:
    """The published tests of a platform, as configured.

    Parameters
    ----------
    platform : str
        Name of a platform that sends TCP.
    """
    values = {(each.experiment, each.quantity): each for each in published(platform).results}
    tests = []
    for name, described in platform_named(platform).experiments("as_configured").items():
        if (name, "throughput") in values:
            read = (_value(values[name, q]) for q in ("throughput", "dropped_packets"))
            pacing = described.hosts[0].pacing
            rate_bps = pacing.rate_bps if isinstance(pacing, HtbPacing) else None
            limit = described.only_port.queues[0].limit
            assert not isinstance(limit, TimeLimit)
            size = limit.held_bytes(described.streams[0].mean_frame_bytes)
            beside_bps = sum(stream.rate_bps for stream in described.streams)
            tests.append(TcpTest(platform, size, rate_bps, beside_bps, *read))
    return tuple(tests)


def _value(printed):
    size = units.UNITS[printed.unit][1]
    half = printed.half_width
    if printed.low is not None and printed.high is not None:
        half = (printed.high - printed.low) / 2
    return Value(printed.value * size, half * size, printed.status == "ok")


def marks(tests, x, quantity, panel, uid):
    """Open markers of each platform; thin crosses where a number cannot be as described."""
    traces = []
    for name in ("mx80", "catalyst6506"):
        mine = [test for test in tests if test.platform == name]
        traces.append(_marks(mine, x, quantity, panel, f"{uid}-{name}", name))
    cannot = _marks(tests, x, quantity, panel, f"{uid}-impossible", "", possible=False)
    cannot["marker"] |= CROSS
    return [*traces, cannot]


def keys(tests):
    """Entries of the key: each router's open marker, and the cross."""
    made = []
    for name in ("mx80", "catalyst6506"):
        colour, symbol = style.look(LIKE[name])
        marker = {"color": colour, "symbol": f"{symbol}-open"}
        made.append(_key(f"{CALLED[name]}, published", f"key-{name}", marker))
    cannot = _key("cannot be as described", "key-impossible", CROSS)
    drawn = {each.platform for each in tests} | {"" for each in tests if not _possible(each)}
    for entry, name in zip((*made, cannot), ("mx80", "catalyst6506", ""), strict=True):
        entry["showlegend"] = name in drawn
    return [*made, cannot]


def _possible(test):
    return test.carried_bps.possible and test.dropped_packets.possible


def _key(name, uid, marker):
    return style.key("measured") | {
        "name": name,
        "uid": uid,
        "marker": {"size": 12, "line": {"width": 2}} | marker,
    }


def _marks(tests, x, quantity, panel, uid, name, possible=True):
    kept = [test for test in tests if getattr(test, quantity).possible == possible]
    values = [getattr(test, quantity) for test in kept]
    size = "Gbit/s" if quantity == "carried_bps" else "packets"
    base = "bit/s" if quantity == "carried_bps" else "packets"
    y = [units.convert(v.value, base, size) for v in values]
    half = [units.convert(v.half_width, base, size) for v in values] if possible else None
    names = [LIKE[name]] * len(kept)
    at = [x(test) for test in kept]
    return style.points("measured", names, at, y, panel, uid=uid, half_width=half)
