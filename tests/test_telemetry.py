"""What devices and testers write is read with its unit, its statistic and its place."""

import gzip
import io
import json

import pytest
from outputs import (
    COS,
    COS_XML,
    IOS,
    IOS_BEFORE,
    JUNOS,
    JUNOS_XML,
    TC,
    TC_JSON,
    XR,
    bidir,
    flent,
    tcp,
    udp,
)

from qoslib import measurements, telemetry
from qoslib.measurements import COLUMNS, MeasurementError


def read(source, *args, **kwargs):
    """The table of an output; what is no text is written as JSON."""
    made = source if isinstance(source, str | bytes) else json.dumps(source, indent=1)
    return telemetry.read(made, *args, **kwargs)


def value(table, quantity, stream="", statistic=None, unit=None):
    """The one row of a quantity of a stream."""
    found = table[(table["quantity"] == quantity) & (table["stream"] == stream)]
    found = found if statistic is None else found[found["statistic"] == statistic]
    found = found if unit is None else found[found["unit"] == unit]
    (row,) = found.to_dict("records")
    return row


def quantities(table, stream=""):
    return set(table.loc[table["stream"] == stream, "quantity"])


def lines(text, place):
    """The line of a text that a place names."""
    return text.split("\n")[int(place.removeprefix("line ")) - 1]


# iperf3


def test_of_tcp_the_receivers_rate_of_payload_is_the_throughput():
    row = value(read(tcp()), "throughput")
    assert (row["value"], row["unit"], row["statistic"]) == (94.1e6, "bit/s", "average")
    assert (row["place"], row["interval_s"]) == ("end.sum_received.bits_per_second", 10.04)


def test_retransmissions_stand_in_the_sent_sum_alone():
    row = value(read(tcp()), "retransmits")
    assert (row["value"], row["place"]) == (23, "end.sum_sent.retransmits")
    silent = tcp()
    del silent["end"]["sum_sent"]["retransmits"]
    assert "retransmits" not in quantities(read(silent))


def test_the_smoothed_round_trip_of_a_sender_has_a_mean_and_extremes():
    table = read(tcp())
    found = {s: value(table, "smoothed_round_trip", "", s) for s in ("average", "maximum")}
    assert [(row["value"], row["unit"]) for row in found.values()] == [
        (31_204, "us"),
        (52_010, "us"),
    ]


def test_of_udp_loss_and_jitter_are_the_receivers():
    table = read(udp())
    assert value(table, "jitter")["place"] == "end.sum_received.jitter_ms"
    assert value(table, "dropped_packets")["value"] == 250
    assert (value(table, "drop_ratio")["value"], value(table, "drop_ratio")["unit"]) == (2.5, "%")
    assert value(table, "throughput")["value"] == pytest.approx(1448 * 8 * 975)
    assert value(table, "payload_size")["statistic"] == "configured"


def test_an_older_version_has_one_sum_of_what_was_sent_and_what_was_lost():
    table = read(udp(new=False))
    assert value(table, "jitter")["place"] == "end.sum.jitter_ms"
    row = value(table, "throughput")
    assert row["value"] == pytest.approx(1448 * 8 * 975)
    assert row["place"] == "end.sum.bits_per_second, less the lost share of end.sum"


@pytest.mark.parametrize(("size", "fragments"), [(1473, 2), (8192, 6), (32_768, 23)])
def test_a_datagram_above_the_mtu_is_no_packet(size, fragments):
    table = read(udp(size=size))
    assert "datagram_drop_ratio" in quantities(table)
    assert not quantities(table) & {"drop_ratio", "dropped_packets", "throughput"}
    assert f"travels as {fragments} fragments" in table.attrs["notes"][0]
    whole = read(udp(size=size), mtu_bytes=size + 28)
    assert "drop_ratio" in quantities(whole)


def test_ipv6_leaves_less_room_for_a_datagram():
    test = udp(size=1472)
    assert "drop_ratio" in quantities(read(test))
    test["start"]["connected"][0]["remote_host"] = "2001:db8::2"
    assert "datagram_drop_ratio" in quantities(read(test))


def test_both_directions_are_two_streams():
    table = read(bidir(), streams={"": "up", "reverse": "down"})
    assert value(table, "throughput", "up")["value"] == 94.1e6
    assert value(table, "throughput", "down")["value"] == 4.9e7
    assert value(table, "retransmits", "down")["value"] == 4


def test_several_objects_in_one_file_are_as_many_experiments():
    warned = "warning: this is experimental\n"
    text = warned + json.dumps(tcp(), indent=1) + "\n" + json.dumps(udp())
    table = read(text)
    assert set(table["experiment"]) == {"test_1", "test_2"}
    assert value(table, "drop_ratio")["place"] == "object 2: end.sum_received.lost_percent"


