"""The worksheet: rules where they hold, what a buffer carries, pacing, and commands that run."""

import itertools
import math
import shlex

import numpy as np
import pytest

from qoslib import __main__, tcp, units
from qoslib.flows import Cubic, Flow, Host
from qoslib.port import ByteLimit, Policer, Port, Queue
from qoslib.worksheet import MANY_FLOWS, Path, worksheet
from qoslib.worksheet import carried as carried_module


def quiet(done_s, total_s):
    """No progress bar."""


def sheet_of(*given, **more):
    return worksheet(*given, progress=quiet, **more)


def rules(*given, **more):
    return {rule.name: rule for rule in sheet_of(*given, **more).rules}


@pytest.fixture
def short(monkeypatch):
    """Nothing that takes long: formulas and the fluid model alone."""
    monkeypatch.setattr(carried_module, "MOST_PACKETS", 0)


def test_the_rules_of_the_mx80s_test(short):
    found = rules(10e9, 0.05, 2, window_bytes=48e6, background_bps=2e9, packet_bytes=9000)
    assert list(found) == ["one product", "windows fit"]
    fits = found["windows fit"]
    assert fits.buffer_bytes == pytest.approx(57.5e6)
    assert fits.line_s == pytest.approx(0.046)
    assert fits.long_run == (pytest.approx(7.92e9, rel=1e-3), "formula")
    assert fits.test == (pytest.approx(7.8e9, rel=0.01), "fluid")


def test_a_call_behind_a_full_buffer_gets_the_score_of_its_delay(short):
    """ITU-T G.107: 20 ms of speech, 10 ms of path, and 0.3 s in the buffer are 330 ms."""
    yours = rules(10e6, 0.02, buffer_bytes=375_000)["yours"]
    assert yours.line_s == pytest.approx(0.3)
    assert yours.call_mos == pytest.approx(3.56, abs=0.01)
    assert rules(10e9, 0.02)["one product"].call_mos == pytest.approx(4.38, abs=0.01)


def test_many_flows_need_less_and_few_get_no_such_advice(short):
    assert "product / sqrt(n)" not in rules(1e9, 0.02, MANY_FLOWS - 1)
    found = rules(1e9, 0.02, MANY_FLOWS)
    small, whole = found["product / sqrt(n)"], found["one product"]
    assert small.buffer_bytes == pytest.approx(whole.buffer_bytes / 10)
    assert small.long_run.bps < whole.long_run.bps, "the worst case: they lose together"
    assert small.test is None


def test_windows_that_the_path_holds_need_two_packets_and_bound_the_rate():
    (rule,) = rules(100e6, 0.02, window_bytes=65_535).values()
    assert rule.buffer_bytes == 3000
    most_bps = tcp.window_limited_bps(65_535, 0.02)
    assert rule.long_run == (pytest.approx(most_bps, rel=0.03), "packets")
    assert rule.test == (pytest.approx(most_bps, rel=0.04), "packets")


def test_windows_whose_slow_start_bursts_get_half_of_themselves_as_a_buffer():
    sheet = sheet_of(100e6, 0.04, window_bytes=4.9e5)
    fits, bursts = sheet.rules
    assert (fits.packets, bursts.name, bursts.buffer_bytes) == (2, "slow start", 2.45e5)
    assert fits.test.bps < 0.7 * bursts.test.bps
    assert bursts.long_run.bps == pytest.approx(100e6 * 1448 / 1538, rel=0.01)
    assert sheet.remarks == ()


