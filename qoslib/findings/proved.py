"""Fixes that are tried before they are printed: applied, read again, and run again."""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isclose
from typing import NamedTuple

from qoslib.checks import Finding, Promise, promises
from qoslib.checks.rule import SEVERITIES
from qoslib.checks.runner import RULES
from qoslib.config import ConfigurationError
from qoslib.config.amounts import rate_text, share_text
from qoslib.config.source import TakesTooLongError, check_time, in_time
from qoslib.findings.assess import Assessed
from qoslib.findings.class_runs import LEAST_LOSS
from qoslib.findings.report import ClassRun
from qoslib.findings.report_text import p99_text
from qoslib.tolerances import EQUAL, ROUNDING

__all__ = ["SECONDS", "in_place", "key_of", "proved", "with_fixes"]

#: Processor time for all trials of a file for whose ports models run [s].
SECONDS = 30.0
#: More alike fixes than these are tried as one.
_MOST_ALONE = 10
#: More classes that give something up are counted.
_MOST_COSTS = 5
#: A loss that grows by less is the same [ratio].
_MORE = 0.005
#: A minimum that falls by less is the same [ratio].
_SAME = 0.01
#: An amount; the digits of a name, as of class 1:10 or of Q3, are none.
_NUMBERS = re.compile(r"(?<![\w:/.-])[±\d][\d.,]*(?: ?%| [a-zA-Zµ/]+)?(?![\w:])")
#: Fixes that slow a port down to what is behind it: what overloads the port then overloaded the
#: carrier before, where no model looks.
_OF_THE_CARRIER = {"no-shaper", "shaper-over-contract"}
_UNDER_LOAD = {"loss", "delay-target", "queue-deep", "guarantees-over", "priority-below-load"}
#: Findings on the rates of classes: a fix that leaves each class its rates is none.
_OF_RATES = {
    "llq-share", "default-starved", "no-rate", "excess-split", "priority-unlimited",
    "priority-below-load", "rate-unit", "shaper-unit",
}  # fmt: skip
#: What a fix brings and is mended along with it, and how often.
_ALONG, _ROUNDS = {"queue-deep", "queue-shallow", "class-unused"}, 2
#: Lines that only say where a command stands.
_HEADERS = {"policy-map", "class", "class-map", "interface", "match"}
#: Fixes that are no commands of a device: comments for this checker.
_COMMENTS = {"ignore-idle"}


def in_place(each: Finding) -> bool:
    """Whether the fix of a finding stands in place of its line, and not behind the text."""
    return each.id in RULES and RULES[each.id].in_place


def key_of(each: Finding) -> tuple[str, str]:
    """A rule and what it is about, without numbers."""
    return each.id, " ".join(_NUMBERS.sub(" ", each.sentence).split())


class _Trial(NamedTuple):
    """What came of a configuration with some fixes: why they are none, or what they cost.

    Where they are none only because of other findings that come, these.
    """

    fails: str
    costs: tuple[str, ...] = ()
    brings: tuple[Finding, ...] = ()


def proved(
    text: str,
    before: Assessed,
    listed: Sequence[Finding],
    assess: Callable[[str], Assessed],
    seconds: float = SECONDS,
) -> list[Finding]:
    """Findings whose fixes have been tried alone and together; one that fails becomes words.

    A fix passes if the configuration with it is read without a line that was understood before
    becoming unknown, its finding is gone, no other finding comes, and no class loses more of a
    load that its promise covered, or misses a target that it met; where the finding is about rates,
    some class is promised another rate. What others give up is added.
    A shaper that slows a port down to its carrier may bring the overload that was there before. A
    line as it should be passes if it is understood, whatever is found of it then.

    Many alike fixes, such as the limits of a hundred queues, are tried as one: all together, and
    the first alone. Where that fails each half of them is tried. All that there is no time for
    becomes words once.
    """
    trials = _Trials(text, before, assess, time.process_time() + seconds)
    made, untried, ahead = list(listed), list[int](), _alike(listed)
    while ahead:
        group = ahead.pop(0)
        touched = [at for at in group if trials.touches(listed[at])]
        try:
            if len(group) == 1:
                made[group[0]] = trials.one(listed[group[0]])
            elif 0 < len(touched) < len(group):
                ahead[:0] = [at for at in group if at not in touched], *([at] for at in touched)
            elif not trials.all([listed[at] for at in group]):
                half = len(group) // 2
                ahead[:0] = group[:half], group[half:]
        except TakesTooLongError:
            untried += group
    for at in sorted(untried):
        made[at] = listed[at].replace(fix="")
    if untried:
        more = f", nor {len(untried) - 1} more" if len(untried) > 1 else ""
        first = min(untried)
        made[first] = _in_words(listed[first], f"there was no time to try it{more}")
    return made


