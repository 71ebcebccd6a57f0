"""``show interfaces queue`` of Junos, as text and as XML."""

import re
from collections.abc import Iterator
from typing import Any

from qoslib.telemetry.junos_xml import elements
from qoslib.telemetry.values import Values, lines_of

__all__ = ["read"]

PHYSICAL = re.compile(r"\s*(?:Physical|Logical) interface:? ([^\s,]+)")
DIRECTION = re.compile(r"\s*(Ingress|Egress) queues:", re.IGNORECASE)
QUEUE = re.compile(r"\s*Queue: (\d+), Forwarding class(?:es)?: (.+?)\s*$")
SECTION = re.compile(r"\s*(Queued|Transmitted|Queue-depth bytes|Queue Buffer Usage)\s*:\s*$")
COUNTER = re.compile(r"\s*([A-Za-z][A-Za-z -]*?)\s*:\s*(\d+)(?:\s+(\d+) (?:pps|bps))?\s*$")

#: Section and name of a line -> what the counter is called, its unit, and what its rate is.
PACKETS, OCTETS = "packets", "B"
COUNTERS = {
    "Queued Packets": ("offered_packets", PACKETS, "offered"),
    "Queued Bytes": ("offered_bytes", OCTETS, "offered_bits"),
    "Transmitted Packets": ("sent_packets", PACKETS, "sent"),
    "Transmitted Bytes": ("sent_bytes", OCTETS, "sent_bits"),
    "Tail-dropped packets": ("tail_dropped_packets", PACKETS, "tail_dropped"),
    "Tail-dropped bytes": ("tail_dropped_bytes", OCTETS, "tail_dropped_bits"),
    "RL-dropped packets": ("exceed_dropped_packets", PACKETS, "exceed_dropped"),
    "RL-dropped bytes": ("exceed_dropped_bytes", OCTETS, "exceed_dropped_bits"),
    "RED-dropped packets": ("red_dropped_packets", PACKETS, "red_dropped"),
    "RED-dropped bytes": ("red_dropped_bytes", OCTETS, "red_dropped_bits"),
    "Total-dropped packets": ("dropped_packets", PACKETS, "dropped"),
    "Total-dropped bytes": ("dropped_bytes", OCTETS, "dropped_bits"),
}
#: The same by the names of the XML elements, without what they all begin with.
BEGINS = "queue-counters-"
ELEMENTS = {
    "queued-packets": "Queued Packets",
    "queued-bytes": "Queued Bytes",
    "trans-packets": "Transmitted Packets",
    "trans-bytes": "Transmitted Bytes",
    "tail-drop-packets": "Tail-dropped packets",
    "tail-drop-bytes": "Tail-dropped bytes",
    "rate-limit-drop-packets": "RL-dropped packets",
    "rate-limit-drop-bytes": "RL-dropped bytes",
    "red-packets": "RED-dropped packets",
    "red-bytes": "RED-dropped bytes",
    "total-drop-packets": "Total-dropped packets",
    "total-drop-bytes": "Total-dropped bytes",
}
#: What a queue drops in all, where no line says it: the sum of these.
PARTS = ("tail_dropped", "exceed_dropped", "red_dropped")
#: RED's drops by loss priority, in the order of the lines.
LOSS_PRIORITIES = ("low", "medium-low", "medium-high", "high")


class _Queue:
    """The counters of one queue: quantity to number, rate and line."""

    def __init__(self, number: str, names: str, title: str) -> None:
        self.stream = names.strip() or f"queue {number}"
        self.title = title
        self.counters: dict[str, tuple[str, str, int]] = {}
        self.rates: dict[str, tuple[str, str, int]] = {}

    def add(self, name: str, text: str, rate: str | None, line: int) -> None:
        """A counter by its name in `COUNTERS`, or of RED by a loss priority behind it."""
        name, _, priority = name.partition("/")
        quantity, unit, of_rate = COUNTERS[name]
        if priority:
            # The total of these is what is compared: no model marks packets with a loss priority.
            of = "packets" if unit == PACKETS else "bytes"
            end = priority.replace("-", "_")
            quantity, of_rate = f"dropped_{of}_{end}", f"{of_rate[4:]}_{end}"
        self.counters[quantity] = text, unit, line
        if rate is not None:
            self.rates[of_rate] = rate, "packets/s" if unit == PACKETS else "bit/s", line


