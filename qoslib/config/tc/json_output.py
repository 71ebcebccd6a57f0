"""What ``tc -j qdisc show``, ``class show`` and ``filter show`` say, as commands."""

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from qoslib import units
from qoslib.config.source import ConfigurationError, check_time
from qoslib.config.tc.command import INGRESS, Command, handle

__all__ = ["read_shown"]

_BEGINS = re.compile(r"^[ \t]*(?P<bracket>\[)\s*[{\]]", re.MULTILINE)
_END = re.compile(r"\n")
_SPACE = re.compile(r"[\s,]*")
#: Rates are shown in bytes per second, times in microseconds.
_RATES = {"rate", "ceil", "peakrate", "bandwidth"}
_TIMES = {"target", "interval", "ce_threshold", "lat", "tupdate", "rtt"}
#: Of which the value is the word (cake, dualpi2).
_WORDS = {"diffserv", "flowmode", "atm", "drop-overload", "drop-early", "ecn-mask"}
#: Keys that are other words in a command (dualpi2).
_RENAMED = {
    "memory-limit": "memlimit", "step-thresh-us": "step_thresh", "coupling": "coupling_factor",
    "c-protection": "classic_protection", "min-qlen-step": "min_qlen_step",
}  # fmt: skip
#: Counters, and what only says how the kernel holds the numbers.
_IGNORED = {"direct_packets_stat", "ver", "level", "linklayer", "burst_cell", "cburst_cell"}
_IGNORED |= {"mpu_rate", "mpu_ceil", "mpu", "multiqueue", "Scell_log", "stats", "leaf", "offload"}
_IGNORED |= {"class", "handle", "parent", "root", "dev", "kind", "lended", "borrowed", "giants"}
_IGNORED |= {"tokens", "ctokens", "gap", "seed", "split_gso", "split-gso"}
#: Of a filter, what its words are without; `fh` and its like are the kernel's own numbering.
_OF_FILTERS = {"fh", "order", "key_ht", "bkt", "not_in_hw", "in_hw", "in_hw_count", "skip_hw"}
_OF_FILTERS |= {"match", "flowid", "classid", "keys", "mark", "mask", "actions", "handle"}
#: What a filter does, and what `tc -d` alone shows.
_DOES = {"flowid", "classid", "actions"}
_DETAILS = {"level", "quantum", "ver", "ewma", "probability"}


