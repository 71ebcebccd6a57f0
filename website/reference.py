"""Make the reference: a page for each room, with every name that it exports."""

import re
from importlib import import_module
from inspect import getdoc
from pathlib import Path

__all__ = ["ROOMS", "pages", "parts"]

ROOT = Path(__file__).resolve().parent.parent
#: A longer value is not shown [characters].
LONGEST = 120
#: Rooms in the order in which a number passes through them, under what they are for.
ROOMS = {
    "Run a model": ("qoslib", "front", "results", "scenario"),
    "Describe a network": ("port", "traffic", "flows", "record", "units"),
    "Engines": ("fluid", "packets", "tcp"),
    "Published and measured values": ("measurements", "telemetry", "platforms", "compare"),
    "Configurations": ("config", "checks", "findings", "worksheet"),
    "Figures and lessons": ("plots", "explore", "lessons", "tables"),
    "Utilities": ("memory", "quality", "tolerances"),
}


def pages() -> dict[str, str]:
    """Name of each room's page -> its text."""
    return {f"reference/{room}.md": _room(room) for rooms in ROOMS.values() for room in rooms}


def parts() -> dict[str, str]:
    """What the page of all rooms lists."""
    made = []
    for title, rooms in ROOMS.items():
        lines = [f"- [{_name(room)}]({room}.md): {_summary(room)}" for room in rooms]
        names = "\n".join(rooms)
        made += [f"## {title}", "\n".join(lines), f"```{{toctree}}\n:hidden:\n\n{names}\n```"]
    return {"rooms": "\n\n".join(made)}


def _name(room: str) -> str:
    return room if room == "qoslib" else f"qoslib.{room}"


def _summary(room: str) -> str:
    text = import_module(_name(room)).__doc__ or ""
    return " ".join(text.strip().partition("\n\n")[0].split()).rstrip(":")


def _room(room: str) -> str:
    """The page of a room; the front door only says where its names are explained."""
    name = _name(room)
    module = import_module(name)
    names = [each for each in module.__all__ if not each.startswith("__")]
    parts = [f"# {name}", f"```{{eval-rst}}\n.. automodule:: {name}\n   :no-members:\n```"]
    if room == "qoslib":
        lines = [
            f"- {{any}}`{each} <{_home(getattr(module, each))}>`: {_first(getattr(module, each))}"
            for each in names
        ]
        return "\n\n".join([*parts, "\n".join(lines)]) + "\n"
    for each in sorted(names, key=str.lower):
        parts += [f"## {each}", f"```{{eval-rst}}\n{_directive(name, each)}\n```"]
    return "\n\n".join(parts) + "\n"


def _first(found: object) -> str:
    """The first sentence of what a name says of itself, as Markdown."""
    text = " ".join((getdoc(found) or "").partition("\n\n")[0].split())
    return re.sub(r":\w+:|``", lambda said: "`" * (said[0] == "``"), text)


def _home(found: object) -> str:
    """The room that a name of the front door is from, and its name there."""
    module, name = getattr(found, "__module__", ""), getattr(found, "__qualname__", "")
    return ".".join([*module.split(".")[:2], name])


def _directive(module: str, name: str) -> str:
    found = getattr(import_module(module), name)
    if isinstance(found, type):
        options = "   :members:\n   :exclude-members: check, check_queues"
        return f".. autoclass:: {module}.{name}\n{options}"
    if callable(found):
        return f".. autofunction:: {module}.{name}"
    # Of data Python says only what its type is for.
    return f".. py:data:: {name}\n   :module: {module}\n\n   {_comment(module, name)}"


def _comment(module: str, name: str) -> str:
    """The comment above the line that names a value in a room, and the value if it is short."""
    room = ROOT / module.replace(".", "/")
    files = sorted(room.glob("*.py")) if room.is_dir() else [room.with_suffix(".py")]
    above = re.compile(rf"((?:^#: .*\n)*)^{name}\b[^=\n]*=", re.MULTILINE)
    found = next(filter(None, (above.search(path.read_text("utf-8")) for path in files)))
    said = " ".join(line.removeprefix("#: ") for line in found[1].splitlines())
    value = repr(getattr(import_module(module), name))
    return said + (f" Value: ``{value}``" if len(value) < LONGEST else "")