def test_a_sheet_says_what_windows_limit():
    sheet = sheet_of(100e6, 0.04, window_bytes=1e5)
    (remark,) = sheet.remarks
    assert "The windows allow 20 Mb/s of payload at most, and the line carries 94.1 Mb/s" in remark
    assert remark[:40] in str(sheet)
    assert sheet.paced_bps == 20e6
    assert sheet.rules[-1].long_run.bps == pytest.approx(20e6, rel=0.03)
    assert "all windows at once" in sheet.policer.why
    policer = Policer(100e6, math.ceil(sheet.policer_bytes))
    assert policer.burst_bytes == math.ceil(1e5 / 1448) * 1500
    flow = Flow("f", 0.04, Cubic(), window_bytes=100_000, mss_bytes=1448, frame_bytes=1500)
    port = Port("port", 100e6, (Queue("all", ByteLimit(10**6), policer=policer),))
    run = tcp.simulate(port, [Host("h", 1e9, (flow,))], 10, progress=quiet)
    assert run.dropped_pps.sum() == 0


def test_a_round_trip_in_ms_is_asked_about(short):
    assert "The round trip is 40 s. Is this in ms?" in sheet_of(1e9, 40).remarks[0]
    assert sheet_of(1e9, 1.9).remarks == ()


def test_few_packets_or_small_windows_are_a_bound():
    million, *_ = sheet_of(1e9, 0.04, 10**6, buffer_bytes=4500).rules
    assert million.long_run.by == "bound"
    many, *_ = sheet_of(100e9, 0.04, 10_000, buffer_bytes=1e6).rules
    assert (many.packets, many.long_run.by) == (667, "formula")


def test_more_flows_than_one_iperf3_has_take_several(short):
    sheet = sheet_of(1e9, 0.02, 1000)
    test = sheet.path_commands[-2].text
    assert test == (
        "sender$   for p in $(seq 5201 5208); do iperf3 -c receiver -p $p -P 125 -t 30 & done; wait"
    )
    assert "iperf3 -s -D -p $p" in sheet.path_commands[1].text
    for command in sheet_of(1e9, 0.02, 128).path_commands:
        assert "seq" not in command.text


def test_a_product_keeps_the_line_busy():
    (rule,) = rules(100e6, 0.02).values()
    assert rule.long_run == (pytest.approx(100e6 * 1448 / 1538, rel=0.01), "packets")
    assert rule.test == (pytest.approx(100e6 * 1448 / 1538, rel=0.02), "packets")
    assert rule.remark == ""


def test_your_buffer_is_the_first_row_and_what_pacing_is_worked_out_for():
    sheet = sheet_of(100e6, 0.08, buffer_bytes=20e3)
    assert [rule.name for rule in sheet.rules] == ["yours", "one product"]
    yours, product = sheet.rules
    assert yours.buffer_bytes == 20e3
    assert yours.why == "0.02 of one product"
    assert yours.long_run.bps < 0.95 * product.long_run.bps
    assert "“yours”" in sheet.pacing.why
    assert "lose nothing" in sheet.pacing.why
    path = Path(100e6, 0.08, 1, 20e3, None, 0.0, 1500)
    shown, lost = carried_module.paced(path, 20e3, path.paced_bps, quiet)
    assert lost == 0
    assert shown.bps > 1.05 * yours.test.bps, "paced it carries more through the same buffer"


def test_models_that_part_by_more_than_allowed_say_so(monkeypatch):
    (product,) = sheet_of(100e6, 0.02).rules
    assert product.remark == ""
    monkeypatch.setattr(carried_module, "PARTED", 1e-6)
    (product,) = sheet_of(100e6, 0.02).rules
    assert "In the first 30 s the fluid model carries" in product.remark


def test_too_many_packets_leave_a_formula_that_is_labelled():
    assert 30 * units.rate_pps(100e9, 1538) > carried_module.MOST_PACKETS
    sheet = sheet_of(100e9, 0.0001)
    assert [(rule.long_run.by, rule.test) for rule in sheet.rules] == [("formula", None)]
    assert "≈ 94,148" in sheet.table().loc["one product", "long run Mb/s"]
    assert "≈ is a formula" in str(sheet)
    assert "by arithmetic" in sheet.pacing.why


def test_a_formula_for_a_small_buffer_is_an_upper_bound(short):
    yours, product = sheet_of(100e9, 0.08, buffer_bytes=2e6).rules
    assert (yours.long_run.by, product.long_run.by) == ("bound", "formula")


