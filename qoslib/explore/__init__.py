"""What explorers are made of: controls around a figure that follows them, and what can be saved."""

from qoslib.explore.animated_svg import packet_loop
from qoslib.explore.configuration_explorer import ConfigurationExplorer, configuration
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.explore.packet_view import PacketView, packet_view
from qoslib.explore.redraw import memoize_lines
from qoslib.explore.scale_model import divided
from qoslib.explore.tcp_view import TcpView, tcp_view

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
