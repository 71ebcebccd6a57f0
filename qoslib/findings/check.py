"""Check one configuration: read it, look at each port, run the models that a load asks for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from qoslib.checks import RULES, Finding, Load, Silenced, silenced
from qoslib.checks.junos_references import absent_classifiers, fixed_classes
from qoslib.checks.manners import manners_of
from qoslib.checks.references import listed_names
from qoslib.checks.runner import idle_comments, in_order, merged
from qoslib.checks.tc_commands import marks_never_set
from qoslib.config import (
    Configuration,
    ConfigurationError,
    ConfiguredPort,
    Default,
    Facts,
    Remark,
    defaults,
    read,
)
from qoslib.config.mqc.reader import reads_alike
from qoslib.config.source import (
    MAX_SECONDS,
    TakesTooLongError,
    aside,
    check_time,
    in_time,
    left_s,
    too_long,
)
from qoslib.findings.assess import Assessed, Given, assessed
from qoslib.findings.classes import class_rows
from qoslib.findings.compare_configs import changes, unchanged
from qoslib.findings.doubts import cut_line, doubts_of
from qoslib.findings.model_words import of_flows, of_tcp
from qoslib.findings.modelled import MODEL_RULES
from qoslib.findings.proved import SECONDS, proved
from qoslib.findings.report import ClassRow, Compared, PortReport, Report
from qoslib.findings.shadowed_classes import taken
from qoslib.findings.siblings import beside_others, promised_beyond
from qoslib.findings.under_load import LOADS, hash_of, scenario_of
from qoslib.measurements import Measurements

if TYPE_CHECKING:
    import pandas as pd

    from qoslib.packets.progress import Progress

__all__ = ["check"]

_WAYS = {"out": "output", "in": "input"}


@in_time()
def check(
    text: str,
    file: str = "configuration",
    *,
    interface: str | None = None,
    facts: Mapping[str, float | str] | None = None,
    dialect: str | None = None,
    traffic: str | None = None,
    measured: "pd.DataFrame | Measurements | None" = None,
    against: str | None = None,
    full: bool = False,
    progress: "Progress | None" = None,
) -> Report:
    """Read a configuration, and say what each class gets and what is wrong.

    Parameters
    ----------
    text : str
        It is data: nothing in it is run.
    file : str
        Its name, for the report.
    interface, facts, dialect
        As `config.read` takes them.
    traffic : str, optional
        The text of ``traffic.toml``; see `checks.loads`.
    measured : DataFrame or Measurements, optional
        What the device counted, from `telemetry.read` or `telemetry.rows`.
    against : str, optional
        The text of an older configuration.
    full : bool
        Whether the packet model runs at 80, 100 and 120 % of the load, for a ticket.
    progress : callable, optional
        Of the packet model, with the ports that are done and all that it runs.

    Returns
    -------
    Report
        A text that cannot be read is a finding, ``unreadable``.

    Raises
    ------
    ConfigurationError
        If `traffic` cannot be read.
    ValueError
        If a fact or a dialect is not known, the older configuration cannot be read, or `measured`
        is no table of measurements.

    Examples
    --------
    >>> text = "! not a configuration"
    >>> print(check(text).findings[0].id)
    unreadable
    """
    known = Facts(facts)
    try:
        found = read(text, interface, facts, dialect)
    except ConfigurationError as error:
        return Report(file, lines=len(text.splitlines()), findings=(_unreadable(error),))
    older = _older(against, interface, facts, dialect or found.dialect)
    table = None if measured is None else Measurements.of(measured, "measured")
    given = Given(known, traffic, table)
    trial = Given(known, traffic, table, fixes=False)

    def assess(changed: str) -> Assessed:
        return assessed(read(changed, interface, facts, found.dialect), trial)

    try:
        state = assessed(found, given, LOADS if full else (1.0,), progress)
        trial.ran.update(given.ran)
        alike = dialect is None and found.dialect == "ios-xe" and reads_alike(text)
        return _report(text, file, state, older, given, assess, alike)
    except TakesTooLongError as error:
        late = _unreadable(_too_long(found, text, error))
        return Report(file, found.dialect, found.lines, findings=(late,))


def _older(
    text: str | None, interface: str | None, facts: Mapping[str, float | str] | None, dialect: str
) -> Configuration | None:
    """The configuration to compare with, where one is given."""
    try:
        return None if text is None else read(text, interface, facts, dialect)
    except ConfigurationError as error:
        raise ValueError(f"the older configuration: {error}") from None


#: What is assumed of a text that may be of either.
_ALIKE = (
    "This is a router of IOS XE. Classic IOS shares what nobody is promised by `bandwidth`, and"
    " holds 64 packets a class: --dialect ios."
)
_MX = "The device is an MX: others share a line and its buffers in their way (--fact platform=...)."
#: The limit of queues of a text that may be of an NCS or not, and what is assumed of it.
_EITHER = "ios-xr.either_queue_limit"
_NO_NCS = (
    "A queue without a limit holds 100 ms, as on a CRS. Traffic classes suggest an NCS 540 or 5500,"
    " where it holds 10 ms, but none of those has queues that match DSCP, precedence or EXP."
)
#: What is assumed where one policy sets the groups by which another one tells its classes.
_GROUPED = (
    "All packets come in by ports whose policy sets their group: elsewhere they are in group 0, and"
    " wait with those that no class matches."
)
#: What is assumed of classes that nothing leads to (Junos).
_BY_ITSELF = (
    "By itself Junos puts those of IP precedence 6 and 7 into network-control, and all others into"
    " best-effort."
)

_NOT_KNOWN = "which packets are in which forwarding class is not known."


def _report(
    text: str,
    file: str,
    state: Assessed,
    older: Configuration | None,
    given: Given,
    assess: Callable[[str], Assessed],
    alike: bool,
) -> Report:
    """What was found, with what stands beside it: who is in a class, what was measured before."""
    found, by_port = state.found, state.by_port
    compared, shown = _measured(state, given)
    ports = [_port(state, place, compared.get(place, ())) for place in range(len(found.ports))]
    assumed = dict.fromkeys(_assumed(state, given, alike))
    simulated = {place: by_model.runs for place, by_model in by_port.items()}
    differs = changes(older, found, state.sent, simulated) if older and older.ports else ()
    kept, ignored = _proved(text, state, assess)
    doubts = dict.fromkeys(doubt for by_model in by_port.values() for doubt in by_model.doubts)
    if manners_of(found.dialect).family == "cisco":
        least_bps = [sum(row.minimum.value or 0.0 for row in each.rows) for each in ports]
        doubts |= dict.fromkeys(promised_beyond(found.ports, least_bps))
    doubts |= dict.fromkeys(doubts_of(found))
    return Report(
        file,
        found.dialect,
        found.lines,
        found.understood,
        found.elsewhere,
        tuple(ports),
        kept,
        ignored,
        tuple(map(_shortened, found.remarks)),
        tuple(assumed),
        _defaults(found),
        differs,
        tuple(shown),
        unchanged(older, found) if older and not differs else "",
        tuple(doubts),
    )


def _proved(
    text: str, state: Assessed, assess: Callable[[str], Assessed]
) -> tuple[tuple[Finding, ...], tuple[Silenced, ...]]:
    """The findings with fixes that have been tried, and those that comments silence.

    Models have time of their own; without them trials have what is left of the time of reading.
    """
    listed = [*state.listed, *idle_comments(text, {*RULES, *MODEL_RULES})]
    worst_first = in_order(merged(listed))
    ran = any(by_model.runs for by_model in state.by_port.values())
    seconds = SECONDS if ran else left_s()
    with aside():
        return silenced(proved(text, state, worst_first, assess, seconds), text)


def _measured(
    state: Assessed, given: Given
) -> tuple[dict[int, tuple[Compared, ...]], Sequence[str]]:
    """Measured values of each port beside the models', and what a table shows besides."""
    table = given.measured
    if table is None:
        return {}, ()
    from qoslib.findings.measured import about, compared, limits

    values, shown = {}, list[str]()
    for place, configured in enumerate(state.found.ports):
        if configured.port is not None and about(table, configured).rows:
            values[place], notes = compared(table, configured, state.sent.get(place, ()))
            shown += [*limits(table, configured), *notes]
    nothing = "Nothing in the measured file is about a port of this configuration."
    return values, [*(table.notes if values else (nothing,)), *shown]


