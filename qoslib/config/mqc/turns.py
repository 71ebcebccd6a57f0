"""The four queues by number of an older Catalyst: `wrr-queue` and `priority-queue out`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd

from qoslib.config.code_points import mark_of
from qoslib.config.lines import Line
from qoslib.config.records import ConfiguredClass
from qoslib.config.sourced import Sourced, by_name, in_bytes, in_packets, made, number
from qoslib.config.values import Value, of_default
from qoslib.port import Classifier, Port, Queue, WeightedRoundRobin

__all__ = ["Turns", "turn_lines", "turns_of"]

_QUEUES, _CODES, _MOST = 4, 8, 65_536
_EXPEDITE = _QUEUES
_LENGTH = "How the memory is divided is left out: each queue has its default length."
_THRESHOLDS = "Thresholds of these queues are left out: a full queue drops."
#: Other commands of the queues -> what is lost.
_OTHERS = {
    "queue-limit": _LENGTH,
    "min-reserve": _LENGTH,
    "threshold": _THRESHOLDS,
    "dscp-map": _THRESHOLDS,
    "random-detect": _THRESHOLDS,
}


@dataclass(frozen=True)
class Turns:
    """What the lines of an interface say of its queues.

    `weights` are those of queues 1 to 4, `to` the queue of each CoS and where that comes from,
    `expedite` says whether queue 4 goes before the others, and `lost` has each line and what is
    lost of it; empty where nothing is.
    """

    weights: tuple[Value, ...]
    to: dict[int, Value]
    expedite: bool
    lost: dict[int, str]

    def classes(self) -> tuple[ConfiguredClass, ...]:
        """The queues as classes, each with the marks that lead to it."""
        by_number: dict[int, list[int]] = {number: [] for number in range(1, _QUEUES + 1)}
        for code, queue in self.to.items():
            by_number[queue.value].append(code)
        return tuple(
            ConfiguredClass(
                _name(number),
                _name(number),
                tuple(mark for code in codes for mark in _marks(code)),
                next((self.to[code].line for code in codes if self.to[code].line), 0)
                or self.weights[0].line,
            )
            for number, codes in by_number.items()
        )

    def fields(self) -> dict[str, object]:
        """What a port has besides its queues: the turns, and who waits where.

        A packet without a mark is of CoS 0.
        """
        rules = tuple(
            (mark, _name(queue.value)) for code, queue in self.to.items() for mark in _marks(code)
        )
        classifier = Classifier(rules, _name(self.to[0].value))
        told = next((queue for queue in self.to.values() if queue.default), None)
        turn = number(WeightedRoundRobin(), of_default("ios.wrr_turn"))
        return {"scheduler": turn, "classifier": number(classifier, told)}

    def queues(self, held: Value) -> Sourced[tuple[Queue, ...]]:
        """The queues, each of which holds so many packets or bytes."""
        sharing = self.weights[: _QUEUES - self.expedite]
        whole = gcd(*(weight.value for weight in sharing))
        limit = (in_packets if held.unit == "packets" else in_bytes)(held.value, held)
        turns: list[object] = [number(weight.value // whole, weight) for weight in sharing]
        turns += [1] * self.expedite
        levels = [int(self.expedite)] * len(sharing) + [0] * self.expedite
        return by_name(
            made(Queue, name=_name(at), limit=limit, weight=turn, priority=level)
            for at, (turn, level) in enumerate(zip(turns, levels, strict=True), 1)
        )


def _name(number: int) -> str:
    return f"queue {number}"


def _marks(code: int) -> Iterator[str]:
    """The marks of a CoS: its own, and the code points that begin with its three bits."""
    yield mark_of(code, "PCP")
    yield from (mark_of(point) for point in range(_CODES * code, _CODES * (code + 1)))


def turns_of(lines: Sequence[Line]) -> Turns | None:
    """What the lines of an interface say of four queues in turn; None where they say less or more.

    A Catalyst 6500 has other forms: thresholds in its maps, three weights, `rcv-queue`. Its turns
    are of bytes, and nobody says of how many (Cisco, Catalyst 6500 Series Switch Command Reference,
    OL-6244-01, page 2-602).
    """
    weights: tuple[Value, ...] = ()
    told: list[tuple[Line, list[int]]] = []
    expedite, lost = False, {}
    for line in lines:
        words = line.text.lower().split()
        numbers = [
            int(word) for word in words[2:] if word.isdecimal() and len(word) < len("65,536")
        ]
        match words:
            case ["wrr-queue", "bandwidth", *rest] if _in_range(numbers, rest):
                weights = tuple(Value(number, line=line.number) for number in numbers)
                lost[line.number] = ""
            case ["wrr-queue", "cos-map", *rest] if len(numbers) == len(rest) > 1:
                told.append((line, numbers))
                lost[line.number] = ""
            case ["priority-queue", "out"]:
                expedite, lost[line.number] = True, ""
            case ["wrr-queue", other, *_] if other in _OTHERS:
                lost[line.number] = _OTHERS[other]
            case _ if _is_other(words):
                return None
    to = _map_of(told)
    return Turns(weights, to, expedite, lost) if weights and to else None


def _in_range(numbers: list[int], rest: list[str]) -> bool:
    """Whether these are the weights of four queues."""
    return len(numbers) == len(rest) == _QUEUES and all(1 <= each <= _MOST for each in numbers)


def _is_other(words: list[str]) -> bool:
    """Whether a line makes other queues than four in turn, or takes some of these back."""
    verb = words[words[0] == "no" and len(words) > 1]
    waits = words[0] in ("service-policy", "hold-queue") and {"out", "output"} & {*words}
    return bool(waits) or verb in ("wrr-queue", "priority-queue", "rcv-queue", "srr-queue")


def _map_of(told: list[tuple[Line, list[int]]]) -> dict[int, Value]:
    """The queue of each CoS; none where a line is no such map, or a CoS stands twice."""
    found: dict[int, Value] = {}
    for line, (queue, *codes) in told:
        if not 1 <= queue <= _QUEUES or max(codes) >= _CODES or len({*codes}) < len(codes):
            return {}
        if found.keys() & {*codes}:
            return {}
        found |= {code: Value(queue, line=line.number) for code in codes}
    if not found:
        return {}
    # By default two codes share a queue.
    rest = {code: Value(1 + code // 2, default="ios.wrr_cos_map") for code in range(_CODES)}
    return rest | found


def turn_lines(port: Port) -> list[str]:
    """The lines of an interface for a port in turns of packets; none where it has other queues."""
    levels, to = [queue.priority for queue in port.queues], port.classifier
    names = tuple(_name(number) for number in range(1, _QUEUES + 1))
    expedite = levels[-1] < levels[0]
    if port.queue_names != names or len({*levels[: _QUEUES - expedite]}) > 1:
        return []
    lines = [f"wrr-queue bandwidth {' '.join(f'{queue.weight:.0f}' for queue in port.queues)}"]
    for at, name in enumerate(names, 1):
        codes = [str(code) for code in range(_CODES) if to.queue(mark_of(code, "PCP")) == name]
        lines += [f"wrr-queue cos-map {at} {' '.join(codes)}"] if codes else []
    return [*lines, *["priority-queue out"] * expedite]