def test_events_of_a_stream_of_json_are_one_test():
    test = tcp()
    events = [{"event": name, "data": test[name]} for name in ("start", "end")]
    events.insert(1, {"event": "interval", "data": {}})
    table = read("\n".join(map(json.dumps, events)))
    assert value(table, "throughput")["value"] == 94.1e6


@pytest.mark.parametrize("end", [{}, None])
def test_a_test_that_failed_says_why(end):
    failed = {"start": {}, "intervals": [], "end": end, "error": "unable to connect: refused"}
    with pytest.raises(MeasurementError, match="it says 'unable to connect: refused'; allowed: "):
        read(failed)
    table = read(json.dumps(tcp()) + json.dumps(failed) + "\n" + json.dumps(tcp()))
    assert set(table["experiment"]) == {"test_1", "test_3"}
    stopped = read(tcp(error="interrupt - the server has terminated"))
    assert "The test ended with an error: interrupt - the server has" in stopped.attrs["notes"][0]


def test_rates_of_old_versions_keep_their_six_digits():
    text = json.dumps(tcp()).replace("94100000.0", "9.34268e+08")
    row = value(read(text), "throughput")
    assert (row["value"], row["half_width"]) == (934_268_000, 500)


# show policy-map interface


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
    assert value(table, "queue_depth", "class-default", "maximum")["unit"] == "B"
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


# tc


def test_tc_counts_what_was_sent_and_dropped():
    table = read(TC, streams={"1:10": "data"})
    assert value(table, "sent_packets", "data")["value"] == 100_000
    assert value(table, "offered_packets", "data")["value"] == 102_510
    assert value(table, "queue_depth", "1:20", unit="B")["value"] == 3 * 1024
    assert "A qdisc counts what its class counts" in table.attrs["notes"][0]
    assert table.attrs["source"]["kind"] == "tc"


def test_tc_as_json():
    table = read(TC_JSON)
    row = value(table, "sent_packets", statistic="total")
    assert (row["value"], row["place"]) == (100_000, "[1].packets")
    target = value(table, "target_delay")
    assert (target["value"], target["half_width"], target["unit"]) == (4999, 1.024, "us")
    assert value(table, "interval_delay")["value"] == 99_999
    assert value(table, "queue_depth", unit="packets")["value"] == 10


def test_tc_classes_and_tins_as_json():
    shown = {"class": "htb", "handle": "1:10", "parent": "1:1", "dev": "eth1"}
    stats = {"bytes": 10, "packets": 3, "drops": 1, "backlog": 0, "qlen": 0}
    for made in (shown | stats, shown | {"stats": stats}):
        assert value(read([made]), "offered_packets", "1:10")["value"] == 4
    tin = {"sent_bytes": 900, "sent_packets": 9, "drops": 1}
    cake = {"kind": "cake", "handle": "8001:", "dev": "eth0", "root": True, "tins": [tin]}
    assert value(read([cake]), "offered_packets", "tin 0")["value"] == 10


# flent


def test_flent_gives_each_series_its_statistics():
    table = read(gzip.compress(json.dumps(flent()).encode()))
    ping = "Ping (ms) ICMP"
    found = {s: value(table, "round_trip", ping, s)["value"] for s in ("average", "p50", "maximum")}
    assert found == {"average": 50.0, "p50": 25.0, "maximum": 140.0}
    row = value(table, "throughput", "TCP download")
    assert (row["value"], row["unit"], row["interval_s"]) == (88.0, "Mbit/s", 4.0)
    assert "Ping (ms) avg" not in set(table["stream"])
    assert table.attrs["notes"] == ("Values are those that flent interpolated, one each 1.0 s.",)


def test_a_gzip_file_that_unpacks_to_too_much_is_refused():
    bomb = gzip.compress(bytes(50_000_000))
    with pytest.raises(MeasurementError, match="too large; allowed: up to 10,000,000 bytes"):
        read(bomb)
    for damaged in (bomb[:2], bomb[:200], b"\x1f\x8b\x08" + bytes(30)):
        with pytest.raises(MeasurementError, match="gzip"):
            read(damaged)


# Any of them


@pytest.mark.parametrize("text", [json.dumps(tcp()), IOS, XR, JUNOS, JUNOS_XML, TC, TC_JSON, COS])
def test_a_table_has_the_form_of_all_measurements(text, tmp_path):
    table = read(text)
    assert tuple(table.columns) == (*COLUMNS, "interval_s")
    saved = tmp_path / "saved.csv"
    table.to_csv(saved, index=False)
    again = measurements.load(saved)
    assert again.equals(table)


