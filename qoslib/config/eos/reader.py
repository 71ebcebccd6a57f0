"""The dialect ``eos``: transmit queues of Arista's switches as ports."""

import re
from dataclasses import replace
from difflib import get_close_matches

from qoslib import units
from qoslib.config.code_points import mark_of
from qoslib.config.eos.blocks import DEFAULT_CLASSES, QUEUES, queueing_of
from qoslib.config.eos.commands import Block, Given, Queueing, Thresholds
from qoslib.config.facts import Facts
from qoslib.config.provenance import Provenance
from qoslib.config.records import Configuration, ConfiguredClass, ConfiguredPort
from qoslib.config.settings import of_queue
from qoslib.config.source import check_time
from qoslib.config.values import Value, of_default, of_fact
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    Classifier,
    Ewma,
    Node,
    Port,
    Queue,
    Red,
    SchedulerTree,
    Shaper,
    TimeRedProfile,
)

__all__ = ["STRICT_SHARE", "is_eos", "read_eos"]

#: What is lost of a share of a strict queue.
STRICT_SHARE = "A strict queue is in no round robin: this has no effect."

_SIGN = re.compile(
    r"^[ \t]*(uc-|mc-)?tx-queue \d|^[ \t]*shape rate \d|^[ \t]*service-profile "
    r"|^qos (profile|map (dscp|cos|traffic-class)) |^policy-map type quality-of-service |EOS-4\."
    r"|^[ \t]*priority-flow-control priority \d",
    re.MULTILINE,
)
_FRAME_BYTES = 1518
#: Kind of mark -> the trust that leaves it out.
_OTHER = {"DSCP": "cos", "PCP": "dscp"}
_NO_MARK = "No mark that is trusted leads to this queue: it is left out."
_TREE = "tx-queues"


def is_eos(text: str) -> float:
    """How sure it is that a text is of Arista EOS."""
    return 0.85 if _SIGN.search(text) else 0.0


def read_eos(text: str, facts: Facts) -> Configuration:
    """Read a configuration of Arista EOS.

    Where no interface has queues, each profile is taken for a port.
    """
    queueing = queueing_of(text)
    ports = [_port(queueing, block, facts) for block in queueing.interfaces.values()]
    if not any(ports):
        pieces = (
            Block(name, profile.line, profile=name) for name, profile in queueing.profiles.items()
        )
        ports = [_port(queueing, block, facts) for block in pieces]
    known = tuple(port for port in ports if port)
    names = {port.interface for port in known}
    statements = (
        command
        for command in queueing.notes.statements
        if _of_a_port(command.parents, command.text, names)
    )
    return Configuration(
        "eos",
        known,
        tuple(sorted(queueing.notes.remarks, key=lambda remark: remark.line)),
        tuple(statements),
        len(text.splitlines()),
    )


def _of_a_port(parents: tuple[str, ...], text: str, names: set[str]) -> bool:
    """Whether a line has to do with queues: `speed` of an interface without any has not."""
    words = (parents[0] if parents else text).split()
    if not text.lower().startswith(("speed", "interface")) or words[0].lower() != "interface":
        return True
    return "".join(words[1:3]) in names


def _port(queueing: Queueing, block: Block, facts: Facts) -> ConfiguredPort | None:
    """The port of an interface, as far as it is told; None of one without queues."""
    check_time()
    port = ConfiguredPort(block.name, "out", None, policy=block.profile, line=block.line)
    if block.profile and block.profile not in queueing.profiles:
        _without_profile(queueing, block)
        return port
    block = _with_profile(block, queueing.profiles.get(block.profile))
    if block.in_packets or not (block.queues or block.shape):
        return port if block.in_packets else None
    marks = _marks(queueing, block.trust)
    # Packets without a mark have priority 0, which is traffic class 1.
    rest = queueing.queues.get(1, 1)
    numbers = [n for n in reversed(range(QUEUES)) if marks[n] or n == rest or queueing.sets]
    _note_idle(queueing, block, numbers)
    if not numbers:
        return port
    port = port.replace(classes=tuple(_class(n, marks[n], block) for n in numbers))
    notes = Provenance()
    line_bps, memory = _line_rate(notes, block, facts), _memory(notes, block, facts)
    if line_bps is None or memory is None:
        return port.replace(missing=tuple(notes.missing))
    whole = Port(
        block.name,
        line_bps,
        tuple(_queue(notes, number, block, line_bps, memory) for number in numbers),
        SchedulerTree((_node(notes, numbers, block, line_bps),), QUEUES),
        classifier=_classifier(numbers, marks, rest),
        **notes.facts_of_port(facts, block.name),  # type: ignore[arg-type]
    )
    return port.replace(port=whole, origins=tuple(notes.origins))


def _node(notes: Provenance, numbers: list[int], block: Block, line_bps: float) -> Node:
    node = Node(_TREE, tuple(map(_name, numbers)))
    if block.shape is None:
        return node
    where = f"scheduler.nodes[{_TREE!r}]"
    return node.replace(shaper=_shaper(notes, block.shape, line_bps, where))


def _classifier(numbers: list[int], marks: list[list[str]], rest: int) -> Classifier:
    """Marks to queues; each queue's name is a mark as well, and other packets go to the rest."""
    rules = [(mark, _name(number)) for number in numbers for mark in marks[number]]
    rules += [(_name(number), _name(number)) for number in numbers]
    return Classifier(tuple(rules), _name(rest if rest in numbers else numbers[-1]))