def _alike(listed: Sequence[Finding]) -> list[list[int]]:
    """Where the findings with fixes are: many alike ones together, each other one by itself."""

    def rank(at: int) -> tuple[int, bool, int]:
        # What a model finds under the load counts before what may be: its fix is tried first.
        return SEVERITIES.index(listed[at].severity), not listed[at].model, at

    alike: dict[tuple[object, ...], list[int]] = {}
    for at in sorted(range(len(listed)), key=rank):
        each = listed[at]
        if each.fix and each.id not in _COMMENTS:
            commands = tuple(line.split()[0] for line in each.fix.splitlines())
            alike.setdefault((*rank(at)[:2], each.id, commands), []).append(at)
    groups = [
        part
        for group in alike.values()
        for part in ([group] if len(group) > _MOST_ALONE else [[at] for at in group])
    ]
    return sorted(groups, key=lambda group: rank(group[0]))


class _Trials:
    """Trials of fixes up to a time of the processor, and the findings whose fixes passed."""

    def __init__(
        self, text: str, before: Assessed, assess: Callable[[str], Assessed], end_s: float
    ) -> None:
        self.text, self.before, self.assess, self.end_s = text, before, assess, end_s
        self.known: dict[tuple[tuple[str, int], ...], _Trial] = {}
        self.kept: list[Finding] = []

    def tried(self, of: Sequence[Finding]) -> _Trial:
        """What comes of the configuration with the fixes of findings, in their order."""
        key = (*((each.fix, each.line * in_place(each)) for each in of),)
        if key not in self.known:
            with in_time(self.end_s - time.process_time()):
                check_time()
                self.known[key] = _outcome(self.text, self.before, of, self.assess)
        return self.known[key]

    def beside(self, of: Sequence[Finding]) -> str:
        """Why fixes fail together with those that were kept, in one of both orders."""
        own = {each.fix for each in of}
        others = [each for each in self.kept if each.fix not in own]
        every = *others, *of
        for one_after_another in (every, every[::-1]):
            if why := self.tried(one_after_another).fails:
                names = " and ".join(dict.fromkeys(f"`{each.id}`" for each in others))
                return f"together with the fix of {names}, {why}"
        return ""

    def touches(self, each: Finding) -> bool:
        """Whether a fix stands below the same lines as one that was kept, as in one class."""
        below = each.fix.rpartition("\n")[0]
        return bool(below) and any(one.fix.rpartition("\n")[0] == below for one in self.kept)

    def all(self, alike: Sequence[Finding]) -> bool:
        """Keep alike fixes if none of them fails, or takes something from a class."""
        first, every = self.tried(alike[:1]), self.tried(alike)
        if first.fails or every.fails or every.costs or self.beside(alike):
            return False
        self.kept += alike
        return True

    def one(self, each: Finding) -> Finding:
        """A finding with its fix, if that passes, and what it costs."""
        alone, mended = self.tried((each,)), list[Finding]()
        for _ in range(_ROUNDS):
            if not alone.brings or not all(one.fix and one.id in _ALONG for one in alone.brings):
                break
            # What it brings and can be mended as well is mended along with it.
            mended += alone.brings
            along = "\n".join(dict.fromkeys(one.fix for one in alone.brings))
            whole = each.replace(fix=f"{each.fix}\n{along}")
            alone = self.tried((whole,))
            if not alone.fails:
                each = whole.replace(arithmetic=f"{each.arithmetic} {_why_along(mended)}".strip())
        if why := alone.fails or self.beside([each]):
            return _in_words(each, why)
        self.kept.append(each)
        if not alone.costs:
            return each
        said = f"{each.arithmetic} With the fix {'; '.join(alone.costs)}."
        return each.replace(arithmetic=said.strip())


