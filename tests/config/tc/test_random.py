"""Random ports as tc commands and back, damage, and what a kernel says of the commands."""

import json
import shutil
import subprocess
import time
from functools import cache
from random import Random

import pytest

import tc_ports
from qoslib import units
from qoslib.checks import findings
from qoslib.config import Configuration, ConfigurationError, read, write
from qoslib.config.tc.queues import red_exponent
from qoslib.platforms import isr4331, m120
from qoslib.platforms.trees import htb
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    Classifier,
    Codel,
    DeficitRoundRobin,
    Ewma,
    HeadDrop,
    HierarchicalTokenBucket,
    Node,
    PacketLimit,
    Policer,
    Port,
    Queue,
    Red,
    Shaper,
    StartTimeFairQueueing,
    StrictPriority,
)


@pytest.mark.parametrize("seed", range(17))
def test_a_random_port_comes_back(seed):
    random = Random(f"tc {seed}")
    for _ in range(10):
        port = tc_ports.port(random)
        written = write(port, "tc", "eth0")
        found = read(written.text, facts=dict(written.facts))
        (configured,) = found.ports
        assert (configured.port == port) == (not written.lost)
        others = [each for each in written.lost if "order" not in each and "children" not in each]
        assert others == [], written.text
        assert not [each for each in found.remarks if each.kind == "unknown"]


def shown(text):
    """What tc would show of a script with one qdisc: its objects as JSON."""
    kinds = ({"kind": "tbf", "options": {"rate": 10**6, "burst": 9000, "lat": 50_000}},)
    kinds += ({"kind": "pfifo_fast", "options": {"bands": 3, "priomap": [1] * 16}},)
    kinds += ({"kind": "codel", "options": {"limit": 9, "target": 4999, "ecn": True}},)
    more = {"handle": "1:", "dev": "eth0", "root": True}
    return json.dumps([each | more for each in kinds][text % 3 : text % 3 + 1])


def reading(text):
    """The error of a text or None, and what was read."""
    try:
        return None, read(text, facts={"line_rate_bps": 1e9}, dialect="tc")
    except ConfigurationError as error:
        return error, Configuration("tc")


@pytest.mark.parametrize("seed", range(15))
def test_damage_gives_a_reading_or_one_error(seed):
    random = Random(f"damage tc {seed}")
    for turn in range(30):
        text = shown(turn) if turn % 5 == 0 else write(tc_ports.port(random), "tc", "eth0").text
        text = tc_ports.damaged(text, random)
        start = time.process_time()
        problem, found = reading(text)
        assert len(str(problem)) < 1000
        assert 0 <= (getattr(problem, "line", 0) or 0) <= text.count("\n") + 1
        spoken = [each.line for each in (*found.statements, *found.remarks)]
        assert all(1 <= each <= found.lines for each in spoken)
        assert time.process_time() - start < 1
        assert all(each.sentence for each in findings(found))


def test_the_weight_of_red_is_the_one_of_iproute2():
    # 55 packets above 30: 26 <= 32 x (1 - (31/32)^55) = 26.4, and not 16 x 0.97 = 15.5.
    assert red_exponent(30_000, 55, 1000) == 5
    assert red_exponent(30_000, 20, 1000) == 0


def test_the_lessons_ports_say_what_they_lose():
    for port in (m120.port(), isr4331.llq(), isr4331.fifo()):
        written = write(port, "tc")
        (configured,) = read(written.text, facts=dict(written.facts)).ports
        assert bool(written.lost) == (configured.port != port)
    m120_text = write(m120.port(), "tc")
    means = "the text means a hierarchical token bucket (HTB)."
    (scheduler,) = [each for each in m120_text.lost if each.endswith(means)]
    assert scheduler.startswith("The scheduler is priorities with guaranteed rates, as in Junos;")
    # 1 % of 10 Gb/s is the guarantee of CS1 on the M120.
    assert "rate 100mbit ceil 10gbit" in m120_text.text


OFFICE = Port(
    "eth0",
    1e8,
    tuple(
        htb(Queue(name, PacketLimit(64)), rate, 1e8, prio=level)
        for level, (name, rate) in enumerate({"1:10": 2e7, "1:20": 7e7}.items())
    ),
    HierarchicalTokenBucket((htb(Node("1:1", ("1:10", "1:20")), 9e7, 1e8),)),
)


def test_a_tree_as_tc_commands():
    written = write(OFFICE, "tc")
    assert written.lost == ()
    assert written.facts == (("line_rate_bps", 1e8),)
    both = "ceil 100mbit burst 1600 cburst 1600"
    assert written.text.splitlines() == [
        "tc qdisc del dev eth0 root 2>/dev/null || true",
        '# the rest is ""',
        "tc qdisc add dev eth0 root handle 1: htb",
        f"tc class add dev eth0 parent 1: classid 1:1 htb rate 90mbit {both}",
        "tc class add dev eth0 parent 1:1 classid 1:10 htb rate 20mbit "
        f"{both} prio 0 quantum 200000",
        "tc qdisc add dev eth0 parent 1:10 handle 100: pfifo limit 64",
        "tc class add dev eth0 parent 1:1 classid 1:20 htb rate 70mbit "
        f"{both} prio 1 quantum 200000",
        "tc qdisc add dev eth0 parent 1:20 handle 200: pfifo limit 64",
    ]


