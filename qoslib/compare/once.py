"""The same run asked for under several names, or by several threads, is played once."""

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, TypeVar

from qoslib.flows import Host, HtbPacing, actual_rate_bps

__all__ = ["Once", "in_effect"]

Answer = TypeVar("Answer")


@dataclass
class Once(Generic[Answer]):
    """Answers by what was asked; who asks for one that is under way waits for it."""

    said: dict[Hashable, "Future[Answer]"] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def of(self, asked: Hashable, answer: Callable[[], Answer]) -> Answer:
        """What was asked for, worked out if it is the first time."""
        with self.lock:
            first = asked not in self.said
            future = self.said.setdefault(asked, Future())
        if first:
            try:
                future.set_result(answer())
            except BaseException as error:
                with self.lock:
                    del self.said[asked]
                future.set_exception(error)
        return future.result()


def in_effect(hosts: Sequence[Host]) -> tuple[Host, ...]:
    """Hosts with the rate that their pacing really has, so that equal ones are equal."""
    return tuple(_actual(host) for host in hosts)


def _actual(host):
    if not isinstance(host.pacing, HtbPacing):
        return host
    segment_bytes = host.flows[0].mss_bytes
    actual_bps = actual_rate_bps(host.pacing, segment_bytes, host.burst_packets)
    return host.replace(pacing=HtbPacing(min(actual_bps, host.access_bps)))