def test_it_prints_as_a_table_with_commands(short):
    sheet = sheet_of(10e9, 0.05, 4, background_bps=2e9, packet_bytes=9000)
    shown = str(sheet).splitlines()
    assert shown[0] == "10 Gb/s, 50 ms, 4 flows, 2 Gb/s of other traffic"
    assert max(map(len, shown)) < 120
    assert sheet.table().loc["one product", "MB"] == "50"
    for command in (*sheet.path_commands, *sheet.laboratory_commands):
        host, *words = shlex.split(command.text)
        assert host.endswith("$")
        assert words[0] in ("iperf3", "tc", "sysctl")
        assert command.why
        assert command.text in str(sheet)
    assert any("-P 4 -t 30" in command.text for command in sheet.path_commands)
    assert any("-u -b 2000M" in command.text for command in sheet.path_commands)


def test_only_a_laboratory_gets_a_delay(short):
    sheet = sheet_of(10e9, 0.05, 4, background_bps=2e9, packet_bytes=9000)
    assert not any("netem" in command.text for command in sheet.path_commands)
    (delay,) = (c.text for c in sheet.laboratory_commands if "netem" in c.text)
    assert "delay 50ms limit 10373" in delay
    assert set(sheet.path_commands) < set(sheet.laboratory_commands)


def test_a_slow_line_is_paced_and_described_in_its_own_units(short):
    sheet = sheet_of(1e6, 0.02, 4, background_bps=2e5)
    assert str(sheet).startswith("1 Mb/s, 20 ms, 4 flows, 200 kb/s of other traffic")
    assert any("-u -b 200K" in command.text for command in sheet.path_commands)
    assert sheet.path_commands[-1].text.endswith("--fq-rate 178K")
    (delay,) = (c.text for c in sheet.laboratory_commands if "netem" in c.text)
    assert int(delay.split("limit ")[1]) == 1000


def test_a_share_below_a_kilobit_is_not_paced(short):
    sheet = sheet_of(1e6, 0.02, 10_000)
    assert sheet.paced_bps is None
    assert not any("--fq-rate" in command.text for command in sheet.path_commands)
    assert "below 1 kb/s" in sheet.pacing.why


def test_a_socket_buffer_is_twice_its_window(short):
    sheet = sheet_of(1e9, 0.02, window_bytes=1e6)
    sockets = [c.text for c in sheet.path_commands if c.text.endswith(" 2000000'")]
    assert sockets == [c.text for c in sheet.path_commands[2:4]]


@pytest.mark.parametrize(
    ("rate_bps", "wait_s", "room"), [(1e6, 0.02, 6_291_456), (100e9, 0.1, 2**31 - 1)]
)
def test_socket_buffers_are_neither_below_linuxs_own_nor_above_what_it_takes(
    short, rate_bps, wait_s, room
):
    commands = sheet_of(rate_bps, wait_s).path_commands
    assert sum(c.text.endswith(f" {room}'") for c in commands) == 2


def test_a_stopped_run_leaves_no_sheet():
    def stop(done_s, total_s):
        raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="stopped"), pytest.raises(KeyboardInterrupt):
        worksheet(100e6, 0.02, progress=stop)


def test_the_policers_burst_is_the_closed_form(short):
    sheet = sheet_of(100e6, 0.02)
    assert sheet.policer_bytes == tcp.policer_burst_bytes(100e6, 0.02, 1500)


def fq_rate_bps(sheet):
    """The rate of the command that paces, or None."""
    rates = [c.text.split("--fq-rate ")[1] for c in sheet.path_commands if "--fq-rate" in c.text]
    kinds = {"K": units.kbps, "M": units.mbps}
    return [kinds[rate[-1]](float(rate[:-1])) for rate in rates]


