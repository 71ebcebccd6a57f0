"""`config_db.json` of SONiC, written by hand with numbers worked out by hand."""

import json
from random import Random

import pytest

from junos_texts import damaged
from places import CASES
from qoslib.config import Configuration, ConfigurationError, read, recognise
from qoslib.findings import check
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    MemoryPool,
    Node,
    PriorityLevels,
    Red,
    SchedulerTree,
    Shaper,
    TailDrop,
    WeightedRoundRobin,
)

LEAF = """{
  "PORT": {
    "Ethernet0": {"speed": "100000", "description": "hunter2"},
    "Ethernet4": {"speed": "25000"}
  },
  "SCHEDULER": {
    "bulk": {"type": "DWRR", "weight": "14"},
    "storage": {"type": "DWRR", "weight": "15", "cir": "1250000000", "pir": "2500000000"},
    "control": {"type": "STRICT", "pir": "125000000", "pbs": "8192"}
  },
  "WRED_PROFILE": {
    "LOSSLESS": {
      "wred_green_enable": "true",
      "green_min_threshold": "250000",
      "green_max_threshold": "2097152",
      "green_drop_probability": "5",
      "yellow_min_threshold": "1",
      "ecn": "ecn_all"
    }
  },
  "DSCP_TO_TC_MAP": {"AZURE": {"0": "1", "46": "5", "26": "3", "13": "0", "48": "6"}},
  "TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "1": "1", "3": "3", "5": "1", "6": "6"}},
  "BUFFER_POOL": {"egress": {"type": "egress", "mode": "dynamic", "size": "12000000"}},
  "BUFFER_PROFILE": {
    "lossy": {"pool": "egress", "size": "1518", "dynamic_th": "1"},
    "lossless": {"pool": "[BUFFER_POOL|egress]", "size": "0", "static_th": "9000000"}
  },
  "BUFFER_QUEUE": {
    "Ethernet0,Ethernet4|0-1": {"profile": "lossy"},
    "Ethernet0,Ethernet4|3": {"profile": "lossless"},
    "Ethernet0|6": {"profile": "[BUFFER_PROFILE|lossy]"}
  },
  "PORT_QOS_MAP": {
    "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_queue_map": "AZURE", "pfc_enable": "3"},
    "Ethernet4": {"scheduler": "control"}
  },
  "QUEUE": {
    "Ethernet0|0-1": {"scheduler": "[SCHEDULER|bulk]"},
    "Ethernet0|3": {"scheduler": "storage", "wred_profile": "LOSSLESS"},
    "Ethernet0|6": {"scheduler": "control"},
    "Ethernet4|0": {"scheduler": "bulk"}
  }
}
"""


def test_schedulers_buffers_wred_and_maps():
    assert recognise(LEAF) == "sonic"
    found = read(LEAF)
    port = found.ports[0].port
    names = ("queue 0", "queue 1", "queue 3", "queue 6")
    tree = SchedulerTree((Node("Ethernet0", names),), strict_levels=1)
    assert (port.name, port.rate_bps, port.scheduler) == ("Ethernet0", 1e11, tree)
    queues = {queue.name: queue for queue in port.queues}
    bulk, storage, control = queues["queue 0"], queues["queue 3"], queues["queue 6"]
    # The strict queue comes first; the others share by weight.
    assert (control.priority, bulk.priority, storage.priority) == (0, 1, 1)
    assert (bulk.weight, storage.weight) == (14, 15)
    # Rates are bytes per second: 1.25 and 2.5 GB/s are 10 and 20 Gb/s.
    assert (storage.guaranteed_bps, storage.shaper) == (1e10, Shaper(2e10, 9216))
    assert control.shaper == Shaper(1e9, 8192)
    # dynamic_th 1 is alpha 2; a static threshold is a limit.
    assert (bulk.alpha, bulk.pool, bulk.reserved_bytes) == (2.0, "egress", 1518)
    assert bulk.limit == ByteLimit(12_000_000)
    assert (storage.limit, storage.alpha) == (ByteLimit(9_000_000), None)
    assert port.pools == (MemoryPool("egress", 12_000_000),)
    assert isinstance(storage.dropper, Red)
    assert storage.dropper.profile == ByteRedProfile(250_000, 2_097_152, 0.05)
    assert storage.dropper.ecn
    goes = port.classifier.queue
    assert [goes(mark) for mark in ("CS0", "EF", "AF31", "DSCP 13", "CS6", "AF11")] == [
        *("queue 1", "queue 1", "queue 3", "queue 0", "queue 6", "queue 0"),
    ]


