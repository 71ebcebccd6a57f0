"""iperf3, tc and flent are read as measurements: what each of their traps would give."""

import gzip
import json

import pytest

from outputs import TC, TC_JSON, bidir, flent, tcp, udp
from qoslib.measurements import MeasurementError
from telemetry_tables import quantities, read, value

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
