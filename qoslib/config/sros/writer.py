"""A port as lines of classic SR OS, and what they cannot say."""

import re
from collections.abc import Iterator

from qoslib import units
from qoslib.config.code_points import code_of, write_word
from qoslib.config.differences import Written, facts_of, lost_in_text
from qoslib.config.guarantees import GUARANTEES, limited_bps, nodes_of
from qoslib.config.interfaces import speed_bps
from qoslib.config.sros.commands import CLASSES, MARKS
from qoslib.config.sros.reader import read_sros
from qoslib.port import (
    ByteLimit,
    Classifier,
    Ewma,
    Node,
    PacketLimit,
    Port,
    PriorityLevels,
    Queue,
    Red,
    SchedulerTree,
    ShareRedProfile,
    StartTimeFairQueueing,
)
from qoslib.port.nodes import outline

__all__ = ["write_sros"]

_PORT = re.compile(r"(?:\w{1,3}/){1,3}\w{1,4}|lag-\w{1,30}")
_FRAME_BYTES, _LEVELS, _TIERS = 1500, 8, 3
_TYPES = "expedite", "best-effort"
_COMMANDS = {"guaranteed_bps": "cir", "limit": "mbs", "shaper": "rate", "weight": "weight"}
_WORDS = {kind: word for word, kind in MARKS.items()}


def write_sros(port: Port, interface: str) -> Written:
    """Write a port as the queues of a SAP, with a level of a scheduler for each band if need be."""
    name = interface if _PORT.fullmatch(interface) else "1/1/1"
    named = _with_classes(port)
    speed = f"{units.convert(port.rate_bps, 'bit/s', 'Mbit/s'):.0f}"
    facts = facts_of(port, "overhead_bytes", "base_delay_s", "transmit_ring_packets")
    if speed_bps(speed, "sros") != port.rate_bps:
        facts["line_rate_bps"] = port.rate_bps
    service = "service epipe 100"
    flat = _is_flat(named)
    lines = [
        *([] if "line_rate_bps" in facts else [f"port {name} ethernet speed {speed}"]),
        *([] if flat else ["qos scheduler-policy SHARE create"]), "qos sap-egress 20 create",
        "qos sap-ingress 20 create",
        *_scheduled(named), *_marked(named), f"{service} customer 1 create",
        f"{service} sap {name}:100 create", f"{service} sap {name}:100 egress qos 20",
        *([] if flat else [f"{service} sap {name}:100 egress scheduler-policy SHARE"]),
    ]  # fmt: skip
    text = "".join(f"/configure {line}\n" for line in lines)
    lost = lost_in_text(named, text, facts, read_sros, _COMMANDS)
    pairs = zip(port.queue_names, named.queue_names, strict=True)
    changed = [f"{one!r} is {two}" for one, two in pairs if one != two]
    said = {
        f"SR OS numbers queues: {', '.join(changed)}.": bool(changed),
        "A scheduler has one level relative to its neighbours, here the highest level of its"
        " queues; an order of queues across schedulers is lost.": len(nodes_of(port)) > 1,
        "Schedulers have three tiers, so a device refuses these.": f"tier {_TIERS + 1}" in text,
    }
    return Written(text, tuple(facts.items()), (*lost, *(each for each in said if said[each])))


