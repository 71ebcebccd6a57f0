"""What the explorers and scenes of the lessons answer where there is only numpy.

It is a program as `numpy_alone`, and takes the same argument.
"""

import hashlib
import importlib
import json
import sys

import numpy_alone

#: Explorers beside those that are called so, by lesson.
OTHERS = {"head_drop": ("knife_edge",), "your_network": ("shared_memory",)}
#: Explorers of widgets alone, and lessons of tables that a reader's kernel has measured.
OF_A_NOTEBOOK = ("configuration", "live_lab")


def arguments(lesson):
    """What the explorer of a lesson is made of that has no default."""
    from qoslib import lessons

    if lesson == "one_queue":
        point = lessons.one_queue.Published(1.5e8, 9e7, lost=0.36, lost_half_width=0.005)
        return lessons.one_queue.overload(64), point
    return (lessons.one_queue.overload(64),) if lesson == "your_network" else ()


def explorers():
    """The name of each explorer, and the explorer."""
    from qoslib import lessons

    for name in lessons.LESSONS.values():
        importlib.import_module(f"qoslib.lessons.{name}.exercises")
        if name not in OF_A_NOTEBOOK:
            room = importlib.import_module(f"qoslib.lessons.{name}")
            yield name, room.explorer(*arguments(name))
            for other in OTHERS.get(name, ()):
                yield f"{name}.{other}", getattr(room, other)()


def scenes():
    """The name of each scene that needs no argument, and the scene."""
    from qoslib import lessons

    for name in lessons.LESSONS.values():
        room = importlib.import_module(f"qoslib.lessons.{name}")
        for each in dir(room):
            if each == "scene" or each.endswith("_scene"):
                yield f"{name}.{each}", getattr(room, each)()


def moved(explorer):
    """A move of the first slider by a tenth of its way, or of the first choice."""
    name, control = next(iter(explorer.controls.items()))
    if not hasattr(control, "step"):
        return {name: control.options[-1][1]}
    steps = round(0.1 * (control.max - control.min) / control.step) or 1
    there = control.value + steps * control.step
    return {name: there if there <= control.max else control.value - steps * control.step}


def said(explorer):
    """A figure with all that is said of it."""
    drawn = explorer.drawn
    words = drawn.summary, drawn.remark, explorer.cause, explorer.python
    return [drawn.to_dict(), drawn.table_html(), *words]


def answers(look=lambda explorer: None):
    """What all of them say at first, at once after a move, and at rest; each is looked at twice."""
    found = {}
    for name, explorer in explorers():
        look(explorer)
        begun, move = said(explorer), moved(explorer)
        fluid = explorer.answer({**explorer.values, **explorer.asked(**move)})
        explorer.move(**move)
        look(explorer)
        found[name] = [begun, fluid.to_dict(), said(explorer)]
    for name, view in scenes():
        data = hashlib.sha256(view.data).hexdigest()
        found[name] = [view.spec, data, view.still()]
    view = dict(scenes())["one_queue.scene"]
    changed = view.change(limit=20, lane=0, queue=0)
    found["change"] = [changed.spec, hashlib.sha256(changed.data).hexdigest()]
    return json.loads(json.dumps(found, allow_nan=False))


if __name__ == "__main__":
    # A page has these two, though asyncio loads modules that start processes.
    import asyncio  # noqa: F401
    import tempfile

    numpy_alone.bar(with_numba="numba" in sys.argv)
    sys.modules["tempfile"] = tempfile
    print(json.dumps(answers()))
