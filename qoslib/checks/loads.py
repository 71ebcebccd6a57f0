"""What is sent to the classes of a port, in an engineer's words: ``traffic.toml``."""

import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal

from qoslib import units
from qoslib.checks.promises import hosts, promises, queued
from qoslib.checks.traffic_words import ALLOWED, MOST, Sent, phrase
from qoslib.config.amounts import parse_amount, rate_text
from qoslib.config.records import ConfiguredClass, ConfiguredPort
from qoslib.config.source import ConfigurationError
from qoslib.flows import Flow
from qoslib.record import Count, Positive, Record, fail, record
from qoslib.traffic import Stream

__all__ = ["Load", "classes", "loads", "own_classes", "unused"]

#: The key of the table of delays that classes may have at most.
TARGETS = "targets"
#: The smallest and the largest frame that anybody means: an IPv4 header with TCP's, and jumbo.
FRAMES_BYTES = 40, 9216
#: No class is sent more than so many times the line rate.
MOST_LINES = 1000
#: Of several parts, the origin that is said: the first of these.
_ORIGINS: tuple[Literal["counters", "computed", "given"], ...] = "counters", "computed", "given"


@record
class Load(Record):
    """What is sent to one class, and where that comes from.

    Parameters
    ----------
    name : str
        Of the class.
    origin : {'given', 'computed', 'counters', 'assumed'}
        Whether a rate was given as such, was computed from words like ``40 calls``, was counted by
        the device, or was assumed as nobody said it.
    words : str
        As given.
    arithmetic : str
        How the rate follows from the words; empty where it is the rate itself.
    streams : tuple of Stream
        Traffic that does not respond to loss.
    flows : tuple of Flow
        TCP.
    target_s : float or None
        The delay that its p99 may have at most [s].
    line : int
        Of ``traffic.toml``, from 1; 0 where there is none.
    taken_by : str
        The class whose queue its packets get into, where none is in its own; else empty.
    """

    name: str
    origin: Literal["given", "computed", "counters", "assumed"]
    words: str = ""
    arithmetic: str = ""
    streams: tuple[Stream, ...] = ()
    flows: tuple[Flow, ...] = ()
    target_s: Positive | None = None
    line: Count = 0
    taken_by: str = ""

    @property
    def rate_bps(self) -> float:
        """Of the streams, without TCP [bit/s]."""
        return sum(stream.rate_bps for stream in self.streams)

    @property
    def frame_bytes(self) -> float | None:
        """Mean frame of all its packets [B]; None where nothing is sent."""
        packets = sum(units.rate_pps(s.rate_bps, s.mean_frame_bytes) for s in self.streams)
        if packets:
            return units.octets(self.rate_bps) / packets
        return float(self.flows[0].frame_bytes) if self.flows else None

    @property
    def frames_bytes(self) -> tuple[float, ...]:
        """Mean frame of each of its streams and flows [B], each size once."""
        sizes = {stream.mean_frame_bytes for stream in self.streams if stream.rate_bps}
        return tuple(sorted(sizes | {float(flow.frame_bytes) for flow in self.flows}))

    @property
    def has_video(self) -> bool:
        """Whether its words name video."""
        return "video" in self.words.lower()

    @property
    def has_calls(self) -> bool:
        """Whether its words name calls; video calls are their pictures alone."""
        parts = self.words.lower().split(" + ")
        return any("call" in part and "video" not in part for part in parts)

    @property
    def text(self) -> str:
        """The rate to read, with TCP named where there is some."""
        parts = [rate_text(self.rate_bps)] if self.streams or not self.flows else []
        return " + ".join([*parts, *([f"{len(self.flows)} TCP"] if self.flows else [])])


