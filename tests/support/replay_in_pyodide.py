"""Play calls of kernels again in Pyodide, where npm's has no numpy: run by in_pyodide.mjs.

Its last line gives the number of calls, and each whose arrays or answer have other bits, as JSON.
"""

import ctypes
import json
import struct
from pathlib import Path

library = ctypes.CDLL("/kernels.so")


def words(argument, places):
    """An argument as `qoslib.packets.kernels.ahead` passes it on."""
    if "integer" in argument:
        return [int(argument["integer"]) & (2**64 - 1)]
    if "float" in argument:
        return struct.unpack("Q", struct.pack("d", float(argument["float"])))
    return [0, 0, argument["size"], argument["item"], next(places), *argument["steps"]]


def differs(described):
    """Whether the call gives anything else than what was kept beside its description."""
    call = json.loads(described.read_text())
    before = described.with_suffix(".before").read_bytes()
    memory = ctypes.create_string_buffer(before, len(before) + 8)
    sizes = [each["bytes"] for each in call["arguments"] if "bytes" in each]
    places = (ctypes.addressof(memory) + sum(sizes[:at]) for at in range(len(sizes)))
    table = [word for each in call["arguments"] for word in words(each, places)]
    answer = ctypes.c_int64(0)
    kernel = getattr(library, call["entry"])
    kernel.argtypes, kernel.restype = [ctypes.c_void_p, ctypes.c_void_p], ctypes.c_int
    given = (ctypes.c_uint64 * len(table))(*table)
    status = kernel(ctypes.addressof(given), ctypes.addressof(answer))
    same = memory.raw[: len(before)] == described.with_suffix(".after").read_bytes()
    return status > 0 or not same or call["answer"] not in (None, str(answer.value))


calls = sorted(Path("/calls").glob("*.json"))
json.dumps({"calls": len(calls), "differ": [each.stem for each in calls if differs(each)]})
