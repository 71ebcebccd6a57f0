"""Bits, bytes, and what people write."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qoslib import units

VALUES = st.floats(-1e12, 1e12)
PAIRS = [
    (unit, to)
    for unit, (kind, _) in units.UNITS.items()
    for to, (other, _) in units.UNITS.items()
    if kind == other
]


@given(VALUES, st.sampled_from(PAIRS))
def test_there_and_back(value, pair):
    unit, to = pair
    again = units.convert(units.convert(value, unit, to), to, unit)
    assert again == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("value", "unit", "to", "expected"),
    [
        (1, "Gbit/s", "Mbit/s", 1000),
        (8, "bit", "B", 1),
        (1, "MiB", "B", 1_048_576),
        (1, "MB", "kB", 1000),
        (50, "%", "1", 0.5),
        (10, "ppm", "1", 1e-5),
        (2, "min", "s", 120),
        (3, "Mpackets/s", "packets/s", 3e6),
    ],
)
def test_conversions_by_hand(value, unit, to, expected):
    assert units.convert(value, unit, to) == pytest.approx(expected, rel=1e-15)
    assert units.convert(np.array([value]), unit, to) == pytest.approx([expected])


def test_unknown_units_and_different_kinds_are_refused():
    with pytest.raises(ValueError, match=r"unknown unit 'furlong'; allowed: 1, %, ppm"):
        units.convert(1.0, "furlong", "B")
    with pytest.raises(ValueError, match="'ms' measures time, 'kB' measures data"):
        units.convert(1.0, "ms", "kB")


@pytest.mark.parametrize(
    ("function", "unit", "base"),
    [
        (units.gbps, "Gbit/s", "bit/s"),
        (units.mbps, "Mbit/s", "bit/s"),
        (units.kbps, "kbit/s", "bit/s"),
        (units.ms, "ms", "s"),
        (units.us, "us", "s"),
    ],
)
def test_short_names_are_conversions(function, unit, base):
    assert function(3) == units.convert(3, unit, base)


@given(st.floats(1, 1e11), st.integers(1, 10_000))
def test_packets_and_bits_a_second_are_inverse(rate, frame):
    assert units.rate_bps(units.rate_pps(rate, frame), frame) == pytest.approx(rate)
    assert units.octets(units.bits(frame)) == frame


def test_a_ten_gigabit_line_carries_14_88_million_smallest_frames():
    frame_s = units.serialisation_s(64, units.gbps(10), overhead_bytes=20)
    assert 1 / frame_s == pytest.approx(14_880_952, abs=1)
    assert units.serialisation_s(np.array([64, 1518]), 1e9).shape == (2,)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: units.serialisation_s(1500, 0), "^line_bps is 0; allowed: above 0$"),
        (
            lambda: units.serialisation_s(1500, -1e9),
            "^line_bps is -1000000000.0; allowed: above 0$",
        ),
        (
            lambda: units.serialisation_s(-1, 1e9),
            "^frame_bytes [+] overhead_bytes is -1.*: 0 or more$",
        ),
        (lambda: units.serialisation_s(1500, np.array([1e9, 0.0])), "^line_bps is array.*above 0$"),
        (lambda: units.serialisation_s("1500", 1e9), "is [(]'1500', .*: a number or an array"),
        (lambda: units.rate_pps(1e9, 0), "^frame_bytes is 0; allowed: above 0$"),
        (lambda: units.rate_pps("1e9", 1500), "is [(]'1e9', 1500[)]; allowed: a number"),
        (lambda: units.rate_bps(None, 1500), "is [(]None, 1500[)]; allowed: a number"),
        (lambda: units.mbps("100"), "^value is '100'; allowed: a number or an array of numbers$"),
        (lambda: units.bits("100"), "^value is '100'; allowed: a number"),
        (lambda: units.octets([8]), r"^value is \[8\]; allowed: a number"),
        (lambda: units.convert("5", "s", "ms"), "^value is '5'; allowed: a number"),
    ],
)
def test_what_is_no_size_rate_or_number_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_nothing_takes_no_time():
    assert units.serialisation_s(0, 1e9) == 0
    assert units.serialisation_s(np.array([]), 1e9).shape == (0,)


@pytest.mark.parametrize(
    "wrong", ["5", b"5", None, [], ["s"], {}, object()], ids=lambda each: type(each).__name__
)
def test_what_is_no_number_or_no_unit_is_named(wrong):
    for convert in (units.mbps, units.bits, units.octets, lambda n: units.convert(n, "s", "ms")):
        with pytest.raises(ValueError, match=r"value is .*; allowed: a number or an array"):
            convert(wrong)
    for pair in ((wrong, "ms"), ("s", wrong)):
        with pytest.raises(ValueError, match=r"unknown unit .*; allowed: 1, %, ppm"):
            units.convert(1.0, *pair)