def _why_along(mended: Sequence[Finding]) -> str:
    """Why a fix has more commands than its finding needs: what would be found without them."""
    each = (f"{one.id}: {one.sentence[:-1]} ({one.arithmetic.rstrip('.')})" for one in mended)
    return f"The end of the fix is for what would be found next, {'; '.join(each)}."


def _in_words(each: Finding, why: str) -> Finding:
    """A finding without its fix, which is named in its arithmetic with the reason.

    Of a line that is still not understood nothing more is shown.
    """
    if in_place(each):
        return each.replace(fix="")
    lines = [line.strip() for line in each.fix.splitlines()]
    own = [line for line in lines if line.split()[0] not in _HEADERS]
    said = f"`{own[0] if own else lines[-1]}` is not offered as a fix"
    if len(own) > 1:
        said = f"The fix that begins with `{own[0]}` is not offered"
    said = f"{each.arithmetic} {said}: {why}."
    return each.replace(arithmetic=said.strip(), fix="")


def _outcome(
    text: str, before: Assessed, of: Sequence[Finding], assess: Callable[[str], Assessed]
) -> _Trial:
    """What comes of a text with the fixes of findings."""
    try:
        after = assess(with_fixes(text, of))
    except TakesTooLongError:
        raise
    except (ConfigurationError, ValueError) as error:
        return _Trial(f"the configuration with it cannot be read ({str(error).rstrip('.')})")
    lines = len(text.splitlines())
    remarks = [each for each in after.found.remarks if each.line > lines]
    mended = {each.line for each in of if in_place(each)}
    remarks += [each for each in after.found.remarks if each.line in mended]
    odd = next((each for each in remarks if each.kind != "not modelled"), None)
    if odd:
        return _Trial(f"it is not understood itself ({odd.text.split()[0]} ...)")
    if any(map(_stays(before, of, lines), after.listed)):
        return _Trial("the same finding remains")
    return _compared(before, after, of)


def with_fixes(text: str, of: Sequence[Finding]) -> str:
    """A text with the fixes of findings: lines as they should be, and the others behind it."""
    lines = text.rstrip("\n").split("\n")
    for each in filter(in_place, of):
        line = lines[each.line - 1]
        lines[each.line - 1] = line[: len(line) - len(line.lstrip())] + each.fix
    behind = dict.fromkeys(each.fix for each in of if not in_place(each))
    return "\n".join([*lines, *behind, ""])


def _compared(before: Assessed, after: Assessed, of: Sequence[Finding]) -> _Trial:
    """What comes with fixes whose findings are gone, and what they cost."""
    had = {key_of(each) for each in before.listed}
    behind = any(each.id in _OF_THE_CARRIER for each in of)
    spelt = all(map(in_place, of))
    come = [each for each in after.listed if key_of(each) not in had]
    brings = tuple(each for each in come if not (spelt or (behind and each.id in _UNDER_LOAD)))
    if brings:
        said = f"it brings another finding, {brings[0].id}: {brings[0].sentence.rstrip('.')}"
        return _Trial(said, brings=brings)
    if any(each.id in _OF_RATES for each in of) and not _moves(before, after):
        return _Trial("it changes the promised rate of no class")
    worse = "" if behind or spelt else next(_worse(before, after), "")
    if worse:
        return _Trial(worse)
    met = "the loss moves from the carrier to this port"
    moved = [f"{met}, `{each.id}`: {each.sentence.rstrip('.')}" for each in come]
    if spelt and come:
        names = dict.fromkeys(f"`{each.id}`" for each in come)
        moved = [f"{' and '.join(names)} {'are' if len(names) > 1 else 'is'} found"]
    return _Trial("", (*moved, *_costs(before, after, lost=not moved)))


def _stays(before: Assessed, of: Sequence[Finding], lines: int) -> Callable[[Finding], bool]:
    """Whether a finding is one that a fix was for, and not its like at another place of the text.

    A fix stands behind the `lines` of the text. One finding may be of several places, of which the
    fix mends the first.
    """
    own = {(key_of(each), each.line) for each in of}
    several = {key_of(each) for each in of if each.interface.endswith(" more")}
    others = {(key_of(each), each.line) for each in before.listed} - own
    keys = {key for key, _ in own}

    def stays(each: Finding) -> bool:
        key, place = key_of(each), (key_of(each), each.line)
        moved = key in several and each.line <= lines and place not in own
        return key in keys and place not in others and not moved

    return stays


#: Interface, direction and class.
_Class = tuple[str, str, str]


