"""The dialect ``eos``: transmit queues of Arista's switches as ports."""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from qoslib import units
from qoslib.config.code_points import mark_of
from qoslib.config.defaults import default
from qoslib.config.eos.given import Block, Given, Queueing
from qoslib.config.eos.queues import DEFAULT_CLASSES, QUEUES, queueing_of
from qoslib.config.facts import Facts
from qoslib.config.mqc.weights import of_share_bps
from qoslib.config.records import Configuration, ConfiguredClass, ConfiguredPort, Origin, Remark
from qoslib.config.settings import of_queue
from qoslib.config.source import check_time
from qoslib.config.values import Value
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
    found = queueing_of(text)
    ports = [port for each in found.interfaces.values() for port in _ports(found, each, facts)]
    if not ports:
        pieces = (Block(name, each.line, profile=name) for name, each in found.profiles.items())
        ports = [port for each in pieces for port in _ports(found, each, facts)]
    statements = [each for each in found.statements if _of_a_port(each.parents, each.text, ports)]
    return Configuration(
        "eos",
        tuple(ports),
        tuple(sorted(found.remarks, key=lambda each: each.line)),
        tuple(statements),
        len(text.splitlines()),
    )


def _of_a_port(parents: tuple[str, ...], text: str, ports: list[ConfiguredPort]) -> bool:
    """Whether a line has to do with queues: `speed` of an interface without any has not."""
    words = (parents[0] if parents else text).split()
    if not text.lower().startswith(("speed", "interface")) or words[0].lower() != "interface":
        return True
    return any(port.interface == "".join(words[1:3]) for port in ports)


def _ports(found: Queueing, block: Block, facts: Facts) -> Iterator[ConfiguredPort]:
    check_time()
    profile = found.profiles.get(block.profile)
    made = ConfiguredPort(block.name, "out", None, policy=block.profile, line=block.line)
    if block.profile and profile is None:
        near = get_close_matches(block.profile, found.profiles, 1)
        meant = f" Did you mean {near[0]}?" if near else ""
        lost = f"This profile is not in the text: nothing is promised here.{meant}"
        command = f"service-profile {block.profile}"
        remark = Remark("not modelled", block.profile_line, command, lost)
        found.remarks.append(remark)
        yield made
        return
    if block.in_packets or (profile and profile.in_packets):
        yield made
        return
    given = {**(profile.queues if profile else {}), **block.queues}
    shape = block.shape or (profile.shape if profile else None)
    if not given and not shape:
        return
    for its in (its for number, its in given.items() if not _in_turn(number, given)):
        for each in its.statements:
            remark = Remark("not modelled", each.line, each.text, STRICT_SHARE)
            if its.share and each.line == its.share.line and remark not in found.remarks:
                found.remarks.append(remark)
    marks = _marks(found, block.trust or (profile.trust if profile else ""))
    # Packets without a mark have priority 0, which is traffic class 1.
    rest = found.queues.get(1, 1)
    numbers = [n for n in reversed(range(QUEUES)) if marks[n] or n == rest or found.sets]
    if not numbers:
        yield made
        return
    for its in (its for number, its in given.items() if number not in numbers):
        text = next((each.text for each in found.statements if each.line == its.line), "")
        remark = Remark("not modelled", its.line, text, _NO_MARK)
        if remark not in found.remarks:
            found.remarks.append(remark)
    classes = tuple(
        ConfiguredClass(
            _name(n), _name(n), tuple(marks[n]) or (_name(n),), given[n].line if n in given else 0,
            _TREE, tuple(given[n].statements) if n in given else (),
            of_queue(given[n]) if n in given else (),
        )
        for n in numbers
    )  # fmt: skip
    made = made.replace(classes=classes)
    line = _line_rate(block, facts)
    missing = []
    if line is None:
        question = f"What is the line rate of {block.name}?"
        if block.name == block.profile:
            name = f"qos profile {block.name}"
            question = f"No interface has {name}; for which line rate shall it be checked?"
        missing.append(facts.missing(block.name, "line_rate_bps", question, block.line))
    memory = facts.number(block.name, "buffer_bytes")
    if not memory:
        question = f"How much may a queue of {block.name} hold?"
        missing.append(facts.missing(block.name, "buffer_bytes", question, block.line))
    if line is None or not memory:
        yield made.replace(missing=tuple(missing))
        return
    origins = {"rate_bps": line[1]}
    fact = facts.name(block.name, "buffer_bytes")
    queues = []
    for number in numbers:
        where = f"queues[{_name(number)!r}].limit.limit_bytes"
        origins[where] = Origin(where, fact=fact)
        queue = Queue(_name(number), ByteLimit(max(int(memory), 1)))
        queues.append(_given(queue, number, given, line[0], origins))
    node = Node(_TREE, tuple(queue.name for queue in queues))
    if shape:
        node = node.replace(shaper=_shaper(shape, line[0], f"scheduler.nodes[{_TREE!r}]", origins))
    rules = tuple((mark, _name(n)) for n in numbers for mark in marks[n])
    rules += tuple((_name(n), _name(n)) for n in numbers)
    more = {}
    for kind in ("overhead_bytes", "base_delay_s"):
        value = facts.number(block.name, kind)
        if value is not None:
            more[kind] = value
            origins[kind] = Origin(kind, fact=facts.name(block.name, kind))
    port = Port(
        block.name,
        line[0],
        tuple(queues),
        SchedulerTree((node,), QUEUES),
        classifier=Classifier(rules, _name(rest if rest in numbers else numbers[-1])),
        **more,  # type: ignore[arg-type]
    )
    yield made.replace(port=port, origins=tuple(origins.values()))


