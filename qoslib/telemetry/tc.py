"""``tc -s qdisc show`` and ``tc -s class show``, as text and with ``-j``."""

import re
from collections.abc import Iterator
from typing import Any

from qoslib.telemetry.document import Node, documents
from qoslib.telemetry.values import Values, lines_of

__all__ = ["read"]

HEADING = re.compile(r"(qdisc|class) ([a-z_]+) (\S+)(.*)")
PARENT = re.compile(r" parent (\S+)")
DEVICE = re.compile(r" dev (\S+)")
SENT = re.compile(r"\s*Sent (\d+) bytes (\d+) pkts? \(dropped (\d+), overlimits (\d+)")
BACKLOG = re.compile(r".*\bbacklog (\d+)([KMG]?)b (\d+)p")
#: print_size() of iproute2: 1024 and its powers.
SIZES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
#: The kernel keeps a delay in units of 1.024 us (CODEL_SHIFT), and tc rounds it down: 5 ms read
#: as 4999 us.
HALF_WIDTH_US = 1.024
#: Settings in us of codel, fq_codel and pie, as JSON has them.
DELAYS = ("target", "interval")
#: Counter -> quantity and unit.
COUNTERS = {
    "packets": ("sent_packets", "packets"),
    "bytes": ("sent_bytes", "B"),
    "drops": ("dropped_packets", "packets"),
    "qlen": ("queue_depth", "packets"),
    "backlog": ("queue_depth", "B"),
}
#: What cake counts of a tin.
TINS = {"sent_packets": "packets", "sent_bytes": "bytes", "drops": "drops"}


def read(text: str, values: Values) -> None:
    """Add what each class and qdisc sent and dropped, and what waits in it.

    A leaf qdisc counts what its class counts, so that only one of the two is kept. What was
    offered is what was sent, dropped and still waits.
    """
    items = [*(_of_text(text) if HEADING.match(text.lstrip()) else _of_json(text, values))]
    classes = {(item["device"], item["stream"]) for item in items if item["what"] == "class"}
    for item in items:
        # Of one device alone, tc does not name it.
        mine = {(item["device"], item["stream"]), ("", item["stream"])}
        if item["what"] == "qdisc" and item["stream"] and mine & classes:
            values.note("A qdisc counts what its class counts; the class's counters are kept.")
            continue
        _item(item, values)


def _item(item: dict[str, Any], values: Values) -> None:
    experiment = values.experiment(item["device"] or "device")
    stream, counters = item["stream"], item["counters"]
    for name, (number, place) in counters.items():
        quantity, unit = COUNTERS[name]
        statistic = "unspecified" if quantity == "queue_depth" else "total"
        values.add(
            stream, quantity, number, unit, place, statistic=statistic, experiment=experiment
        )
    if "packets" in counters and "drops" in counters:
        parts = [counters[name] for name in ("packets", "drops", "qlen") if name in counters]
        places = dict.fromkeys(_said(place) for _, place in parts)
        place = f"{', '.join(places)}, in total"
        total = sum(int(number) for number, _ in parts)
        values.add(stream, "offered_packets", total, "packets", place, experiment=experiment)
    for name, (number, place) in item.get("delays", {}).items():
        exact: dict[str, Any] = {
            "statistic": "configured",
            "half_width": HALF_WIDTH_US,
            "experiment": experiment,
        }
        quantity = "target_delay" if name == "target" else "interval_delay"
        values.add(stream, quantity, number, "us", place, **exact)


def _said(place: int | str) -> str:
    return f"line {place}" if isinstance(place, int) else place


def _of_text(text: str) -> Iterator[dict[str, Any]]:
    item: dict[str, Any] | None = None
    for line, said in lines_of(text):
        if found := HEADING.match(said):
            if item is not None:
                yield item
            what, handle, rest = found[1], found[3], found[4]
            parent, device = PARENT.search(rest), DEVICE.search(rest)
            stream = handle if what == "class" else parent[1] if parent else ""
            item = _new(what, device[1] if device else "", stream)
        elif item is None:
            continue
        elif found := SENT.match(said):
            names = ("bytes", "packets", "drops")
            item["counters"] |= {
                name: (text, line) for name, text in zip(names, found.groups(), strict=False)
            }
        elif found := BACKLOG.match(said):
            size = int(found[1][:30]) * SIZES[found[2]]
            item["counters"] |= {"backlog": (size, line), "qlen": (found[3], line)}
    if item is not None:
        yield item


def _new(what: str, device: str, stream: str) -> dict[str, Any]:
    return {"what": what, "device": device, "stream": stream, "counters": {}}


def _of_json(text: str, values: Values) -> Iterator[dict[str, Any]]:
    for document in documents(text, values.file):
        for node in [*document.items()] or [document]:
            what = "class" if node.get("class") else "qdisc"
            handle, parent = node.text("handle"), node.text("parent")
            stream = handle if what == "class" else parent
            item = _new(what, node.text("dev"), stream)
            holder = node.get("stats") or node
            item["counters"] = {
                name: (found.value, found.path)
                for name in COUNTERS
                if (found := holder.number(name)) is not None
            }
            options = node.get("options")
            item["delays"] = {
                name: (found.value, found.path)
                for name in DELAYS
                if options is not None
                and not options.text(name)
                and (found := options.number(name)) is not None
            }
            yield item
            yield from _tins(node, item["device"])


def _tins(node: Node, device: str) -> Iterator[dict[str, Any]]:
    for number, tin in enumerate((node.get("tins") or node).items()):
        item = _new("tin", device, f"tin {number}")
        item["counters"] = {
            name: (found.value, found.path)
            for key, name in TINS.items()
            if (found := tin.number(key)) is not None
        }
        yield item
