"""Counters of routers are read as measurements: whose they are, and what they count."""

import pytest

from outputs import COS, COS_XML, IOS, JUNOS, JUNOS_XML, XR
from qoslib.measurements import MeasurementError
from telemetry_tables import lines, quantities, read, value

# show policy-map interface


@pytest.mark.parametrize(
    ("last", "says"),
    [
        ("      Service-policy : WAN-CHILD", "No class-default below class-default, which every"),
        ("          Match: dscp ef (46)", "the text seems to be cut off after VOICE."),
        ("        Class-map: class-default (match-any)", "No counters of class-default: the text"),
        (
            "          queue limit 64 packets",
            "class-default, the last class, has no drops of its queue and no packets sent: the",
        ),
    ],
)
def test_a_text_that_is_cut_off_says_what_is_missing(last, says):
    assert read(IOS).attrs["notes"] == ()
    (note,) = read(IOS[: IOS.index(last) + len(last)]).attrs["notes"]
    assert note.startswith("GigabitEthernet0/0/1 output: ")
    assert says in note


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "279000/362700000",
            "300000/362700000",
            "VIDEO: 321,000 packets sent and dropped, of 300,000 offered",
        ),
        (
            "300000 packets, 390000000",
            "350000 packets, 390000000",
            "class-default has 1,250,000 packets, its classes 1,300,000 together",
        ),
    ],
)
def test_counters_that_contradict_one_another_are_said(old, new, says):
    (note,) = read(IOS.replace(old, new)).attrs["notes"]
    assert says in note
    assert "contradict one another" in note
    # A router reads its counters one after the other.
    assert read(IOS.replace("279000/362700000", "281000/362700000")).attrs["notes"] == ()


def test_rates_are_as_the_device_took_them():
    table = read(IOS)
    rates = [("priority", "VOICE", 10_000), ("bandwidth", "VIDEO", 15_000)]
    for kind, stream, rate in rates:
        row = value(table, f"{kind}_rate", stream)
        assert (row["value"], row["unit"], row["statistic"]) == (rate, "kbit/s", "configured")
    assert value(table, "shape_rate")["value"] == 50e6


def test_counters_of_the_priority_class_stand_in_the_block_of_all_of_them():
    table = read(IOS)
    row = value(table, "queue_dropped_packets", "VOICE")
    assert row["value"] == 4_000
    assert "total drops" in lines(IOS, row["place"])
    assert value(table, "output_packets", "VOICE")["value"] == 396_000
    # A terminal wrapped this line.
    assert value(table, "exceed_dropped_packets", "VOICE")["value"] == 4_000


def test_a_block_of_several_priority_classes_is_of_none_alone():
    two = IOS.replace(
        "          Queueing\n          queue limit 3932", "          Priority: 9 kbps\n"
    )
    table = read(two)
    assert value(table, "output_packets", "VOICE + VIDEO")["value"] == 396_000
    assert "of the priority classes VOICE, VIDEO together" in table.attrs["notes"][0]


def test_priority_levels_have_a_block_each():
    block = IOS[IOS.index("        queue stats") : IOS.index("        Class-map: VOICE")]
    second = block.replace("Queueing", "Queueing\n          priority level 2").replace("4000", "7")
    first = block.replace("Queueing", "Queueing\n          priority level 1")
    text = IOS.replace(block, first + second).replace(
        "          Match: dscp ef (46)\n",
        "          Match: dscp ef (46)\n          Priority Level: 1\n",
    )
    other = "        Class-map: CONTROL (match-any)\n          9 packets, 900 bytes\n"
    other += "          Priority: Strict\n          Priority Level: 2\n\n"
    text = text.replace("        Class-map: VIDEO", f"{other}        Class-map: VIDEO")
    table = read(text)
    assert value(table, "queue_dropped_packets", "VOICE")["value"] == 4_000
    assert value(table, "queue_dropped_packets", "CONTROL")["value"] == 7


def test_the_class_with_the_child_policy_is_all_traffic():
    table = read(IOS)
    assert value(table, "output_packets")["value"] == 1_025_000
    assert value(table, "output_packets", "class-default")["value"] == 350_000
    assert set(table["stream"]) == {"", "VOICE", "VIDEO", "class-default"}


