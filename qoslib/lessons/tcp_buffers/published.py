"""What was published of TCP through a buffer: throughput and drops, by buffer and paced rate."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from qoslib import tcp, units
from qoslib.compare import published
from qoslib.flows import HtbPacing
from qoslib.platforms import platform as platform_named
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.port import TimeLimit

__all__ = [
    "CALLED",
    "LIKE",
    "Axis",
    "Swept",
    "TcpTest",
    "Value",
    "drawn",
    "keys",
    "sentence",
    "table",
    "tcp_tests",
    "traces",
]

#: Platform -> what a figure calls it, and the class whose colour and symbol it has.
CALLED = {"mx80": "MX80", "catalyst6506": "6506", "mlx": "MLX"}
LIKE = {"mx80": "BE", "catalyst6506": "CS1", "mlx": "CS2", "": "CS3"}

ROUTERS = ("mx80", "catalyst6506")
#: Columns of a table, by panel.
HEADS = ((0, "[Gb/s]"), (1, "lost"))

#: What a published number is called, and looks like, that cannot be as described.
IMPOSSIBLE = "cannot be as described"
CROSS = {"symbol": "x-thin", "size": 11, "line": {"width": 2, "color": style.INK}}


class Value(NamedTuple):
    """A published number, how far the true one may be from it, and whether it is possible."""

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
    """The published tests of a platform, as configured."""
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
            background_bps = sum(stream.rate_bps for stream in described.streams)
            tests.append(TcpTest(platform, size, rate_bps, background_bps, *read))
    return tuple(tests)


def _value(seen):
    size = units.UNITS[seen.unit][1]
    half = seen.half_width
    if seen.low is not None and seen.high is not None:
        half = (seen.high - seen.low) / 2
    return Value(seen.value * size, half * size, seen.status == "ok")


class Swept(NamedTuple):
    """Settings in base units, and what TCP carried [bit/s] and lost [packets] at each of them."""

    at: Sequence[float]
    carried_bps: Sequence[float]
    dropped_packets: Sequence[float]


class Axis(NamedTuple):
    """What is set along the x axis: its field of a `TcpTest`, base unit, unit, and digits."""

    field: str
    base: str
    unit: str
    digits: int

    def drawn(self, values):
        """Values in the unit of the axis."""
        return units.convert(np.asarray(values, dtype=float), self.base, self.unit)


def drawn(values, panel: int):
    """What the panels show: carried in Gb/s, lost in packets."""
    base, unit = ("bit/s", "Gbit/s") if panel == 0 else ("packets", "packets")
    return units.convert(np.asarray(values, dtype=float), base, unit)


def traces(panel, axis: Axis, swept: Swept, here, simulated, now, tests, platform, faded=False):
    """A panel: the fluid line, both models at the sliders, and the published tests.

    A published test has its router's open marker, or a thin cross if it cannot be as described.
    """
    look, name = style.look(LIKE[platform]), style.KINDS["fluid"]
    x, y = axis.drawn(swept.at), drawn(swept[1 + panel], panel)
    yield style.curve("fluid", name, x, y, panel, as_look=look, uid=f"fluid-{panel}")
    for kind, result in (("packets", simulated), ("now", now)):
        totals = [] if result is None else [tcp.totals(result)[panel]]
        at = axis.drawn([here] * len(totals)).tolist()
        likes, uid = [LIKE[platform]] * len(at), f"{kind}-{panel}"
        yield style.points(kind, likes, at, drawn(totals, panel), panel, uid=uid)
    yield from (_measured(panel, axis, tests, name, faded) for name in (*ROUTERS, ""))


def _measured(panel, axis, tests, name, faded):
    """The possible tests of a router; without a name, all that are impossible."""
    field = Swept._fields[1 + panel]
    mine = [test for test in tests if name in ("", test.platform)]
    mine = [test for test in mine if getattr(test, field).possible == bool(name)]
    x = axis.drawn([getattr(test, axis.field) for test in mine])
    y, half = (
        drawn([getattr(getattr(test, field), part) for test in mine], panel)
        for part in ("value", "half_width")
    )
    uid = f"measured-{panel}-{name or 'impossible'}"
    likes, half = [LIKE[name]] * len(mine), half if name else None
    shown = {"half_width": half, "faded": faded, "uid": uid}
    trace = style.points("measured", likes, x.tolist(), y, panel, **shown)
    called = f"{CALLED.get(name, IMPOSSIBLE)}, {trace['name']}"
    trace |= {"name": called, "legendgroup": f"measured-{name or 'impossible'}"}
    return trace if name else trace | {"marker": trace["marker"] | CROSS}


def keys(tests):
    """Entries of the key: both models, each router's open marker, and the cross."""
    yield from style.keys("packets", "now")
    shown = {each.platform for each in tests}
    for name in ROUTERS:
        colour, symbol = style.look(LIKE[name])
        marker = {"color": colour, "symbol": f"{symbol}-open"}
        yield _key(f"{CALLED[name]}, published", name, marker, name in shown)
    impossible = any(not value.possible for each in tests for value in each[-2:])
    yield _key(IMPOSSIBLE, "impossible", CROSS, impossible)


def _key(name, of, marker, shown):
    look = {"marker": {"size": 12, "line": {"width": 2}} | marker, "showlegend": shown}
    return (
        style.key("measured")
        | look
        | {"name": name, "uid": f"key-{of}", "legendgroup": f"measured-{of}"}
    )


def table(axis: Axis, title: str, swept: Swept, tests, **more):
    """The fluid model and each router's published tests, by what is set; `more` is of the sweep."""
    fluid = {f"fluid model {head}": drawn(swept[1 + panel], panel) for panel, head in HEADS}
    at = axis.drawn(swept.at).round(axis.digits)
    columns = {head: (at, y) for head, y in (fluid | more).items()}
    for name in dict.fromkeys(test.platform for test in tests):
        mine = [test for test in tests if test.platform == name]
        at = axis.drawn([getattr(test, axis.field) for test in mine]).round(axis.digits)
        for panel, head in HEADS:
            y = drawn([test[-2 + panel].value for test in mine], panel)
            columns[f"{CALLED[name]} published {head}"] = at, y
    return Columns.aligned(columns, title).round(2)


def sentence(result) -> str:
    """What a run carried and lost, or nothing without one."""
    if result is None:
        return ""
    rate, lost = (float(drawn(each, panel)) for panel, each in enumerate(tcp.totals(result)))
    return f"Packet model: {rate:.3g} Gb/s and {lost:,.0f} packets."