def read(text: str, values: Values) -> None:
    """Add the counters of each queue, and their rates where traffic was running."""
    queues = [*(_of_xml if "<queue-counters" in text else _of_text)(text, values)]
    running = {queue.title for queue in queues if int(queue.rates.get("offered", ("0",))[0])}
    for queue in queues:
        experiment = values.experiment(queue.title)
        for quantity, (number, unit, line) in queue.counters.items():
            values.add(queue.stream, quantity, number, unit, line, experiment=experiment)
        _total(queue, values, experiment)
        if queue.title not in running:
            continue
        for quantity, (number, unit, line) in queue.rates.items():
            measured: dict[str, Any] = {
                "statistic": "unspecified",
                "half_width": 0.5,
                "experiment": experiment,
            }
            values.add(queue.stream, quantity, number, unit, line, **measured)
    for title in dict.fromkeys(queue.title for queue in queues if queue.title not in running):
        values.note(f"All rates of {title} read 0: no traffic was running, so only counters count.")


def _of_text(text: str, values: Values) -> Iterator[_Queue]:
    title, section, red = "interface", "", ""
    queue: _Queue | None = None
    for line, said in lines_of(text):
        if found := QUEUE.match(said):
            if queue is not None:
                yield queue
            queue = _Queue(found[1], found[2], title)
        elif found := PHYSICAL.match(said):
            title = found[1]
        elif found := DIRECTION.match(said):
            title = f"{title.partition(' ')[0]} {found[1].lower()}"
        elif found := SECTION.match(said):
            section = found[1]
        elif queue is not None and (found := COUNTER.match(said)):
            name, priority = found[1], found[1].lower()
            if priority in LOSS_PRIORITIES and red:
                queue.add(f"{red}/{priority}", found[2], found[3], line)
                continue
            name = f"{section} {name}" if name in ("Packets", "Bytes") else name
            if name in COUNTERS:
                red = name if name.startswith("RED") else ""
                queue.add(name, found[2], found[3], line)
    if queue is not None:
        yield queue


def _of_xml(text: str, values: Values) -> Iterator[_Queue]:
    title, queue = "interface", None
    for line, path, content in elements(text, values):
        name = path[-1]
        if name == "name" and path[-2:-1] in (("physical-interface",), ("logical-interface",)):
            title = content
        elif name == "intf-cos-queue-type":
            title = f"{title.partition(' ')[0]} {content.split(' ')[0].lower()}"
        elif name == "queue-number":
            if queue is not None:
                yield queue
            queue = _Queue(content, "", title)
        elif queue is not None and name == "forwarding-class-name":
            queue.stream = content or queue.stream
        elif queue is not None and name.startswith(BEGINS):
            _element(queue, name.removeprefix(BEGINS), content, line)
    if queue is not None:
        yield queue


def _element(queue: _Queue, name: str, content: str, line: int) -> None:
    """A counter of the XML form, or its rate, which stands behind it."""
    counter, rate = name.removesuffix("-rate"), name.endswith("-rate")
    known = next((each for each in sorted(ELEMENTS, key=len, reverse=True) if counter == each), "")
    priority = ""
    for each in LOSS_PRIORITIES:
        for of in ("red-packets", "red-bytes"):
            if counter == f"{of}-{each}":
                known, priority = of, f"/{each}"
    if not known or not content.isdecimal() or not content.isascii():
        return
    if not rate:
        queue.add(f"{ELEMENTS[known]}{priority}", content, None, line)
        return
    _, unit, of_rate = COUNTERS[ELEMENTS[known]]
    if not priority:
        queue.rates[of_rate] = content, "packets/s" if unit == PACKETS else "bit/s", line


def _total(queue: _Queue, values: Values, experiment: str) -> None:
    """All that a queue drops: Junos counts tail drops, RED and rate limits apart."""
    for of, unit in (("packets", PACKETS), ("bytes", OCTETS)):
        parts = [
            queue.counters[name] for each in PARTS if (name := f"{each}_{of}") in queue.counters
        ]
        if f"dropped_{of}" in queue.counters or not parts or (len(parts) == 1 and of == "bytes"):
            continue
        total = sum(int(text) for text, _, _ in parts)
        place = f"line {', '.join(str(line) for _, _, line in parts)}, in total"
        values.add(queue.stream, f"dropped_{of}", total, unit, place, experiment=experiment)
    rates = [queue.rates[each] for each in PARTS if each in queue.rates]
    if rates and "dropped" not in queue.rates:
        total = sum(int(text) for text, _, _ in rates)
        queue.rates["dropped"] = str(total), "packets/s", rates[0][2]