def _without_profile(queueing: Queueing, block: Block) -> None:
    """Note that the text does not hold the profile of an interface."""
    near = get_close_matches(block.profile, queueing.profiles, 1)
    meant = f" Did you mean {near[0]}?" if near else ""
    lost = f"This profile is not in the text: nothing is promised here.{meant}"
    queueing.notes.not_modelled(block.profile_line, f"service-profile {block.profile}", lost)


def _with_profile(block: Block, profile: Block | None) -> Block:
    """An interface with what its profile gives it where it says nothing itself."""
    if profile is None:
        return block
    own = {n: each for n, each in block.queues.items() if not _counts_alone(each)}
    return replace(
        block,
        queues={**block.queues, **profile.queues, **own},
        shape=block.shape or profile.shape,
        trust=block.trust or profile.trust,
        in_packets=block.in_packets or profile.in_packets,
    )


def _counts_alone(given: Given) -> bool:
    """Whether all that an interface says of a queue is what it counts there."""
    return bool(given.statements) and all(each.words[-1] == "count" for each in given.statements)


def _note_idle(queueing: Queueing, block: Block, numbers: list[int]) -> None:
    """Note shares of strict queues, and queues that no mark leads to."""
    for number, given in block.queues.items():
        for command in given.statements:
            shared = given.share and command.line == given.share.line
            if shared and not _in_turn(number, block.queues):
                queueing.notes.not_modelled(command.line, command.text, STRICT_SHARE)
    for number, given in block.queues.items():
        if numbers and number not in numbers:
            queueing.notes.not_modelled(given.line, given.text, _NO_MARK)


def _name(number: int) -> str:
    return f"tx-queue {number}"


def _class(number: int, marks: list[str], block: Block) -> ConfiguredClass:
    name, given = _name(number), block.queues.get(number)
    own = tuple(marks) or (name,)
    if given is None:
        return ConfiguredClass(name, name, own, 0, _TREE)
    statements = tuple(given.statements)
    return ConfiguredClass(name, name, own, given.line, _TREE, statements, of_queue(given))


def _marks(queueing: Queueing, trust: str) -> list[list[str]]:
    """The trusted marks of each queue: by traffic classes, whose numbers are those of queues."""
    marks: list[list[str]] = [[] for _ in range(QUEUES)]
    for (kind, code), number in {**DEFAULT_CLASSES, **queueing.classes}.items():
        queue = queueing.queues.get(number, number)
        if queue < QUEUES and trust != _OTHER[kind]:
            marks[queue].append(mark_of(code, kind))
    return marks


def _line_rate(notes: Provenance, block: Block, facts: Facts) -> float | None:
    rate = of_fact(facts, block.name, "line_rate_bps")
    rate = rate if rate and rate.value else block.speed
    if rate:
        notes.record_origin("rate_bps", rate)
        return float(rate.value)
    question = f"What is the line rate of {block.name}?"
    if block.name == block.profile:
        name = f"qos profile {block.name}"
        question = f"No interface has {name}; for which line rate shall it be checked?"
    notes.ask(facts, block.name, "line_rate_bps", question, block.line)
    return None


def _memory(notes: Provenance, block: Block, facts: Facts) -> Value | None:
    memory = of_fact(facts, block.name, "buffer_bytes")
    if memory and memory.value:
        return memory
    question = f"How much may a queue of {block.name} hold?"
    notes.ask(facts, block.name, "buffer_bytes", question, block.line)
    return None


def _queue(notes: Provenance, number: int, block: Block, line_bps: float, memory: Value) -> Queue:
    """A queue with what its lines say: strict by number, or sharing below all that are strict."""
    given, where = block.queues.get(number) or Given(0), f"queues[{_name(number)!r}]"
    priority = QUEUES if _in_turn(number, block.queues) else QUEUES - 1 - number
    queue = Queue(_name(number), ByteLimit(max(int(memory.value), 1)), priority=priority)
    notes.record_origin(f"{where}.limit.limit_bytes", memory)
    if given.share:
        queue = queue.replace(weight=round(units.convert(given.share.value, "1", "%"), 6))
        notes.record_origin(f"{where}.weight", given.share)
    if given.guaranteed:
        queue = queue.replace(guaranteed_bps=given.guaranteed.of_whole(line_bps))
        notes.record_origin(f"{where}.guaranteed_bps", given.guaranteed)
    if given.shape:
        queue = queue.replace(shaper=_shaper(notes, given.shape, line_bps, where))
    if given.marking:
        queue = queue.replace(marking=_profile(given.marking, line_bps))
        notes.record_origin(f"{where}.marking", given.marking[0])
    if given.early:
        queue = queue.replace(dropper=Red(_profile(given.early, line_bps), averaging=Ewma()))
        notes.record_origin(f"{where}.dropper.profile", given.early[0])
    return queue


def _in_turn(number: int, given: dict[int, Given]) -> bool:
    """Whether a queue is in the round robin: one with `no priority` takes all below it along."""
    return any(not its.strict for n, its in given.items() if n >= number)


def _shaper(notes: Provenance, shape: Value, line_bps: float, where: str) -> Shaper:
    rate_bps, time = shape.of_whole(line_bps), of_default("eos.shape_burst")
    notes.record_origin(f"{where}.shaper.rate_bps", shape)
    notes.record_origin(f"{where}.shaper.burst_bytes", time)
    return Shaper(rate_bps, max(int(units.octets(rate_bps * time.value)), _FRAME_BYTES))


def _profile(thresholds: Thresholds, line_bps: float) -> ByteRedProfile | TimeRedProfile:
    low, high, share = thresholds
    if low.unit == "B":
        return ByteRedProfile(low.value, high.value, share)
    return TimeRedProfile(low.value, high.value, line_bps, share)
