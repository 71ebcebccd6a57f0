"""Tests on a real kernel: each may be tried twice, and a second try is counted and shown."""

import pytest

RETRIED: list[str] = []


@pytest.fixture
def twice(request):
    """Call a function again if it fails once; what failed is shown at the end."""

    def call(attempt):
        try:
            return attempt()
        except AssertionError as error:
            said = str(error).splitlines()[0] if str(error) else "an assertion"
            RETRIED.append(f"{request.node.name}: {said}")
            return attempt()

    return call


def pytest_terminal_summary(terminalreporter):
    """Say how many tests were tried twice, and why."""
    for line in RETRIED:
        terminalreporter.write_line(f"RETRIED {line}")
    terminalreporter.write_line(f"RETRIED in total: {len(RETRIED)}")
