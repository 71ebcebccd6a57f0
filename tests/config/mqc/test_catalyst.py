"""A Catalyst 9000: its queues divide the port's buffers and borrow others."""

import pytest

from places import CASES
from qoslib.config import read
from qoslib.port import ByteLimit

EIGHT = (CASES / "ios-xe" / "catalyst_eight_queues.conf").read_text()
HALF = """\
class-map match-any CALLS
 match dscp ef
policy-map UPLINK
 class CALLS
  priority level 1 percent 20
 class class-default
  queue-buffers ratio 50
interface {name}
 switchport mode trunk
 service-policy output UPLINK
"""


def queues(text, **facts):
    (configured,) = read(text, facts=facts or None).ports
    assert configured.port is not None, configured
    return {queue.name: queue for queue in configured.port.queues}


def test_a_queue_holds_its_share_and_four_times_that_of_what_others_leave():
    found = queues(HALF.format(name="GigabitEthernet1/0/1"))
    # 128,000 B: half for each. CALLS has 64,000 B of its own besides.
    assert found["CALLS"].limit == ByteLimit(64_000 + 4 * 64_000)
    assert found["class-default"].limit == ByteLimit(4 * 64_000)


def test_the_multiplier_is_of_all_but_the_first_level():
    text = HALF.format(name="GigabitEthernet1/0/1") + "qos queue-softmax-multiplier 300\n"
    found = queues(text)
    assert found["CALLS"].limit == ByteLimit(5 * 64_000)
    assert found["class-default"].limit == ByteLimit(12 * 64_000)
    assert queues(text + "no qos queue-softmax-multiplier\n")["class-default"].limit == ByteLimit(
        4 * 64_000
    )


def test_thresholds_are_shares_of_what_the_queue_may_hold():
    found = queues(EIGHT)
    # 80, 90 and 100 % of 614,400 B.
    limits = {mark: limit.limit_bytes for mark, limit in found["MEETINGS"].limits}
    assert limits == {"AF43": 491_520, "AF42": 552_960, "AF41": 614_400}
    profiles = dict(found["BULK"].dropper.profiles)
    assert profiles["AF13"].minimum_share == 0.4
    assert profiles["AF13"].maximum_share == 0.6
    assert found["BULK"].dropper.profile.minimum_share == 1.0


def test_the_buffers_of_fast_ports_are_asked_for():
    text = HALF.format(name="TenGigabitEthernet1/1/1")
    (asked,) = read(text).missing
    assert asked.name == "TenGigabitEthernet1/1/1.buffer_bytes"
    assert "640 times Hardmax of queue 0" in asked.question
    assert queues(text, buffer_bytes=307_200)["class-default"].limit == ByteLimit(614_400)


def test_a_limit_comes_from_the_buffers():
    configured = read(EIGHT).ports[0]
    origin = configured.origin("queues['CONTROL'].limit.limit_bytes")
    assert origin.default == "ios-xe.catalyst_buffers"
    assert configured.origin("queues['MEETINGS'].limits['AF43']").line == 30
    text = HALF.format(name="GigabitEthernet1/0/1")
    given = read(text, facts={"buffer_bytes": 1e6}).ports[0]
    assert given.origin("queues['CALLS'].limit.limit_bytes").fact == "buffer_bytes"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("ratio 40", "ratio 41", "Its queue-buffers ratios add up to 101; allowed: up to 100"),
        (
            " class class-default",
            " class NINTH\n  bandwidth remaining percent 1\n class class-default",
            "Its classes have 9 queues; allowed: 8",
        ),
    ],
)
def test_what_the_switch_does_not_have_is_refused(old, new, problem):
    text = EIGHT.replace(old, new) + "class-map match-any NINTH\n match dscp cs1\n"
    found = read(text)
    assert found.ports[0].port is None
    (refused,) = [each for each in found.remarks if each.kind == "refused"]
    assert problem.lower() in refused.lost.lower()


def test_a_switch_with_queues_by_number_promises_nothing():
    text = HALF.format(name="GigabitEthernet1/0/1").replace("  queue-buffers ratio 50\n", "")
    found = read(text + "mls qos\n")
    assert found.platform == ""
    assert found.ports[0].port is None


def test_shares_of_the_memory_by_mark_are_left_out_of_other_platforms():
    text = "policy-map type queuing OUT\n class type queuing c-out-q1\n"
    text += "  bandwidth percent 50\n  queue-limit dscp 10 percent 40\n"
    text += "interface Ethernet1/1\n service-policy type queuing output OUT\n"
    facts = {"line_rate_bps": 1e9, "buffer_bytes": 1e6}
    found = read(text, dialect="nxos", facts=facts)
    assert [each.text for each in found.remarks] == ["queue-limit dscp 10 percent 40"]
    assert not any(queue.limits for queue in found.ports[0].port.queues)