def _shortened(remark: Remark) -> Remark:
    """An unknown line by its first two words: what follows may be a secret."""
    words = remark.text.split()
    if remark.kind != "unknown" or len(words) <= 2:
        return remark
    return remark.replace(text=" ".join([*words[:2], "..."]))


def _unreadable(error: ConfigurationError) -> Finding:
    sentence = str(error).removeprefix(f"line {error.line}: ")
    return Finding("unreadable", "error", error.line or 0, sentence[:1].upper() + sentence[1:])


def _too_long(found: Configuration, text: str, error: TakesTooLongError) -> TakesTooLongError:
    """The error of checks that take too long, with what to do."""
    if len(found.ports) < 2:
        return too_long("checking", text, error.line)
    return TakesTooLongError(
        f"checking its {len(found.ports):,} ports takes more than {MAX_SECONDS:g} s;"
        f" choose an interface, as in --interface {found.ports[0].interface}",
        error.line,
    )


def _port(state: Assessed, place: int, compared: tuple[Compared, ...]) -> PortReport:
    found, configured = state.found, state.found.ports[place]
    given, by_model = state.sent.get(place, ()), state.by_port.get(place)
    check_time(configured.line)
    rows: tuple[ClassRow, ...] = ()
    if configured.port is not None:
        rows = class_rows(configured, given, by_type=_by_type(found, configured))
    commands, way = manners_of(found.dialect).verify, _WAYS[configured.direction]
    runs = by_model.runs if by_model else ()
    return PortReport(
        configured.interface,
        configured.direction,
        configured.policy,
        rows,
        runs=runs,
        scenario=hash_of(scenario_of(configured, given)) if runs else "",
        missing=configured.missing,
        verify=tuple(line.format(name=configured.interface, way=way) for line in commands),
        compared=compared,
        met=(*_in_others(found, configured, given), *by_model.met) if by_model else (),
    )


