"""One memory behind two ports of a switch: an incast, a microburst, and who starves whom."""

from functools import cache

import numpy as np

from qoslib import fluid, units
from qoslib.explore.controls import slider
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.front.workers import silent
from qoslib.packets import simulate
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure
from qoslib.port import Hop, MemoryPool, PacketLimit, Port, Queue, Switch
from qoslib.results import Result
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

__all__ = ["burst_lost_bytes", "described", "shared_memory"]

LINE_BPS, FRAME_BYTES = units.gbps(10), 1500
MEMORY_BYTES = 4_500_000
#: The incast's rate over the line's; it has filled what it gets as the burst begins.
INCAST, BEGINS_S, AFTER_S = 3, units.ms(2.5), units.ms(1)
#: Alpha is two to the power of these; chips have such steps.
POWERS = np.arange(-3, 4)
ALPHAS = dict(zip(POWERS.tolist(), ("1/8", "1/4", "1/2", "1", "2", "4", "8"), strict=True))
#: The queues of the picture.
NAMES = ("incast", "burst")
PANELS = ("memory held [MB]", "lost by the burst [%]")
BINS = 150


def shared_memory() -> Explorer:
    """An incast and a microburst into two ports with one memory: who starves whom?

    The line over alpha is the closed form, and follows at once; the packet model's dots, and the
    memory over time, follow when the controls rest.
    """
    controls = {
        "power": slider("Alpha = 2 to the power of", 0, -3, 3, 1),
        "speed": slider("Burst [times the line rate]", 10, 2, 20, 1),
        "size": slider("Burst [MB]", 1.2, 0.1, 3, 0.1, 1),
        "reserved": slider("Reserved for its port [MB]", 0, 0, 1.5, 0.1, 1),
    }

    def draw(values, found):
        found = found or _simulated(values)
        return _figure(values, found)

    def simulate_all(values, progress):
        return _simulated(values)

    call = Call("your_network", "", lambda values: [described(values)], function="shared_memory")
    return Explorer(controls, draw, simulate_all, call)


def described(values: dict) -> Scenario:
    """The switch as the controls stand: the burst begins when the incast has what it gets."""
    memory = MemoryPool("memory", MEMORY_BYTES)
    alpha, reserved = 2.0 ** values["power"], round(units.megabytes(values["reserved"]))
    queue = Queue("all", PacketLimit(10_000), pool="memory", alpha=alpha)
    queues = queue, queue.replace(reserved_bytes=reserved)
    hops = [
        Hop(Port(name, LINE_BPS, (own,), pools=(memory,)), (name,))
        for name, own in zip(("incast", "burst"), queues, strict=True)
    ]
    speed_bps = values["speed"] * LINE_BPS
    ends_s = BEGINS_S + units.serialisation_s(units.megabytes(values["size"]), speed_bps)
    streams = (
        Stream("incast", INCAST * LINE_BPS, FRAME_BYTES),
        Stream("burst", speed_bps, FRAME_BYTES, start_s=BEGINS_S, stop_s=ends_s),
    )
    return Scenario("shared memory", Switch("leaf", tuple(hops)), streams, ends_s + AFTER_S)


def burst_lost_bytes(
    memory_bytes: float, alpha: float, speed: float, size_bytes: float, reserved_bytes: float = 0.0
) -> float:
    """What a burst loses at an empty port, while another one stands at its threshold [B].

    Until its queue has the length of `fluid.burst_bytes` it loses nothing. From then on its queue
    stays at the threshold, which rises as the other queue drains, until both are equal.
    """
    shared = fluid.burst_bytes(memory_bytes, alpha, speed)
    # Times in bytes that a line sends.
    first = (reserved_bytes + shared) / (speed - 1)
    left = size_bytes / speed - first
    if left <= 0:
        return 0.0
    other = alpha * memory_bytes / (1 + alpha) - shared / (speed - 1)
    follows = alpha / (1 + alpha)
    grows = min(left, max(other - shared, 0.0) / (1 + follows))
    return float((speed - 1) * left - follows * grows)


@cache
def _run(power: int, speed: float, size: float, reserved: float) -> Result:
    values = {"power": power, "speed": speed, "size": size, "reserved": reserved}
    asked = described(values)
    return simulate(asked.network, asked.streams, asked.duration_s, bins=BINS, progress=silent)


def _simulated(values):
    """The packet model at every alpha."""
    others = [round(values[name], 6) for name in ("speed", "size", "reserved")]
    return {int(power): _run(int(power), *others) for power in POWERS}


