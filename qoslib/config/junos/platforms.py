"""Which device a text seems to be of, where it is read as an MX all the same."""

import re
from collections.abc import Iterator, Sequence

from qoslib.config.facts import Facts
from qoslib.config.junos.statements import Said
from qoslib.config.reading import Remark

__all__ = ["platform_remarks"]

_AS_MX = "It is read as an MX: its scheduling and its buffers may differ."
#: What stands in a text outside quality of service -> what to call the statement, and the device.
_OUTSIDE = (
    (
        re.compile(r"^[ \t]*(?:set )?version \"?[\w.-]+-EVO\b", re.MULTILINE | re.IGNORECASE),
        "version",
        f"This is Junos OS Evolved (-EVO), of ACX7000, PTX and QFX. {_AS_MX}",
    ),
    (
        re.compile(r"^[ \t]*(?:set security policies )?from-zone \S", re.MULTILINE),
        "from-zone",
        "Zones are of a firewall of the SRX series. It is read as an MX unless you give the fact"
        " platform=srx.",
    ),
)
#: Words of a statement on quality of service, where `*` is any one, and the device.
_INSIDE = {
    ("class-of-service", "forwarding-class-sets"): f"Class sets are of QFX switches. {_AS_MX}",
    ("class-of-service", "schedulers", "*", "priority", "low-latency"): (
        f"This priority is of ACX7000. {_AS_MX}"
    ),
    ("class-of-service", "schedulers", "*", "priority", "low-high"): (
        f"An MX does not have this priority. {_AS_MX}"
    ),
    ("class-of-service", "schedulers", "*", "priority", "low-medium"): (
        f"An MX does not have this priority. {_AS_MX}"
    ),
}


def platform_remarks(text: str, said: Sequence[Said], facts: Facts) -> Iterator[Remark]:
    """One remark for each sign of a device that is no MX; none where the platform is a fact.

    Parameters
    ----------
    text : str
    said : sequence of Said
    facts : Facts

    Yields
    ------
    Remark

    Examples
    --------
    >>> for each in platform_remarks("set version 23.4R1-EVO", (), Facts()):
    ...     print(each.line, each.text, each.lost[:41])
    1 version This is Junos OS Evolved (-EVO), of ACX70
    """
    if any(name.rpartition(".")[2] == "platform" for name in facts.given):
        return
    for pattern, name, sentence in _OUTSIDE:
        if found := pattern.search(text):
            line = text.count("\n", 0, found.start()) + 1
            yield Remark("not modelled", line, name, sentence)
    seen: set[str] = set()
    for each in said:
        for words, sentence in _INSIDE.items():
            begins = each.words[: len(words)]
            fits = len(begins) == len(words) and all(
                word in ("*", own) for word, own in zip(words, begins, strict=True)
            )
            if fits and each.active and sentence not in seen:
                seen.add(sentence)
                yield Remark("not modelled", each.line, " ".join(each.words[1:]), sentence)
