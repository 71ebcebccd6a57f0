"""Calls of kernels, kept as they are: what goes in, and what numba's machine code makes of it."""

import importlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from qoslib.packets.kernels.ahead import ENTRIES, leaves

__all__ = ["Recorder", "recorded"]

#: Where a kernel is called: the module, its name there, and its place.
CALLERS = (
    ("qoslib.packets.loops", "run_flat", "qoslib.packets.kernels.loop.run"),
    ("qoslib.packets.loops", "run_tree", "qoslib.packets.kernels.loop.run_tree"),
    ("qoslib.packets.loops", "run_flows", "qoslib.packets.kernels.loop.run_flows"),
    ("qoslib.packets.switch", "run_ports", "qoslib.packets.kernels.ports.run_ports"),
    ("qoslib.packets.switch", "run_any_ports", "qoslib.packets.kernels.ports.run_any_ports"),
    ("qoslib.packets.chain", "count_through", "qoslib.packets.kernels.counters.count_through"),
    ("qoslib.tcp.simulate", "run_flat", "qoslib.tcp.kernels.loop.run"),
    ("qoslib.tcp.simulate", "run_tree", "qoslib.tcp.kernels.loop.run_tree"),
    ("qoslib.tcp.simulate", "run_flows", "qoslib.tcp.kernels.loop.run_flows"),
    ("qoslib.tcp.simulate", "run_network", "qoslib.tcp.kernels.network.run_network"),
    ("qoslib.tcp.simulate", "run_any_network", "qoslib.tcp.kernels.network.run_any_network"),
    ("qoslib.tcp.simulate", "count_received", "qoslib.tcp.kernels.receiver.count_received"),
    ("qoslib.tcp.fluid.solve", "run", "qoslib.tcp.fluid.kernels.loop.run"),
)


class Recorder:
    """Keeps calls in a folder, each as a description and the arrays before and after it.

    Parameters
    ----------
    folder : Path
        Where the files go.

    Attributes
    ----------
    calls : Counter
        How many there were, by the kernel's name in a library.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.calls = folder, Counter[str]()

    def kept(self, kernel: Callable[..., Any], entry: str) -> Callable[..., Any]:
        """The kernel, whose calls are kept."""

        def call(*arguments: Any) -> Any:
            given = list(leaves(arguments))
            before = [each.tobytes() for each in given if isinstance(each, np.ndarray)]
            answer = kernel(*arguments)
            after = [each.tobytes() for each in given if isinstance(each, np.ndarray)]
            self._keep(entry, given, before, after, answer)
            return answer

        return call

    def _keep(
        self, entry: str, given: list[Any], before: list[bytes], after: list[bytes], answer: Any
    ) -> None:
        name = f"{self.calls.total():04d}"
        self.calls[entry] += 1
        described = {
            "entry": entry,
            "arguments": [_described(each) for each in given],
            "answer": None if answer is None else str(answer),
        }
        (self.folder / f"{name}.json").write_text(json.dumps(described))
        (self.folder / f"{name}.before").write_bytes(b"".join(before))
        (self.folder / f"{name}.after").write_bytes(b"".join(after))


@contextmanager
def recorded(folder: Path) -> Iterator[Recorder]:
    """Keep all calls of kernels in a folder, until it is left.

    Parameters
    ----------
    folder : Path
        Where the files go; it is there.

    Yields
    ------
    Recorder
    """
    recorder = Recorder(folder)
    with ExitStack() as stack:
        for module, name, place in CALLERS:
            found = importlib.import_module(module)
            kept = recorder.kept(getattr(found, name), ENTRIES[place])
            stack.enter_context(patch.object(found, name, kept))
        yield recorder


def _described(argument: Any) -> dict[str, Any]:
    """A number as text, so that 64 bits stay; of an array what numba passes on."""
    if isinstance(argument, np.ndarray):
        assert argument.flags.c_contiguous
        return {
            "bytes": argument.nbytes,
            "size": argument.size,
            "item": argument.itemsize,
            "steps": [*argument.shape, *argument.strides],
        }
    if isinstance(argument, float):
        return {"float": repr(float(argument))}
    return {"integer": str(int(argument))}