def test_lines_remarks_and_secrets():
    found = read(LEAF)
    lines = LEAF.split("\n")
    origin = found.ports[0].origin("queues['queue 3'].shaper.rate_bps")
    assert '"pir": "2500000000"' in lines[origin.line - 1]
    assert '"storage"' in lines[origin.line - 1]
    lost = {each.text: each.lost for each in found.remarks}
    assert set(lost) == {"pfc_enable: 3", "yellow_min_threshold: 1", "egress"}
    assert lost["egress"].startswith("Other ports take memory from this pool too")
    assert "hunter2" not in repr(found)


def test_a_port_with_a_shaper_and_a_bundle_without_a_speed():
    second = read(LEAF).ports[1].port
    assert (second.name, second.shaper) == ("Ethernet4", Shaper(1e9, 8192))
    # A queue without a scheduler of its own has weight 1.
    assert [queue.weight for queue in second.queues] == [14, 1, 1]
    (port,) = read('{"QUEUE": {"Ethernet8|2": {}}}').ports
    assert [each.name for each in port.missing] == [
        "Ethernet8.line_rate_bps",
        "Ethernet8.buffer_bytes",
    ]


def test_configlets_ecn_without_wred_and_strict_queues_from_the_highest():
    text = """[
    {"SCHEDULER": {"sp": {"type": "STRICT"}, "rr": {"type": "WRR", "weight": "2"}}},
    {"WRED_PROFILE": {"K": {"green_min_threshold": "90000", "green_max_threshold": "90000",
                            "ecn": "ecn_all"}}},
    {"QUEUE": {"Ethernet0|6-7": {"scheduler": "sp"},
               "Ethernet0|0": {"scheduler": "rr", "wred_profile": "K"}}}
    ]"""
    found = read(text, facts={"line_rate_bps": 1e10, "buffer_bytes": 2e6})
    queues = {queue.name: queue for queue in found.ports[0].port.queues}
    assert [queues[f"queue {n}"].priority for n in (7, 6, 0)] == [0, 1, 2]
    assert queues["queue 0"].dropper == TailDrop()
    assert queues["queue 0"].marking == ByteRedProfile(90_000, 90_000)
    assert queues["queue 7"].limit == ByteLimit(2_000_000)


MIXED = '"bytes": {"type": "DWRR"}, "sure": {"type": "WRR", "weight": "3", "cir": "1000"}'


@pytest.mark.parametrize(
    ("second", "scheduler", "said"),
    [
        ("rr", WeightedRoundRobin(), False),
        ("sp", WeightedRoundRobin(), False),
        ("bytes", PriorityLevels(), True),
        ("sure", PriorityLevels(), True),
    ],
)
def test_turns_are_of_packets_where_all_that_share_take_them(second, scheduler, said):
    """A queue in turns of bytes, or with a guaranteed rate, is no part of a round of packets."""
    text = f"""{{"SCHEDULER": {{"rr": {{"type": "WRR", "weight": "2"}}, {MIXED},
    "sp": {{"type": "STRICT"}}, "port": {{"type": "WRR", "pir": "1000000"}}}},
    "PORT_QOS_MAP": {{"Ethernet0": {{"scheduler": "port"}}}},
    "QUEUE": {{"Ethernet0|0": {{"scheduler": "rr"}},
               "Ethernet0|1": {{"scheduler": "{second}"}}}}}}"""
    found = read(text, facts={"line_rate_bps": 1e10, "buffer_bytes": 2e6})
    port = found.ports[0].port
    assert port.scheduler == scheduler
    assert port.queues[0].weight == 2
    assert port.shaper == Shaper(8e6, 9216)
    assert any("A turn counts packets" in each.lost for each in found.remarks) == said


