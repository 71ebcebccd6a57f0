"""``python -m qoslib score --full``: whole tests replayed, and all sets of assumptions."""

import dataclasses
import re

import pytest

from qoslib import __main__
from qoslib.compare.run import MODELS
from qoslib.platforms import hosts, mx80


@pytest.fixture
def counted_in_short(answered_once, monkeypatch):
    """Sets that only count ticks are played, but not for long: nothing is said of their numbers."""
    play = MODELS["tcp"]

    def played(experiment, **asked):
        if experiment.assumptions in mx80.PLATFORM.full_only:
            experiment = dataclasses.replace(experiment, duration_s=1.0)
        return play(experiment, **asked)

    monkeypatch.setitem(MODELS, "tcp", played)


def test_no_row_of_whole_tests_is_off(counted_in_short, capsys):
    """Each that is outside its tolerance is a known misfit, and inside its band."""
    code = __main__.main(["score", "--full"])
    shown, told = capsys.readouterr()
    assert code == 0, [line for line in told.splitlines() if line.startswith("off: ")]
    assert "They are of whole tests" in shown
    assert "Premium for 90 minutes" in told
    _, ticks = shown.split("Throughputs within 15 %")
    for model in ("fluid", "tcp"):
        sets = re.findall(rf"^ *{model} +(\w+)", ticks.split("\n\n")[0], re.MULTILINE)
        assert sets == list(hosts.ASSUMPTIONS)
