"""The explorer of a line shared by deficit round robin and WRED: the Cisco 12000's two tests."""

from collections.abc import Sequence

from qoslib import compare, run, units
from qoslib.explore.controls import MORE, RESET, Hidden, choice, flow, row, slider
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.lessons import ghost
from qoslib.lessons.round_robin.figures import figure
from qoslib.platforms import Experiment, gsr12000
from qoslib.platforms.gsr12000.load import loaded
from qoslib.plots.marks import CALLED
from qoslib.port import Port, Red, Sampled
from qoslib.record import checked, fail

__all__ = ["FIRST", "SIMULATED_S", "described", "explorer", "settings"]

#: Simulated time [s], in how many bins its queues are recorded, and how long they are drawn [s].
SIMULATED_S, BINS, DRAWN_S = 0.25, 5000, 0.02
SEED = 1

#: Class -> name of its slider and the most it can offer [Mb/s]; together the testers' lines fit.
_LOADS = {
    "prec6": ("Updates", 300),
    "prec5": ("Premium", 300),
    "prec3": ("IP Plus", 300),
    "prec1": ("BE", 3440),
    "prec0": ("LBE", 300),
}
_MAPS = {"one for all but Premium": gsr12000.RUNNING, "four, as in the template": gsr12000.TEMPLATE}
TITLES = {"test_a": "test A", "test_b": "test B"}
_QUANTA = ("queue0", "queue2", "queue3")
#: Control -> its name, the most it can be, and its step, which is the least it can be.
_OTHERS = {
    "high": ("WRED at [packets]", 1000, 5),
    "period": ("WRED every [µs]", 1000, 5),
    "ring": ("Ring [packets]", 100, 1),
}
#: The controls of this lesson; all others are below *More*.
FIRST = ("quantum_queue0", "quantum_queue2", "quantum_queue3", "ring")


def explorer(
    experiment: str = "test_b", first: Sequence[str] = FIRST, lesson: str = "round_robin"
) -> Explorer:
    """Sliders for loads, quanta, WRED and transmit ring of the Cisco 12000's output port.

    The fluid model answers at once, the packet model when the controls have come to rest; what
    was published of the chosen test is drawn in.

    Parameters
    ----------
    experiment : str
        ``test_a`` or ``test_b``, to begin with.
    first : sequence of str
        Controls above the figure that are always in sight.
    lesson : str
        Folder of the lesson that shows it.
    """
    known = {name: gsr12000.PLATFORM.experiments()[name] for name in ("test_a", "test_b")}
    if checked(str, experiment, "experiment") not in known:
        fail("experiment", experiment, ", ".join(known))
    pick = choice("Published test", [(TITLES[name], name) for name in known], experiment)
    start = settings(known[experiment])
    controls = {name: _control(name, value) for name, value in start.items()}

    def now(values):
        return described(known[values["experiment"]], values)

    def draw(values, simulated):
        answer = run(now(values).scenario, "fluid")
        begun, chosen = settings(known[values["experiment"]]), values["experiment"]
        faded = any(values[name] != value for name, value in begun.items())
        drawn = figure(now(values), answer, simulated, "gsr12000", DRAWN_S, faded)
        ends_ms = [0, units.convert(DRAWN_S, "s", "ms")]
        drawn.add_traces(
            [
                ghost("03.b", 1, x=["Updates"], faded=faded or chosen != "test_b", side="right"),
                ghost("04.a", 2, x=ends_ms, faded=faded or chosen != "test_a"),
            ]
        )
        other = ", measured with other settings" if faded else ""
        drawn.summary += f" The published values are those of {TITLES[chosen]}{other}."
        drawn.remark = _with_classes(compare.remark(answer, simulated), now(values).streams)
        return drawn

    def simulate(values, progress):
        short = now(values).scenario.replace(duration_s=SIMULATED_S, warmup_s=0.0, seed=SEED)
        return run(short, progress=progress, bins=BINS)

    rest = _in_pairs([name for name in controls if name not in (*first, "map")])
    rows = [flow("experiment"), *_in_pairs(first), flow(MORE, RESET)]
    return Explorer(
        controls | {"experiment": pick},
        draw,
        simulate,
        Call(lesson, lambda at: repr(at["experiment"]), lambda at: [now(at).scenario]),
        [*rows, Hidden((flow("map"), *rest))],
        ("experiment", lambda chosen: settings(known[chosen])),
    )


