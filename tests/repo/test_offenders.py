"""A check of many names all that it does not hold for, however it says so."""

import pytest

from offenders import hold


def small(number):
    assert number < 3, f"{number} is not small"


def even(number):
    if number % 2:
        yield "odd"
        yield "not even"


def known(number):
    {1: "one"}[number]


def refused(number):
    with pytest.raises(ValueError, match="x"):
        int(number)


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (small, "offenders: 2\nthree: 3 is not small\nfour: 4 is not small"),
        (even, "offenders: 4\none: odd\none: not even\nthree: odd\nthree: not even"),
        (known, "offenders: 2\nthree: KeyError: 3\nfour: KeyError: 4"),
        (refused, "offenders: 3\none: Failed: DID NOT RAISE"),
    ],
)
def test_all_offenders_are_named(check, said):
    with pytest.raises(AssertionError, match=f"(?s)^{said}"):
        hold(check, [("one", 1), ("three", 3), ("four", 4)])


def test_what_holds_for_all_holds():
    hold(small, [("one", 1), ("two", 2)])


def test_a_check_of_nothing_fails():
    with pytest.raises(AssertionError, match="there is nothing to check"):
        hold(small, [])