def test_a_part_of_a_configuration_says_what_it_does_not_hold():
    text = """[{"QUEUE": {"Ethernet63|3": {"scheduler": "s.1", "wred_profile": "W"}}},
    {"BUFFER_QUEUE": {"Ethernet63|3": {"profile": "p"}}},
    {"PORT_QOS_MAP": {"Ethernet63": {"dscp_to_tc_map": "AZURE"}}}]"""
    found = read(text, facts={"line_rate_bps": 1e10, "buffer_bytes": 2e6})
    assert found.ports[0].port.queues[0].limit == ByteLimit(2_000_000)
    assert {(each.line, each.lost) for each in found.remarks} == {
        (1, "The text does not hold SCHEDULER."),
        (1, "The text does not hold WRED_PROFILE."),
        (2, "The text does not hold BUFFER_PROFILE."),
        (3, "The text does not hold DSCP_TO_TC_MAP."),
    }


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"DWRR"', '"FAST"', "line 7: the type of a scheduler is 'FAST'"),
        ('"weight": "14"', '"weight": "0"', "line 7: the weight is '0'; allowed: 1 to 10000"),
        ('"scheduler": "storage"', '"scheduler": "tape"', "line 39: SCHEDULER has no 'tape'"),
        (
            '"Ethernet0,Ethernet4|3"',
            '"Ethernet0|x"',
            "line 30: the queue is 'Ethernet0|x'; allowed:",
        ),
        ('"100000"', '"1e400"', "line 3: the speed in Mb/s is '1e400'"),
    ],
)
def test_an_entry_that_a_device_refuses_is_named_and_the_rest_is_read(old, new, said):
    text = LEAF.replace(old, new, 1)
    assert text != LEAF
    report = check(text)
    (got,) = [each for each in report.remarks if each.kind == "refused"]
    assert f"line {got.line}: {got.lost}".lower().startswith(said.lower())
    assert "line-refused" in [each.id for each in report.findings]
    assert [each.interface for each in report.ports] == ["Ethernet0", "Ethernet4"]


@pytest.mark.parametrize(
    ("old", "new", "said"), [('"size": "0",', '"size" "0",', "line 26: this is no JSON")]
)
def test_an_error_names_its_line(old, new, said):
    text = LEAF.replace(old, new, 1)
    assert text != LEAF
    with pytest.raises(ConfigurationError) as error:
        read(text, dialect="sonic")
    assert str(error.value).startswith(said)


def reading(text):
    """The error of a text or None, and what was read."""
    try:
        return None, read(text, dialect="sonic")
    except ConfigurationError as error:
        return error, Configuration("sonic")


@pytest.mark.parametrize("seed", range(5))
def test_damage_gives_a_reading_or_one_error(seed):
    random = Random(f"sonic {seed}")
    for _ in range(30):
        problem, found = reading(damaged(LEAF, random))
        assert len(str(problem)) < 1000
        assert all(1 <= each.line <= found.lines for each in found.remarks)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (LEAF[LEAF.index('"QUEUE"') :], '"QUEUE": {}}', "QUEUE is empty"),
        (LEAF[LEAF.index(',\n  "QUEUE"') :], "}", "The text does not hold QUEUE"),
    ],
)
def test_a_text_without_queues_says_so(old, new, says):
    text = LEAF.replace(old, new)
    start, end = text.index('  "BUFFER_QUEUE"'), text.index('  "PORT_QOS_MAP"')
    report = check(text[:start] + text[end:], dialect="sonic")
    (got,) = [each for each in report.findings if each.id == "nothing-checked"]
    assert got.severity == "warning"
    assert says in got.arithmetic
    assert report.ports == ()