def _with_classes(port: Port) -> Port:
    """A port with queues by numbers, and with a forwarding class for each as a mark."""
    known = all(re.fullmatch(f"queue [1-{_LEVELS}]", name) for name in port.queue_names)
    ids = {name: name if known else f"queue {at}" for at, name in enumerate(port.queue_names, 1)}
    nodes = tuple(
        node.replace(children=tuple(ids.get(child, child) for child in node.children))
        for node in nodes_of(port)
    )
    rules = [(mark, ids[queue]) for mark, queue in port.classifier.rules]
    rest = ids[port.classifier.default or port.queue_names[0]]
    if not set(ids.values()) <= {queue for mark, queue in rules if mark in CLASSES}:
        others = [queue for queue in ids.values() if queue != rest]
        classes = dict.fromkeys(CLASSES, rest) | dict(zip(CLASSES[::-1], others, strict=False))
        rules += classes.items()
    rules += [(queue, queue) for queue in ids.values() if (queue, queue) not in rules]
    own: dict[str, object] = {"nodes": nodes} if nodes else {}
    if first := getattr(port.scheduler, "low_latency", ""):
        own["low_latency"] = ids[first]
    queues = tuple(each.replace(name=ids[each.name]) for each in port.queues)
    scheduler, classifier = port.scheduler.replace(**own), Classifier(tuple(rules), rest)
    return port.replace(queues=queues, classifier=classifier, scheduler=scheduler)


def _is_flat(port: Port) -> bool:
    """Whether the two types of queues say the order, without a scheduler."""
    alike = all(queue.weight == 1 for queue in port.queues)
    levels = {queue.priority for queue in port.queues}
    known = isinstance(port.scheduler, PriorityLevels) and port.shaper is None
    return known and alike and len(levels) <= len(_TYPES)


def _typed(port: Port) -> Iterator[str]:
    """Queues of two types, which no scheduler is above."""
    levels = sorted({queue.priority for queue in port.queues})
    for queue in port.queues:
        where = f"qos sap-egress 20 {queue.name}"
        pir, cir = _rates(port, queue, root=False)
        yield f"{where} {_TYPES[levels.index(queue.priority)]} create"
        yield f"{where} rate {pir} cir {cir}"
        yield from _memory(port, queue, where)


def _scheduled(port: Port) -> Iterator[str]:
    """The schedulers, parents first, and the queues below them."""
    if _is_flat(port):
        yield from _typed(port)
        return
    tree = outline(port.queues, nodes_of(port) or (Node("SHARE", port.queue_names),))
    each, root = tree.each(port.queues), len(tree.parents) - 1
    bands = [_bands(port, queue) for queue in port.queues]
    ranks = [sorted({band[at] for band in bands}) for at in (0, 1)]
    levels = [[max(_LEVELS - ranks[at].index(band[at]), 1) for at in (0, 1)] for band in bands]
    levels += [[0, 0] for _ in tree.nodes]
    for at in range(root):
        # A node has the best level of all that is below it.
        levels[tree.parents[at]] = [*map(max, levels[tree.parents[at]], levels[at])]
    turns = not isinstance(port.scheduler, SchedulerTree | PriorityLevels | StartTimeFairQueueing)
    shares = [float((turns and getattr(one, "quantum_bytes", 0)) or one.weight) for one in each]
    scale = 1.0 if all(share in range(101) for share in shares) else 100 / max(shares)
    for at in tree.walk():
        one = each[at]
        where = f'qos scheduler-policy SHARE tier {tree.depths[at] + 1} scheduler "{one.name}"'
        where = f"qos sap-egress 20 {one.name}" if isinstance(one, Queue) else where
        pir, cir = _rates(port, one, at == root)
        yield f"{where} create"
        yield f"{where} rate {pir} cir {cir}"
        if isinstance(one, Queue):
            yield from _memory(port, one, where)
        if at < root:
            weight = max(round(shares[at] * scale), int(shares[at] > 0))
            within = f" cir-level {levels[at][0]}" if cir != "0" else ""
            parent = each[tree.parents[at]].name
            yield f'{where} parent "{parent}" level {levels[at][1]} weight {weight}{within}'


def _bands(port: Port, queue: Queue) -> tuple[tuple[bool, int], tuple[bool, int]]:
    """What orders queues within their guarantees and beyond them; strict ones come first."""
    first = queue.priority < getattr(port.scheduler, "strict_levels", 0)
    first |= queue.name == getattr(port.scheduler, "low_latency", None)
    beyond = queue.priority if first or queue.excess_priority is None else queue.excess_priority
    return (not first, queue.priority), (not first, beyond)


