"""Policers, forwarding classes and classifiers of a port in words of Junos."""

from collections.abc import Iterator

from qoslib.config.code_points import code_of, write_word
from qoslib.config.junos.emit import Spoken, losses_of, number
from qoslib.config.junos.words import (
    KINDS,
    LOSS_PRIORITIES,
    MARK_OF_LOSS,
    queue_of_class,
)
from qoslib.port import DropProfile, ExcessBurst, PeakRate, Policer, Port, Queue

__all__ = ["marks_said", "policer_said"]

#: The filter that sends classes to their policers.
_FILTER, _REST = "police", "all-other-classes"
#: The queue that Junos keeps for network control, and how many queues a device has.
_CONTROL_QUEUE, _MOST_QUEUES = 3, 8
_CONTROL_NAMES = {"network-control", "nc"}
_CONTROL_MARKS = {"CS6", "CS7", "IP 6", "IP 7", "PCP 6", "PCP 7", "EXP 6", "EXP 7"}
#: Kind of mark -> the kind of classifier that reads it.
_CLASSIFIERS = {mark: kind for kind, mark in KINDS.items() if kind != "dscp-ipv6"}
_COLOURS = {"low": "green", "medium-low": "yellow", "medium-high": "yellow", "high": "red"}


def policer_said(spoken: Spoken, queue: Queue, of: str, unit: int = 0) -> None:
    """A policer of the firewall, and a term of a filter that sends the class to it."""
    policer = queue.policer
    assert policer is not None
    name = spoken.word(queue.name, "policer")
    own = f"{_FILTER}-{unit}" if unit else _FILTER
    term = f"firewall family inet filter {own} term {of}"
    spoken.add(f"{term} from forwarding-class {of}")
    if policer.excess is None:
        where = f"firewall policer {name}"
        spoken.add(f"{where} if-exceeding bandwidth-limit {number(policer.rate_bps)}")
        spoken.add(f"{where} if-exceeding burst-size-limit {policer.burst_bytes}")
        marks = {mark: loss for loss, mark in MARK_OF_LOSS.items()}
        action = f"loss-priority {marks[policer.exceed]}" if policer.exceed in marks else "discard"
        spoken.add(f"{where} then {action}")
        spoken.add(f"{term} then policer {name}")
    else:
        kind = _three_colours(spoken, name, policer)
        spoken.add(f"{term} then three-color-policer {kind} {name}")
    spoken.add(f"{term} then accept")
    where = f"interfaces {spoken.interface} unit {unit} family inet filter output {own}"
    spoken.add(where)
    # What no term takes is discarded at the end of a filter.
    spoken.ends[own] = f"set firewall family inet filter {own} term {_REST} then accept"


def _three_colours(spoken: Spoken, name: str, policer: Policer) -> str:
    where = f"firewall three-color-policer {name}"
    kind = "single-rate" if isinstance(policer.excess, ExcessBurst) else "two-rate"
    own = f"{where} {kind}"
    spoken.add(f"{own} color-{'aware' if policer.colours else 'blind'}")
    spoken.add(f"{own} committed-information-rate {number(policer.rate_bps)}")
    spoken.add(f"{own} committed-burst-size {policer.burst_bytes}")
    excess = policer.excess
    assert excess is not None
    if isinstance(excess, ExcessBurst):
        spoken.add(f"{own} excess-burst-size {excess.burst_bytes}")
    else:
        peak_bps = excess.rate_bps
        if not isinstance(excess, PeakRate):
            peak_bps += policer.rate_bps
        spoken.add(f"{own} peak-information-rate {number(peak_bps)}")
        spoken.add(f"{own} peak-burst-size {excess.burst_bytes}")
    if policer.violate == "drop":
        spoken.add(f"{where} action loss-priority high then discard")
    return kind


def marks_said(spoken: Spoken) -> None:
    """Forwarding classes, with the default's in queue 0, and a classifier of each kind of mark."""
    port = spoken.port
    words = (word for (_, kind), word in spoken.names.items() if kind == "class")
    classes = list(dict.fromkeys(words))
    of_queue = {name: _class_of(spoken, name) for name in port.queue_names}
    default = of_queue.get(port.classifier.default, "")
    numbers = _numbers(classes, default, _control(spoken, of_queue))
    head = [
        f"set class-of-service forwarding-classes class {each} queue-num {queue}"
        for each, queue in sorted(numbers.items(), key=lambda one: one[1])
    ]
    spoken.lost += _of_numbers(numbers, _control(spoken, of_queue))
    losses = _losses(port)
    kinds: dict[str, list[str]] = {}
    for mark, queue in port.classifier.rules:
        plain = _plain(spoken, mark, queue)
        known = code_of(plain)
        if known is None:
            _term_said(spoken, plain, of_queue[queue], losses.get(mark, "low"))
            continue
        kind, bits = _CLASSIFIERS[known[0]], write_word(plain, "junos")
        line = (
            f"set class-of-service classifiers {kind} by-{kind} forwarding-class"
            f" {of_queue[queue]} loss-priority {losses.get(mark, 'low')} code-points {bits}"
        )
        kinds.setdefault(kind, []).append(line)
    for lines in kinds.values():
        head += dict.fromkeys(lines)
    spoken.lines[:0] = head
    for kind in kinds:
        spoken.add(
            f"class-of-service interfaces {spoken.interface} unit 0 classifiers {kind} by-{kind}"
        )