def loads(
    configured: ConfiguredPort,
    text: str | None = None,
    counters: Mapping[str, float] | None = None,
    elsewhere: Collection[str] = (),
    frames_bytes: Mapping[str, float] | None = None,
) -> tuple[Load, ...]:
    """What is sent to the classes of a port.

    Parameters
    ----------
    configured : ConfiguredPort
        Its port is known.
    text : str, optional
        ``traffic.toml``: a class a line, as in ``VOICE = "40 calls G.711"``; in a table of an
        interface's name for one interface; ``[targets]`` has the delay that a class may have. A
        class that is not there sends nothing.
    counters : mapping of str to float, optional
        Class, and what the device counted [bit/s].
    elsewhere : collection of str
        Classes of other ports that the text may speak of as well.
    frames_bytes : mapping of str to float, optional
        Class, and the mean packet that the device counted [B], where the words give no size.

    Returns
    -------
    tuple of Load
        One for each class with a queue, in their order. Without a text the counters say it, and
        without these each class is assumed to send its minimum.

    Raises
    ------
    ConfigurationError
        If the text cannot be read; the message names its line and what is allowed.
    ValueError
        If the port is not known.

    Examples
    --------
    >>> from qoslib.config import ConfiguredClass
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> port = Port("access", 1e8, (Queue("VOICE", PacketLimit(64)),))
    >>> edge = ConfiguredPort("Gi0/1", "out", port, (ConfiguredClass("VOICE", "VOICE", ("EF",)),))
    >>> (load,) = loads(edge, 'VOICE = "40 calls G.711"')
    >>> load.text, load.arithmetic, load.origin
    ('3.49 Mb/s', '40 calls x 87.2 kb/s (218 B every 20 ms)', 'computed')
    """
    if configured.port is None:
        fail("the port of", configured.interface, "one without a missing fact")
    given, targets = _document(text, configured, elsewhere) if text is not None else ({}, {})
    counted = counters or {}
    promised = {
        each.name: None if each.together and text is not None else each.minimum_bps
        for each in promises(configured)
    }
    guests = hosts(configured)
    made = []
    for name, of in queued(configured).items():
        assumed = text is None and name not in counted
        # What the queue of another class gets is assumed of that class alone.
        words = ["nothing" if text is not None or name in guests else "its minimum"]
        words = ["what the counters say"] if text is None and not assumed else words
        line, words = given.get(name, (0, words))
        mark, size = _mark(configured, of), (frames_bytes or {}).get(name)
        known = mark, promised[name], None if assumed else counted.get(name), size
        load = _load(name, words, line, known).replace(target_s=targets.get(name))
        _check_sizes(load, configured.port.rate_bps)
        made.append(load.replace(origin="assumed") if assumed else load)
    return tuple(made)


def classes(configured: ConfiguredPort) -> list[str]:
    """The classes of a port that a load may be for."""
    if configured.port is not None or configured.direction == "in":
        return list(queued(configured))
    return list(dict.fromkeys(each.name for each in configured.classes))


def unused(
    configured: ConfiguredPort, text: str, elsewhere: Collection[str] = ()
) -> tuple[list[str], dict[str, float]]:
    """What a text says of a port that no model has, so that nothing answers it.

    >>> unused(ConfiguredPort("Gi0/1", "out", None), 'VOICE = "40 calls G.711"')
    (['VOICE'], {})
    """
    given, targets = _document(text, configured, elsewhere)
    for name, (line, words) in given.items():
        for part in words:
            _in_line(line, phrase, part.strip(), name, "", 0.0, 0.0)
    own = classes(configured)
    delays = {name: each for name, each in targets.items() if name in own or not own}
    return [name for name in given if name in own or not own], delays


def own_classes(configured: ConfiguredPort, text: str) -> set[str]:
    """The classes that a text has in the table of a port's own interface.

    >>> own_classes(ConfiguredPort("Gi0/1", "in", None), '["Gi0/1"]\\nVOICE = "40 calls G.711"')
    {'VOICE'}
    """
    table = tomllib.loads(text).get(configured.interface, {})
    return set(table) if isinstance(table, dict) else set()


