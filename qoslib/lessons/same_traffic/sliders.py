"""The explorer of one mix of traffic at four ports: a plain queue and three routers' schedulers."""

from qoslib import compare, run, units
from qoslib.explore.controls import choice, slider, stacked
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.lessons import ghost
from qoslib.lessons.same_traffic import same_line
from qoslib.lessons.same_traffic.figures import figure, place_of
from qoslib.packets.progress import Progress
from qoslib.results import Result
from qoslib.scenario import Scenario

__all__ = ["COUNTED_S", "WARMUP_S", "explorer", "scenarios", "simulated", "start"]

#: Simulated time that the packet model leaves out, and that it counts [s].
WARMUP_S, COUNTED_S = 0.8, 0.4
#: The most that a class may offer [% of the link].
MOST = {"voice": 40, "control": 10, "business": 120, "best effort": 120}
#: Controls that are always in sight; the others are below *More*.
FIRST = ("voice", "business", "best effort", "spacing")


def explorer() -> Explorer:
    """Sliders for the loads of a mix, how it is spaced, and its seed; four ports that take it.

    The fluid model, which knows neither spacing nor seed, follows at once; the packet model when
    the controls have come to rest.
    """
    begun = start()
    controls = {
        name: slider(f"{name.capitalize()} [% of the link]", begun[name], 0, most, 1)
        for name, most in MOST.items()
    }
    controls["spacing"] = choice("Packets come", list(same_line.SPACINGS), begun["spacing"])
    controls["seed"] = slider("Seed of the draws", begun["seed"], 1, 20, 1)

    def draw(values, dots):
        solved = {name: run(test, "fluid") for name, test in scenarios(values).items()}
        drawn = figure(solved, dots or {})
        at = place_of(list(same_line.LOADS).index("control"), list(solved).index("ISR4331"))
        moved = {name: value for name, value in values.items() if name != "seed"}
        faded = any(begun[name] != value for name, value in moved.items())
        drawn.add_traces([ghost("09.b", 1, x=[at], faded=faded)])
        drawn.remark = _remark(solved, dots)
        return drawn

    return Explorer(
        controls,
        draw,
        simulated,
        Call("same_traffic", scenarios=lambda values: [*scenarios(values).values()]),
        stacked(controls, FIRST),
    )


def _remark(solved, dots):
    """Each port at which the models part; while only the fluid has run, where that is valid."""
    if dots is None:
        return compare.remark(next(iter(solved.values())), None)
    remarks = {name: compare.remark(result, dots[name]) for name, result in solved.items()}
    return " ".join(f"{name}: {text}" for name, text in remarks.items() if text)


def start() -> dict:
    """What the controls begin at."""
    shares = {name: round(units.convert(load, "1", "%")) for name, load in same_line.LOADS.items()}
    return {**shares, "spacing": next(iter(same_line.SPACINGS)), "seed": 1}


def simulated(values: dict, progress: Progress | None = None) -> dict[str, Result]:
    """What the packet model says at each port; every port gets the same packets."""
    tests = scenarios(values)
    return {name: run(test, progress=progress, bins=1) for name, test in tests.items()}


def scenarios(values: dict) -> dict[str, Scenario]:
    """The four ports as they stand, each with the mix."""
    loads = {name: units.convert(values[name], "%", "1") for name in MOST}
    streams, seed = same_line.streams(loads, values["spacing"]), int(values["seed"])
    times = WARMUP_S + COUNTED_S, WARMUP_S, seed
    return {
        name: Scenario(f"the same traffic at {name}", port, streams, *times)
        for name, port in same_line.ports().items()
    }