def test_a_path_an_open_file_bytes_and_lines_of_any_end_are_the_same(tmp_path):
    path = tmp_path / "shown.txt"
    path.write_bytes(IOS.replace("\n", "\r\n").encode())
    table = read(IOS)
    for source in (path, str(path), path.read_bytes(), io.BytesIO(path.read_bytes())):
        assert telemetry.read(source).equals(table)
    assert telemetry.read(path).attrs["source"]["file"] == str(path)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("no such file.txt", "not readable .*; allowed: a file that you may read"),
        (
            "nothing\nof any kind\n",
            "text: not recognised; allowed: the output of flent, tc, iperf3",
        ),
        (b"\xff\xfe\n", "bytes, line 1: byte 0xff is not UTF-8"),
        (b" " * 10_000_001, "too large; allowed: up to 10,000,000 bytes"),
        ('{"end": [}', "line 1: not JSON"),
        ('{"end":' + "[" * 100_000, "nested too deeply; allowed: whole JSON objects"),
        ('{"end": {"sum_sent": {"bits_per_second": "9"}}}', "end.sum_sent.bits_per_second: '9' is"),
        ('{"end": {"sum_sent": {"bits_per_second": 1e999}}}', "out of range; allowed: "),
        ('{"end": {"sum_sent": {"bits_per_second": NaN}}}', "not JSON .*NaN"),
        ('{"end": {}}', "no values in this output of iperf3; allowed: its counters or sums"),
    ],
)
def test_what_cannot_be_read_is_one_error(source, message):
    with pytest.raises(MeasurementError, match=message):
        telemetry.read(source)


def test_arguments_are_checked():
    for arguments in ({"kind": "ping"}, {"streams": 3}, {"interface": 3}, {"mtu_bytes": 0}):
        with pytest.raises(ValueError, match="; allowed: "):
            telemetry.read(IOS, **arguments)
    with pytest.raises(MeasurementError, match="no values of stream 'EF'; allowed: '', 'VOICE'"):
        telemetry.read(IOS, streams={"EF": "voice"})
    with pytest.raises(ValueError, match="source is 3; allowed: a path"):
        telemetry.read(3)
    with pytest.raises(MeasurementError, match="no JSON in it; allowed: "):
        telemetry.read(IOS, "iperf3")


def test_more_values_than_a_person_looks_at_are_refused(monkeypatch):
    monkeypatch.setattr("qoslib.telemetry.values.MOST_VALUES", 20)
    with pytest.raises(MeasurementError, match="more than 20 values; allowed: fewer"):
        read(IOS)


# Two readings


def test_two_readings_give_rates_over_the_time_between_them():
    found = telemetry.rates(read(IOS_BEFORE), read(IOS))
    row = value(found, "offered", "VOICE", unit="packets/s")
    assert (row["value"], row["interval_s"], row["statistic"]) == (1_000, 10, "average")
    assert value(found, "offered", "VOICE", unit="bit/s")["value"] == 8 * 2_140_000 / 10
    assert value(found, "sent", "VOICE", unit="packets/s")["value"] == 950
    assert row["place"].endswith(", less that of the first reading")


def test_the_time_between_readings_is_given_where_they_do_not_tell_it():
    with pytest.raises(ValueError, match="interval_s is None; allowed: the time between the readi"):
        telemetry.rates(read(TC), read(TC))
    assert value(telemetry.rates(read(TC), read(TC), 5), "sent", "1:10", unit="bit/s")["value"] == 0
    later = XR.replace("09:00:30.250", "09:01:00.250").replace("400000/85600000", "430000/92020000")
    found = telemetry.rates(read(XR), read(later))
    assert value(found, "offered", "EF", unit="packets/s")["value"] == 1_000
    with pytest.raises(ValueError, match=r"the time of after is .*; allowed: later than that of"):
        telemetry.rates(read(IOS), read(IOS_BEFORE))


def test_a_counter_that_fell_was_cleared_or_wrapped():
    with pytest.raises(
        MeasurementError, match=r"line \d+: output_packets of VOICE fell from 396000"
    ):
        telemetry.rates(read(IOS), read(IOS_BEFORE), 10)


def test_readings_without_a_common_counter_are_refused():
    with pytest.raises(ValueError, match="are 'different'; allowed: two readings of one device"):
        telemetry.rates(read(IOS), read(TC), 10)
    with pytest.raises(ValueError, match="; allowed: "):
        telemetry.rates(read(IOS), read(IOS)[["value"]], 10)