def test_queues_that_marks_of_their_names_lead_to_get_filters():
    queues = tuple(Queue(name, PacketLimit(9), priority=i) for i, name in enumerate(("EF", "web")))
    port = Port("eth0", 1e9, queues, StrictPriority())
    written = write(port, "tc")
    assert written.lost == ()
    first = "tc filter add dev eth0 parent 1: protocol"
    assert written.text.splitlines()[-3:] == [
        f"{first} ip prio 1 u32 match ip dsfield 0xb8 0xfc flowid 1:1",
        '# fwmark 1 is "web"',
        f"{first} all prio 2 handle 1 fw flowid 1:2",
    ]
    (configured,) = read(written.text, facts=dict(written.facts)).ports
    assert configured.port == port
    assert [each.marks for each in configured.classes] == [("EF",), ("web",)]


def test_more_bands_than_prio_has_are_not_written():
    queues = tuple(Queue(f"q{level}", PacketLimit(9), priority=level) for level in range(17))
    written = write(Port("eth0", 1e9, queues, StrictPriority()), "tc")
    assert (written.text, len(written.lost)) == ("", 1)


UNKNOWN = ("Specified qdisc kind is unknown", "not found", "Failed to load")


@cache
def kernel():
    """What runs tc in network namespaces of its own; the reason where nothing does."""
    if not shutil.which("tc") or not shutil.which("unshare"):
        return None, "no tc here: apt install iproute2"
    alone = ("unshare", "--user", "--map-root-user", "--net")
    tried = subprocess.run([*alone, "true"], capture_output=True, text=True)
    return (alone, "") if tried.returncode == 0 else (None, tried.stderr.strip())


def in_kernel(text, *more):
    """Run a script in a network namespace that nothing else sees: exit status, output, errors."""
    alone, why = kernel()
    if alone is None:
        pytest.skip(why)
    first = "ip link add eth0 type veth peer name eth1 || ip link add eth0 type dummy"
    whole = "\n".join([first, "ip link set eth0 up", "set -e", text, *more])
    done = subprocess.run(
        [*alone, "sh", "-c", whole], capture_output=True, text=True, timeout=60, check=False
    )
    if any(each in done.stderr for each in UNKNOWN):
        pytest.skip(f"this kernel: {done.stderr.strip().splitlines()[0]}")
    assert done.returncode == 0, done.stderr + text
    return done.stdout


SHOW = ("tc -j qdisc show", "tc -d class show dev eth0", "tc -j filter show dev eth0 parent 1:")


def test_a_kernel_takes_a_tree_and_shows_the_same():
    office = OFFICE.replace(classifier=Classifier((), "1:20"))
    out = in_kernel(write(office, "tc").text, *SHOW)
    (configured,) = read(out, "eth0", facts={"line_rate_bps": 1e8}, dialect="tc").ports
    # The order in which the kernel shows classes is its own, and tc rounds bursts to whole ticks.
    shown_queues = sorted(configured.port.queues, key=lambda queue: queue.name)
    for queue, wanted in zip(shown_queues, OFFICE.queues, strict=True):
        tick_bytes = units.octets(queue.shaper.rate_bps * units.us(2))
        assert queue.guaranteed_burst_bytes == pytest.approx(1600, abs=tick_bytes)
        assert queue.shaper.burst_bytes == pytest.approx(1600, abs=tick_bytes)
        whole = queue.replace(guaranteed_burst_bytes=1600, shaper=wanted.shaper)
        assert whole == wanted
    assert configured.port.scheduler.nodes[0].guaranteed_bps == 9e7


VOICE, DATA = Queue("voice", PacketLimit(60)), Queue("data", ByteLimit(60_000), priority=1)
MARKED = Classifier((("EF", "voice"), ("IP 1", "data"), ("CS1", "data")), "data")
RED = Red(ByteRedProfile(30_000, 90_000, 0.1), averaging=Ewma(5), ecn=True)
#: What a kernel may have or not: a port with it.
TAKEN = {
    "pfifo_head_drop below tbf": Port(
        "e", 1e8, (VOICE.replace(dropper=HeadDrop()),), shaper=Shaper(8e6, 9000), overhead_bytes=24
    ),
    "bfifo": Port("e", 1e8, (DATA,)),
    "htb, u32": Port(
        "e",
        1e8,
        tuple(htb(queue, 1e6, 7e6) for queue in (VOICE, DATA)),
        HierarchicalTokenBucket((Node("top", ("voice", "data")),)),
        classifier=MARKED,
    ),
    "prio": Port("e", 1e8, (VOICE, DATA), StrictPriority(), classifier=MARKED),
    "drr": Port(
        "e",
        1e8,
        tuple(queue.replace(quantum_bytes=3000) for queue in (VOICE, DATA)),
        DeficitRoundRobin(),
    ),
    "qfq": Port("e", 1e8, (VOICE, DATA), StartTimeFairQueueing()),
    "codel": Port("e", 1e8, (VOICE.replace(dropper=Codel(2e-3, 3e-2)),)),
    "red": Port("e", 1e8, (Queue("data", ByteLimit(200_000), RED),)),
    "act_police": Port(
        "e",
        1e8,
        (VOICE.replace(policer=Policer(1e6, 3000)), DATA),
        StrictPriority(),
        classifier=MARKED,
    ),
    "cls_fw": Port(
        "e",
        1e8,
        (VOICE, DATA),
        StrictPriority(),
        classifier=Classifier((("web", "voice"),), "data"),
    ),
}


@pytest.mark.parametrize("name", TAKEN)
def test_a_kernel_takes_what_is_written(name):
    in_kernel(write(TAKEN[name], "tc", "eth0").text)
