"""The lines of a script: names of classes, buckets, and what differs from the port."""

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator

from qoslib.config.tc.amounts import rate_bps, rate_word
from qoslib.port import Port, Shaper
from qoslib.record import Record

__all__ = ["Lines", "unsaid"]

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
    lost : list of str
        What the script cannot say, besides what `unsaid` finds.
    """

    def __init__(self, port: Port, interface: str) -> None:
        self.device = interface if _DEVICE.fullmatch(interface) else "eth0"
        self.lost: list[str] = []
        whole = port.overhead_bytes == int(port.overhead_bytes) and port.overhead_bytes < 2**16
        self.counted = int(port.overhead_bytes) if whole else 0
        self.overhead_word = False
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

    def name_kind(self, handle: str, name: str) -> None:
        """Name the only queue, in front of the command that makes it; else it has its kind's."""
        words = self.made[-1].split()
        at = next(i for i, line in enumerate(self.made) if f" handle {handle} " in line)
        kind = self.made[at].split(f" handle {handle} ")[1].split()[0]
        if words and kind != name:
            self.made.insert(at, f"# {handle} is {json.dumps(name)}")

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
        self.overhead_word = True
        return f" overhead {self.counted}"

    def bucket(self, parent: str, handle: str, shaper: Shaper, limit: str = UNUSED_LIMIT) -> Shaper:
        """A tbf, and the shaper that it is."""
        rate, burst = rate_word(shaper.rate_bps), min(shaper.burst_bytes, LARGEST)
        words = f"rate {rate} burst {burst} limit {limit}{self.overhead()}"
        self.add(f"qdisc add dev {self.device} {parent} handle {handle} tbf {words}")
        return Shaper(rate_bps(rate, 0), burst)


def unsaid(port: Port, said: Port) -> Iterator[str]:
    """What a text says otherwise than the port, or not at all.

    Parameters
    ----------
    port, said : Port
        As it is, and as the text has it.

    Yields
    ------
    str
        A sentence each.
    """
    others = {queue.name: queue for queue in said.queues}
    for queue in port.queues:
        yield from _differing(f"queue {queue.name!r}", queue, others[queue.name])
    if [queue.name for queue in port.queues] != [queue.name for queue in said.queues]:
        yield "the queues stand in another order: " + ", ".join(queue.name for queue in said.queues)
    nodes = {node.name: node for node in getattr(said.scheduler, "nodes", ())}
    own = getattr(port.scheduler, "nodes", ())
    if type(port.scheduler) is not type(said.scheduler):
        kinds = [type(each.scheduler).__name__ for each in (port, said)]
        yield f"the scheduler {kinds[0]} has no word in tc: here it is {kinds[1]}"
    elif not own and port.scheduler != said.scheduler:
        yield f"{port.scheduler} is {said.scheduler} in tc"
    elif own:
        for node in own:
            if node.name in nodes:
                yield from _differing(f"node {node.name!r}", node, nodes[node.name])
            else:
                yield f"node {node.name!r} has no class of its own in tc"
        if [node.name for node in own] != list(nodes):
            yield "the nodes stand in another order: " + ", ".join(nodes)
    without = {"queues": said.queues, "scheduler": said.scheduler}
    yield from _differing("the port", port.replace(**without), said)


def _differing(what: str, own: Record, said: Record) -> Iterator[str]:
    for field in dataclasses.fields(own):
        value, other = getattr(own, field.name), getattr(said, field.name)
        if value != other:
            yield f"{what}: {field.name} is {other!r} in tc, not {value!r}"
