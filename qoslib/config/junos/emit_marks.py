"""Policers, forwarding classes and classifiers of a port in words of Junos."""

from collections.abc import Iterator
from itertools import chain

from qoslib.config.code_points import code_of, write_word
from qoslib.config.junos.emit import SPLITS, Writer, losses_of, number
from qoslib.config.junos.words import DEFAULT_CLASSES, KINDS, LOSS_PRIORITIES, MARK_OF_LOSS
from qoslib.port import DropProfile, ExcessBurst, PeakRate, Policer, Port, Queue

__all__ = ["write_marks", "write_policer"]

#: The filter that sends classes to their policers.
_FILTER, _REST = "police", "all-other-classes"
#: The queue that Junos keeps for network control, and how many queues a device has.
_CONTROL_QUEUE, _MOST_QUEUES = 3, 8
_CONTROL_NAMES = {"network-control", "nc"}
_CONTROL_MARKS = {"CS6", "CS7", "IP 6", "IP 7", "PCP 6", "PCP 7", "EXP 6", "EXP 7"}
#: Kind of mark -> the kind of classifier that reads it.
_CLASSIFIERS = {mark: kind for kind, mark in KINDS.items() if kind != "dscp-ipv6"}
_COLOURS = {"low": "green", "medium-low": "yellow", "medium-high": "yellow", "high": "red"}


def write_policer(writer: Writer, queue: Queue, of: str, unit: int = 0) -> None:
    """A policer of the firewall, and a term of a filter that sends the class to it."""
    policer = queue.policer
    assert policer is not None
    name = writer.word(queue.name, "policer")
    own = f"{_FILTER}-{unit}" if unit else _FILTER
    while own in _filters(writer):
        own += "-out"
    term = f"firewall family inet filter {own} term {of}"
    writer.add(f"{term} from forwarding-class {of}")
    if policer.excess is None:
        where = f"firewall policer {name}"
        writer.add(f"{where} if-exceeding bandwidth-limit {number(policer.rate_bps)}")
        writer.add(f"{where} if-exceeding burst-size-limit {policer.burst_bytes}")
        marks = {mark: loss for loss, mark in MARK_OF_LOSS.items()}
        action = f"loss-priority {marks[policer.exceed]}" if policer.exceed in marks else "discard"
        writer.add(f"{where} then {action}")
        writer.add(f"{term} then policer {name}")
    else:
        kind = _three_colours(writer, name, policer)
        writer.add(f"{term} then three-color-policer {kind} {name}")
    writer.add(f"{term} then accept")
    writer.add(f"interfaces {writer.interface} unit {unit} family inet filter output {own}")
    # What no term takes is discarded at the end of a filter.
    writer.ends[own] = f"set firewall family inet filter {own} term {_REST} then accept"


def _three_colours(writer: Writer, name: str, policer: Policer) -> str:
    where = f"firewall three-color-policer {name}"
    kind = "single-rate" if isinstance(policer.excess, ExcessBurst) else "two-rate"
    own = f"{where} {kind}"
    writer.add(f"{own} color-{'aware' if policer.colours else 'blind'}")
    writer.add(f"{own} committed-information-rate {number(policer.rate_bps)}")
    writer.add(f"{own} committed-burst-size {policer.burst_bytes}")
    excess = policer.excess
    assert excess is not None
    if isinstance(excess, ExcessBurst):
        writer.add(f"{own} excess-burst-size {excess.burst_bytes}")
    else:
        peak_bps = excess.rate_bps
        if not isinstance(excess, PeakRate):
            peak_bps += policer.rate_bps
        writer.add(f"{own} peak-information-rate {number(peak_bps)}")
        writer.add(f"{own} peak-burst-size {excess.burst_bytes}")
    if policer.violate == "drop":
        writer.add(f"{where} action loss-priority high then discard")
    return kind


def write_marks(writer: Writer) -> None:
    """Forwarding classes, with the default's in queue 0, and a classifier of each kind of mark."""
    port = writer.port
    words = (word for (_, kind), word in writer.names.items() if kind == "class")
    classes = list(dict.fromkeys(words))
    of_queue = {name: _class_of(writer, name) for name in port.queue_names}
    default, control = of_queue.get(port.classifier.default, ""), _control(writer, of_queue)
    numbers = _numbers(classes, default, control)
    writer.lost += _of_numbers(numbers, control)
    losses = _losses(port)
    kinds: dict[str, dict[str, None]] = {}
    for mark, queue in port.classifier.rules:
        plain, of, loss = _plain(writer, mark, queue), of_queue[queue], losses.get(mark, "low")
        code = code_of(plain)
        if code is None:
            _write_term(writer, plain, of, loss)
            continue
        kind, bits = _CLASSIFIERS[code[0]], write_word(plain, "junos")
        rules = f"class-of-service classifiers {kind} by-{kind} forwarding-class {of}"
        lines = kinds.setdefault(kind, {})
        lines[f"set {rules} loss-priority {loss} code-points {bits}"] = None
    head = [
        f"set class-of-service forwarding-classes class {of} queue-num {number}"
        for of, number in sorted(numbers.items(), key=lambda one: one[1])
    ]
    writer.lines[:0] = [*head, *chain.from_iterable(kinds.values())]
    for kind in kinds:
        where = f"class-of-service interfaces {writer.interface} unit 0"
        writer.add(f"{where} classifiers {kind} by-{kind}")


def _numbers(classes: list[str], default: str, control: str) -> dict[str, int]:
    """The number of each class's queue: 0 for the default's, and 3 for network control alone.

    A class that Junos has by its name keeps its number. Another one has 3 only where the queues
    that a device has are too few without it.
    """
    wanted = [(default, 0), (control, _CONTROL_QUEUE)]
    wanted += [(each, DEFAULT_CLASSES[each.lower()]) for each in classes if _is_known(each)]
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
    return of.lower() in DEFAULT_CLASSES


def _control(writer: Writer, of_queue: dict[str, str]) -> str:
    """The class of network control, by its name or by its marks; empty where none is."""
    named = [each for each in of_queue.values() if each.lower() in _CONTROL_NAMES]
    rules = writer.port.classifier.rules or [(name, name) for name in of_queue]
    marked = [of for mark, of in rules if _plain(writer, mark, of) in _CONTROL_MARKS]
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


def _write_term(writer: Writer, mark: str, of: str, loss: str) -> None:
    """A mark of two words as a term of a filter, which puts packets into a class."""
    name, _, term = mark.partition(" ")
    if not term or " " in term or term.strip("#") != term or SPLITS.search(mark):
        return
    where = f"firewall family inet filter {name} term {term} then"
    writer.add(f"{where} forwarding-class {of}")
    if loss != LOSS_PRIORITIES[0]:
        writer.add(f"{where} loss-priority {loss}")
    writer.add(f"interfaces {writer.interface} unit 0 family inet filter input {name}")


def _filters(writer: Writer) -> set[str]:
    """The filters that put packets into classes, by the first words of their marks."""
    rules = writer.port.classifier.rules
    return {_plain(writer, mark, queue).partition(" ")[0] for mark, queue in rules}


def _class_of(writer: Writer, queue: str) -> str:
    for (name, kind), word in writer.names.items():
        if kind == "class" and (queue == name or queue.endswith(f" {name}")):
            return word
    return queue


def _plain(writer: Writer, mark: str, queue: str) -> str:
    """A mark without the unit in front of it."""
    for (name, kind), _ in writer.names.items():
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
