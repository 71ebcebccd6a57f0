"""A check of many: what it does not hold for is named in one failure, all of it."""

import pytest


def hold(check, cases):
    """Fail with the name of each case that a check fails on, or complains of, and what it says.

    A case is its name and what the check is given. A check asserts, or yields its complaints.
    """
    __tracebackhide__ = True
    found, number = [], 0
    for name, *given in cases:
        number += 1
        found += [f"{name}: {said}" for said in _said(check, given)]
    assert number, "there is nothing to check"
    if found:
        raise AssertionError("\n".join([f"offenders: {len(found)}", *found]))


def _said(check, given):
    try:
        return list(check(*given) or ())
    except (Exception, pytest.fail.Exception) as error:
        first, *_ = str(error).splitlines() or [""]
        return [first if isinstance(error, AssertionError) else f"{type(error).__name__}: {first}"]
