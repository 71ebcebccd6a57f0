"""The real Chromium of a session of tests, for the folders that look at pages."""

import os

import pytest

from benchmarks.laboratory import NO_CHROMIUM, chromium, chromium_path

__all__ = ["browser"]


@pytest.fixture(scope="session")
def browser():
    """A Chromium; where there is none the tests are skipped at home, and fail in CI."""
    if not chromium_path():
        if os.environ.get("CI") == "true":
            pytest.fail(NO_CHROMIUM, pytrace=False)
        pytest.skip(NO_CHROMIUM)
    with chromium() as found:
        yield found
