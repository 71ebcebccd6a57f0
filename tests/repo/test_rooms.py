"""`import qoslib` is light, and its names work whatever else has been imported (PEP 562)."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import qoslib

pytestmark = pytest.mark.newer

HEAVY = {"pandas", "plotly", "ipywidgets", "anywidget", "dask", "distributed", "scipy.stats"}
LIGHT = ("units", "record", "port", "traffic", "flows", "results", "fluid", "packets", "tcp")
LIGHT += ("front", "platforms")
NAMES = [name for name in dir(qoslib) if not name.startswith("_")]


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


@pytest.mark.parametrize("room", LIGHT)
def test_a_light_room_loads_nothing_heavy(room):
    assert not loaded_by(f"import qoslib.{room}") & HEAVY


def test_a_room_is_imported_by_its_name():
    assert "qoslib.units" in loaded_by("from qoslib import units; units.bits")
    with pytest.raises(ImportError, match="cannot import name 'attic'"):
        from qoslib import attic  # noqa: F401
    with pytest.raises(AttributeError, match="module 'qoslib' has no attribute 'attic'"):
        _ = qoslib.attic


def test_no_module_hides_a_name_of_the_front_door():
    """Importing a module sets an attribute of its package: one named `run` would replace it."""
    for module in pkgutil.walk_packages(qoslib.__path__, "qoslib."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    assert dir(qoslib) == sorted([*NAMES, "__version__"])
    made = {name: getattr(qoslib, name) for name in NAMES}
    assert not {name for name, each in made.items() if not callable(each)}
    port = made["Port"]("p", 1e6, (made["Queue"]("q", made["PacketLimit"](9)),))
    scenario = made["Scenario"]("s", port, (made["Stream"]("a", 2e6),))
    assert isinstance(made["run"](scenario), made["Result"])


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(qoslib.__file__).with_suffix(".pyi").read_text())
    stubs = {
        (node.module, alias.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert stubs == {(f"qoslib.{qoslib._ROOM_OF[name]}", name) for name in NAMES}
