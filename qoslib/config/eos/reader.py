"""The dialect ``eos``: transmit queues of Arista's switches as ports."""

import re
from dataclasses import replace

from qoslib import units
from qoslib.config.code_points import mark_of
from qoslib.config.conditioners import FRAME_BYTES, thresholds, token_bucket
from qoslib.config.eos.blocks import DEFAULT_CLASSES, QUEUES, queueing_of
from qoslib.config.eos.commands import Block, Given, Queueing
from qoslib.config.facts import Facts, rate_question
from qoslib.config.lines import nearest
from qoslib.config.provenance import Provenance
from qoslib.config.records import (
    IN_TURN,
    Configuration,
    ConfiguredClass,
    ConfiguredPort,
    Setting,
)
from qoslib.config.source import check_time
from qoslib.config.sourced import (
    Sourced,
    by_name,
    in_bytes,
    made,
    number,
    with_port,
)
from qoslib.config.values import Value, of_default
from qoslib.port import (
    ByteLimit,
    Classifier,
    Ewma,
    Node,
    Queue,
    Red,
    SchedulerTree,
    Shaper,
    TailDrop,
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
#: Kind of mark -> the trust that leaves it out.
_OTHER = {"DSCP": "cos", "PCP": "dscp"}
_STRICT_GUARANTEE = (
    "The manual does not say whether a guarantee holds against strict queues above this one, so"
    " none is promised here."
)
_NO_MARK = "No mark that is trusted leads to this queue: it is left out."
_TREE, _TAIL_DROP = "tx-queues", TailDrop()


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
    return Configuration("eos", known, tuple(queueing.notes.remarks), tuple(statements))


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
    trusted = _marks(queueing, block.trust)
    # Packets without a mark have priority 0, which is traffic class 1.
    rest = queueing.queues.get(1, 1)
    used = [n for n in reversed(range(QUEUES)) if trusted[n] or n == rest or queueing.sets]
    marks = {index: trusted[index] for index in used}
    _note_idle(queueing, block, marks)
    if not marks:
        return port
    port = port.replace(classes=tuple(_class(index, marks[index], block) for index in marks))
    return _with_port(port, block, marks, rest, facts)


def _with_port(
    port: ConfiguredPort, block: Block, marks: dict[int, list[str]], rest: int, facts: Facts
) -> ConfiguredPort:
    """With the port itself, or with what has to be known before there is one."""
    notes, name = Provenance(), block.name
    question = rate_question(name, f"qos profile {name}" if name == block.profile else "")
    line = notes.known(facts, name, "line_rate_bps", question, block.line, block.speed)
    question = f"How much may a queue of {name} hold?"
    memory = notes.known(facts, name, "buffer_bytes", question, block.line)
    if line is None or memory is None:
        return port.replace(missing=tuple(notes.missing))
    line_bps, limit = float(line.value), in_bytes(memory.value, memory)
    children, shaper = tuple(map(_name, marks)), _shaper(block.shape, line_bps)
    root = made(Node, name=_TREE, children=children, shaper=shaper)
    return with_port(
        port,
        facts,
        rate_bps=number(line_bps, line),
        queues=by_name(_queue(index, block, line_bps, limit) for index in marks),
        scheduler=made(SchedulerTree, nodes=by_name([root]), strict_levels=QUEUES),
        classifier=_classifier(marks, rest),
    )


def _classifier(marks: dict[int, list[str]], rest: int) -> Classifier:
    """Marks to queues; each queue's name is a mark as well, and other packets go to the rest."""
    rules = [(mark, _name(index)) for index, own in marks.items() for mark in own]
    rules += [(_name(index), _name(index)) for index in marks]
    return Classifier(tuple(rules), _name(rest if rest in marks else min(marks)))


def _without_profile(queueing: Queueing, block: Block) -> None:
    """Note that the text does not hold the profile of an interface."""
    near = nearest(block.profile, queueing.profiles)
    meant = f" Did you mean {near}?" if near else ""
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


def _note_idle(queueing: Queueing, block: Block, marks: dict[int, list[str]]) -> None:
    """Note shares and guarantees of strict queues, and queues that no mark leads to."""
    for index, given in block.queues.items():
        for command in given.statements:
            shared = given.share and command.line == given.share.line
            sure = given.guaranteed and command.line == given.guaranteed.line
            if (shared or sure) and not _in_turn(index, block.queues):
                lost = STRICT_SHARE if shared else _STRICT_GUARANTEE
                queueing.notes.not_modelled(command.line, command.text, lost)
    for index, given in block.queues.items():
        if marks and index not in marks:
            queueing.notes.not_modelled(given.line, given.text, _NO_MARK)


def _name(index: int) -> str:
    return f"tx-queue {index}"


def _class(index: int, marks: list[str], block: Block) -> ConfiguredClass:
    name, given = _name(index), block.queues.get(index)
    own = tuple(marks) or (name,)
    if given is None:
        return ConfiguredClass(name, name, own, 0, _TREE)
    statements = tuple(given.statements)
    return ConfiguredClass(name, name, own, given.line, _TREE, statements, _settings(given))


def _settings(given: Given) -> tuple[Setting, ...]:
    """What a transmit queue is given, for rules."""
    found = [] if given.strict else [Setting(IN_TURN, line=given.line)]
    if share := given.share:
        percent = round(units.convert(share.value, "1", "%"), 9)
        found.append(Setting("bandwidth", percent, "%", share.line))
    return tuple(found)


def _marks(queueing: Queueing, trust: str) -> list[list[str]]:
    """The trusted marks of each queue: by traffic classes, whose numbers are those of queues."""
    marks: list[list[str]] = [[] for _ in range(QUEUES)]
    for (kind, code), index in {**DEFAULT_CLASSES, **queueing.classes}.items():
        queue = queueing.queues.get(index, index)
        if queue < QUEUES and trust != _OTHER[kind]:
            marks[queue].append(mark_of(code, kind))
    return marks


def _queue(index: int, block: Block, line_bps: float, limit: Sourced[ByteLimit]) -> Sourced[Queue]:
    """A queue with what its lines say: strict by number, or sharing below all that are strict."""
    given = block.queues.get(index) or Given(0)
    share, guaranteed, early = given.share, given.guaranteed, given.early
    dropper: Sourced[Red] | TailDrop = _TAIL_DROP
    if early:
        dropper = made(Red, profile=thresholds(early, line_bps), averaging=Ewma())
    return made(
        Queue,
        name=_name(index),
        limit=limit,
        priority=QUEUES if _in_turn(index, block.queues) else QUEUES - 1 - index,
        weight=number(round(units.convert(share.value, "1", "%"), 6), share) if share else 1.0,
        guaranteed_bps=number(guaranteed.of_whole(line_bps), guaranteed) if guaranteed else 0.0,
        shaper=_shaper(given.shape, line_bps),
        marking=thresholds(given.marking, line_bps) if given.marking else None,
        dropper=dropper,
    )


def _in_turn(index: int, given: dict[int, Given]) -> bool:
    """Whether a queue is in the round robin: one with `no priority` takes all below it along."""
    return any(not its.strict for n, its in given.items() if n >= index)


def _shaper(shape: Value | None, line_bps: float) -> Sourced[Shaper] | None:
    """A shaper with the burst that these switches have, if a line says its rate."""
    if shape is None:
        return None
    return token_bucket(shape.rate_in(line_bps), of_default("eos.shape_burst"), FRAME_BYTES)