def _rates(port: Port, one: Queue | Node, root: bool) -> tuple[str, str]:
    """The peak and the committed rate of a queue or a node [kb/s]."""
    limits = [port.rate_bps, *([port.shaper.rate_bps] if port.shaper else [])] if root else []
    limits += [one.shaper.rate_bps] if one.shaper else []
    limit_bps = limited_bps(one) if isinstance(one, Queue) else None
    limits += [limit_bps] if limit_bps else []
    pir, cir = _kbps(min(limits)) if limits else "max", _kbps(one.guaranteed_bps)
    if isinstance(one, Queue) and _bands(port, one)[0][0] is False:
        cir = "max"
    elif isinstance(one, Node):
        cir = cir if one.guaranteed_bps else "sum"
    return pir, cir if isinstance(port.scheduler, GUARANTEES) else "0"


def _kbps(rate_bps: float) -> str:
    """A rate in whole kb/s; no rate above 0 is written as 0."""
    return str(max(int(units.convert(rate_bps, "bit/s", "kbit/s")), int(rate_bps > 0)))


def _memory(port: Port, queue: Queue, where: str) -> Iterator[str]:
    """The limit of a queue, and where early drops begin."""
    limit, size = queue.limit, 0.0
    if isinstance(limit, PacketLimit | ByteLimit):
        size = limit.held_bytes(_FRAME_BYTES)
    else:
        rate_bps = queue.guaranteed_bps if limit.at == "guaranteed" else port.rate_bps
        size = float(units.octets(limit.time_s * rate_bps))
    yield f"{where} mbs {max(int(size), 1)} bytes"
    if queue.shaper:
        yield f"{where} burst-limit {queue.shaper.burst_bytes} bytes"
    if low := _low(queue):
        kept = getattr(dict(queue.limits).get(low[0]), "limit_bytes", size) / size
        yield f"{where} high-prio-only {100 * (1 - kept):.9g}"
    dropper, slopes = queue.dropper, f"slope-policy S{queue.name.split()[-1]}"
    if isinstance(dropper, Red) and isinstance(dropper.profile, ShareRedProfile):
        yield from (f"qos {slopes} create", f"{where} {slopes}")
        if isinstance(dropper.averaging, Ewma):
            yield f"qos {slopes} time-average-factor {dropper.averaging.exponent}"
        for name, its in (
            ("high", dropper.profile),
            *(("low", own) for _, own in dropper.profiles),
        ):
            assert isinstance(its, ShareRedProfile)
            shares = its.minimum_share, its.maximum_share, its.maximum_probability
            for word, share in zip(("start-avg", "max-avg", "max-prob"), shares, strict=True):
                yield f"qos {slopes} {name}-slope {word} {100 * share:.9g}"
            yield f"qos {slopes} {name}-slope no shutdown"


def _low(queue: Queue) -> list[str]:
    """Marks with a limit or a drop profile of their own: those out of profile."""
    return [mark for mark, _ in (*queue.limits, *getattr(queue.dropper, "profiles", ()))]


def _marked(port: Port) -> Iterator[str]:
    """The class of each queue, and of each mark."""
    rules, queues = dict(port.classifier.rules), {each.name: each for each in port.queues}
    rules = {mark: port.classifier.queue(mark) for mark in rules}
    of = {rules[name]: name for name in reversed(CLASSES) if name in rules}
    for name in filter(rules.get, CLASSES):
        yield f"qos sap-egress 20 fc {name} create"
        yield f"qos sap-egress 20 fc {name} queue {rules[name].split()[-1]}"
    yield f"qos sap-ingress 20 default-fc {of[port.classifier.default]}"
    for mark, queue in rules.items():
        kind = (code_of(mark) or ("",))[0]
        low = mark in _low(queues[queue])
        if kind and queue in of:
            said = f"{_WORDS[kind]} {write_word(mark, 'sros')} fc {of[queue]}{' profile out' * low}"
            yield f"qos {'network' if low or kind == 'EXP' else 'sap-ingress'} 20 {said}"