def test_every_line_is_understood_listed_or_on_other_things():
    found = read(LEAF)
    say = [line for line in LEAF.split("\n") if line.strip(" {},")]
    assert (found.understood + found.listed, found.elsewhere) == (len(say), 0)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('"weight": "14"', '"wieght": "14"', "wieght: 14"),
        ('"SCHEDULER"', '"SCHEDULLER"', "weight: 14"),
        ('"ecn": "ecn_all"', '"ecn": "ecn_all", "ecm": "1"', "ecm: 1"),
    ],
)
def test_what_is_not_known_is_listed(old, new, text):
    found = read(LEAF.replace(old, new))
    assert text in [each.text for each in found.remarks if each.kind == "unknown"]


def test_of_fields_in_one_line_the_wrong_one_is_refused():
    text = """{"SCHEDULER": {"s": {"type": "DWRR", "weight": "20"}},
    "WRED_PROFILE": {"W": {"green_min_threshold": "90000", "green_max_threshold": "80000"}},
    "QUEUE": {"Ethernet0|0": {"scheduler": "s", "wred_profile": "W"}}}"""
    found = read(text, facts={"line_rate_bps": 1e10, "buffer_bytes": 2e6})
    (remark,) = [each for each in found.remarks if each.kind == "refused"]
    assert (remark.line, remark.text) == (2, "green_min_threshold: 90000")
    assert found.ports[0].port.queues[0].weight == 20


def test_a_switch_of_256_ports_is_read():
    queues = ",".join(
        f'"Ethernet{n}|{q}": {{"scheduler": "s"}}' for n in range(256) for q in "01234567"
    )
    text = f'{{"SCHEDULER": {{"s": {{"type": "DWRR", "weight": "20"}}}}, "QUEUE": {{{queues}}}}}'
    ports = read(text, facts={"line_rate_bps": 1e10, "buffer_bytes": 2e6}).ports
    assert [len(ports), len(ports[255].port.queues)] == [256, 8]


@pytest.mark.parametrize("more", ['"": "x"', '"note": {"by": "hand"}'])
def test_what_has_no_name_or_holds_more_than_a_value_is_no_field(more):
    text = (
        '{"SCHEDULER": {"S0": {"weight": "20"%s}}, "QUEUE": {"Ethernet0|3": {"scheduler": "S0"}}}'
    )
    facts = {"buffer_bytes": 2e6, "line_rate_bps": 1e11}
    plain, found = (read(text % added, facts=facts, dialect="sonic") for added in ("", f", {more}"))
    assert found.ports[0].port == plain.ports[0].port
    assert found.remarks == plain.remarks


def test_a_length_that_no_line_says_is_worth_knowing_and_no_warning():
    path = CASES / "sonic" / "ports_of_a_chassis.conf"
    report = check(path.read_text(), facts={"buffer_bytes": 1e6})
    (short,) = (each for each in report.findings if each.id == "queue-shallow")
    assert (short.severity, short.line) == ("info", 4)


def test_what_is_said_of_a_port_names_the_line_of_its_first_queue():
    text = (CASES / "sonic" / "queue_of_a_buffer_alone.conf").read_text()
    found = read(text, dialect="sonic")
    (remark,) = (each for each in found.remarks if "maps lead to" in each.lost)
    assert '"Ethernet0|0"' in text.splitlines()[remark.line - 1]


def test_a_scheduler_that_many_queues_name_refuses_their_lines_and_not_the_file():
    held = {
        "PORT": {f"Ethernet{n}": {"speed": "10000"} for n in range(150)},
        "SCHEDULER": {"bulk": {"type": "DWRR", "weight": "30"}},
        "QUEUE": {f"Ethernet{n}|0": {"scheduler": "bulk"} for n in range(150)}
        | {f"Ethernet{n}|1": {"scheduler": "calls"} for n in range(150)},
    }
    found = read(json.dumps(held, indent=1), facts={"buffer_bytes": 16e6})
    refused = [each for each in found.remarks if each.kind == "refused"]
    assert len({each.line for each in refused}) == 150
    assert all("SCHEDULER has no 'calls'" in each.lost for each in refused)
    assert [len(each.port.queues) for each in found.ports] == [2] * 150
