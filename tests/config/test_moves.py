"""A policy written for another platform promises each class what it did, or says what is lost."""

import re

import pytest
from hypothesis import HealthCheck, given, settings

import strategies
from qoslib.checks import promises
from qoslib.config import read, write
from qoslib.config.write import WRITERS
from qoslib.explore.presets import PRESETS

EDGE = PRESETS["IOS XE branch edge"]
SITES = """\
class-map match-any VOICE
 match dscp ef
class-map match-any SITE1
 match access-group name A
class-map match-any SITE2
 match access-group name B
policy-map CLASSES
 class VOICE
  priority 1000
 class class-default
  bandwidth remaining ratio 3
policy-map WAN
 class SITE1
  shape average 20000000
  bandwidth remaining ratio 2
  service-policy CLASSES
 class SITE2
  shape average 30000000
  service-policy CLASSES
interface GigabitEthernet0/0/1
 speed 100
 service-policy output WAN
"""


def minima(text, facts=(), dialect=None):
    """Class or queue -> what it gets while all are saturated [Mb/s]."""
    (configured,) = read(text, facts=dict(facts), dialect=dialect).ports
    return {each.queue: each.minimum_bps / 1e6 for each in promises(configured)}


def port_of(text, facts=None):
    return read(text, facts=facts).ports[0].port


@pytest.mark.parametrize("dialect", ["ios", "junos"])
def test_guarantees_and_equal_shares_become_what_each_class_had(dialect):
    # 15, 5 and 0 Mb/s, and a third each of what 10 + 15 + 5 leave of 50.
    had = {"VOICE": 10, "VIDEO": 21.667, "BULK": 11.667, "class-default": 6.667}
    assert minima(EDGE.text, EDGE.facts.items()) == pytest.approx(had, abs=1e-3)
    written = write(port_of(EDGE.text, EDGE.facts), dialect)
    got = minima(written.text, written.facts, dialect)
    assert {name.split()[-1]: rate for name, rate in got.items()} == pytest.approx(had, abs=3e-3)
    assert written.lost


def test_bandwidths_of_classic_ios_fit_their_shaper():
    text = write(port_of(EDGE.text, EDGE.facts), "ios").text
    inner = text.partition("policy-map WAN\n")[0]
    rates = [int(rate) for rate in re.findall(r"(?:bandwidth|priority) (\d+)", inner)]
    # kb/s of the shaper's 50 Mb/s.
    assert rates == [10_000, 21_666, 11_666, 6666]


def test_a_shaper_above_all_classes_is_that_of_the_port_on_an_mx():
    text = write(port_of(EDGE.text, EDGE.facts), "junos", "xe-0/0/0").text
    assert "interfaces xe-0/0/0 shaping-rate 50000000 burst-size 25000\n" in text
    assert "interfaces xe-0/0/0 scheduler-map" in text
    assert "forwarding-class-set" not in text
    assert "schedulers VOICE priority strict-high" in text
    assert "schedulers VIDEO priority low\n" in text


def test_sites_are_units_with_profiles_on_an_mx():
    port = port_of(SITES)
    written = write(port, "junos")
    assert "interfaces fe-0/0/0 hierarchical-scheduler" in written.text
    # Ratios of 2 and 1; a profile has all of the excess where it says nothing.
    assert "traffic-control-profiles unit-2 excess-rate percent 50\n" in written.text
    for unit, rate in ((1, 20), (2, 30)):
        assert f"traffic-control-profiles unit-{unit} shaping-rate {rate}000000 " in written.text
        assert f"unit {unit} output-traffic-control-profile unit-{unit}\n" in written.text
    assert "forwarding-class-set" not in written.text
    had = [minima(SITES)[name] for name in port.queue_names]
    assert list(minima(written.text, written.facts).values()) == pytest.approx(had)
    remarks = read(written.text, facts=dict(written.facts)).remarks
    assert {each.lost.partition(":")[0] for each in remarks} == {
        "Without a guaranteed rate, nothing is reserved"
    }
    assert any("'class SITE1'; the text says 'unit 1'" in each for each in written.lost)


def test_a_filter_that_polices_a_class_lets_all_others_pass():
    for text, filters in ((EDGE.text, ["police"]), (SITES, ["police-1", "police-2"])):
        facts = EDGE.facts if text is EDGE.text else None
        lines = write(port_of(text, facts), "junos").text.splitlines()
        for name in filters:
            own = [each for each in lines if f"filter {name} term" in each]
            assert own[-1].endswith(f"filter {name} term all-other-classes then accept")


def test_nodes_that_differ_are_named_by_their_place_in_the_tree():
    port = port_of(SITES)
    nodes = tuple(reversed(port.scheduler.nodes))
    same = port.replace(scheduler=port.scheduler.replace(nodes=nodes))
    assert not [each for each in write(same, "ios-xe").lost if "shaper" in each]


def test_class_sets_of_a_switch_are_class_sets_again():
    text = """
    class-of-service {
        forwarding-classes { class lossy queue-num 0; class storage queue-num 3; }
        forwarding-class-sets { lan { class lossy; } san { class storage; } }
        interfaces { xe-0/0/1 {
            forwarding-class-set { lan { output-traffic-control-profile t1; }
                san { output-traffic-control-profile t2; } }
        } }
        traffic-control-profiles {
            t1 { scheduler-map m1; guaranteed-rate 2g; } t2 { scheduler-map m2; }
        }
        scheduler-maps { m1 { forwarding-class lossy scheduler s; }
            m2 { forwarding-class storage scheduler s; } }
        schedulers { s { transmit-rate percent 40; buffer-size percent 40; } }
    }
    """
    written = write(port_of(text, {"buffer_bytes": 1e6}), "junos")
    assert "forwarding-class-sets lan class lossy" in written.text
    assert written.lost == ()


@pytest.mark.parametrize("dialect", WRITERS)
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(port=strategies.ports())
def test_what_is_lost_is_said_in_words(dialect, port):
    for sentence in write(port, dialect).lost:
        assert sentence.endswith(".")
        assert not re.search(r"\w\(|[a-z]_[a-z]|\w=", sentence), sentence
        one, _, other = sentence.partition("; the text says ")
        said = re.split(r" (?:is|are) ", one)[-1]
        assert said != other.removesuffix("."), sentence


def test_a_queue_is_compared_with_the_one_of_its_name():
    # Cisco's default class is the last one, whatever the others are called.
    lost = write(port_of(PRESETS["Junos edge"].text, PRESETS["Junos edge"].facts), "ios-xe").lost
    assert (
        "The name of queue 'best-effort' is 'best-effort'; the text says 'class-default'." in lost
    )
    assert not [each for each in lost if "The name of queue 'network-control'" in each]
    weight = "The weight (`bandwidth remaining ratio`) of queue 'network-control' is 0.05"
    assert f"{weight}; the text says 100." in lost


def test_what_a_device_does_otherwise_with_a_translation_is_said():
    port = port_of(EDGE.text, EDGE.facts)
    said = " ".join(write(port, "junos").lost)
    for part in ("classifies packets where they come in", "`dscp-ipv6`", "`family inet`"):
        assert part in said
    assert "congestion of the port; the text says none (it always acts)" in said
    said = " ".join(write(port, "tc").lost)
    assert "DSCPs are for IPv4" in said
    assert "The policer of queue" in said
    # Nothing of this is said of a text that comes back as it was.
    again = write(port_of(PRESETS["Junos edge"].text, PRESETS["Junos edge"].facts), "junos")
    assert not any("come in" in each or "IPv6" in each for each in again.lost)
