"""The explorer of a port with priority levels: every class's load, guarantee, buffer, drops."""

import dataclasses

import numpy as np

from qoslib import compare, fluid, packets, plots, run, units
from qoslib.explore.controls import MORE, RESET, Bare, Heading, Hidden, choice, flow, row, slider
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.lessons import ghost
from qoslib.packets.phases import random_phases
from qoslib.platforms import Experiment
from qoslib.platforms import platform as platform_named
from qoslib.port import (
    ByteLimit,
    Dropper,
    DropProfile,
    HeadDrop,
    PacketLimit,
    Port,
    PriorityLevels,
    TailDrop,
    TimeLimit,
)
from qoslib.record import checked, fail
from qoslib.scenario import Scenario

__all__ = ["described", "explorer", "settings"]

#: Columns of the grid: field, heading, and how a class's control is called.
_COLUMNS = {
    "offered": ("offered [%]", "offered load [% of the link]"),
    "guaranteed": ("guaranteed [%]", "guaranteed rate [% of the link]"),
    "buffer": ("buffer", "buffer"),
    "drop": ("drops at", "end of the queue that loses a packet, and from which fill on"),
}
#: A limit -> its field, base unit, the unit of its slider, and how that is called.
_BUFFERS = {
    TimeLimit: ("time_s", "s", "ms", "ms at the rate it is served"),
    PacketLimit: ("packets", "packets", "packets", "packets"),
    ByteLimit: ("limit_bytes", "B", "kB", "kB"),
}
_DROPPERS: dict[str, Dropper] = {
    "head": HeadDrop(),
    "tail": TailDrop(),
    "head, 10 %": DropProfile(((0.1, 1.0),), drop_at="head"),
    "tail, 10 %": DropProfile(((0.1, 1.0),), drop_at="tail"),
}
#: The choice of a dropper that is none of these.
_DESCRIBED = "as described"
#: Sizes of the columns, as in CSS: the sliders share what the others leave.
_SIZES = {"": "0 0 42px", "drop": "0 0 112px"}
_SHARED = "1 1 0"
SEED = 1
#: Simulated time that the packet model counts [s].
COUNTED_S = 0.5
#: How many times the usual warm-up a slowly filling queue gets.
PATIENCE = 4


def explorer(platform: str | Scenario = "m120", experiment: str = "") -> Explorer:
    """Sliders for every queue of a router's port, and what each class sends, loses and waits.

    The fluid model follows at once, the packet model when the controls rest.

    Parameters
    ----------
    platform : str or Scenario
        Name of a platform that has an experiment of one port, or a port of your own.
    experiment : str
        The published experiment to begin with; empty for the first.
    """
    name = platform if isinstance(platform, str) else ""
    begin, known = _known(platform, experiment)
    pick = choice("Published experiment", [(e.title, key) for key, e in known.items()], begin)
    start = settings(known[begin])
    fields = {key: _control(key, value, known[begin]) for key, value in start.items()}

    def now(values):
        return described(known[values["experiment"]], values)

    def draw(values, simulated):
        here = now(values)
        solved = fluid.solve(here.port, here.streams)
        moved = {
            name
            for name, value in settings(known[values["experiment"]]).items()
            if value != values[name]
        }
        models = [solved, simulated or _unknown(solved)]
        figure = plots.classes(here, models, name, faded=bool(moved))
        if name == "m120":
            figure.add_traces([*_ghosts(here, values["experiment"], moved, values)])
        figure.remark = compare.remark(solved, simulated)
        return figure

    def simulate(values, progress):
        return _simulated(now(values), progress)

    def arguments(values):
        return f"{name!r}, {values['experiment']!r}" if name else "saved"

    return Explorer(
        fields | {"experiment": pick},
        draw,
        simulate,
        Call("head_drop", arguments, lambda values: [now(values).scenario]),
        _laid(known[begin], fields),
        ("experiment", lambda chosen: settings(known[chosen])),
    )


def _ghosts(here, experiment, moved, values):
    """What was guessed of the base test: what CS1 loses, and the delay of BE with tail drop.

    The delay stands only at a BE that drops at the tail: with head drop it is another question's.
    """
    offered_gbps = units.convert(
        sum(_on_line_bps(s, here.port) for s in here.streams if s.name == "CS1"), "bit/s", "Gbit/s"
    )
    asked = experiment == "base"
    tails = {"drop_CS1", "drop_BE"}
    tail = moved == tails and all(values[name] == "tail" for name in tails)
    lost = {"x": ["CS1"], "drawn": lambda percent: units.convert(percent, "%", "1") * offered_gbps}
    yield ghost("01.a", 1, **lost, side="right", faded=not asked or bool(moved))
    where = ["BE"] if values["drop_BE"] == "tail" else []
    yield ghost("01.b", 2, x=where, faded=not (asked and tail))


def _known(platform, experiment):
    """The experiment to begin with, and those whose port has the same controls."""
    if isinstance(platform, Scenario):
        mine = Experiment("own", platform.name, platform.network, platform.streams)
        return "own", {"own": dataclasses.replace(mine, warmup_s=platform.warmup_s)}
    checked(str, experiment, "experiment")
    every = platform_named(platform).experiments()
    single = [name for name, each in every.items() if isinstance(each.port, Port)]
    begin = experiment or next(iter(single), next(iter(every)))
    if begin not in every:
        fail("experiment", begin, ", ".join(single))
    keys = settings(every[begin]).keys()
    return begin, {name: every[name] for name in single if settings(every[name]).keys() == keys}


