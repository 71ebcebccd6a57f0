"""What the engines of the site are made of: nothing is taken that is not what it says."""

import hashlib
import json
import zipfile

import pytest

from website import live
from website.policy import POLICY

WHEEL = b"numpy for WebAssembly"


@pytest.fixture
def pyodide(tmp_path, monkeypatch):
    """A folder like npm's of Pyodide, and where its lock file has the hash of a wheel."""
    folder = tmp_path / "pyodide"
    folder.mkdir()
    for name in ("pyodide.js", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide.d.ts"):
        (folder / name).write_text(name)
    numpy = {"sha256": hashlib.sha256(WHEEL).hexdigest(), "file_name": "numpy-2.whl"}
    lock = {"info": {"python": "3.14"}, "packages": {"numpy": numpy, "other": {}}}
    (folder / "pyodide-lock.json").write_text(json.dumps(lock))
    monkeypatch.setenv("PYODIDE", str(folder))
    monkeypatch.delenv("NUMPY_WHEEL", raising=False)
    monkeypatch.setattr("website.wasm.build", lambda: None)
    return folder


def wheel(tmp_path, monkeypatch, raw=WHEEL):
    path = tmp_path / "numpy-2.whl"
    path.write_bytes(raw)
    monkeypatch.setenv("NUMPY_WHEEL", str(path))
    return path


def test_the_first_thing_that_is_lacking_is_said(pyodide, tmp_path, monkeypatch):
    assert live.sources().lacks == live.LACKING["numpy"]
    monkeypatch.setenv("PYODIDE", str(tmp_path / "nowhere"))
    assert live.sources().lacks == live.LACKING["pyodide"]
    monkeypatch.setenv("PYODIDE", str(pyodide))
    wheel(tmp_path, monkeypatch)
    assert live.sources().lacks == ""

    def lacks_zig():
        raise live.wasm.MissingTool

    monkeypatch.setattr("website.wasm.build", lacks_zig)
    assert live.sources().lacks == live.LACKING["kernels"]


def test_without_engines_only_what_is_lacking_is_written(pyodide, tmp_path):
    written = live.write(tmp_path / "live", live.sources(), {"00_one_queue": b"x"})
    assert written == {"lacks": live.LACKING["numpy"]}
    assert [each.name for each in (tmp_path / "live").iterdir()] == ["files.json"]


def test_another_wheel_is_refused(pyodide, tmp_path, monkeypatch):
    wheel(tmp_path, monkeypatch, b"something else")
    with pytest.raises(ValueError, match=r"whose hash is not .* allowed: numpy-2\.whl"):
        live.sources()
    monkeypatch.setenv("NUMPY_WHEEL", str(tmp_path / "gone.whl"))
    with pytest.raises(ValueError, match=r"gone\.whl'; allowed: an existing file"):
        live.sources()


def test_a_page_gets_what_it_counts(pyodide, tmp_path, monkeypatch):
    found = live.Sources(pyodide, wheel(tmp_path, monkeypatch), pyodide / "pyodide.asm.wasm")
    folder = tmp_path / "live"
    written = live.write(folder, found, {"00_one_queue": b"x"})
    assert written["lacks"] == ""
    sizes = {name: (folder / name).stat().st_size for name in written["sizes"]}
    assert sizes == written["sizes"]
    assert sizes.keys() == {"numpy.zip", "qoslib.zip", "pyodide/pyodide.asm.wasm"}
    assert (folder / "lessons/00_one_queue.pickle").read_bytes() == b"x"
    lock = json.loads((folder / "pyodide/pyodide-lock.json").read_text())
    assert lock == {"info": {"python": "3.14"}, "packages": {}}
    names = zipfile.ZipFile(folder / "qoslib.zip").namelist()
    for name in ("qoslib/config/defaults.toml", "qoslib/data/sources.toml", "website/answers.py"):
        assert name in names
    assert "qoslib/packets/kernels/kernels.so" in names
    assert not [name for name in names if name.startswith("website/build")]
    before = (folder / "qoslib.zip").read_bytes()
    live.write(folder, found, {})
    assert (folder / "qoslib.zip").read_bytes() == before


def test_no_page_may_reach_another_host():
    allowed = {"'none'", "'self'", "'unsafe-inline'", "'wasm-unsafe-eval'", "data:", "blob:"}
    rules = {rule.split()[0]: rule.split()[1:] for rule in POLICY.split("; ")}
    assert rules["default-src"] == ["'none'"]
    assert rules["connect-src"] == ["'self'"]
    assert {source for sources in rules.values() for source in sources} == allowed
