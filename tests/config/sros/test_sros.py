"""Nokia SR OS: what is in a port besides its promises, texts that come back, and damaged ones."""

from random import Random

import pytest

from places import CASES
from qoslib.config import ConfigurationError, read, recognise, write
from qoslib.config.source import bounded, lines_that_say
from qoslib.findings import check
from qoslib.port import (
    ByteLimit,
    Ewma,
    Node,
    Port,
    Queue,
    SchedulerTree,
    Shaper,
    ShareRedProfile,
)

FACTS = {"line_rate_bps": 1e9, "buffer_bytes": 10e6}
TEXTS = {path.stem: path.read_text() for path in sorted((CASES / "sros").glob("*.conf"))}


@pytest.mark.parametrize("name", TEXTS)
def test_the_dialect_is_recognised(name):
    assert recognise(TEXTS[name]) == "sros"


@pytest.mark.parametrize("name", ["levels_below_a_scheduler", "slopes", "slips"])
def test_a_port_comes_back(name):
    (configured,) = read(TEXTS[name], facts={"line_rate_bps": 1e8}).ports
    written = write(configured.port, "sros", "1/1/1")
    back = read(written.text, facts=dict(written.facts)).ports[0].port
    assert [each for each in written.lost if not each.startswith("The name of the port")] == []
    assert back.queues == configured.port.queues
    assert back.scheduler == configured.port.scheduler


def test_what_tiers_of_schedulers_cannot_say_is_said():
    site = Node("site", ("queue 2", "queue 3"), shaper=Shaper(20e6, 10_000))
    nodes = (Node("line", ("queue 1", "site")), site)
    queues = tuple(
        Queue(f"queue {n}", ByteLimit(64_000), priority=n % 2, guaranteed_bps=1e6)
        for n in (1, 2, 3)
    )
    port = Port("1/1/1", 1e8, queues, SchedulerTree(nodes))
    assert any(each.startswith("A scheduler has one level") for each in write(port, "sros").lost)
    for depth in range(4):
        inner = Node(f"inner {depth}", (nodes[0].children[1],))
        nodes = (nodes[0].replace(children=("queue 1", inner.name)), inner, *nodes[1:])
    port = port.replace(scheduler=SchedulerTree(nodes))
    assert "Schedulers have three tiers, so a device refuses these." in write(port, "sros").lost


def test_slopes_are_shares_of_the_limit_and_take_packets_by_their_profile():
    (configured,) = read(TEXTS["slopes"], facts=FACTS).ports
    (queue,) = configured.port.queues
    assert queue.dropper.profile == ShareRedProfile(0.8, 1.0, 0.8)
    low = ShareRedProfile(0.5, 0.75, 0.8)
    assert queue.dropper.profiles == (("AF12", low), ("AF13", low))
    assert queue.dropper.averaging == Ewma(4)
    # 15 % less than 300 kB.
    assert [(mark, limit.limit_bytes) for mark, limit in queue.limits] == [
        ("AF12", 255_000),
        ("AF13", 255_000),
    ]
    where = "queues['queue 1'].dropper.profile.minimum_share"
    assert configured.origin(where).line == 4
    assert configured.origin(where.replace("share", "probability")) is None
    probability = configured.origin("queues['queue 1'].dropper.profile.maximum_probability")
    assert probability.default == "sros.high-slope-max-prob"


def test_sizes_of_a_network_queue_are_shares_of_the_memory():
    (configured,) = read(TEXTS["network_queues"], facts={"buffer_bytes": 10e6}).ports
    first, second = configured.port.queues
    assert (first.limit.limit_bytes, second.limit.limit_bytes) == (5_000_000, 1_000_000)
    assert dict(first.limits)["AF12"].limit_bytes == 3_750_000
    assert (first.priority, second.priority) == (1, 0)
    assert second.guaranteed_bps == second.shaper.rate_bps == 800e6
    missing = read(TEXTS["network_queues"]).missing
    assert [each.name for each in missing] == ["1/1/3.buffer_bytes"]


def test_md_cli_counts_sizes_in_bytes_and_classic_in_kilobytes():
    (configured,) = read(TEXTS["model_driven"]).ports
    assert configured.port.queues[0].limit.limit_bytes == 262_144
    (configured,) = read(TEXTS["levels_below_a_scheduler"]).ports
    assert configured.port.queues[0].limit.limit_bytes == 100_000


def test_marks_that_policies_put_into_different_classes_are_in_none():
    text = TEXTS["levels_below_a_scheduler"]
    other = "qos\n    sap-ingress 31 create\n        dscp ef fc nc\n    exit\nexit\n"
    (configured,) = read(text + other).ports
    assert "EF" not in [mark for each in configured.classes for mark in each.marks]
    assert any(each.text == "EF" for each in read(text + other).remarks)


def test_committed_rates_above_the_port_are_worth_knowing_and_no_error():
    text = TEXTS["network_queues"].replace("rate 100 cir 10\n", "rate 100 cir 80\n")
    (found,) = [
        each
        for each in check(text, facts={"buffer_bytes": 10e6}).findings
        if each.id == "guarantees-over"
    ]
    assert (found.severity, "120 %" in found.sentence) == ("info", True)


@pytest.mark.parametrize("rate", ["max", "2000000"])
def test_a_scheduler_that_holds_nobody_back_orders_nobody(rate):
    text = TEXTS["levels_below_a_scheduler"].replace("rate 50000\n", f"rate {rate}\n")
    found = read(text)
    (configured,) = found.ports
    assert any("levels and weights have no effect" in each.lost for each in found.remarks)
    assert [queue.priority for queue in configured.port.queues] == [1, 0, 0]


@pytest.mark.parametrize("seed", range(10))
def test_damage_gives_a_reading_or_one_error(seed):
    random = Random(f"sros {seed}")
    for _ in range(20):
        text = random.choice(list(TEXTS.values()))
        for _ in range(random.randint(1, 5)):
            at = random.randrange(len(text))
            text = (
                text[:at]
                + random.choice(("", "{", "}", '"', "\n", "exit", "9", " "))
                + text[at + 3 :]
            )
        try:
            found = read(text, facts=FACTS, dialect="sros")
        except ConfigurationError:
            continue
        spoken = [each.line for each in (*found.statements, *found.remarks)]
        assert all(1 <= line <= found.lines for line in spoken)
        says = lines_that_say(bounded(text))
        assert found.understood + found.listed + found.elsewhere == len(says)


def test_of_policies_that_are_left_out_nothing_is_listed_that_changes_no_queue():
    text = (CASES / "sros" / "policies_of_an_ixr.conf").read_text()
    said = [remark.text for remark in read(text).remarks]
    assert not [each for each in said if "description" in each or "shutdown" in each]
    assert sum("queue-mgmt-policy" in each or "mbs" in each for each in said) == 1