def _name(number: int) -> str:
    return f"tx-queue {number}"


def _marks(found: Queueing, trust: str) -> list[list[str]]:
    """The trusted marks of each queue: by traffic classes, whose numbers are those of queues."""
    classes = {**DEFAULT_CLASSES, **found.classes}
    marks: list[list[str]] = [[] for _ in range(QUEUES)]
    for mark, number in classes.items():
        kind, code = mark.split()
        queue = found.queues.get(number, number)
        if queue < QUEUES and trust != _OTHER[kind]:
            marks[queue].append(mark_of(int(code), kind))
    return marks


def _line_rate(block: Block, facts: Facts) -> tuple[float, Origin] | None:
    given = facts.number(block.name, "line_rate_bps")
    if given:
        return given, Origin("rate_bps", fact=facts.name(block.name, "line_rate_bps"))
    if block.speed:
        return block.speed.value, Origin("rate_bps", block.speed.line)
    return None


def _shaper(shape: Value, line_bps: float, where: str, origins: dict[str, Origin]) -> Shaper:
    rate_bps = of_share_bps(shape, line_bps)
    burst = units.octets(rate_bps * (default("eos.shape_burst").value or 0.0))
    at = f"{where}.shaper"
    origins[f"{at}.rate_bps"] = Origin(f"{at}.rate_bps", shape.line)
    origins[f"{at}.burst_bytes"] = Origin(f"{at}.burst_bytes", default="eos.shape_burst")
    return Shaper(rate_bps, max(int(burst), _FRAME_BYTES))


def _in_turn(number: int, given: dict[int, Given]) -> bool:
    """Whether a queue is in the round robin: one with `no priority` takes all below it along."""
    return any(not its.strict for n, its in given.items() if n >= number)


def _given(
    queue: Queue, number: int, given: dict[int, Given], line_bps: float, origins: dict[str, Origin]
) -> Queue:
    """A queue with what its lines say: strict by number, or sharing below all that are strict."""
    of, where = given.get(number) or Given(0), f"queues[{queue.name!r}]"
    queue = queue.replace(priority=QUEUES if _in_turn(number, given) else QUEUES - 1 - number)

    def came(what: str, amount: Value) -> None:
        origins[f"{where}.{what}"] = Origin(f"{where}.{what}", amount.line)

    if of.share:
        queue = queue.replace(weight=round(units.convert(of.share.value, "1", "%"), 6))
        came("weight", of.share)
    if of.guaranteed:
        queue = queue.replace(guaranteed_bps=of_share_bps(of.guaranteed, line_bps))
        came("guaranteed_bps", of.guaranteed)
    if of.shape:
        queue = queue.replace(shaper=_shaper(of.shape, line_bps, where, origins))
    if of.marking:
        queue = queue.replace(marking=_profile(of.marking, line_bps))
        came("marking", of.marking[0])
    if of.early:
        queue = queue.replace(dropper=Red(_profile(of.early, line_bps), averaging=Ewma()))
        came("dropper.profile", of.early[0])
    return queue


def _profile(row: tuple[Value, Value, float], line_bps: float) -> ByteRedProfile | TimeRedProfile:
    low, high, share = row
    if low.unit == "B":
        return ByteRedProfile(low.value, high.value, share)
    return TimeRedProfile(low.value, high.value, line_bps, share)
