"""The lines of a script: its commands, and comments that name classes."""

import json
import re
from collections.abc import Iterable

from qoslib.config.tc.amounts import rate_word
from qoslib.port import Port, Shaper

__all__ = ["LARGEST", "Lines"]

_DEVICE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,14}")
_CLASS = re.compile(r"1:([1-9a-f][0-9a-f]{0,2})")
#: A tbf with another qdisc below it holds nothing itself, but has to be given a limit.
UNUSED_LIMIT = "100kb"
LARGEST = 2**32 - 1


class Lines:
    """The script of a port.

    Parameters
    ----------
    port : Port
    interface : str

    Attributes
    ----------
    made : list of str
    counted : int
        Bytes that shapers count on top of each frame.
    counts : bool
        Whether a command says so.
    """

    def __init__(self, port: Port, interface: str) -> None:
        self.device = interface if _DEVICE.fullmatch(interface) else "eth0"
        whole = port.overhead_bytes == int(port.overhead_bytes) and port.overhead_bytes < 2**16
        self.counted = int(port.overhead_bytes) if whole else 0
        self.counts = False
        self.made = [f"tc qdisc del dev {self.device} root 2>/dev/null || true"]
        if port.name != self.device:
            self.name("0:", port.name)

    def add(self, command: str) -> None:
        """One more command, without ``tc``."""
        self.made.append(f"tc {command}")

    def name(self, what: str, name: str) -> None:
        """A comment that names a class where its number does not."""
        if what != name:
            self.made.append(f"# {what} is {json.dumps(name)}")

    def ids(self, names: Iterable[str]) -> dict[str, str]:
        """A class for each name: the name itself where it is one."""
        names = list(names)
        made = {name: name for name in names if _CLASS.fullmatch(name)}
        free = (f"1:{minor:x}" for minor in range(1, 2**12) if f"1:{minor:x}" not in made)
        return {name: made[name] if name in made else next(free) for name in names}

    def overhead(self) -> str:
        """What a shaper counts on top of each frame."""
        if not self.counted:
            return ""
        self.counts = True
        return f" overhead {self.counted}"

    def bucket(self, parent: str, handle: str, shaper: Shaper) -> None:
        """A tbf with a qdisc below it."""
        rate, burst = rate_word(shaper.rate_bps), min(shaper.burst_bytes, LARGEST)
        words = f"rate {rate} burst {burst} limit {UNUSED_LIMIT}{self.overhead()}"
        self.add(f"qdisc add dev {self.device} {parent} handle {handle} tbf {words}")