def _simulated(experiment, progress):
    """What the packet model says; once more, and longer, if a queue has not filled by then."""
    streams = random_phases(experiment.streams, SEED)
    for longer in (1, PATIENCE):
        warmup_s = longer * experiment.warmup_s
        span = {"duration_s": warmup_s + COUNTED_S, "warmup_s": warmup_s, "seed": SEED}
        longest = experiment.scenario.replace(streams=streams, **span)
        result = run(longest, progress=progress, bins=1)
        if not packets.filling(result):
            break
    return result


def _unknown(result):
    """A packet model's record in which nothing is known yet: no dots, and gaps in the table."""
    arrays = {name: v for name, v in vars(result).items() if isinstance(v, np.ndarray)}
    arrays = {name: np.full(v.shape, np.nan) for name, v in arrays.items()}
    return dataclasses.replace(result, model="packets", **arrays)


def settings(experiment: Experiment) -> dict:
    """What the controls of an experiment stand at, by field and queue: ``offered_CS1``."""
    port = experiment.only_port
    values: dict = {}
    for at, queue in enumerate(port.queues):
        on_line = sum(_on_line_bps(s, port) for s in experiment.streams if port.queue_of(s) == at)
        if on_line:
            share = units.convert(on_line / port.rate_bps, "1", "%")
            values[f"offered_{queue.name}"] = round(share, 6)
        if isinstance(port.scheduler, PriorityLevels):
            share = queue.guaranteed_bps / port.rate_bps
            values[f"guaranteed_{queue.name}"] = round(units.convert(share, "1", "%"), 6)
        field, base, unit, _ = _BUFFERS[type(queue.limit)]
        shown = units.convert(getattr(queue.limit, field), base, unit)
        values[f"buffer_{queue.name}"] = round(shown, 6)
        known = (name for name, each in _DROPPERS.items() if each == queue.dropper)
        values[f"drop_{queue.name}"] = next(known, _DESCRIBED)
    return values


def described(experiment: Experiment, values: dict) -> Experiment:
    """The experiment with its port and streams as the controls stand."""
    port, before = experiment.only_port, settings(experiment)
    queues = tuple(_queue(queue, port, values) for queue in port.queues)
    streams = tuple(_stream(stream, port, values, before) for stream in experiment.streams)
    changed = {"port": port.replace(queues=queues), "streams": streams}
    return Experiment(**{**vars(experiment), **changed})


def _stream(stream, port, values, before):
    """The streams of a queue keep their shares of its load."""
    key = f"offered_{port.queues[port.queue_of(stream)].name}"
    if values.get(key) == before.get(key):
        return stream
    return stream.replace(rate_bps=stream.rate_bps * values[key] / before[key])


def _queue(queue, port, values):
    of = {field: values.get(f"{field}_{queue.name}") for field in _COLUMNS}
    field, base, unit, _ = _BUFFERS[type(queue.limit)]
    size = units.convert(of["buffer"], unit, base)
    size = size if isinstance(queue.limit, TimeLimit) else round(size)
    changed: dict = {"limit": queue.limit.replace(**{field: size})}
    if of["guaranteed"] is not None:
        changed["guaranteed_bps"] = units.convert(of["guaranteed"], "%", "1") * port.rate_bps
    if of["drop"] != _DESCRIBED:
        changed["dropper"] = _DROPPERS[of["drop"]]
    return queue.replace(**changed)


def _on_line_bps(stream, port):
    """What the stream takes of the line, gaps included [bit/s]."""
    frame = stream.mean_frame_bytes
    return stream.rate_bps * (frame + port.overhead_bytes) / frame


def _control(name, value, experiment):
    field, _, queue = name.partition("_")
    title = f"{queue} {_COLUMNS[field][1]}"
    if field == "drop":
        options = dict.fromkeys([*_DROPPERS, value])
        return choice(title, options, value)
    if field == "buffer":
        port = experiment.only_port
        unit = _BUFFERS[type(port.queues[port.queue_names.index(queue)].limit)][-1]
        return slider(f"{title} [{unit}]", value, 1, max(250, 2 * value), 1)
    return slider(title, value, 0, 200 if field == "offered" else 100, 1)


def _laid(experiment, controls):
    """The class with the longest delay first; the other classes are below *More*."""
    heads, lines = _grid(experiment, controls)
    longest = lines.pop(_longest(experiment))
    return [flow("experiment", MORE, RESET), heads, longest, Hidden(tuple(lines.values()))]


def _longest(experiment):
    """Name of the queue with the longest delay."""
    port, solved = experiment.only_port, fluid.solve(experiment.port, experiment.streams)
    delays_s = np.nan_to_num(solved.delay_mean_s)
    return port.queue_names[port.queue_of(experiment.streams[int(np.argmax(delays_s))])]


def _grid(experiment, controls):
    """The headings, and the line of each queue by its name."""
    port = experiment.only_port
    fields = [f for f in _COLUMNS if any(name.startswith(f"{f}_") for name in controls)]
    units_used = dict.fromkeys(_BUFFERS[type(queue.limit)][-1] for queue in port.queues)
    titles = {f: head for f, (head, _) in _COLUMNS.items()}
    titles["buffer"] += f" [{', '.join(units_used)}]"
    heads = [Heading("", _SIZES[""])]
    heads += [Heading(titles[field], _SIZES.get(field, _SHARED)) for field in fields]
    lines = {
        name: row(Heading(name, _SIZES[""]), *(_cell(controls, field, name) for field in fields))
        for name in port.queue_names
    }
    return row(*heads), lines


def _cell(controls, field, queue):
    """The control of a field, or an empty place."""
    name, size = f"{field}_{queue}", _SIZES.get(field, _SHARED)
    return Bare(name, size) if name in controls else Heading("", size)
