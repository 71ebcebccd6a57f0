"""The edge of a provider, as a configuration gives it."""

from qoslib.config import ConfiguredClass, ConfiguredPort
from qoslib.platforms.trees import ios_xe, ios_xe_tree
from qoslib.port import (
    Classifier,
    Node,
    PacketLimit,
    Policer,
    Port,
    Queue,
)

LIMIT = PacketLimit(64)
POLICER = Policer(10e6, 250_000, when="congested")


def edge(**changes):
    """An IOS-XE edge: 50 Mb/s shaped, voice 10 policed, video 15, the rest what is left."""
    queues = (
        ios_xe(Queue("VOICE", LIMIT, policer=POLICER), priority_level=1),
        ios_xe(Queue("VIDEO", LIMIT), bandwidth_bps=15e6),
        ios_xe(Queue("class-default", LIMIT)),
    )
    names = tuple(queue.name for queue in queues)
    tree = ios_xe_tree(queues, [ios_xe(Node("PARENT", names), shape_bps=50e6)])
    rules = (("EF", "VOICE"), ("AF41", "VIDEO"))
    port = Port("out", 1e9, queues, tree, classifier=Classifier(rules, "class-default"))
    classes = (
        ConfiguredClass("VOICE", "VOICE", ("EF",), 3),
        ConfiguredClass("VIDEO", "VIDEO", ("AF41",), 5),
        ConfiguredClass("class-default", "class-default", ("the rest",), 8),
    )
    return ConfiguredPort("Gi0/0/1", "out", port.replace(**changes), classes)
