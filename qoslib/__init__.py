"""Models of router queues beside what was measured on seven routers and switches.

The map of the house: `port`, `traffic` and `flows` describe, `fluid`, `packets` and `tcp`
answer, `measurements` holds what was published, `platforms` the routers, `compare` sets both side
by side, `plots` draws and `explore` gives sliders; `worksheet` is for a port of one's own. Each
is loaded when it is first named.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_ROOMS = (
    "compare",
    "exercises",
    "explore",
    "flows",
    "fluid",
    "measurements",
    "packets",
    "platforms",
    "plots",
    "port",
    "results",
    "scenario",
    "tcp",
    "traffic",
    "units",
    "worksheet",
)

__all__ = [*_ROOMS, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"qoslib.{name}")
    raise AttributeError(f"module 'qoslib' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
