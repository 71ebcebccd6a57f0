"""Controls that describe a port of up to three classes, and the description that they make."""

from collections.abc import Mapping
from typing import Any

import ipywidgets as widgets

from qoslib import units
from qoslib.explore.controls import bare, choice, flow, heading, row, slider
from qoslib.port import (
    DeficitRoundRobin,
    Fifo,
    Policer,
    Port,
    PriorityLevels,
    Queue,
    Scheduler,
    StrictPriority,
    TimeLimit,
)
from qoslib.scenario import Scenario
from qoslib.traffic import Cbr, OnOff, Poisson, Stream

__all__ = ["START", "built", "controls_of", "grid"]

CLASSES = (1, 2, 3)
RATES = {f"{rate:g} Mb/s": units.mbps(rate) for rate in (10, 50, 100, 500, 1000, 10_000)}
SCHEDULERS: dict[str, Scheduler] = {
    "one queue": Fifo(),
    "strict priority": StrictPriority(),
    "priority levels with a share": PriorityLevels(),
    "round robin by share": DeficitRoundRobin(),
}
SPACINGS: dict[str, Poisson | Cbr | OnOff] = {
    "at random (Poisson)": Poisson(),
    "evenly (CBR)": Cbr(),
    "in bursts of 10 ms": OnOff(units.ms(10), units.ms(10)),
}
#: What Ethernet adds to a frame with its check sequence [B].
OVERHEAD_BYTES = 20.0
#: What a share of 1 % sends in a round [B].
QUANTUM_BYTES = 150
#: How long a packet model runs, in times that the line needs for so many frames of 1500 B.
FRAMES, WARM_SHARE = 60_000, 0.4

#: Column of the grid -> heading, how its control is called, and least, most, step of its slider.
_COLUMNS = {
    "offered": ("offered [%]", "offered load [% of the link]", (0, 200, 1)),
    "frame": ("frame [B]", "frame [bytes]", (64, 1518, 2)),
    "buffer": ("buffer [ms of the line]", "buffer [ms of the line]", (1, 250, 1)),
    "share": ("share [%]", "share [%]", (1, 100, 1)),
}
#: What the controls begin at.
START: dict[str, Any] = {
    "rate": "100 Mb/s",
    "scheduler": "strict priority",
    "spacing": "at random (Poisson)",
    "police": 0,
    **{"name_1": "voice", "offered_1": 10, "frame_1": 200, "buffer_1": 20, "share_1": 20},
    **{"name_2": "video", "offered_2": 40, "frame_2": 1200, "buffer_2": 50, "share_2": 50},
    **{"name_3": "data", "offered_3": 70, "frame_3": 1500, "buffer_3": 50, "share_3": 30},
}


def controls_of(values: Mapping[str, Any]) -> dict[str, widgets.Widget]:
    """The controls, at these values."""
    controls: dict[str, widgets.Widget] = {
        "rate": choice("Line", list(RATES), values["rate"]),
        "scheduler": choice("Scheduler", list(SCHEDULERS), values["scheduler"]),
        "spacing": choice("Packets come", list(SPACINGS), values["spacing"]),
        "police": slider("Police class 1 at [% of the link, 0 for never]", 0, 0, 100, 1),
    }
    for number in CLASSES:
        controls[f"name_{number}"] = _name(number, values[f"name_{number}"])
        for field, (_, called, ends) in _COLUMNS.items():
            made = slider(f"Class {number} {called}", values[f"{field}_{number}"], *ends)
            controls[f"{field}_{number}"] = bare(made, "1 1 0")
    controls["police"].style.description_width = "300px"
    return controls


def _name(number: int, text: str) -> widgets.Widget:
    made = widgets.Text(text, description=f"Class {number} name", continuous_update=False)
    return bare(made, "0 0 90px")


def grid(controls: Mapping[str, widgets.Widget]) -> list[widgets.Widget]:
    """The controls as they stand above the figure."""
    heads = [heading("class", "0 0 90px")]
    heads += [heading(head, "1 1 0") for head, *_ in _COLUMNS.values()]
    lines = [
        row(*(controls[f"{field}_{number}"] for field in ("name", *_COLUMNS))) for number in CLASSES
    ]
    first = flow(controls["rate"], controls["scheduler"], controls["spacing"])
    return [first, row(*heads), *lines]


def built(values: Mapping[str, Any]) -> Scenario:
    """The scenario that the controls describe; a class without a load stays away.

    Raises
    ------
    ValueError
        If no class offers anything, or two have one name.
    """
    rate_bps = RATES[values["rate"]]
    used = [number for number in CLASSES if values[f"offered_{number}"]]
    names = [values[f"name_{number}"] for number in used]
    if not used:
        raise ValueError("All loads are 0. Offer something in at least one class.")
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"{len(twice)} classes are called {twice[0]!r}. Give each its own name.")
    streams = tuple(_stream(values, number, rate_bps) for number in used)
    scheduler = SCHEDULERS[values["scheduler"]]
    queues = tuple(_queue(values, number, rate_bps) for number in used)
    if isinstance(scheduler, Fifo):
        queues = tuple(queue.replace(name="all", policer=None) for queue in queues[:1])
    port = Port("your port", rate_bps, queues, scheduler, overhead_bytes=OVERHEAD_BYTES)
    end_s = FRAMES * units.serialisation_s(1500, rate_bps, OVERHEAD_BYTES)
    return Scenario("your port", port, streams, end_s, WARM_SHARE * end_s, seed=1)


def _stream(values: Mapping[str, Any], number: int, rate_bps: float) -> Stream:
    frame = round(values[f"frame_{number}"])
    share = units.convert(values[f"offered_{number}"], "%", "1")
    return Stream(
        values[f"name_{number}"],
        share * rate_bps * frame / (frame + OVERHEAD_BYTES),
        frame,
        SPACINGS[values["spacing"]],
    )


def _queue(values: Mapping[str, Any], number: int, rate_bps: float) -> Queue:
    share = values[f"share_{number}"]
    police = values["police"] if number == CLASSES[0] else 0
    policed_bps = units.convert(police, "%", "1") * rate_bps
    # A tenth of a second of the policed rate: the size that a vendor sets by default.
    burst_bytes = max(round(units.octets(policed_bps) / 10), 1518)
    return Queue(
        values[f"name_{number}"],
        TimeLimit(units.ms(values[f"buffer_{number}"]), at="line"),
        policer=Policer(policed_bps, burst_bytes) if police else None,
        priority=number - 1,
        guaranteed_bps=units.convert(share, "%", "1") * rate_bps,
        weight=share,
        quantum_bytes=round(share * QUANTUM_BYTES),
    )
