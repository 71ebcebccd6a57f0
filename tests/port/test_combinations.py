"""Which models run mechanisms together; what one does not run it refuses in one clear sentence."""

import pytest

from qoslib import Scenario, run
from qoslib import port as p
from qoslib.flows import Cubic, Flow, Host
from qoslib.platforms.trees import ios_xe, ios_xe_tree
from qoslib.traffic import Stream

LIMIT = p.PacketLimit(50)
LINE = p.Port("line", 10e6, (p.Queue("all", LIMIT),))
NODES = (p.Node("root", ("voice", "data"), guaranteed_bps=1e6),)
LEAVES = tuple(p.Queue(name, LIMIT, quantum_bytes=1500) for name in ("voice", "data"))
TREE = LINE.replace(
    queues=LEAVES,
    scheduler=p.SchedulerTree(NODES),
    classifier=p.Classifier((("voice", "voice"),), "data"),
)
HTB = TREE.replace(scheduler=p.HierarchicalTokenBucket(NODES))
BY_MARK = (("voice", p.PacketLimit(20)),)
RED = p.Red(p.RedProfile(5, 20), averaging=p.Instantaneous())
PROFILE = p.DropProfile(((0.5, 0.5),), drop_at="tail")
PROFILES = PROFILE.replace(profiles=(("voice", ((0.2, 0.9),)),))
CAPABLE = Stream("capable", 3e6, 1000, ecn=True)
PLAIN = Stream("voice", 9e6, 1000, mark="voice"), Stream("data", 9e6, 1000, mark="data")
HOSTS = (Host("host", 1e8, (Flow("web", 0.01, Cubic()),)),)


def queue(**fields):
    return LINE.replace(queues=(p.Queue("all", LIMIT, **fields),))


def alone(port):
    return p.Switch("switch", (p.Hop(port),))


def chain(port):
    return p.Chain("chain", (p.Hop(port), p.Hop(LINE.replace(name="second"))))


def answer(model, network, streams=PLAIN, hosts=()):
    return run(Scenario("both", network, streams=streams, hosts=hosts, duration_s=0.02), model)


RUN = {
    "limits by mark with RED": ("packets", queue(limits=BY_MARK, dropper=RED), PLAIN),
    "limits by mark": ("packets fluid", queue(limits=BY_MARK), PLAIN),
    "drop profiles by mark": ("packets", queue(dropper=PROFILES), PLAIN),
    "both by mark": ("packets", queue(dropper=PROFILES, limits=BY_MARK), PLAIN),
    "ECN on a drop profile": ("packets", queue(dropper=PROFILE.replace(ecn=True)), (CAPABLE,)),
    "ECN that nobody uses": ("packets fluid", queue(dropper=PROFILE.replace(ecn=True)), PLAIN),
    "a tree": ("packets fluid", TREE, PLAIN),
    "a tree in a chain": ("packets fluid", chain(TREE), PLAIN),
    "a tree in a switch": ("packets fluid", alone(TREE), PLAIN),
    "HTB in a chain": ("packets fluid", chain(HTB), PLAIN),
    "HTB in a switch": ("packets fluid", alone(HTB), PLAIN),
    "flow queues": ("packets fluid", queue(flows=p.FlowQueues()), PLAIN),
    "flow queues in a switch": ("packets fluid", alone(queue(flows=p.FlowQueues())), PLAIN),
    "flow queues in a chain": ("packets fluid", chain(queue(flows=p.FlowQueues())), PLAIN),
}


@pytest.mark.parametrize(("models", "network", "streams"), RUN.values(), ids=RUN)
def test_models_run_what_they_say_they_run(models, network, streams):
    for model in models.split():
        assert (answer(model, network, streams).sent_pps > 0).all()


KINDS = {"flat": LINE, "tree": TREE, "HTB": HTB, "flow queues": queue(flows=p.FlowQueues())}
ENGINE = p.Forwarder("engine", p.Queue("in", LIMIT), packet_s=1e-5)


