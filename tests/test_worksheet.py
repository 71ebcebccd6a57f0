"""The worksheet: rules where they hold, what a test shows, and commands that run."""

import shlex

import pytest

from qoslib import tcp
from qoslib.worksheet import MANY_FLOWS, worksheet


def rules(*given, **more):
    return {rule.name: rule for rule in worksheet(*given, **more).rules}


def test_the_rules_of_the_mx80s_test():
    found = rules(10e9, 0.05, 2, window_bytes=48e6, background_bps=2e9, packet_bytes=9000)
    assert list(found) == ["one product", "windows fit"]
    fits = found["windows fit"]
    assert fits.buffer_bytes == pytest.approx(57.5e6)
    assert fits.line_s == pytest.approx(0.046)
    assert fits.stable_bps == pytest.approx(7.92e9, rel=1e-3)
    assert fits.test_bps == pytest.approx(7.8e9, rel=0.01)


def test_many_flows_need_less_and_few_get_no_such_advice():
    assert "product / sqrt(n)" not in rules(1e9, 0.02, MANY_FLOWS - 1)
    found = rules(1e9, 0.02, MANY_FLOWS)
    small, whole = found["product / sqrt(n)"], found["one product"]
    assert small.buffer_bytes == pytest.approx(whole.buffer_bytes / 10)
    assert small.stable_bps < whole.stable_bps, "the worst case: they lose together"
    assert small.test_bps is None


def test_windows_that_the_path_holds_need_no_buffer_and_bound_the_rate():
    (rule,) = rules(100e6, 0.02, window_bytes=65_535).values()
    assert rule.buffer_bytes == 0
    assert rule.stable_bps == pytest.approx(tcp.window_limited_bps(65_535, 0.02))
    assert rule.test_bps == pytest.approx(rule.stable_bps, rel=0.02)


def test_a_product_keeps_the_line_busy():
    (rule,) = rules(100e6, 0.02).values()
    assert rule.stable_bps == pytest.approx(100e6 * 1448 / 1538)
    assert rule.test_bps == pytest.approx(rule.stable_bps, rel=0.02)


def test_it_prints_as_a_table_with_commands():
    sheet = worksheet(10e9, 0.05, 4, background_bps=2e9, packet_bytes=9000)
    shown = str(sheet).splitlines()
    assert shown[0] == "10 Gb/s, 50 ms, 4 flows, 2 Gb/s beside them"
    assert max(map(len, shown)) < 110
    assert sheet.table().loc["one product", "MB"] == "50"
    for command in sheet.commands:
        host, *words = shlex.split(command)
        assert host.endswith("$")
        assert words[0] in ("iperf3", "tc", "sysctl")
    assert any("limit 10417" in command for command in sheet.commands)
    assert any("-P 4 -t 30" in command for command in sheet.commands)
    assert any("-u -b 2000M" in command for command in sheet.commands)


def test_a_slow_line_is_paced_and_told_in_its_own_units():
    sheet = worksheet(1e6, 0.02, 4, background_bps=2e5)
    assert str(sheet).startswith("1 Mb/s, 20 ms, 4 flows, 200 kb/s beside them")
    assert sheet.table().loc["one product", "stable Mb/s"] == "0.753"
    assert any("-u -b 200K" in command for command in sheet.commands)
    assert sheet.commands[-1].endswith("--fq-rate 200K")
    assert all(int(c.split("limit ")[1]) >= 1000 for c in sheet.commands if "netem" in c)


def test_a_port_in_a_data_centre_has_too_many_round_trips_for_the_model():
    (rule,) = rules(100e9, 0.0001).values()
    assert rule.buffer_bytes == pytest.approx(1.25e6)
    assert rule.test_bps is None


def test_a_socket_buffer_is_twice_its_window():
    sheet = worksheet(1e9, 0.02, window_bytes=1e6)
    assert [c for c in sheet.commands if c.endswith(" 2000000'")] == list(sheet.commands[1:3])


def test_the_policers_burst_is_the_closed_form():
    sheet = worksheet(100e6, 0.02)
    assert sheet.policer_bytes == tcp.policer_burst_bytes(100e6, 0.02, 1500)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (dict(rate_bps=0, round_trip_s=0.1), "rate_bps"),
        (dict(rate_bps=1e9, round_trip_s=0), "round_trip_s"),
        (dict(rate_bps=1e9, round_trip_s=0.1, flows=0), "flows"),
        (dict(rate_bps=1e9, round_trip_s=0.1, packet_bytes=40), "packet_bytes"),
        (dict(rate_bps=1e9, round_trip_s=0.1, window_bytes=1e6, background_bps=1e9), "background"),
        (dict(rate_bps=1e9, round_trip_s=0.1, background_bps=2e9), "background_bps is 2000"),
        (dict(rate_bps=1e30, round_trip_s=0.1), "rate_bps is 1e[+]30"),
        (dict(rate_bps="1e9", round_trip_s=0.1), "rate_bps is '1e9'"),
        (dict(rate_bps=1e9, round_trip_s=None), "round_trip_s is None"),
        (dict(rate_bps=1e9, round_trip_s=float("nan")), "round_trip_s is nan"),
        (dict(rate_bps=1e9, round_trip_s=0.1, window_bytes=1e30), "window_bytes"),
        (dict(rate_bps=1e9, round_trip_s=0.1, packet_bytes=1500.5), "a whole number above 52"),
    ],
)
def test_what_is_refused_is_named(given, name):
    with pytest.raises(ValueError, match=name):
        worksheet(**given)
