"""The explorer of a port with priority levels: every class's load, guarantee, buffer, drops."""

import dataclasses

import numpy as np

from qoslib import fluid, packets, plots, units
from qoslib.compare.models import in_any_phase
from qoslib.explore.controls import bare, button, choice, heading, row, slider, switch
from qoslib.explore.explorer import Explorer
from qoslib.platforms import platform as platform_named
from qoslib.platforms.provenance import Experiment
from qoslib.port import DropProfile, HeadDrop, TailDrop, TimeLimit

__all__ = ["described", "priority", "settings"]

#: Columns of the grid: field, heading, and how a class's control is called.
_COLUMNS = {
    "offered": ("offered [%]", "offered load [% of the line]"),
    "guaranteed": ("guaranteed [%]", "guaranteed rate [% of the line]"),
    "buffer": ("buffer [ms]", "buffer [ms at the rate it is served]"),
    "drop": ("drops at", "end of the queue that loses a packet"),
    "profile": ("profile", "drop profile: drop all from 10 % full"),
}
#: Sizes of the columns, as in CSS: the sliders share what the others leave.
_SIZES = {"": "0 0 42px", "drop": "0 0 74px", "profile": "0 0 44px"}
_SHARED = "1 1 0"
PROFILE_FILL = 0.1
SEED = 1
#: Simulated time that the packet model counts [s].
COUNTED_S = 0.5
#: How many times the usual warm-up a slowly filling queue gets.
PATIENCE = 4


def priority(platform: str = "m120", experiment: str = "") -> Explorer:
    """Sliders for every class of a router's port, and what each sends, loses and waits.

    The fluid model follows at once, the packet model when a control is let go.

    Parameters
    ----------
    platform : str
        Name of a platform whose experiments have one port with priority levels.
    experiment : str
        The published experiment to begin with; empty for the first.
    """
    known = platform_named(platform).experiments()
    begin = experiment or next(iter(known))
    if begin not in known:
        raise ValueError(f"experiment is {begin!r}; allowed: {', '.join(known)}")
    pick = choice("Published experiment", [(e.title, name) for name, e in known.items()], begin)
    start = settings(known[begin])
    controls = {name: _control(name, value) for name, value in start.items()}

    def draw(values, played):
        now = described(known[pick.value], values)
        water = fluid.solve(now.port, now.streams)
        return plots.classes(now, [water, played or _unknown(water)], platform)

    def play(values, tell):
        return _played(described(known[pick.value], values), tell)

    reset = button("Reset", lambda: app.move(**settings(known[pick.value])))
    rows = [row(pick, reset), *_grid(known[begin], controls)]
    app: Explorer = Explorer(controls, rows, draw, play)
    app.controls["experiment"] = pick
    pick.observe(lambda change: app.move(**settings(known[change["new"]])), "value")
    return app


def _played(experiment, tell):
    """What the packet model says; once more, and longer, if a queue has not filled by then."""
    streams = in_any_phase(experiment.streams, SEED)
    for longer in (1, PATIENCE):
        warmup_s = longer * experiment.warmup_s
        span = {"warmup_s": warmup_s, "seed": SEED, "bins": 1, "progress": tell}
        result = packets.simulate(experiment.port, streams, warmup_s + COUNTED_S, **span)
        if not plots.growing(result):
            break
    return result


def _unknown(result):
    """A packet model's record in which nothing is known yet: no dots, and gaps in the table."""
    arrays = {name: v for name, v in vars(result).items() if isinstance(v, np.ndarray)}
    arrays = {name: np.full(v.shape, np.nan) for name, v in arrays.items()}
    return dataclasses.replace(result, model="packets", **arrays)


def settings(experiment: Experiment) -> dict:
    """What the controls of an experiment stand at, by field and class: ``offered_CS1``."""
    port = experiment.only_port
    values = {}
    for stream, queue in zip(experiment.streams, port.queues, strict=True):
        on_line = stream.rate_bps * _on_line(stream, port) / port.rate_bps
        values[f"offered_{queue.name}"] = round(units.convert(on_line, "1", "%"), 6)
        share = queue.guaranteed_bps / port.rate_bps
        values[f"guaranteed_{queue.name}"] = round(units.convert(share, "1", "%"), 6)
        values[f"buffer_{queue.name}"] = round(units.convert(_limit(queue).time_s, "s", "ms"), 6)
        values[f"drop_{queue.name}"] = _end(queue.dropper)
        values[f"profile_{queue.name}"] = isinstance(queue.dropper, DropProfile)
    return values


def described(experiment: Experiment, values: dict) -> Experiment:
    """The experiment with its port and streams as the controls stand."""
    port = experiment.only_port
    queues = tuple(_queue(queue, port, values) for queue in port.queues)
    streams = tuple(_stream(stream, port, values) for stream in experiment.streams)
    changed = {"port": port.replace(queues=queues), "streams": streams}
    return Experiment(**{**vars(experiment), **changed})


def _stream(stream, port, values):
    share = units.convert(values[f"offered_{stream.name}"], "%", "1")
    return stream.replace(rate_bps=share * port.rate_bps / _on_line(stream, port))


def _queue(queue, port, values):
    of = {field: values[f"{field}_{queue.name}"] for field in _COLUMNS}
    return queue.replace(
        guaranteed_bps=units.convert(of["guaranteed"], "%", "1") * port.rate_bps,
        limit=TimeLimit(units.convert(of["buffer"], "ms", "s"), _limit(queue).at),
        dropper=_dropper(of["drop"], of["profile"]),
    )


def _dropper(end, profiled):
    if profiled:
        return DropProfile(((PROFILE_FILL, 1.0),), drop_at=end)
    return HeadDrop() if end == "head" else TailDrop()


def _end(dropper):
    if isinstance(dropper, DropProfile):
        return dropper.drop_at
    return "head" if isinstance(dropper, HeadDrop) else "tail"


def _limit(queue):
    """The queue's limit, which the buffer's slider can only show if it is a time."""
    if not isinstance(queue.limit, TimeLimit):
        raise ValueError(f"limit of queue {queue.name!r} is {queue.limit!r}; allowed: a TimeLimit")
    return queue.limit


def _on_line(stream, port):
    """What the stream takes of the line over its own rate."""
    return (stream.mean_frame_bytes + port.overhead_bytes) / stream.mean_frame_bytes


def _control(name, value):
    field, _, queue = name.partition("_")
    title = f"{queue} {_COLUMNS[field][1]}"
    if field == "drop":
        return bare(choice(title, ["head", "tail"], value), _SIZES[field])
    if field == "profile":
        return bare(switch(title, value), _SIZES[field])
    low, high = (1, 250) if field == "buffer" else (0, 200 if field == "offered" else 100)
    return bare(slider(title, value, low, high, 1), _SHARED)


def _grid(experiment, controls):
    heads = [heading("", _SIZES[""])]
    heads += [heading(head, _SIZES.get(field, _SHARED)) for field, (head, _) in _COLUMNS.items()]
    lines = [
        row(heading(name, _SIZES[""]), *(controls[f"{field}_{name}"] for field in _COLUMNS))
        for name in experiment.port.queue_names
    ]
    return [row(*heads), *lines]
