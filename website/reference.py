"""Make the reference: a page for each room, with every name that it exports."""

from importlib import import_module
from pathlib import Path

__all__ = ["ROOMS", "pages", "parts"]

ROOT = Path(__file__).resolve().parent.parent
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
        lines = [f"- {{any}}`{each} <{_home(getattr(module, each))}>`" for each in names]
        return "\n\n".join([*parts, "\n".join(lines)]) + "\n"
    for each in sorted(names, key=str.lower):
        parts += [f"## {each}", f"```{{eval-rst}}\n{_directive(name, each)}\n```"]
    return "\n\n".join(parts) + "\n"


def _home(found: object) -> str:
    """The room that a name of the front door is from, and its name there."""
    module, name = getattr(found, "__module__", ""), getattr(found, "__qualname__", "")
    return ".".join([*module.split(".")[:2], name])


def _directive(module: str, name: str) -> str:
    found = getattr(import_module(module), name)
    if isinstance(found, type):
        options = "   :members:\n   :exclude-members: check, check_queues"
        return f".. autoclass:: {module}.{name}\n{options}"
    kind = "autofunction" if callable(found) else "autodata"
    return f".. {kind}:: {module}.{name}"
