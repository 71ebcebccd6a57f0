"""All that rules and models find in one configuration, before its fixes are tried."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qoslib.checks import Finding, Load, findings, loads
from qoslib.checks.checked_port import CheckedPort
from qoslib.checks.loads import classes, own_classes, unused
from qoslib.config import Configuration, ConfiguredPort, Facts
from qoslib.config.source import aside
from qoslib.findings.modelled import Modelled, modelled
from qoslib.findings.policed import policed
from qoslib.findings.report_text import NO_PROMISE, untold
from qoslib.findings.shadowed_classes import routed

if TYPE_CHECKING:
    from qoslib.measurements import Measurements
    from qoslib.packets.progress import Progress

__all__ = ["Assessed", "Given", "assessed", "offered"]


@dataclass(frozen=True)
class Given:
    """What is known beside a configuration, and what models have said of ports so far.

    Attributes
    ----------
    facts : Facts
    traffic : str or None
        The text of ``traffic.toml``.
    measured : Measurements or None
        What the device counted.
    fixes : bool
        Whether fixes of losses are looked for.
    ran : dict
        Of ports of one policy at one rate under one load, each of which is run once.
    """

    facts: Facts
    traffic: str | None = None
    measured: "Measurements | None" = None
    fixes: bool = True
    ran: dict[object, Modelled] = field(default_factory=dict)


@dataclass(frozen=True)
class Assessed:
    """What rules and models find in a configuration.

    Attributes
    ----------
    found : Configuration
    sent : mapping of int to tuple of Load
        Place of a port, and its load.
    by_port : mapping of int to Modelled
        Place of a port with a given load, and what models say; and of one without a promise.
    listed : tuple of Finding
    """

    found: Configuration
    sent: Mapping[int, tuple[Load, ...]]
    by_port: Mapping[int, Modelled]
    listed: tuple[Finding, ...]


def assessed(
    found: Configuration,
    given: Given,
    ratios: Sequence[float] = (1.0,),
    progress: "Progress | None" = None,
) -> Assessed:
    """Go through all rules, and run the models of each port that has a given load."""
    names = _names(found)
    sent = {
        place: offered(found, port, given, names)
        for place, port in enumerate(found.ports)
        if port.port is not None and port.direction == "out"
    }
    sent |= _inward(found, given, names)
    unpromised = _unpromised(found, given)
    listed = list(findings(found, sent, given.facts))
    by_port = _modelled(found, given, sent, ratios, progress) | unpromised
    for place, by_model in by_port.items():
        name = f"{found.ports[place].interface} {found.ports[place].direction}"
        listed += [each.replace(interface=name) for each in by_model.findings]
    return Assessed(found, sent, by_port, tuple(listed))


def offered(
    found: Configuration,
    port: ConfiguredPort,
    given: Given,
    names: Collection[str] | None = None,
) -> tuple[Load, ...]:
    """Say what is sent to each class of a port, and which class takes what is sent to another.

    Parameters
    ----------
    found : Configuration
    port : ConfiguredPort
        One of its ports.
    given : Given
    names : collection of str, optional
        The classes of all its ports, where they are known already.

    Returns
    -------
    tuple of Load

    Raises
    ------
    ConfigurationError
        If the traffic cannot be read.

    Examples
    --------
    >>> from qoslib.config import read
    >>> text = '''policy-map EDGE
    ...  class class-default
    ...   queue-limit 100
    ... interface GigabitEthernet0/1
    ...  service-policy output EDGE'''
    >>> found, given = read(text), Given(Facts(), 'class-default = "2 Gb/s"')
    >>> [(load.name, load.rate_bps) for load in offered(found, found.ports[0], given)]
    [('class-default', 2000000000.0)]
    """
    rates, sizes = None, None
    if given.measured is not None:
        from qoslib.findings.measured import counted, frames

        rates, sizes = counted(given.measured, port), frames(given.measured, port)
    names = _names(found) if names is None else names
    return routed(found, port, loads(port, given.traffic, rates, names, sizes))


def _names(found: Configuration) -> set[str]:
    return {name for port in found.ports for name in classes(port)}


def _inward(
    found: Configuration, given: Given, names: Collection[str]
) -> dict[int, tuple[Load, ...]]:
    """Place of each port on the way in -> the load of its classes, where that is for them.

    A class of a port on the way out has its load there, unless a table is for an interface that has
    no such port.
    """
    if given.traffic is None:
        return {}
    outward = [port for port in found.ports if port.direction == "out"]
    theirs = {name for port in outward for name in classes(port)}
    both = {port.interface for port in outward}
    loaded = {}
    for place, port in enumerate(found.ports):
        if port.port is None or port.direction == "out":
            continue
        load = routed(found, port, loads(port, given.traffic, elsewhere=names))
        own = set() if port.interface in both else own_classes(port, given.traffic)
        kept = [each for each in load if each.name not in theirs or each.name in own]
        if any(each.line or each.target_s is not None for each in kept):
            loaded[place] = tuple(kept)
    return loaded


def _unpromised(found: Configuration, given: Given) -> dict[int, Modelled]:
    """Place of each port without a promise -> what no model answers there."""
    ports = {place: port for place, port in enumerate(found.ports) if port.unpromised}
    if not ports:
        return {}
    first, *others = (f"{port.interface} {port.direction}" for port in ports.values())
    where = f"{first} and {len(others)} more" if others else first
    doubt, names = f"{where}: nothing is promised: {NO_PROMISE}", _names(found)
    return {
        place: Modelled((), (), (), tuple(_unanswered(port, given.traffic, names)), (doubt,))
        for place, port in ports.items()
    }


def _unanswered(port: ConfiguredPort, traffic: str | None, names: Collection[str]) -> Iterator[str]:
    """What is said of a port without a promise and not used, a sentence each."""
    if traffic is None:
        return
    sent, targets = unused(port, traffic, names)
    if sent:
        unknown = "" if port.classes else ", and none of its classes is known"
        yield (
            f"The load of {' and '.join(sent)} is not used here: no model has this port{unknown}."
        )
    yield from (untold(name, target_s) for name, target_s in targets.items())


def _modelled(
    found: Configuration,
    given: Given,
    sent: Mapping[int, Sequence[Load]],
    ratios: Sequence[float],
    progress: "Progress | None",
) -> dict[int, Modelled]:
    """Place of each port with a given load -> what models say."""
    alike: dict[object, list[int]] = {}
    for place, configured in enumerate(found.ports):
        load = tuple(sent.get(place, ()))
        if configured.port and any(each.origin != "assumed" for each in load):
            same = *_key(configured), configured.direction, load, tuple(ratios)
            alike.setdefault(same, []).append(place)
    made: dict[int, Modelled] = {}
    for done, (key, places) in enumerate(alike.items()):

        def told(done_s: float, whole_s: float, done: int = done) -> None:
            if progress is not None:
                progress(done + done_s / whole_s, len(alike))

        told(0.0, 1.0)
        if key not in given.ran:
            checked = CheckedPort(
                found, found.ports[places[0]], given.facts, tuple(sent[places[0]])
            )
            with aside():
                inward = checked.configured.direction == "in"
                given.ran[key] = (
                    policed(checked)
                    if inward
                    else modelled(checked, ratios, told, fixes=given.fixes)
                )
        told(1.0, 1.0)
        made |= dict.fromkeys(places, given.ran[key])
    return made


def _key(configured: ConfiguredPort) -> tuple[object, object]:
    assert configured.port is not None
    return configured.port.replace(name="any"), configured.classes