@pytest.mark.parametrize(
    "form", ["(depth/total drops/no-buffer drops)", "queue depth/total drops/no-buffer drops)"]
)
def test_the_bracket_before_the_names_may_be_missing(form):
    text = IOS.replace("depth/total drops/no-buffer drops) 60", f"{form} 60")
    assert value(read(text), "queue_depth", "class-default")["value"] == 60
    assert value(read(text), "queue_dropped_packets", "class-default")["value"] == 180_000


def test_fair_queueing_counts_its_own_drops_behind_the_others():
    text = IOS.replace("no-buffer drops) 60/180000/0", "no-buffer drops/flowdrops) 60/180000/0/9")
    assert value(read(text), "flow_dropped_packets", "class-default")["value"] == 9
    bad = text.replace("60/180000/0/9", "60/180000/0")
    with pytest.raises(MeasurementError, match="line 56: 4 names for 3 numbers; allowed: one each"):
        read(bad)


def test_a_limit_in_bytes_says_that_the_depth_is_in_bytes():
    table = read(IOS)
    assert value(table, "queue_limit", "VIDEO", unit="us")["value"] == 3932
    assert value(table, "queue_limit", "VIDEO", unit="B")["value"] == 49_152
    assert value(table, "queue_depth", "VIDEO")["unit"] == "B"
    assert value(table, "queue_depth", "VOICE")["unit"] == "packets"


def test_a_drop_rate_is_an_average_over_the_load_interval():
    table = read(IOS)
    row = value(table, "dropped_bits_30_seconds", "VIDEO")
    assert (row["value"], row["interval_s"], row["half_width"]) == (2e6, 30, 500)
    assert value(table, "dropped_bits_5_minutes", "VOICE")["interval_s"] == 300


def test_drops_of_wred_and_of_the_policer_are_sums_over_their_lines():
    table = read(IOS)
    assert value(table, "random_dropped_packets", "VIDEO")["value"] == 17_000
    assert value(table, "tail_dropped_packets", "VIDEO")["value"] == 4_000
    assert value(table, "exceed_dropped_packets", "class-default")["value"] == 20_000
    assert value(table, "exceed_dropped_bytes", "class-default")["value"] == 22_720_000


def test_a_catalyst_counts_drops_in_bytes():
    shown = (
        "HundredGigE2/0/5\n  Service-policy queueing output: llq\n    Class-map: tc7 (match-all)\n"
    )
    table = read(
        f"{shown}      9 packets\n      Queueing\n      (total drops) 136\n      (bytes output) 7\n"
    )
    assert value(table, "queue_dropped_bytes", "tc7")["value"] == 136
    assert value(table, "output_bytes", "tc7")["value"] == 7


def test_classes_of_one_name_in_two_child_policies_keep_their_parents_names():
    rows = ["GigabitEthernet1", "  Service-policy output: P"]
    for site in ("A", "B"):
        rows += [f"    Class-map: SITE-{site} (match-any)", "      8 packets, 800 bytes"]
        rows += ["      Service-policy : CHILD", "        Class-map: VOICE (match-any)"]
        rows += ["          4 packets, 400 bytes"]
    table = read("\n".join(rows))
    assert set(table["stream"]) >= {"SITE-A/VOICE", "SITE-B/VOICE", "SITE-A with its classes"}


def test_a_child_policy_without_indentation_is_refused():
    flat = "\n".join(line.strip() for line in IOS.split("\n"))
    with pytest.raises(MeasurementError, match="line 19: a child policy that is not indented"):
        read(flat)


def test_one_interface_or_direction_of_several():
    both = IOS + IOS.replace("0/0/1", "0/0/1.10") + IOS.replace("output:", "input:")
    assert read(both, interface="GigabitEthernet0/0/1.10")["experiment"].nunique() == 1
    assert read(both, interface="gigabitethernet0/0/1")["experiment"].nunique() == 2
    one = read(both, interface="GigabitEthernet0/0/1 input")
    assert set(one["experiment"]) == {"GigabitEthernet0_0_1_input"}
    with pytest.raises(MeasurementError, match=r"no values of interface 'Gi9'; allowed: Gigabit"):
        read(both, interface="Gi9")