def read_shown(text: str) -> tuple[list[Command], str]:
    """The objects of all JSON lists in a text, and the text without them.

    >>> shown = '[{"kind":"pfifo","handle":"1:","dev":"eth0","root":true,"options":{"limit":9}}]'
    >>> read_shown(shown)[0][0].words
    ('limit', '9')
    """
    ends = [found.start() for found in _END.finditer(text)]
    commands: list[Command] = []
    rest, last = "", 0
    for begin, end, first, element in _elements(text, ends):
        check_time()
        if element is not None:
            command = _command(element, bisect_left(ends, first) + 1)
            commands += [command] if command else []
        rest += text[last:begin] + "\n" * text.count("\n", begin, end)
        last = end
    return commands, rest + text[last:]


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; tc repeats the key "match" for each match of a filter."""
    made = dict(pairs)
    if "match" in made:
        made["match"] = [value for key, value in pairs if key == "match"]
    return made


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_number)


def _elements(text: str, ends: list[int]) -> Iterator[tuple[int, int, int, Any]]:
    """Begin and end of each piece of a list, where the element in it begins, and the element."""
    at = 0
    while found := _BEGINS.search(text, at):
        begin, at = found.start(), found.end("bracket")
        while not text.startswith("]", first := _behind(_SPACE, text, at)):
            try:
                element, end = _DECODER.raw_decode(text, first)
            except RecursionError:
                problem, wrong = "lists within lists without end", first
            except json.JSONDecodeError as error:
                problem, wrong = f"the list breaks off: {error.msg}", error.pos
            except ValueError:
                problem, wrong = "a number that is none", first
            else:
                yield begin, end, first, element
                begin = at = end
                continue
            raise ConfigurationError(problem, bisect_left(ends, wrong) + 1)
        at = first + 1
        yield begin, at, first, None


def _behind(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _command(each: Any, line: int) -> Command | None:
    """An object as a command; None of a filter that does nothing."""
    if not isinstance(each, dict):
        raise ConfigurationError("this is no object that tc shows", line)
    options = each.get("options", {})
    if not isinstance(options, dict):
        raise ConfigurationError("options that are no object", line)
    is_filter = "class" not in each and ("pref" in each or "protocol" in each)
    thing = "class" if "class" in each else "filter" if is_filter else "qdisc"
    kind = each.get("class" if thing == "class" else "kind")
    if not isinstance(kind, str) or not kind:
        raise ConfigurationError("an object of tc without its kind", line)
    device, parent, own = (_text(each, key, line) for key in ("dev", "parent", "handle"))
    for place, above in (("root", "root"), ("ingress", INGRESS)):
        parent = above if each.get(place) is True else parent
    parent = parent if parent in ("root", "") else handle(parent, line)
    if is_filter:
        if not _DOES.intersection(options):
            return None
        words, own = _filter_words(options, line), str(options.get("mark", ""))
    else:
        options = each if thing == "class" else options
        words, own = list(_words(kind, options, line)), handle(own, line) if own else ""
    text = " ".join(" ".join([thing, kind, own, parent, *words]).split())[:200]
    return Command(
        line, text, thing, "add", device, parent, own, kind, tuple(words),
        protocol=str(each.get("protocol", "all")),
        prio=str(each.get("pref", "")) if is_filter else "",
        shown=True,
        detailed=not _DETAILS.isdisjoint(options),
    )  # fmt: skip


def _text(each: dict[str, Any], key: str, line: int) -> str:
    value = each.get(key, "")
    if not isinstance(value, str):
        raise ConfigurationError(f"{key} is no text", line)
    return value


def _word(value: Any, line: int) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ConfigurationError("a value that is neither a number nor a text", line)
    return str(value)


def _number(value: Any, line: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2.0**64:
        raise ConfigurationError("a value that is no number from 0 on", line)
    return value


def _words(kind: str, options: dict[str, Any], line: int) -> Iterator[str]:
    """Options as words of a command."""
    for key, value in options.items():
        if value is None or value is False or key in _IGNORED:
            continue
        if key == "lat":
            yield from ("latency", f"{_word(value, line)}us")
        elif key in _WORDS and isinstance(value, str):
            yield value.replace("-", "_") if kind == "dualpi2" else value
        elif key in _RENAMED:
            yield from (_RENAMED[key], _word(value, line))
        elif key == "ack-filter" and isinstance(value, str):
            yield "no-ack-filter" if value == "disabled" else key
        elif value is True:
            yield key
        elif key in _RATES and not isinstance(value, dict):
            yield from (key, f"{units.bits(_number(value, line))}bit")
        elif key in _TIMES:
            yield from (key, f"{_word(value, line)}us")
        elif key == "delay" and isinstance(value, dict):
            jitter = [f"{_word(value.get('jitter', 0), line)}s"] if value.get("jitter") else []
            yield from ("delay", f"{_word(value.get('delay', 0), line)}s", *jitter)
        elif isinstance(value, list):
            yield from (key, *(_word(each, line) for each in value))
        elif isinstance(value, dict):
            yield key
        else:
            yield from (key, _word(value, line).removeprefix("0x" if key == "default" else "0X"))
    if kind in ("codel", "fq_codel", "pie") and "ecn" not in options:
        yield "noecn"


def _filter_words(options: dict[str, Any], line: int) -> list[str]:
    words = [word for match in options.get("match") or [] for word in _match_words(match, line)]
    keys = options.get("keys") or {}
    if not isinstance(keys, dict):
        raise ConfigurationError("keys that are no object", line)
    for key, value in keys.items():
        words += [key, _word(value, line)] if key != "eth_type" else []
    words += [key for key in options if key not in _OF_FILTERS]
    for key in ("flowid", "classid"):
        words += [key, _word(options[key], line)] if key in options else []
    for action in options.get("actions") or []:
        kind = str(action.get("kind", "")) if isinstance(action, dict) else ""
        words += ["action", kind, "shown"]
    return words


def _match_words(match: Any, line: int) -> list[str]:
    """A match of a filter as u32 has it."""
    if not isinstance(match, dict):
        raise ConfigurationError("a match that is no object", line)
    words: list[str] = []
    if "value" in match:
        value, mask = (f"0x{_word(match.get(key, '0'), line)}" for key in ("value", "mask"))
        words += ["match", "u32", value, mask, "at", _word(match.get("off", 0), line)]
    for key, value in match.items():
        if key.startswith("ip_"):
            words += ["match", "ip", key.removeprefix("ip_"), _word(value, line), "0xff"]
        elif key not in ("value", "mask", "offmask", "off"):
            words += ["match", key, _word(value, line), ""]
    return words