@pytest.mark.parametrize("flows", [1, 20])
def test_advice_is_sound_over_the_whole_range(short, flows):
    """1 Mb/s to 400 Gb/s, 0.1 to 300 ms: below the line's share, two frames, monotone."""
    rates_bps, waits_s = np.geomspace(1e6, 400e9, 9), np.geomspace(1e-4, 0.3, 6)
    sheets = {
        (r, w): sheet_of(float(rate), float(wait), flows, buffer_bytes=64e3)
        for (r, rate), (w, wait) in itertools.product(enumerate(rates_bps), enumerate(waits_s))
    }
    for (r, w), sheet in sheets.items():
        rate_bps = rates_bps[r]
        for paced_bps in fq_rate_bps(sheet):
            assert 0 < paced_bps < rate_bps / flows * 1448 / 1538
            assert sheet.paced_bps - paced_bps < 0.1 * sheet.paced_bps + units.kbps(1)
        assert all(rule.buffer_bytes >= 2 * 1500 for rule in sheet.rules)
        assert all(0 < rule.long_run.bps <= rate_bps for rule in sheet.rules)
        assert all(rule.why for rule in sheet.rules)
        if sheet.policer_bytes is None:
            assert "No policer can" in sheet.policer.text
            assert "s of the line" in sheet.policer.why
        else:
            assert units.serialisation_s(sheet.policer_bytes, rate_bps) <= 1
        for less in ((r - 1, w), (r, w - 1)):
            if less in sheets:
                assert_not_less(sheet, sheets[less])


def assert_not_less(sheet, less):
    """A faster line or a longer round trip asks for no less."""
    smaller = {rule.name: rule.buffer_bytes for rule in less.rules}
    assert all(rule.buffer_bytes >= smaller[rule.name] for rule in sheet.rules)
    assert sheet.paced_bps >= less.paced_bps
    bursts = [np.inf if s.policer_bytes is None else s.policer_bytes for s in (less, sheet)]
    assert bursts[0] <= bursts[1] or less.policer_bytes is None


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
        (dict(rate_bps=1e-300, round_trip_s=100), "rate_bps is 1e-300"),
        (dict(rate_bps="1e9", round_trip_s=0.1), "rate_bps is '1e9'"),
        (dict(rate_bps=1e9, round_trip_s=None), "round_trip_s is None"),
        (dict(rate_bps=1e9, round_trip_s=float("nan")), "round_trip_s is nan"),
        (dict(rate_bps=1e9, round_trip_s=0.1, window_bytes=1e30), "window_bytes"),
        (dict(rate_bps=1e9, round_trip_s=0.1, window_bytes=100), "at least 1 packet, 1500 B"),
        (dict(rate_bps=1e9, round_trip_s=0.1, buffer_bytes=2000), "at least 2 packets, 3000 B"),
        (dict(rate_bps=1e9, round_trip_s=0.1, buffer_bytes="2 MB"), "buffer_bytes is '2 MB'"),
        (dict(rate_bps=1e9, round_trip_s=0.1, packet_bytes=1500.5), "1500.5; allowed: a whole"),
    ],
)
def test_what_is_refused_is_named(given, name):
    with pytest.raises(ValueError, match=name):
        worksheet(**given)


def test_the_command_prints_the_worksheet_of_amounts_with_units(capsys):
    assert __main__.main(["worksheet", "100M", "20ms", "--flows", "200"]) == 0
    assert capsys.readouterr().out.rstrip("\n") == str(sheet_of(100e6, 0.020, 200))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fast", "20ms"], "'fast'"),
        (["100M", "20 W"], "'20 W'"),
        (["0", "20ms"], "rate_bps"),
        (["100M", "20ms", "--buffer", "1"], "buffer_bytes"),
    ],
)
def test_a_bad_amount_on_the_command_line_is_named(arguments, said, capsys):
    try:
        status = __main__.main(["worksheet", *arguments])
    except SystemExit as stopped:
        status = stopped.code
    assert status == 2
    assert said in capsys.readouterr().err


def test_a_large_number_has_no_exponent():
    sheet = worksheet(units.mbps(10), units.ms(30), flows=4, window_bytes=1_000_000)
    assert sheet.table().loc["windows fit", "ms"] == "3,170"
