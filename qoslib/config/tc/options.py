"""The options of each kind of qdisc and class: which words there are, and of what sort."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from qoslib.config.defaults import default
from qoslib.config.source import ConfigurationError
from qoslib.config.tc.amounts import count, rate_bps, size_bytes, time_s
from qoslib.config.tc.command import Command

__all__ = ["OPTIONS", "Given", "Options", "by_default", "left_out", "options_of"]

_COUNTS = dict.fromkeys(("limit", "flows", "quantum", "drop_batch", "depth", "divisor"), "count")
_CODEL = {"limit": "count", **dict.fromkeys(("target", "interval", "ce_threshold"), "time")}
_CODEL |= {"ecn": "flag", "noecn": "flag"}
_BUCKET = {"overhead": "count", "linklayer": "word", "mpu": "size"}
#: Kind -> option -> the sort of its value; ``words`` takes all that are left that are numbers.
OPTIONS: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("qdisc", "htb"): {
        **{"default": "hex", "r2q": "count", "debug": "word", "direct_qlen": "count"},
        **{"offload": "flag", "direct_packets_stat": "count", "ver": "word"},
    },
    ("class", "htb"): {
        **{"rate": "rate", "ceil": "rate", "burst": "size", "cburst": "size", "prio": "count"},
        **{"quantum": "count", "mtu": "count", "level": "count"},
        **_BUCKET,
    },
    ("qdisc", "tbf"): {
        **{"rate": "rate", "burst": "size", "limit": "size", "latency": "time"},
        **{"peakrate": "rate", "mtu": "size", "lat": "time"},
        **_BUCKET,
    },
    ("qdisc", "prio"): {"bands": "count", "priomap": "words", "multiqueue": "flag"},
    ("qdisc", "pfifo_fast"): {"bands": "count", "priomap": "words"},
    ("qdisc", "pfifo"): {"limit": "packets"},
    ("qdisc", "bfifo"): {"limit": "size"},
    ("qdisc", "pfifo_head_drop"): {"limit": "packets"},
    ("qdisc", "codel"): _CODEL,
    ("qdisc", "fq_codel"): _CODEL
    | {"flows": "count", "quantum": "count", "memory_limit": "size", "drop_batch": "count"}
    | {"ce_threshold_selector": "word", "ce_threshold_mask": "word"},
    ("qdisc", "red"): {
        **dict.fromkeys(("limit", "min", "max", "avpkt"), "size"),
        **{"burst": "count", "probability": "share", "bandwidth": "rate", "ewma": "count"},
        **dict.fromkeys(("ecn", "harddrop", "adaptive", "adaptative", "nodrop"), "flag"),
        **{"qevent": "word", "block": "word", "Plog": "count", "Scell_log": "count"},
    },
    ("qdisc", "sfq"): {
        **_COUNTS,
        **{"quantum": "size", "perturb": "word", "headdrop": "flag", "redflowlimit": "word"},
        **{"min": "size", "max": "size", "avpkt": "size", "burst": "count", "probability": "word"},
        **{"ecn": "flag", "harddrop": "flag", "ewma": "word"},
    },
    ("qdisc", "fq"): {
        **{"limit": "packets", "flow_limit": "count", "buckets": "count", "quantum": "word"},
        **dict.fromkeys(("initial_quantum", "maxrate", "low_rate_threshold"), "word"),
        **dict.fromkeys(("orphan_mask", "refill_delay", "timer_slack", "horizon"), "word"),
        **{"pacing": "flag", "nopacing": "flag", "ce_threshold": "word", "offload_horizon": "word"},
        **{"horizon_drop": "flag", "horizon_cap": "flag", "bands": "word", "weights": "words"},
        **{"priomap": "words"},
    },
    ("qdisc", "netem"): {
        **{"limit": "packets", "delay": "netem", "latency": "netem", "loss": "netem"},
        **dict.fromkeys(("drop", "corrupt", "duplicate", "reorder", "rate", "slot"), "netem"),
        **{"distribution": "word", "gap": "word", "ecn": "flag", "seed": "word"},
        **{"packets": "word", "bytes": "word"},
    },
    ("qdisc", "drr"): {},
    ("class", "drr"): {"quantum": "size"},
    ("qdisc", "qfq"): {},
    ("class", "qfq"): {"weight": "count", "maxpkt": "count"},
    ("qdisc", "ingress"): {},
    ("qdisc", "clsact"): {},
    ("qdisc", "noqueue"): {},
    ("link", "txqueuelen"): {"packets": "count"},
}
_ALIASES = {"buffer": "burst", "maxburst": "burst", "cbuffer": "cburst", "cmaxburst": "cburst"}
_ALIASES |= {"minburst": "mtu", "lat": "latency", "adaptative": "adaptive"}
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,9})?)%")


class Given(NamedTuple):
    """A value, and where it comes from: a line, a default or a fact."""

    value: Any
    line: int = 0
    default: str = ""
    fact: str = ""


Options = dict[str, Given]


def by_default(name: str, value: Any = None) -> Given:
    """A default of ``defaults.toml``, with another value where it is worked out of others.

    >>> by_default("codel_target").value
    0.005
    """
    row = default(f"tc.{name}")
    return Given(row.value if value is None else value, default=row.name)


def left_out(word: str) -> str:
    """What is lost by a word that tc does not have, and all behind it."""
    return f"From {word[:40]!r} on this is not understood, and left out."


def _share(text: str, line: int) -> float:
    found = re.fullmatch(r"\d{0,3}(\.\d{1,12})?(e-\d{1,2})?", text)
    if not found or not text or not re.match(r"\.?\d", text) or float(text) > 1:
        raise ConfigurationError(f"{text[:40]!r} is no probability from 0 to 1", line)
    return float(text)


#: Sort -> how its word becomes a value.
_SORTS: Mapping[str, Callable[[str, int], Any]] = {
    "rate": rate_bps,
    "size": lambda text, line: size_bytes(text.partition("/")[0], line),
    "time": time_s,
    "count": count,
    "packets": lambda text, line: size_bytes(text.lower().removesuffix("p"), line),
    "hex": lambda text, line: count(text, line, base=16),
    "share": _share,
    "word": lambda text, line: text,
}


def options_of(command: Command, line_rate: Given | None = None) -> tuple[Options, tuple[str, ...]]:
    """The options of a command, and the words from the first unknown one on.

    >>> from qoslib.config.tc.command import command
    >>> made = command("class add dev eth0 classid 1:1 htb rate 1mbit foo 3".split(), 1, "")
    >>> options_of(made)
    ({'rate': Given(value=1000000.0, line=1, default='', fact='')}, ('foo', '3'))
    """
    allowed = OPTIONS[command.thing, command.kind]
    rest, found = list(command.words), Options()
    while rest:
        name = _option(rest[0], allowed)
        if not name:
            return found, tuple(rest)
        word = rest.pop(0)
        sort = allowed[name]
        value: Any = True
        if sort in ("words", "netem"):
            value = tuple(_numbers(rest))
            if sort == "netem" and not value and not command.shown:
                return found, (word, *rest)
        elif sort != "flag":
            if not rest:
                raise ConfigurationError(f"nothing stands behind {word!r}", command.line)
            value = _value(sort, rest.pop(0), command.line, line_rate)
        given = value if isinstance(value, Given) else Given(value, command.line)
        found[_ALIASES.get(name, name)] = given
    return found, ()


def _option(word: str, allowed: Mapping[str, str]) -> str:
    """The option that a word or its abbreviation means; empty if there is none."""
    if word in allowed:
        return word
    if _ALIASES.get(word) in allowed:
        return _ALIASES[word]
    return next((name for name in allowed if len(word) > 2 and name.startswith(word)), "")


def _numbers(rest: list[str]) -> list[str]:
    """Take the words that begin with a digit, and those that say of which sort a loss is."""
    taken = []
    while rest and (rest[0][:1].isdigit() or rest[0] in ("random", "state", "gemodel")):
        taken.append(rest.pop(0))
    return taken


def _value(sort: str, word: str, line: int, line_rate: Given | None) -> Any:
    share = _PERCENT.fullmatch(word)
    if sort != "rate" or not share:
        return _SORTS[sort](word, line)
    per_cent = float(share[1])
    if per_cent > 100:
        raise ConfigurationError(f"{word!r} is more than the whole line", line)
    if line_rate is None:
        return Given(None, line)
    return Given(rate_bps(f"{line_rate.value * per_cent / 100:f}", line), line, fact=line_rate.fact)
