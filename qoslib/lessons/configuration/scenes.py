"""What lesson 10 shows packet by packet, and the explorer of its configuration."""

from typing import TYPE_CHECKING

from qoslib import config, explore, units
from qoslib.explore import PacketView, packet_view
from qoslib.lessons.configuration.texts import FACTS, edge
from qoslib.port import Port
from qoslib.scenario import Scenario
from qoslib.traffic import Poisson, Stream

if TYPE_CHECKING:
    from qoslib.explore import ConfigurationExplorer

__all__ = ["EF_BPS", "FRAME_BYTES", "explorer", "loaded", "port_of", "scene"]

#: What the source offers [bit/s], in full frames: 30 Mb/s of EF and 80 Mb/s of the rest.
EF_BPS, DEFAULT_BPS, FRAME_BYTES = units.mbps(30), units.mbps(80), 1500
#: The scene divides all rates by this, so that single packets can be seen.
SCALE = 20
#: Where the scene begins [s]: the policer's bucket has just run out.
BEGIN_S = 0.9
TRAFFIC = 'DSCP_EF = "30 Mb/s"\nclass-default = "80 Mb/s"'


def port_of(text: str) -> Port:
    """The only port of a configuration of the ISR4331."""
    port = config.read(text, facts=FACTS).ports[0].port
    assert port is not None
    return port


def loaded(port: Port, ef_bps: float = EF_BPS, default_bps: float = DEFAULT_BPS) -> Scenario:
    """Two streams at a port of the ISR4331: EF, and what no class matches."""
    streams = (
        Stream("EF", ef_bps, FRAME_BYTES, Poisson(), mark="EF"),
        Stream("unmarked", default_bps, FRAME_BYTES, Poisson(), mark="CS0"),
    )
    return Scenario("edge", port, streams, 6.0, warmup_s=2.0, seed=1)


def scene() -> PacketView:
    """Two configurations that differ in one word, with the same packets, on one clock."""
    lanes = {
        f"{word} 20000": loaded(port_of(edge(word))).replace(warmup_s=0.0)
        for word in ("priority", "bandwidth")
    }
    return packet_view(lanes, packets=160, start_s=BEGIN_S, rates_divided_by=SCALE)


def explorer() -> "ConfigurationExplorer":
    """The edge's configuration, to be edited, with the source's loads."""
    return explore.configuration(edge(), facts=FACTS, traffic=TRAFFIC)
