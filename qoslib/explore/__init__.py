"""The parts of an explorer: controls, a figure that follows them, and buttons to save it.

Explorers and packet views are plain objects. The widgets in which a notebook shows them are loaded
when they are shown.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from qoslib.explore.animated_svg import packet_loop
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.explore.packet_view import PacketView, packet_view
from qoslib.explore.redraw import memoize_lines
from qoslib.explore.scale_model import divided
from qoslib.explore.tcp_view import TcpView, tcp_view

if TYPE_CHECKING:
    from qoslib.explore.configuration_explorer import ConfigurationExplorer, configuration

__all__ = [
    "Call",
    "ConfigurationExplorer",
    "Explorer",
    "PacketView",
    "TcpView",
    "configuration",
    "divided",
    "memoize_lines",
    "packet_loop",
    "packet_view",
    "tcp_view",
]

#: What is a widget alone.
_WIDGETS = ("ConfigurationExplorer", "configuration")


def __getattr__(name: str) -> Any:
    if name in _WIDGETS:
        return getattr(import_module("qoslib.explore.configuration_explorer"), name)
    raise AttributeError(f"module 'qoslib.explore' has no attribute {name!r}")
