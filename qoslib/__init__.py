"""Models of router queues, compared with measurements of seven routers and switches.

Describe a network and its traffic, and run it::

    from qoslib import PacketLimit, Port, Queue, Scenario, Stream, run

The names of this module are loaded on first use. The rooms are imported by their names: `port`,
`traffic` and `flows` describe, `fluid`, `packets` and `tcp` are the engines, `measurements` holds
what was published, `platforms` the routers, `compare` the scoreboard; `plots` draws, `explore` and
`lessons` have sliders, `worksheet` is for a port of one's own, and `units` converts.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

#: Room -> what stands at the front door of it. No module may have one of these names.
_NAMES = {
    "flows": ("Bbr", "Cubic", "Flow", "FqPacing", "Host", "Reno"),
    "front": ("Sweep", "run", "sweep"),
    "port": (
        *("ByteLimit", "Chain", "Classifier", "Codel", "DeficitRoundRobin", "Fifo", "Forwarder"),
        *(
            "Hop",
            "MemoryPool",
            "PacketLimit",
            "Pie",
            "Policer",
            "Port",
            "Queue",
            "Red",
            "RedProfile",
        ),
        *("Shaper", "StrictPriority", "Switch", "TimeLimit"),
    ),
    "results": ("Result",),
    "scenario": ("Scenario",),
    "traffic": ("Cbr", "OnOff", "Poisson", "Stream", "imix"),
}
_ROOM_OF = {name: room for room, names in _NAMES.items() for name in names}

__all__ = sorted([*_ROOM_OF, "__version__"])


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'qoslib' has no attribute {name!r}")
    return getattr(import_module(f"qoslib.{_ROOM_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
