"""The load and the targets of ports that only police what comes in."""

import pytest

from qoslib.config import ConfigurationError
from qoslib.findings import check

POLICED = """class-map match-any VOICE
 match dscp ef
policy-map IN
 class VOICE
  police cir 1000000
 class class-default
  police cir 10000000
interface GigabitEthernet0/0/1
 service-policy input IN
"""
OUT = """policy-map OUT
 class VOICE
  priority percent 20
interface GigabitEthernet0/0/{}
 service-policy output OUT
"""
CALLS = 'VOICE = "40 calls G.711"'


def lost(report):
    return {each.interface: each for each in report.findings if each.id == "loss"}


def test_calls_above_the_rate_of_their_policer_are_lost():
    finding = lost(check(POLICED, traffic=CALLS))["GigabitEthernet0/0/1 in"]
    assert finding.severity == "error"
    assert "1 - 1 Mb/s / 3.49 Mb/s = 71 %" in finding.arithmetic


def test_a_load_below_the_rate_is_not_lost_and_has_no_doubt():
    report = check(POLICED, traffic='VOICE = "5 calls G.711"')
    assert not lost(report)
    assert not report.doubts
    assert {run.model for run in report.ports[0].runs} == {"fluid", "packets"}


def test_a_target_is_undecided_as_a_policer_has_no_queue():
    report = check(POLICED, traffic='VOICE = "5 calls G.711"\n[targets]\nVOICE = "5 ms"')
    assert report.ports[0].met == ("Undecided: whether VOICE meets its target of 5 ms.",)
    assert "a policer has no queue" in report.doubts[0]
    assert all(run.delay_p99_s is None for run in report.ports[0].runs)


def test_a_class_that_no_policer_has_is_refused():
    with pytest.raises(ConfigurationError, match="no class 'VOIZE'; classes: VOICE"):
        check(POLICED, traffic='VOIZE = "40 calls G.711"')


def test_a_text_that_is_no_toml_is_refused_with_what_a_line_looks_like():
    with pytest.raises(ConfigurationError, match="a line looks like VOICE"):
        check(POLICED, traffic="[Gi0/0/1]")


def test_a_load_of_a_class_that_nothing_polices_is_said_to_be_unused():
    marked = POLICED.replace("police cir 10000000", "set dscp 0").replace(
        "police cir 1000000", "set dscp ef"
    )
    report = check(marked, traffic=CALLS, facts={"line_rate_bps": 1e9})
    assert "The load of VOICE is not used here" in report.ports[0].met[0]
    assert "no policer is read here" in report.doubts[0]


@pytest.mark.parametrize("number", [1, 2])
def test_a_class_has_its_load_on_the_way_out_where_a_policy_there_has_it(number):
    report = check(POLICED + OUT.format(number), traffic=CALLS)
    ways = {each.direction: each.runs for each in report.ports}
    assert ways["out"]
    assert not ways["in"]


def test_a_table_of_an_interface_without_queues_is_for_its_policer():
    text = '["GigabitEthernet0/0/1"]\n' + CALLS
    assert list(lost(check(POLICED + OUT.format(2), traffic=text))) == ["GigabitEthernet0/0/1 in"]


def test_an_older_configuration_is_compared_under_a_policed_load():
    older = POLICED.replace("1000000\n", "4000000\n", 1)
    assert lost(check(POLICED, traffic=CALLS, against=older))