def test_ios_xr():
    table = read(XR)
    assert set(table["experiment"]) == {"TenGigE0_2_0_3_output"}
    assert value(table, "class_packets", "EF")["value"] == 400_000
    assert value(table, "exceed_dropped_packets", "EF")["value"] == 1_000
    assert value(table, "dropped_packets", "class-default")["value"] == 180_000
    assert value(table, "tail_dropped_packets", "class-default")["value"] == 170_000
    assert value(table, "queue_high_watermark", "class-default", "maximum")["unit"] == "B"
    assert value(table, "queue_depth", "class-default")["unit"] == "packets"
    assert "sent_packets" not in quantities(table, "class-default"), "N/A is no number"


def test_ios_xr_names_classes_by_their_policy_where_it_must():
    rows = ["Gi0/0/0/1 output: parent"]
    for policy in ("parent", "child"):
        rows += [
            f"Policy {policy} Class class-default",
            "  Classification statistics (packets/bytes)",
        ]
        rows += ["    Matched : 5/500 0"]
    assert set(read("\n".join(rows))["stream"]) == {"parent/class-default", "child/class-default"}


# Junos


@pytest.mark.parametrize("text", [JUNOS, JUNOS_XML], ids=["text", "xml"])
def test_junos_queues(text):
    table = read(text)
    assert value(table, "offered_packets", "best-effort")["value"] == 1_000_000
    assert value(table, "sent_packets", "best-effort")["value"] == 900_000
    assert value(table, "sent", "best-effort")["value"] == 18_000
    assert value(table, "tail_dropped_packets", "best-effort")["value"] == 1_000
    assert set(table["experiment"]) == {"ge_0_0_2_egress"}


@pytest.mark.parametrize("text", [JUNOS, JUNOS_XML], ids=["text", "xml"])
def test_junos_splits_reds_drops_by_loss_priority_and_tail_drops_are_apart(text):
    table = read(text)
    assert value(table, "red_dropped_packets", "best-effort")["value"] == 99_000
    split = [value(table, f"dropped_packets_{p}", "best-effort")["value"] for p in ("low", "high")]
    assert split == [60_000, 39_000]
    assert value(table, "dropped_packets", "best-effort")["value"] == 100_000
    assert value(table, "dropped", "best-effort")["value"] == 2_000


def test_lines_of_xml_are_those_of_the_file():
    row = value(read(JUNOS_XML), "sent_packets", "best-effort")
    assert "queue-counters-trans-packets>" in lines(JUNOS_XML, row["place"])


def test_rates_of_a_port_at_rest_are_left_out():
    idle = JUNOS.replace("20000 pps", "0 pps").replace(" 1 pps", " 0 pps")
    table = read(idle)
    assert not quantities(table, "best-effort") & {"offered", "sent", "dropped"}
    assert "no traffic was running" in table.attrs["notes"][0]


ENTITY = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>\n'


def test_xml_with_a_document_type_is_refused():
    with pytest.raises(MeasurementError, match="line 1: a document type; allowed: XML without one"):
        read(ENTITY + JUNOS_XML.replace("1000000", "&b;"))
    with pytest.raises(MeasurementError, match=r"line \d+: not XML"):
        read(JUNOS_XML[:900])
    deep = JUNOS_XML.replace("<queue>", "<a>" * 60 + "<queue>")
    with pytest.raises(MeasurementError, match="nested too deeply; allowed: 50 levels"):
        read(deep)


@pytest.mark.parametrize("text", [COS, COS_XML], ids=["text", "xml"])
def test_class_of_service_of_an_interface(text):
    table = read(text)
    assert value(table, "egress_queues_in_use")["value"] == 4
    assert set(table["statistic"]) == {"configured"}


@pytest.mark.parametrize("number", ["91/6x143/0", "91/14O/0"])
def test_a_damaged_number_is_one_error_with_its_line(number):
    shown = f"""GigabitEthernet0/0/1
  Service-policy output: EDGE
    Class-map: VOICE (match-any)
      (queue depth/total drops/no-buffer drops) {number}
"""
    with pytest.raises(MeasurementError, match=f"line 4.*{number}"):
        read(shown)
