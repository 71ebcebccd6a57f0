"""`import qoslib` is light: a room is loaded when it is first named (PEP 562)."""

import importlib.util
import subprocess
import sys

import pytest

import qoslib

pytestmark = pytest.mark.newer

HEAVY = {"pandas", "plotly", "ipywidgets", "anywidget", "dask", "scipy.stats"}
ROOMS = [room for room in dir(qoslib) if not room.startswith("_")]
BUILT = [room for room in ROOMS if importlib.util.find_spec(f"qoslib.{room}")]
LIGHT = ("units", "record", "port", "traffic", "flows", "results", "fluid", "packets", "tcp")
LIGHT += ("platforms",)


def loaded_by(code):
    """Names of the modules that a fresh interpreter has loaded after some code."""
    script = f"import sys; {code}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_the_package_alone_loads_no_room_and_nothing_heavy():
    loaded = loaded_by("import qoslib; dir(qoslib); qoslib.__version__")
    assert {name for name in loaded if name.startswith("qoslib.")} == set()
    assert not loaded & {*HEAVY, "numpy"}


@pytest.mark.parametrize("room", sorted(set(LIGHT) & {*BUILT, "record"}))
def test_a_light_room_loads_nothing_heavy(room):
    assert not loaded_by(f"import qoslib.{room}") & HEAVY


@pytest.mark.parametrize("room", BUILT)
def test_a_room_opens_when_it_is_named(room):
    loaded = loaded_by(f"import qoslib; qoslib.{room}")
    assert f"qoslib.{room}" in loaded


def test_an_unknown_room_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'qoslib' has no attribute 'attic'"):
        _ = qoslib.attic
