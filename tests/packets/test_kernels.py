"""Compiled kernels are kept by what they compile to; a bad cache costs time, never an answer."""

import errno
import os
import subprocess
import sys
import time
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

from qoslib.packets.kernels import jit as kernels
from qoslib.packets.kernels.compiling import kernel

SOURCE = """
OFFSET = 1

@kernel
def called(a):
    return a + OFFSET

@kernel
def caller(a):
    return 2 * called(a)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty cache, and nothing said yet."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    for function in (kernels._say, kernels._sweep):
        function.cache_clear()
    return tmp_path / "qoslib" / "kernels"


def made(source=SOURCE, name="caller"):
    """A kernel as another process would make it."""
    scope = {"kernel": kernel, "__name__": "rules"}
    exec(source, scope)
    return scope[name]


def asked(source=SOURCE):
    """What a new process answers, and whether it had to compile."""
    function = made(source)
    answer = function(3)
    return answer, bool(function.stats.cache_misses)


def test_what_was_compiled_is_kept_and_said_once(folder, capsys):
    assert asked() == (8, True)
    assert asked() == (8, False)
    kept = sorted(path.name.rpartition("-")[0] for path in folder.iterdir())
    assert kept == ["rules.called", "rules.caller"]
    assert capsys.readouterr().err == "qoslib: compiling kernels, up to half a minute, once\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    return a +", '    """Add the offset."""\n    # It is 1.\n    return a +'),
        ("OFFSET = 1", '"""A module."""\n\nOFFSET = 1\nOTHER = 2'),
        ("called(a):", "called(a: int) -> int:"),
    ],
)
def test_text_that_compiles_to_the_same_is_not_compiled_again(before, after):
    asked()
    assert asked(SOURCE.replace(before, after)) == (8, False)


@pytest.mark.parametrize(
    ("before", "after", "answer"),
    [
        ("a + OFFSET", "a - OFFSET", 4),
        ("OFFSET = 1", "OFFSET = 2", 10),
        ("2 * called(a)", "3 * called(a)", 12),
        ("OFFSET = 1", "import numpy\n\nOFFSET = numpy.array([5])[0]", 16),
    ],
)
def test_an_edit_of_any_rule_is_compiled_again(before, after, answer):
    asked()
    assert asked(SOURCE.replace(before, after)) == (answer, True)
    assert asked() == (8, False)


def test_the_order_of_fields_is_part_of_what_is_compiled():
    source = "@kernel\ndef caller(pair):\n    return pair.a[0]\n"
    answers = [
        made(source)(namedtuple("Pair", names)(np.array([1]), np.array([2])))
        for names in ("a b", "b a")
    ]
    assert answers == [1, 2]


DAMAGE = {
    "empty": lambda raw: b"",
    "truncated": lambda raw: raw[:100],
    "without its end": lambda raw: raw[:-1],
    "a bit flipped": lambda raw: raw[:-500] + bytes([raw[-500] ^ 1]) + raw[-499:],
    "something else": lambda raw: b"no machine code" * 100,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_replaced(folder, damage):
    asked()
    before = {path.name for path in folder.iterdir()}
    for path in folder.iterdir():
        path.write_bytes(DAMAGE[damage](path.read_bytes()))
    assert asked() == (8, True)
    assert {path.name for path in folder.iterdir()} == before
    assert asked() == (8, False)


def test_a_folder_that_cannot_be_made_is_said_in_one_line(folder, capsys):
    folder.parent.write_text("in the way")
    assert asked() == (8, True)
    assert asked() == (8, True)
    said = capsys.readouterr().err.splitlines()
    assert said[1:] == [f"qoslib: {folder} keeps no compiled kernels (Not a directory); "
                        "each run compiles"]  # fmt: skip
    assert folder.parent.read_text() == "in the way"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EDQUOT])
def test_a_disk_that_takes_no_more_is_said_in_one_line_and_leaves_nothing(
    folder, code, monkeypatch, capsys
):
    def refuse(path, *given):
        path.touch()
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    assert asked() == (8, True)
    assert asked() == (8, True)
    assert list(folder.iterdir()) == []
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_a_cache_that_can_only_be_read_is_read(folder, monkeypatch, capsys):
    asked()

    def refuse(*given, **more):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    for owner, name in ((os, "utime"), (Path, "write_bytes"), (Path, "mkdir")):
        monkeypatch.setattr(owner, name, refuse)
    assert asked() == (8, False)
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_what_nobody_has_used_for_a_month_is_removed(folder):
    asked()
    used, old = sorted(folder.iterdir())
    earlier, recent = (folder.parent / f"kernels-{name}" for name in ("earlier", "recent"))
    for made_before in (earlier, recent):
        made_before.mkdir()
        (made_before / "loop.nbi").touch()
    month_ago = time.time() - 31 * 86_400
    for path in (old, used, earlier):
        os.utime(path, (month_ago, month_ago))
    os.utime(used)
    kernels._sweep.cache_clear()
    asked(SOURCE.replace("OFFSET = 1", "OFFSET = 2"))
    assert used.exists()
    assert recent.exists()
    assert not old.exists()
    assert not earlier.exists()


def test_a_use_counts():
    asked()
    (path,) = kernels._folder().glob("rules.caller-*")
    os.utime(path, (0, 0))
    asked()
    assert path.stat().st_mtime > 0


LOOPS = """
from qoslib.packets.kernels import loop
from qoslib.packets.kernels.jit import _meaning
from qoslib.tcp.kernels import loop as tcp
from qoslib.tcp.fluid.kernels import loop as fluid
loops = [loop.run, tcp.run, fluid.run]
print(*(_meaning(each.py_func) for each in loops))
"""


def test_every_process_gives_a_kernel_the_same_name():
    said = [
        subprocess.run(
            [sys.executable, "-c", LOOPS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]
    assert len(set(said[0].split())) == 3
