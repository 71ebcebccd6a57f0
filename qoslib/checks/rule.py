"""What a rule is, and what it finds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from qoslib.record import Count, Record, record

__all__ = ["SEVERITIES", "Finding", "Found", "Rule", "Severity", "of_vendor", "rule"]

Severity = Literal["error", "warning", "info"]
#: The worst first.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@record
class Finding(Record):
    """One thing that is wrong with a configuration, or worth a look.

    Parameters
    ----------
    id : str
        Of the rule, as ``# qoslib: ignore`` names it.
    severity : {'error', 'warning', 'info'}
        An error loses packets that the configuration promises to carry, or leaves a command
        without its effect; a warning does so under some traffic; an info is worth knowing.
    line : int
        From 1; 0 where no line says it.
    sentence : str
        What is wrong.
    arithmetic : str
        With the configuration's own numbers.
    reference : str
        Where it is written.
    fix : str
        Lines of configuration; empty where the rule knows none in this dialect.
    interface : str
        With its direction; empty of the file as a whole.
    model : str
        Which model says so: ``"fluid"``, ``"packets"``, or empty for arithmetic alone.
    """

    id: str
    severity: Severity
    line: Count
    sentence: str
    arithmetic: str = ""
    reference: str = ""
    fix: str = ""
    interface: str = ""
    model: str = ""


class Found(NamedTuple):
    """What a rule yields; a severity only where it is not the rule's own."""

    line: int
    sentence: str
    arithmetic: str = ""
    fix: str = ""
    severity: Severity | None = None


@dataclass(frozen=True)
class Rule:
    """A rule by its id.

    Attributes
    ----------
    id : str
    severity : str
        Of its findings, where they do not say another.
    reference : str
    find : callable
        Of a `CheckedPort`, or of a `Configuration` where `whole`; yields `Found`.
    whole : bool
        Whether it looks at the file, not at each of its ports.
    inward : bool
        Whether it looks at what comes in as well.
    family : str
        The family of dialects that it is about, as `Manners.family`; empty of all.
    portless : bool
        Whether it looks at ports that wait for a fact as well.
    in_place : bool
        Whether a fix is its line as it should be, and not commands to paste behind the text.
    """

    id: str
    severity: Severity
    reference: str
    find: Callable[..., Iterator[Found]]
    whole: bool = False
    inward: bool = False
    family: str = ""
    portless: bool = False
    in_place: bool = False

    @property
    def what(self) -> str:
        """What it looks for, in one sentence."""
        return (self.find.__doc__ or "").strip().splitlines()[0]


Find = Callable[..., Iterator[Found]]
#: Whose document a reference is, by how it begins, and the family of that vendor's dialects; empty
#: where it holds of all.
_VENDORS = {
    **{"Cisco": "cisco", "Arista": "eos", "Juniper": "junos", "Nokia": "sros", "Linux": "tc"},
    **{"RFC": "", "docs/": ""},
}


def of_vendor(reference: str, family: str) -> str:
    """The part of a reference that is of the vendor of a text, or else what holds of all devices.

    >>> of_vendor("Cisco IOS QoS guide; Arista EOS User Manual, service-profile", "cisco")
    'Cisco IOS QoS guide'
    >>> of_vendor("RFC 2475, section 2.4", "cisco")
    'RFC 2475, section 2.4'
    >>> of_vendor("Cisco IOS QoS guide; RFC 2474, section 4.1", "eos")
    'RFC 2474, section 4.1'
    """
    kept, vendor = dict[str, list[str]](), ""
    for part in reference.split("; "):
        # What names no vendor goes on with the document before it.
        vendor = next((its for name, its in _VENDORS.items() if part.startswith(name)), vendor)
        kept.setdefault(vendor, []).append(part)
    return "; ".join(kept.get(family) or kept.get("") or [reference])


def rule(
    id: str,
    severity: Severity,
    reference: str,
    *,
    whole: bool = False,
    inward: bool = False,
    family: str = "",
    portless: bool = False,
    in_place: bool = False,
) -> Callable[[Find], Rule]:
    """Make a rule of a function."""
    return lambda find: Rule(
        id, severity, reference, find, whole, inward, family, portless, in_place
    )