def _with_classes(remark, streams):
    """A remark that calls streams by class and input, as the figure does."""
    for stream in streams:
        if stream.mark in CALLED:
            of = stream.name.partition("/")[0]
            remark = remark.replace(stream.name, f"{CALLED[stream.mark][0]} from {of}")
    return remark


def _in_pairs(names):
    """Two columns of sliders."""
    half = (len(names) + 1) // 2
    return [row(*names[at::half]) for at in range(half)]


def settings(experiment: Experiment) -> dict:
    """What the controls of a test stand at."""
    port, relay = experiment.only_port, _relay(experiment.only_port)
    values: dict = {f"load_{mark}": _load_mbps(experiment, mark) for mark in _LOADS}
    quanta = {queue.name: queue.quantum_bytes for queue in port.queues}
    for name in _QUANTA:
        values[f"quantum_{name}"] = round(units.convert(quanta[name], "B", "kB"), 6)
    values["high"] = relay.high_packets
    values["period"] = round(units.convert(relay.period_s, "s", "us"), 6)
    values["ring"] = port.transmit_ring_packets
    values["map"] = next(name for name, each in _MAPS.items() if each == port.classifier)
    return values


def described(experiment: Experiment, values: dict) -> Experiment:
    """The test with its port and streams as the controls stand."""
    before = experiment.only_port
    port = before.replace(
        queues=tuple(_queue(queue, values) for queue in before.queues),
        classifier=_MAPS[values["map"]],
        transmit_ring_packets=round(values["ring"]),
    )
    rates_bps = {mark: units.mbps(values[f"load_{mark}"]) / len(gsr12000.PORTS) for mark in _LOADS}
    changed = {"port": port, "streams": loaded(experiment.name, rates_bps)}
    return Experiment(**{**vars(experiment), **changed})


def _queue(queue, values):
    changed = {}
    if isinstance(queue.dropper, Red):
        look = queue.dropper.averaging.replace(
            high_packets=round(values["high"]), period_s=units.us(values["period"])
        )
        changed["dropper"] = queue.dropper.replace(averaging=look)
    if queue.name in _QUANTA:
        quantum_bytes = units.convert(values[f"quantum_{queue.name}"], "kB", "B")
        changed["quantum_bytes"] = round(quantum_bytes)
    return queue.replace(**changed)


def _relay(port: Port) -> Sampled:
    """What WRED of this port looks at, alike in all its queues."""
    looks = (q.dropper.averaging for q in port.queues if isinstance(q.dropper, Red))
    return next(look for look in looks if isinstance(look, Sampled))


def _load_mbps(experiment, mark):
    offered_bps = sum(s.rate_bps for s in experiment.streams if s.mark == mark)
    return round(units.convert(offered_bps, "bit/s", "Mbit/s"), 6)


def _control(name, value):
    kind, _, of = name.partition("_")
    if kind == "map":
        return choice("Queues", list(_MAPS), value)
    if kind == "load":
        label, most = _LOADS[of]
        step = 40 if of == "prec1" else 4
        # With no Best Effort at all nothing might be offered.
        least = step if of == "prec1" else 0
        return slider(f"{label} [Mb/s]", value, least, most, step, half=True)
    if kind == "quantum":
        label = f"Quantum {of[-1]} [kB]"
        return slider(label, value, 0.5, 500 if of == "queue2" else 50, 0.1, 1, half=True)
    label, most, step = _OTHERS[name]
    return slider(label, value, step, most, step, half=True)