def _promised(of: Assessed) -> dict[_Class, Promise]:
    found: dict[_Class, Promise] = {}
    for place, port in enumerate(of.found.ports):
        if port.port is not None:
            sizes = {load.name: load.frames_bytes for load in of.sent.get(place, ())}
            for each in promises(port, sizes):
                found[port.interface, port.direction, str(each.name)] = each
    return found


def _moves(before: Assessed, after: Assessed) -> bool:
    """Whether some class is promised more or less than before, at least or at most."""
    had, has = _promised(before), _promised(after)
    return had.keys() != has.keys() or not all(
        isclose(promise.minimum_bps, has[key].minimum_bps, rel_tol=EQUAL)
        and isclose(promise.maximum_bps, has[key].maximum_bps, rel_tol=EQUAL)
        for key, promise in had.items()
    )


def _ran(of: Assessed) -> dict[_Class, ClassRun]:
    """What the packet model gives each class at the whole load, where it has settled."""
    return {
        (port.interface, port.direction, run.name): run
        for place, by_model in of.by_port.items()
        for port in (of.found.ports[place],)
        for run in by_model.runs
        if run.model == "packets" and run.load_ratio == 1 and not run.changing
    }


def _loads(of: Assessed) -> dict[_Class, tuple[float, float | None]]:
    """The rate that is sent to each class, and its target, where somebody said it."""
    return {
        (port.interface, port.direction, load.name): (load.rate_bps, load.target_s)
        for place, sent in of.sent.items()
        for port in (of.found.ports[place],)
        for load in sent
        if load.origin != "assumed"
    }


def _sent_bps(
    key: _Class, promised: Mapping[_Class, Promise], loads: Mapping[_Class, tuple[float, object]]
) -> float:
    """What is sent to the queue of a class [bit/s]."""
    waiting = (key[2], *promised[key].together)
    return sum(loads[(*key[:2], name)][0] for name in waiting if (*key[:2], name) in loads)


def _worse(before: Assessed, after: Assessed) -> Iterator[str]:
    """Promises and targets that a class kept before, and does not keep any more."""
    loads, had, has = _loads(before), _promised(before), _promised(after)
    for key in loads:
        if key in had and key in has:
            sent_bps, would_bps = _sent_bps(key, had, loads), _sent_bps(key, has, loads)
            kept = had[key].minimum_bps * (1 + ROUNDING) >= sent_bps
            if kept and has[key].minimum_bps < would_bps * (1 - ROUNDING):
                yield (
                    f"{key[2]} would be promised {has[key].least} of the"
                    f" {rate_text(would_bps)} that it is sent"
                )
    was, now = _ran(before), _ran(after)
    for key, run in now.items():
        if key not in was:
            continue
        if was[key].drop.mean < LEAST_LOSS <= run.drop.low:
            yield f"{key[2]} would lose {share_text(run.drop.mean)}"
        target_s = loads.get(key, (0.0, None))[1]
        if target_s and was[key].delay_p99.high <= target_s < run.delay_p99.high:
            yield f"{key[2]} would miss its target, with a p99 delay of {p99_text(run)}"


def _first(costs: list[str]) -> list[str]:
    """What some classes give up, and how many others do."""
    more = len(costs) - _MOST_COSTS
    return [*costs[:_MOST_COSTS], f"{more} more classes are promised less"] if more > 1 else costs


def _costs(before: Assessed, after: Assessed, lost: bool) -> Iterator[str]:
    """What classes give up by fixes."""
    had, has = _promised(before), _promised(after)
    lower: dict[str, str] = {}
    for key, promise in had.items():
        if key not in has or promise.is_guest:
            continue
        if has[key].minimum_bps < promise.minimum_bps * (1 - _SAME):
            name = f"the queue of {key[2]}" if promise.together else key[2]
            both = f"{rate_text(has[key].minimum_bps)} instead of {rate_text(promise.minimum_bps)}"
            lower.setdefault(key[2], f"{name} is promised {both}")
    yield from _first(list(lower.values()))
    was, now = _ran(before), _ran(after)
    for key, run in now.items() if lost else ():
        if key in was and run.drop.low > was[key].drop.high + _MORE:
            both = f"{share_text(run.drop.mean)} instead of {share_text(was[key].drop.mean)}"
            yield f"{key[2]} loses {both}"