@pytest.mark.parametrize("port", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("network", [lambda port: port, alone, chain])
def test_tcp_runs_through_any_port_alone_in_a_chain_and_in_a_switch(network, port):
    assert (answer("packets", network(port), PLAIN, HOSTS).sent_pps > 0).all()


def test_tcp_runs_through_forwarders():
    before = p.Chain("chain", (p.Hop(ENGINE), p.Hop(LINE)))
    for network in (ENGINE, before):
        assert answer("packets", network, (), HOSTS).sent_pps[0] > 0


WITH_HOSTS = "allowed: in TCP's fluid model one without a tree; its packets run through trees$"
BY_PACKETS = r'in the fluid model; model="packets" runs'
REFUSED = {
    "limits by mark with RED": (
        ("fluid", queue(limits=BY_MARK, dropper=RED)),
        f"Queue 'all' limits is .*; allowed: none by mark behind a dropper {BY_PACKETS} both$",
    ),
    "limits by mark with a drop profile": (
        ("fluid", queue(limits=BY_MARK, dropper=PROFILE)),
        f"Queue 'all' limits is .*; allowed: none by mark behind a dropper {BY_PACKETS} both$",
    ),
    "drop profiles by mark": (
        ("fluid", queue(dropper=PROFILES)),
        f"Queue 'all' profiles is .*; allowed: none by mark {BY_PACKETS} them$",
    ),
    "ECN on a drop profile": (
        ("fluid", queue(dropper=PROFILE.replace(ecn=True)), (CAPABLE,)),
        rf"streams of queue 'all', .*, are \['capable'\]; allowed: none {BY_PACKETS} it$",
    ),
    "ECN on a drop profile that drops the oldest": (
        ("packets", lambda: queue(dropper=p.DropProfile(((0.5, 0.5),), ecn=True))),
        "DropProfile.drop_at is 'head'; allowed: 'tail' with ecn, which marks what arrives$",
    ),
    "flow queues that drop what arrives, fluid": (
        ("fluid", queue(flows=p.FlowQueues(overflow="arriving"))),
        f"Queue 'all' flows.overflow is 'arriving'; allowed: .* or a flow_limit {BY_PACKETS} it$",
    ),
    "HTB with hosts, fluid": (
        ("fluid", HTB, (), HOSTS),
        f"Port 'line' scheduler is .*; {WITH_HOSTS}",
    ),
    "hosts at a switch, fluid": (
        ("fluid", alone(LINE), (), HOSTS),
        'the network of TCP hosts is .*; allowed: a Port in the fluid model; model="packets" runs',
    ),
    "hosts at a port that pauses": (
        ("packets", chain(LINE.replace(pause=p.Pause(9, 3))), (), HOSTS),
        "Port 'line' pause is .*; allowed: None: TCP's hosts know no PAUSE",
    ),
    "limits by mark with hosts, fluid": (
        ("fluid", queue(limits=BY_MARK), (), HOSTS),
        "Queue 'all' limits is .*; allowed: none; the packet model runs it$",
    ),
}


@pytest.mark.parametrize(("asked", "message"), REFUSED.values(), ids=REFUSED)
def test_what_a_model_does_not_run_it_refuses_and_says_what_does(asked, message):
    model, network, *more = asked
    with pytest.raises(ValueError, match=message):
        answer(model, network() if callable(network) else network, *more)


MEMORY = p.MemoryPool("memory", 10_000)
PAUSE = p.PriorityPause(20_000, 0, 1e-6)


def pooled(**fields):
    queue = p.Queue("all", p.ByteLimit(50_000), pool="memory", **fields)
    return LINE.replace(queues=(queue,), pools=(MEMORY,))


def cycle(*nodes):
    return TREE.replace(scheduler=p.SchedulerTree(nodes))


def more_than_the_shape():
    names = "voice", "data"
    queues = [ios_xe(p.Queue(name, LIMIT), bandwidth_bps=30e6) for name in names]
    return ios_xe_tree(queues, [ios_xe(p.Node("site", names), shape_bps=50e6)])


BAD = {
    "a cycle of nodes": (
        lambda: cycle(p.Node("a", ("b", "voice")), p.Node("b", ("a", "data"))),
        r"the nodes are \['a', 'b'\]; allowed: a tree, in which none is below itself$",
    ),
    "a cycle beside a tree": (
        lambda: cycle(*NODES, p.Node("a", ("b",)), p.Node("b", ("a",))),
        r"the nodes are \['a', 'b'\]; allowed: a tree, in which none is below itself$",
    ),
    "committed rates above the parent's peak, IOS XE": (
        more_than_the_shape,
        "the bandwidth below node 'site' is 60000000.0; allowed: up to its shape, 50000000.0$",
    ),
    "alpha of 0": (lambda: pooled(alpha=0.0), "Queue.alpha is 0.0; allowed: above 0, or None$"),
    "headroom above the limit": (
        lambda: p.Queue("all", p.ByteLimit(9_000), pause=PAUSE),
        "Queue 'all' pause.headroom_bytes is 20000; allowed: below the queue's limit, 9000$",
    ),
    "headroom above the memory": (
        lambda: pooled(pause=PAUSE),
        "Queue 'all' pause.headroom_bytes is 20000; allowed: at most 10000, the memory of pool",
    ),
    "headroom above the memory of a switch": (
        lambda: alone(pooled(pause=PAUSE)),
        "Queue 'all' pause.headroom_bytes is 20000; allowed: at most 10000, the memory of pool",
    ),
    "reserved parts above the memory": (
        lambda: pooled(reserved_bytes=10_001),
        "reserved_bytes of the queues of pool 'memory' are 10001; allowed: at most 10000",
    ),
}


@pytest.mark.parametrize(("describe", "message"), BAD.values(), ids=BAD)
def test_a_bad_description_gets_one_clear_error(describe, message):
    with pytest.raises(ValueError, match=message):
        describe()