def _by_type(found: Configuration, configured: ConfiguredPort) -> str:
    """The interface whose type says the line rate, as no line says a speed; empty of another."""
    origin = configured.origin("rate_bps")
    if origin is None or origin.line not in found.headers:
        return ""
    header = found.headers[origin.line]
    own = configured.interface.split(" ")[0] in header.replace(" ", "")
    # A bundle has the rate of its members.
    return configured.interface if own else header


def _in_others(
    found: Configuration, configured: ConfiguredPort, given: Sequence[Load]
) -> Iterator[str]:
    """What the rows under load of classes are that no packet is in."""
    elsewhere = [each for each in given if each.taken_by and (each.flows or each.rate_bps)]
    known = taken(found, configured) if elsewhere else {}
    for load in elsewhere:
        yield (
            f"{load.name}: line {known[load.name].line} leaves no packet in this class. Its"
            f" row under load shows its packets in {load.taken_by}, which takes them."
        )


def _defaults(found: Configuration) -> tuple[Default, ...]:
    names = dict.fromkeys(o.default for port in found.ports for o in port.origins if o.default)
    return tuple(defaults()[name] for name in names if name in defaults())


def _assumed(state: Assessed, given: Given, alike: bool) -> Iterator[str]:
    """What the numbers rest on that nobody said."""
    found, sent = state.found, state.sent
    if last := cut_line(found):
        yield f"The text is treated as complete, although line {last} seems to be cut off."
    yield from _of_loads([load for loads in sent.values() for load in loads], given.traffic)
    ports = [port for port in found.ports if port.port is not None]
    classes = [of for port in ports for of in port.classes]
    manners = manners_of(found.dialect)
    if alike and any(len(port.classes) > 2 for port in ports):
        yield _ALIKE
    if manners.family == "junos" and _unsaid_device(found, given.facts):
        yield _MX
    if any(row.name == _EITHER for row in _defaults(found)):
        yield _NO_NCS
    groups = (said.words[1:2] for said in found.by_verb.get("set", ()))
    if manners.groups_choose and any(
        word in (("qos-group",), ("traffic-class",)) for word in groups
    ):
        yield _GROUPED
    if manners.family == "junos" and classes and not any(of.marks for of in classes):
        yield _unsorted(found)
    if unset := marks_never_set(found):
        many = len(unset) > 1
        yield (
            f"Packets get the {'marks' if many else 'mark'} {', '.join(unset)} from a packet filter"
            f" that is not in this text: nothing here sets {'them' if many else 'it'}."
        )
    if manners.family == "cisco":
        yield from beside_others(ports)
    for place, by_model in sorted(state.by_port.items()):
        yield from by_model.not_run
        if by_model.runs:
            yield from of_tcp(found.ports[place], by_model.runs, sent.get(place, ()))
            yield from of_flows(found.ports[place], sent.get(place, ()))
    if any(each.id == "no-shaper" for each in state.listed):
        yield "The models end at this port: what the carrier drops comes on top."


def _unsorted(found: Configuration) -> str:
    """What class packets are of where no classifier sorts them by their marks (Junos)."""
    chosen = fixed_classes(found)
    absent = absent_classifiers(found)
    if absent and not chosen:
        names = listed_names("classifier", absent)
        return f"Arriving packets are sorted by {names}, not in the text: {_NOT_KNOWN}"
    if not chosen:
        return f"Nothing here sorts packets into forwarding classes. {_BY_ITSELF}"
    said = (f"{name} (line {lines[0]})" for name, lines in chosen.items())
    return (
        f"All that arrives by some interfaces is of {', '.join(said)}, whatever its mark; no"
        f" classifier sorts other packets. {_BY_ITSELF}"
    )


def _unsaid_device(found: Configuration, facts: Facts) -> bool:
    """Whether nothing says of which device a text of Junos with queues is."""
    queued = any(port.port and port.direction == "out" for port in found.ports)
    given = any(name.endswith("platform") for name in facts.given)
    told = any("It is read as an" in each.lost for each in found.remarks)
    return queued and not given and not told


def _of_loads(every: Sequence[Load], traffic: str | None) -> Iterator[str]:
    """What is assumed of the loads."""
    if traffic is not None and every and not any(load.line for load in every):
        yield "The file of --traffic has no loads: each class is assumed to send nothing."
    silent = dict.fromkeys(load.name for load in every if load.origin == "assumed")
    if len(silent) == len({load.name for load in every}) > 0:
        yield "No load was given, so each class is assumed to send its minimum."
    elif silent:
        yield f"Nobody said what is sent to {', '.join(silent)}: it is taken to be the minimum."
    if any(load.frame_bytes is None or load.origin == "assumed" for load in every):
        yield "Packets of 1,518 B where no load says their size."
