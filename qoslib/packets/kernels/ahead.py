"""Kernels that were compiled ahead of time, for where numba cannot run: in a web page.

They are the machine code that numba makes, in a library of its own. Python calls some of them; the
others are within these, and Python only needs what is written.
"""

import ctypes
import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["ENTRIES", "kernel", "leaves", "rare_kernel"]

#: A kernel that Python calls -> its name in the library.
ENTRIES = {
    "qoslib.packets.kernels.loop.run": "run_flat",
    "qoslib.packets.kernels.loop.run_tree": "run_tree",
    "qoslib.packets.kernels.loop.run_flows": "run_flows",
    "qoslib.packets.kernels.ports.run_ports": "run_ports",
    "qoslib.packets.kernels.ports.run_any_ports": "run_any_ports",
    "qoslib.packets.kernels.counters.count_through": "count_through",
    "qoslib.tcp.kernels.loop.run": "run_tcp",
    "qoslib.tcp.kernels.loop.run_tree": "run_tcp_tree",
    "qoslib.tcp.kernels.loop.run_flows": "run_tcp_flows",
    "qoslib.tcp.kernels.network.run_network": "run_tcp_network",
    "qoslib.tcp.kernels.network.run_any_network": "run_tcp_any_network",
    "qoslib.tcp.kernels.receiver.count_received": "count_received",
    "qoslib.tcp.fluid.kernels.loop.run": "run_tcp_fluid",
}


def kernel(function: Callable[..., Any]) -> Any:
    """The kernel of the library that a function is written for; the function itself if none is."""
    name = ENTRIES.get(f"{function.__module__}.{function.__qualname__}")
    made: Any = functools.partial(_called, name) if name else function
    made.py_func = function
    return made


rare_kernel = kernel


def leaves(arguments: tuple[Any, ...]) -> Iterator[Any]:
    """The numbers and arrays of arguments, some of which are tuples of them.

    >>> list(leaves((1, (2.0, (3,)))))
    [1, 2.0, 3]
    """
    for each in arguments:
        if isinstance(each, tuple):
            yield from leaves(each)
        else:
            yield each


def _called(name: str, *arguments: Any) -> int:
    """Call a kernel of the library: numbers and arrays go into one table, in numba's order."""
    given = list(leaves(arguments))
    table = np.array([word for each in given for word in _words(each)], np.int64)
    answer = np.zeros(1, np.int64)
    status = getattr(_library(), name)(table.ctypes.data, answer.ctypes.data)
    if status > 0:
        raise RuntimeError(f"the kernel {name} ended with status {status}")
    return int(answer[0])


def _words(argument: Any) -> Iterator[int]:
    """An argument as numba passes it on: an array is its owners, sizes, place, shape and steps."""
    if isinstance(argument, np.ndarray):
        yield from (0, 0, argument.size, argument.itemsize, argument.ctypes.data)
        yield from (*argument.shape, *argument.strides)
    elif isinstance(argument, float):
        yield int(np.float64(argument).view(np.int64))
    else:
        yield int(np.uint64(int(argument) & (2**64 - 1)).astype(np.int64))


@functools.cache
def _library() -> ctypes.CDLL:
    """The library: where ``QOSLIB_KERNELS`` says, or beside this file."""
    path = Path(os.environ.get("QOSLIB_KERNELS") or Path(__file__).with_name("kernels.so"))
    if not path.is_file():
        raise ImportError(
            f"qoslib runs its kernels by numba, which is not installed, or from {path}, which is"
            " not there: install numba"
        )
    library = ctypes.CDLL(str(path))
    for name in ENTRIES.values():
        entry = getattr(library, name)
        entry.argtypes, entry.restype = [ctypes.c_void_p, ctypes.c_void_p], ctypes.c_int
    return library