def _document(
    text: str, configured: ConfiguredPort, elsewhere: Collection[str]
) -> tuple[dict[str, tuple[int, list[str]]], dict[str, float]]:
    """Class to its line and words, and class to the delay that it may have [s]."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"line (\d+)", str(error))
        problem = f'{error}; a line looks like VOICE = "40 calls G.711"'
        raise ConfigurationError(problem, int(at[1]) if at else None) from None
    names = classes(configured)
    targets = _table(document.pop(TARGETS, {}), TARGETS, text)
    tables = {key: value for key, value in document.items() if isinstance(value, dict)}
    own = _table(tables.get(configured.interface, {}), configured.interface, text)
    common = {key: value for key, value in document.items() if key not in tables}
    found: dict[str, tuple[int, list[str]]] = {}
    for key, value in {**common, **own}.items():
        line = _line_of(text, key)
        # What a table says of an interface may be for its other direction.
        if key not in elsewhere or (key in own and configured.direction == "out"):
            _check_class(key, names, line)
        words = value if isinstance(value, list) else [value]
        if not words or len(words) > MOST or not all(isinstance(each, str) for each in words):
            raise ConfigurationError(f"class {key!r} is {value!r}; allowed: {ALLOWED}", line)
        found[key] = line, words
    delays = {}
    for key, value in targets.items():
        line = _line_of(text, key, after=f"[{TARGETS}]")
        delays[key] = _in_line(line, _delay, key, str(value))
        if key not in elsewhere:
            _check_class(key, names, line)
    return found, delays


def _check_class(key: str, names: Collection[str], line: int) -> None:
    """Refuse a class that a port does not have; where no class is known, any may be meant."""
    if names and key not in names:
        raise ConfigurationError(f"no class {key!r}; classes: {', '.join(names)}", line)


def _delay(name: str, text: str) -> float:
    if not text.strip()[-1:].isalpha():
        fail(f"the target of {name}", text, "a delay with its unit, as in '20 ms'")
    seconds = parse_amount(text.lower().removeprefix("p99").strip(), "s")
    return seconds if seconds > 0 else fail("target", text, "a delay above 0, as in '20 ms'")


def _table(value: Any, name: str, text: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise ConfigurationError(f"{name!r} is no table; write [{name}]", _line_of(text, name))


def _line_of(text: str, key: str, after: str = "") -> int:
    """Where a key stands, which tomllib does not say."""
    lines = text.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.strip() == after), 0) if after else 0
    pattern = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*=""")
    return next((i for i, each in enumerate(lines, 1) if i > begin and pattern.match(each)), 1)


def _in_line(line: int, made: Callable[..., Any], *given: Any) -> Any:
    try:
        return made(*given)
    except ConfigurationError:
        raise
    except ValueError as error:
        raise ConfigurationError(str(error), line or None) from None


#: The mark of a class, the least that it gets for itself [bit/s], what was counted [bit/s], and a
#: size [B].
_Known = tuple[str, float | None, float | None, float | None]


def _load(name: str, words: Sequence[str], line: int, known: _Known) -> Load:
    """What the words of a class say."""
    mark, least_bps, counted_bps, frame_bytes = known
    sent: list[Sent] = []
    for number, part in enumerate(words, 1):
        called = f"{name} {number}" if len(words) > 1 else name
        given = part.strip(), called, mark, least_bps, counted_bps, frame_bytes
        sent.append(_in_line(line, phrase, *given))
        if sum(len(each.parts) for each in sent) > MOST:
            problem = f"class {name!r} has more streams and TCP flows; allowed: up to {MOST:,}"
            raise ConfigurationError(problem, line or None)
    parts = [part for each in sent for part in each.parts]
    origins = {each.origin for each in sent}
    return Load(
        name,
        next(kind for kind in _ORIGINS if kind in origins),
        " + ".join(words) if line else "",
        "; ".join(each.arithmetic for each in sent if each.arithmetic),
        tuple(part for part in parts if isinstance(part, Stream)),
        tuple(part for part in parts if isinstance(part, Flow)),
        line=line,
    )


def _check_sizes(load: Load, line_bps: float) -> None:
    """Refuse frames that nobody means, and more than any line has."""
    for stream in load.streams:
        size = stream.mean_frame_bytes
        if not FRAMES_BYTES[0] <= size <= FRAMES_BYTES[1]:
            allowed = "{:,} B to {:,} B".format(*FRAMES_BYTES)
            problem = f"a frame of class {load.name!r} has {size:,.0f} B; allowed: {allowed}"
            raise ConfigurationError(problem, load.line or None)
    if load.line and load.rate_bps > line_bps * MOST_LINES:
        problem = f"class {load.name!r} is sent {rate_text(load.rate_bps)}; allowed: up to"
        problem += f" {MOST_LINES:,} times the line rate of {rate_text(line_bps)}"
        raise ConfigurationError(problem, load.line)


def _mark(configured: ConfiguredPort, each: ConfiguredClass) -> str:
    """A label that the classifier sends to the class's queue; its name where no mark does."""
    port = configured.port
    assert port is not None
    for mark in (*each.marks, each.name, each.queue):
        if port.classifier.queue(mark) == each.queue or len(port.queues) == 1:
            return mark
    return each.name
