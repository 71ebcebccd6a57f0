"""How kernels are compiled, and where their machine code is kept.

numba's own cache looks only at the file of the outermost function: an edited rule in another file
would go unnoticed and the old answer come back; and a damaged file or a full disk stops it. Here
each compiled function is a file of its own, named by a hash of all that it compiles to: its
instructions, what it reads from its module, and the kernels it calls. Text that compiles to the
same, as another docstring does, is not compiled again.
"""

import contextlib
import dis
import functools
import hashlib
import inspect
import os
import pickle
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps
from numba.core.types import Type, int64, uint32, unliteral

#: Without the interpreter's lock, so that replications share the cores; without numba's reference
#: counts (kernels make no arrays); and rules become part of the loop that calls them: measured on
#: the Cisco 12000's port, 1,290 ns a packet became 103 and then 22.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "forceinline": True,
}

#: Python's ways into a function.
WITHOUT_WRAPPERS: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

#: A kept file that no process has used for so long is removed [s].
UNUSED_S = 30 * 86_400


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function to machine code that is kept on disk."""
    return _made(function, OPTIONS)


def rare_kernel(function: Callable[..., Any]) -> Any:
    """A kernel for what events seldom do: it is called, and so does not make the loop longer."""
    return _made(function, OPTIONS | {"forceinline": False})


def _made(function, options):
    """A function that Python and kernels call; for kernels it is compiled by itself.

    What Python calls takes Python's objects apart first, which is a third of all compiling.
    """
    made: Any = numba.njit(**options)(function)
    called: Any = numba.njit(**options, **WITHOUT_WRAPPERS)(function)
    made._cache, called._cache = _Kept(function, "python"), _Kept(function, "kernels")
    found = called.get_call_template
    made.get_call_template = lambda args, kws: found([_widened(each) for each in args], kws)
    made.get_overload = called.get_overload
    return made


def _widened(kind):
    """A type without what numba would compile a function again for: a constant, a lack of sign."""
    return int64 if kind == uint32 else unliteral(kind)


class _Kept(NullCache):
    """The machine code of one kernel, kept in place of numba's own cache."""

    def __init__(self, function: Callable[..., Any], callers: str):
        self._function, self._callers = function, callers

    def load_overload(self, sig, target_context):
        """What was kept of this signature, or None; a damaged file is removed."""
        target_context.refresh()
        path = self._path(sig, target_context.codegen())
        try:
            checksum, kept = _parted(path.read_bytes())
            if checksum == hashlib.sha256(kept).digest():
                _mark_as_used(path)
                return CompileResult._rebuild(target_context, *pickle.loads(kept))
            path.unlink()
        except OSError:
            pass  # Not there, or not to be read: compiled, as if there were no cache.
        _say("compiling kernels, up to half a minute, once")
        return None

    def save_overload(self, sig, data):
        """Keep what was compiled. Where that fails, say so once and go on without."""
        path = self._path(sig, data.codegen)
        kept = dumps(data._reduce())
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _sweep(path.parent)
            _write(path, hashlib.sha256(kept).digest() + kept)
        except OSError as error:
            _say(f"{path.parent} keeps no compiled kernels ({error.strerror}); each run compiles")

    def _path(self, sig, codegen):
        parts = [numba.__version__, sys.implementation.cache_tag, codegen.magic_tuple()]
        key = _hash(*parts, self._callers, *map(_spelt, sig), _meaning(self._function))
        name = f"{self._function.__module__}.{self._function.__qualname__}".replace("<", "(")
        return _folder() / f"{name.removeprefix('qoslib.')}-{key[:32]}"


def _folder():
    root = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    return Path(root or os.path.expanduser("~/.cache")) / "qoslib" / "kernels"


def _hash(*parts):
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()


def _spelt(kind: Type) -> str:
    """A type of an argument in full: numba leaves out the names of the fields of a tuple."""
    parts, names = getattr(kind, "types", ()), getattr(kind, "fields", ())
    return f"{kind} {names} {' '.join(map(_spelt, parts))}"


@functools.cache
def _meaning(function):
    """A hash of the instructions of a function and of what they read, other kernels included."""
    code = [f"{each.opname} {each.argrepr}" for each in dis.get_instructions(function)]
    read = sorted(inspect.getclosurevars(function).globals.items())
    values = [f"{name} {_value(value)}" for name, value in read]
    return _hash(function.__qualname__, function.__defaults__, *code, *values)


def _value(value):
    if isinstance(value, Dispatcher):
        return f"{_meaning(value.py_func)} {sorted(value.targetoptions.items())}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, ModuleType):
        return value.__name__
    return getattr(value, "__qualname__", None) or repr(value)


def _parted(raw):
    """Checksum and what it is of."""
    size = hashlib.sha256().digest_size
    return raw[:size], raw[size:]


def _mark_as_used(path):
    # Without it a cache that can only be read does as well.
    with contextlib.suppress(OSError):
        os.utime(path)


def _write(path, raw):
    """Whole or not at all, whoever else writes the same file."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        part.write_bytes(raw)
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


@functools.cache
def _sweep(folder):
    """Remove what no process has used for a month, and whole folders of earlier versions."""
    long_ago_s = time.time() - UNUSED_S
    for old in (*folder.iterdir(), *folder.parent.glob("kernels-*")):
        # Another process may be removing the same.
        with contextlib.suppress(OSError):
            if old.stat().st_mtime < long_ago_s:
                shutil.rmtree(old) if old.is_dir() else old.unlink()


@functools.cache
def _say(what):
    """A line that is said once."""
    print(f"qoslib: {what}", file=sys.stderr, flush=True)