def _lost(values):
    """The closed form at every alpha [ratio]."""
    size, reserved = units.megabytes(values["size"]), units.megabytes(values["reserved"])
    shared = MEMORY_BYTES - reserved
    lost = [
        burst_lost_bytes(shared, 2.0**power, values["speed"], size, reserved) for power in POWERS
    ]
    return np.array(lost) / size


def _figure(values, found):
    power = int(values["power"])
    looks = dict(zip(NAMES, style.looks(NAMES).values(), strict=True))
    lost = np.array([_lost(values), [run["burst"].drop_ratio for run in found.values()]])
    closed, simulated = units.convert(lost, "1", "%")
    traces = [*_over_time(found[power].history, looks), *_over_alpha(closed, simulated, looks)]
    traces += style.keys("packets")
    traces.append(style.upright(f"alpha {ALPHAS[power]}", power, 100, 1, "center", "now"))
    size = units.convert(MEMORY_BYTES, "B", "MB")
    layout = style.layout(
        PANELS,
        ("time since the burst began [ms]", "alpha"),
        [{"range": [0, size]}, {"range": [0, 109]}],
    )
    axes = {"tickvals": POWERS.tolist(), "ticktext": list(ALPHAS.values())}
    layout["xaxis2"] |= axes | {"range": [-3.4, 3.4]}
    table = Columns(
        {
            "the incast holds [MB]": [_held_mb(values, each) for each in POWERS],
            "lost, closed form [%]": closed,
            "lost, packets [%]": simulated,
        },
        list(ALPHAS.values()),
        "alpha",
    )
    summary = _why(values, simulated[power + 3])
    return Figure(data=traces, layout=layout, summary=summary, table=table.significant())


def _over_time(history, looks):
    """What incast and burst hold of the memory, and what is free."""
    middle_s = (history.time_s[1:] + history.time_s[:-1]) / 2
    time_ms = units.convert(middle_s - BEGINS_S, "s", "ms")
    held = units.convert(history.queue_packets * FRAME_BYTES, "B", "MB")
    seen = time_ms > -0.5
    for name, row in zip(NAMES, held, strict=True):
        x, y, as_look = time_ms[seen], row[seen], looks[name]
        line = style.line("packets", name, x, y, 0, as_look=as_look, uid=name)
        yield line | {"name": name, "showlegend": True}
    free = units.convert(MEMORY_BYTES, "B", "MB") - held.sum(0)
    yield style.bound("free", time_ms[seen], free[seen], 0, uid="free")


def _over_alpha(closed, simulated, looks):
    """What the burst loses [%], by the closed form and by packets."""
    look = looks["burst"]
    curve = style.curve("fluid", "burst", POWERS, closed, 1, as_look=look, uid="closed form")
    named = {"name": "burst, closed form", "legendgroup": "closed form", "showlegend": True}
    yield curve | named
    dots = style.points("packets", ["burst"] * len(POWERS), POWERS, simulated, 1, uid="dots")
    yield dots | {"marker": dots["marker"] | {"color": look.colour}}


def _held_mb(values, power):
    """What the incast holds as the burst begins [MB]."""
    shared = MEMORY_BYTES - units.megabytes(values["reserved"])
    return units.convert(fluid.threshold_bytes(shared, [2.0**power])[0], "B", "MB")


def _why(values, percent):
    """Who starves whom, and why."""
    power, rises = int(values["power"]), values["speed"] - 1
    held, alpha = _held_mb(values, power), ALPHAS[power]
    said = f"At alpha {alpha} the incast holds {held:.2g} MB as the burst begins."
    alone = _alone_percent(values)
    if percent < 0.5:
        return f"{said} The burst fits: its queue stays below its own threshold."
    if alone > percent / 2:
        return (
            f"{said} The burst loses {percent:.0f} %, and would lose {alone:.0f} % without the"
            f" incast: a queue may hold no more than {alpha} of what is free."
        )
    return (
        f"{said} It starves the burst, which loses {percent:.0f} %: the incast gives memory back"
        f" at the line rate, and the burst fills it {rises:.0f} times as fast, so both thresholds"
        " fall."
    )


def _alone_percent(values):
    """What the burst would lose without the incast: its threshold is then the only limit."""
    size, reserved = units.megabytes(values["size"]), units.megabytes(values["reserved"])
    most = reserved + fluid.threshold_bytes(MEMORY_BYTES - reserved, [2.0 ** values["power"]])[0]
    waits = size * (1 - 1 / values["speed"])
    return units.convert(max(waits - most, 0.0) / size, "1", "%")
