"""pyproject.toml, requirements.lock and environment.yml say the same, and a wheel is complete."""

import importlib.metadata
import re
import runpy
import subprocess
import sys
import tomllib
import zipfile
from itertools import chain
from pathlib import Path

import pytest
import yaml
from jupyter_core.paths import jupyter_config_path
from jupyterlab.commands import get_app_dir
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import qoslib
from places import ROOT

pytestmark = pytest.mark.newer

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCK = (ROOT / "requirements.lock").read_text()
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())


def wanted():
    """Every requirement that pyproject.toml states: to run, to test and to build."""
    project = PROJECT["project"]
    extras = chain.from_iterable(project["optional-dependencies"].values())
    return [*project["dependencies"], *extras, *PROJECT["build-system"]["requires"]]


def pins():
    """Map each locked package to its [(version, marker, hashes)]; universal locks may hold two."""
    locked = {}
    for entry in re.split(r"\n(?=[a-z0-9])", LOCK, flags=re.IGNORECASE):
        if found := re.match(r"([\w.-]+)==([^\s;]+)(?: *; *([^\\\n]+))?", entry):
            name, version, marker = found.groups()
            hashes = re.findall(r"--hash=sha256:[0-9a-f]{64}", entry)
            locked.setdefault(canonicalize_name(name), []).append((version, marker, hashes))
    return locked


@pytest.mark.parametrize("text", wanted())
def test_every_requirement_is_pinned_within_its_range(text):
    requirement = Requirement(text)
    for version, _marker, _hashes in pins()[canonicalize_name(requirement.name)]:
        assert version in requirement.specifier


def test_every_pin_has_hashes():
    assert len(pins()) > len(wanted())
    assert [name for name, found in pins().items() if not all(x[2] for x in found)] == []


def test_the_lock_names_no_address_and_no_folder():
    assert not re.search(r"://|--(extra-)?index-url|--find-links|(?m:^\s*[#-].*\s/)", LOCK)


def test_conda_takes_python_from_conda_forge_and_the_rest_from_the_lock():
    python, pip, rest = CONDA["dependencies"]
    assert python == f"python {PROJECT['project']['requires-python']}"
    assert (pip, rest) == ("pip", {"pip": ["-r requirements.lock"]})
    assert CONDA["channels"][0] == "conda-forge"


def test_the_lock_was_resolved_for_the_oldest_python_we_support():
    (lowest,) = SpecifierSet(PROJECT["project"]["requires-python"])
    assert f"--python-version {lowest.version}" in (ROOT / "Makefile").read_text()
    assert PROJECT["tool"]["mypy"]["python_version"] == lowest.version
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py{lowest.version.replace('.', '')}"


def test_the_version_is_written_once(wheel):
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert wheel.name.startswith(f"qoslib-{qoslib.__version__}-")
    assert importlib.metadata.version("qoslib") == qoslib.__version__
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == qoslib.__version__
    assert f"\n## {qoslib.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_a_commit_is_checked_as_the_tests_check_it():
    """The hooks need nothing from the network: they run what the environment has."""
    (repo,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert repo["repo"] == "local"
    assert {hook["language"] for hook in repo["hooks"]} == {"system"}
    hooks = [hook["entry"].split() for hook in repo["hooks"]]
    assert {python for python, *_ in hooks} == {".venv/bin/python"}
    groups = runpy.run_path(str(ROOT / "tools" / "run_tests.py"))["GROUPS"]
    commands = [*groups["lint"](), *groups["types"]()]
    assert [rest for _, *rest in hooks] == [list(rest) for _, *rest in commands]


def test_the_package_follows_in_conda_and_on_binder():
    command = "pip install --no-deps --no-build-isolation -e ."
    assert command in (ROOT / "environment.yml").read_text()
    assert command in (ROOT / "postBuild").read_text()


def test_jupyterlab_asks_no_question_and_fetches_no_news():
    """The set-up has copied our settings to where JupyterLab looks for them."""
    ours = (ROOT / "tools" / "jupyterlab_settings.json").read_text()
    assert (Path(get_app_dir()) / "settings" / "overrides.json").read_text() == ours


def test_a_kernels_short_messages_are_sent_at_once():
    """The set-up has put our server's settings where Jupyter looks for them, and it takes them."""
    ours = (ROOT / "tools" / "jupyter_server_config.py").read_text()
    folder = Path(sys.prefix) / "etc" / "jupyter"
    assert (folder / "jupyter_server_config.py").read_text() == ours
    assert str(folder) in jupyter_config_path()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_a_wheel_holds_the_data_and_nothing_but_the_package(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    data = [p for p in (ROOT / "data").rglob("*") if p.suffix in {".csv", ".toml"}]
    assert {f"qoslib/{p.relative_to(ROOT).as_posix()}" for p in data} <= set(names)
    assert "qoslib/data/sources.toml" in names
    words = {p.relative_to(ROOT).as_posix() for p in (ROOT / "qoslib").rglob("*.toml")}
    assert words
    assert words <= set(names), "the questions and hints of the exercises"
    assert "qoslib/py.typed" in names, "a type checker reads the types of a package that says so"
    assert {name.split("/")[0].split("-")[0] for name in names} == {"livelab", "qoslib"}


def test_an_installed_qoslib_finds_its_data_outside_the_checkout(wheel, tmp_path):
    """A wheel's files are what an installer would lay down, so unpacking stands for installing."""
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = (
        "import sys, qoslib, qoslib.measurements as m;"
        "assert qoslib.__file__.startswith(sys.path[0]), qoslib.__file__;"
        "print(len(m.catalogue()))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r});{code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(list((ROOT / "data" / "measurements").glob("*.csv")))
