"""The filters that a classifier and its queues' policers are."""

import json
import re
from dataclasses import dataclass, field

from qoslib.config.tc.amounts import rate_bps, rate_word
from qoslib.config.tc.lines import Lines
from qoslib.config.tc.marks import dscps, matching
from qoslib.port import Classifier, Policer, Port, Queue

__all__ = ["Filters"]


@dataclass
class Filters:
    """What the filters of a text say.

    Attributes
    ----------
    said : Classifier
    policers : dict of str to Policer
        By queue.
    """

    said: Classifier = field(default_factory=Classifier)
    policers: dict[str, Policer] = field(default_factory=dict)

    @classmethod
    def write(
        cls, lines: Lines, port: Port, ids: dict[str, str], *, catch_all: bool = False
    ) -> "Filters":
        """Write the filters of a port.

        Parameters
        ----------
        lines : Lines
        port : Port
        ids : dict of str to str
            Class by queue.
        catch_all : bool
            Whether the scheduler has no word for the class of all other packets.

        Returns
        -------
        Filters
        """
        default = port.classifier.default
        chosen = _matches(lines, port.classifier)
        queues = {queue.name: queue for queue in port.queues}
        metered = bool(default) and _meters(queues[default]) is not None
        if default and (catch_all or metered):
            chosen.append(((), "u32 match u32 0 0", "all", default, ""))
        leading = [queue for _, _, _, queue, _ in chosen]
        made = cls(Classifier(tuple((m, q) for ms, _, _, q, _ in chosen for m in ms), default))
        for number, (_, words, protocol, queue, comment) in enumerate(chosen, 1):
            if comment:
                lines.made.append(comment)
            police = ""
            policer = _meters(queues[queue])
            if policer is not None:
                rate = rate_word(policer.rate_bps)
                shared = leading.count(queue) > 1
                index = f" index {list(ids).index(queue) + 1}" if shared else ""
                police = f" action police rate {rate} burst {policer.burst_bytes}"
                police += f" overhead {policer.overhead_bytes}" if policer.overhead_bytes else ""
                police += f" conform-exceed {'drop' if policer.exceed == 'drop' else 'ok'}{index}"
                if queue in made.policers:
                    police = f" action police{index}"
                made.policers[queue] = policer.replace(rate_bps=rate_bps(rate, 0))
            lines.add(
                f"filter add dev {lines.device} parent 1: protocol {protocol} prio {number} "
                f"{words} flowid {ids[queue]}{police}"
            )
        return made


Match = tuple[tuple[str, ...], str, str, str, str]


def _meters(queue: Queue) -> Policer | None:
    """The queue's policer, where one of tc does the same."""
    policer = queue.policer
    if policer is None or policer.rate_bps < rate_bps("8bit", 0):
        return None
    plain = Policer(
        policer.rate_bps,
        policer.burst_bytes,
        exceed="pass" if policer.exceed == "pass" else "drop",
        overhead_bytes=policer.overhead_bytes,
    )
    return plain if plain == policer and policer.burst_bytes < 2**32 else None


def _matches(lines: Lines, classifier: Classifier) -> list[Match]:
    """Marks, words, protocol, queue and comment of each filter."""
    rest, chosen = list(classifier.rules), list[Match]()
    used = {mark for mark, _ in rest}
    free = (n for n in range(1, 2**16) if f"fwmark {n}" not in used)
    while rest:
        mark, queue = rest.pop(0)
        field = matching(mark)
        vlan = re.fullmatch(r"PCP ([0-7])", mark)
        own = re.fullmatch(r"fwmark ([1-9]\d{0,8})", mark)
        if field is not None:
            marks = dscps(*field)
            if rest[: len(marks) - 1] == [(each, queue) for each in marks[1:]]:
                del rest[: len(marks) - 1]
            value, mask = field
            words = f"u32 match ip dsfield {value:#04x} {mask:#04x}"
            chosen.append((marks, words, "ip", queue, ""))
        elif vlan:
            words = f"flower vlan_prio {vlan[1]}"
            chosen.append(((mark,), words, "802.1Q", queue, ""))
        else:
            number = int(own[1]) if own else next(free)
            comment = "" if own else f"# fwmark {number} is {json.dumps(mark)}"
            chosen.append(((mark,), f"handle {number} fw", "all", queue, comment))
    return chosen
