"""Explorers and scenes answer where there is only numpy as they do in a notebook."""

import pytest

import alone
import lessons_alone

pytestmark = pytest.mark.newer

#: What a live figure takes over from a new one.
TAKEN = ("x", "y", "text", "customdata", "opacity", "name")


def look(explorer):
    """A notebook shows it: its live figure has the numbers of the plain one."""
    shown = explorer.widget.figure.to_dict()["data"]
    plain = explorer.drawn.data
    assert len(shown) >= len(plain)
    for trace, live in zip(plain, shown, strict=False):
        assert [trace.get(name) for name in TAKEN] == [_plain(live.get(name)) for name in TAKEN]


def _plain(value):
    return list(value) if isinstance(value, tuple) else value


def test_explorers_and_scenes_say_the_same_with_numpy_alone():
    there, here = alone.answers_of("lessons_alone.py"), lessons_alone.answers(look)
    assert len(here) > 30
    assert [name for name in here if there[name] != here[name]] == []
