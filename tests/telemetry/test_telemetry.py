"""What devices and testers write is read with its unit, its statistic and its place."""

import io
import json

import pytest

from outputs import (
    COS,
    IOS,
    IOS_BEFORE,
    JUNOS,
    JUNOS_XML,
    TC,
    TC_JSON,
    XR,
    tcp,
)
from qoslib import measurements, telemetry
from qoslib.measurements import COLUMNS, MeasurementError
from telemetry_tables import read, value


@pytest.mark.parametrize("text", [json.dumps(tcp()), IOS, XR, JUNOS, JUNOS_XML, TC, TC_JSON, COS])
def test_a_table_has_the_form_of_all_measurements(text, tmp_path):
    table = read(text)
    assert tuple(table.columns) == (*COLUMNS, "interval_s")
    saved = tmp_path / "saved.csv"
    table.to_csv(saved, index=False)
    again = measurements.load(saved)
    assert again.equals(table)
    plain = measurements.Measurements.of(table, "table")
    assert plain.to_frame().equals(table)
    assert plain.to_frame().attrs == table.attrs


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
        ("no such file.txt", r"not readable \(No such file or directory\); allowed: a file that"),
        ("no\0file.txt", r"not readable \(no name of a file\); allowed: a file that you may"),
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
    assert set(found.attrs["units"]["sent"]) == {"bit/s", "packets/s"}
    plain = telemetry.rates(telemetry.rows(IOS_BEFORE), telemetry.rows(IOS))
    assert plain.equals(found)


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