def _numbers(classes: list[str], default: str, control: str) -> dict[str, int]:
    """The number of each class's queue: 0 for the default's, and 3 for network control alone.

    A class that Junos has by its name keeps its number. Another one has 3 only where the queues
    that a device has are too few without it.
    """
    wanted = [(default, 0), (control, _CONTROL_QUEUE)]
    wanted += [(each, queue_of_class(each.lower()) or 0) for each in classes if _is_known(each)]
    wanted += [(each, 0) for each in classes[:1]]
    numbers: dict[str, int] = {}
    for each, queue in wanted:
        if each and each not in numbers and queue not in numbers.values():
            numbers[each] = queue
    others = [each for each in classes if each not in numbers]
    left = [queue for queue in range(_MOST_QUEUES) if queue not in numbers.values()]
    free = [queue for queue in left if queue != _CONTROL_QUEUE]
    free = free if len(others) <= len(free) else left
    free += range(_MOST_QUEUES, _MOST_QUEUES + len(others))
    return numbers | dict(zip(others, free, strict=False))


def _is_known(of: str) -> bool:
    return queue_of_class(of.lower()) is not None


def _control(spoken: Spoken, of_queue: dict[str, str]) -> str:
    """The class of network control, by its name or by its marks; empty where none is."""
    named = [each for each in of_queue.values() if each.lower() in _CONTROL_NAMES]
    rules = spoken.port.classifier.rules or [(name, name) for name in of_queue]
    marked = [of for mark, of in rules if _plain(spoken, mark, of) in _CONTROL_MARKS]
    return next(iter((*named, *(of_queue[of] for of in marked))), "")


def _of_numbers(numbers: dict[str, int], control: str) -> Iterator[str]:
    """What a device may do otherwise because of the numbers of the queues."""
    for each, queue in numbers.items():
        if queue == _CONTROL_QUEUE and each != control:
            yield (
                f"All {_MOST_QUEUES} queues are needed: class {each} takes queue {queue}, where"
                " Junos puts network-control and its own routing packets by default."
            )
    beyond = [each for each, queue in numbers.items() if queue >= _MOST_QUEUES]
    if beyond:
        listed = ", ".join(beyond)
        yield f"Few devices have more than {_MOST_QUEUES} queues, which these need: {listed}."


def _term_said(spoken: Spoken, mark: str, of: str, loss: str) -> None:
    """A mark of two words as a term of a filter, which puts packets into a class."""
    name, _, term = mark.partition(" ")
    if not term or " " in term or term.strip('#"{}[];') != term:
        return
    where = f"firewall family inet filter {name} term {term} then"
    spoken.add(f"{where} forwarding-class {of}")
    if loss != LOSS_PRIORITIES[0]:
        spoken.add(f"{where} loss-priority {loss}")
    spoken.add(f"interfaces {spoken.interface} unit 0 family inet filter input {name}")


def _class_of(spoken: Spoken, queue: str) -> str:
    for (name, kind), word in spoken.names.items():
        if kind == "class" and (queue == name or queue.endswith(f" {name}")):
            return word
    return queue


def _plain(spoken: Spoken, mark: str, queue: str) -> str:
    """A mark without the unit in front of it."""
    for (name, kind), _ in spoken.names.items():
        if kind == "class" and queue.endswith(f" {name}"):
            return mark.removeprefix(queue.removesuffix(name))
    return mark


def _losses(port: Port) -> dict[str, str]:
    """The loss priority of each mark: one that has the points, and the colour, of the mark."""
    colours = {
        mark: colour
        for queue in port.queues
        if queue.policer is not None
        for mark, colour in queue.policer.colours
    }
    found: dict[str, str] = {}
    for mark, name in port.classifier.rules:
        dropper = next(queue.dropper for queue in port.queues if queue.name == name)
        points: dict[str, object] = {}
        if isinstance(dropper, DropProfile):
            points = {"low": dropper.points, **losses_of(dropper)}
            wanted = dict(dropper.profiles).get(mark, dropper.points)
        for loss in LOSS_PRIORITIES:
            if points and points[loss] != wanted:
                continue
            if colours.get(mark, "green") == _COLOURS[loss] or not colours:
                found.setdefault(mark, loss)
    return found
