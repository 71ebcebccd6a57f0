"""Drop profiles: as they are configured, and as the dropper of a queue."""

from collections.abc import Sequence

from qoslib.config.junos.amounts import percent
from qoslib.config.junos.classes import Rule
from qoslib.config.junos.paths import named
from qoslib.config.junos.provenance import Definitions, Entry, Notes, Points
from qoslib.config.junos.references import NotDefinedError
from qoslib.config.junos.schedulers import Scheduler
from qoslib.config.junos.statements import Said
from qoslib.config.junos.words import LOSS_PRIORITIES, MARK_OF_LOSS
from qoslib.config.source import ConfigurationError
from qoslib.port import Dropper, DropProfile, HeadDrop

__all__ = ["drop_profiles", "dropper_of"]

#: A drop profile of packets for which none is configured: they are dropped when the queue is full.
_FULL = ((1.0, 1.0),)


def drop_profiles(said: Sequence[Said]) -> dict[str, Points]:
    """The drop profiles of a configuration by name.

    >>> words = ("early", "fill-level", "50", "drop-probability", "20")
    >>> drop_profiles([Said(words, 1, "")])["early"].points
    ((0.5, 0.2),)
    """
    found = {}
    for name, own in named(said).items():
        line = own[0].line
        pairs: dict[float, float] = {}
        levels: list[float] = []
        chances: list[float] = []
        for each in own:
            match each.words:
                case ("fill-level", level, "drop-probability", chance):
                    pairs[percent(level, each.line, "the fill level")] = percent(chance, each.line)
                case ("interpolate", "fill-level", level):
                    levels.append(percent(level, each.line, "the fill level"))
                case ("interpolate", "drop-probability", chance):
                    chances.append(percent(chance, each.line, "the drop probability"))
        if len(levels) != len(chances):
            problem = f"{len(levels)} fill levels and {len(chances)} drop probabilities"
            raise ConfigurationError(f"{problem}; allowed: as many of both", line)
        points = tuple(zip(levels, chances, strict=True)) or tuple(sorted(pairs.items()))
        if levels and levels[-1] < 1:
            points = (*points, (1.0, 1.0))
        chances = [chance for _, chance in points]
        if [level for level, _ in points] != sorted({level for level, _ in points}):
            raise ConfigurationError("the fill levels; allowed: each above the one before", line)
        if chances != sorted(chances):
            raise ConfigurationError("the drop probabilities; allowed: none that falls", line)
        if points:
            found[name] = Points(points, bool(levels), line)
    return found


def dropper_of(
    of: Scheduler, entry: Entry, known: Definitions, prefix: str, notes: Notes
) -> Dropper:
    """The dropper of a queue, with points of their own for marks of other loss priorities."""
    where = f"queues[{prefix + entry.of!r}]"
    ecn = bool(of.ecn_line)
    if not of.profiles:
        if ecn:
            said = next(each for each in of.said if each.words[0].startswith("explicit"))
            notes.lose(said, "Without a drop profile there is nothing to mark early.")
        notes.says(f"{where}.dropper", default="junos.full_queue")
        return HeadDrop()
    points: dict[str, Points] = {}
    for loss, (name, said) in of.profiles.items():
        if name not in known.drop_profiles:
            raise NotDefinedError("drop profile", name, said.line)
        for each in LOSS_PRIORITIES if loss == "any" else (loss,):
            if loss != "any" or each not in of.profiles:
                points[each] = known.drop_profiles[name]
    base = points.get("low")
    shape = next(iter(points.values())).interpolated if base is None else base.interpolated
    own = base.points if base else _FULL
    for loss, (_, said) in of.profiles.items():
        other = points["low" if loss == "any" and "low" in points else next(iter(points))]
        other = points.get(loss, other)
        if other.interpolated != shape:
            what = "The profiles of one queue are all lines, or all steps, as that of low is."
            notes.lose(said, what)
    marks = [(prefix + rule.mark, rule.loss) for rule in known.rules if _leads(rule, entry, known)]
    marks += [(MARK_OF_LOSS[loss], loss) for loss in LOSS_PRIORITIES[1:]]
    profiles = []
    for mark, loss in marks:
        theirs = points[loss].points if loss in points else _FULL
        if theirs != own:
            profiles.append((mark, theirs))
    first = next(iter(of.profiles.values()))[1]
    notes.says(f"{where}.dropper.points", base.line if base else first.line)
    at_tail = bool(ecn or profiles)
    if at_tail:
        sentence = "Packets are dropped as they arrive, not at the head, where a queue has"
        notes.lose(first, f"{sentence} profiles by loss priority or marks packets.")
    return DropProfile(
        own,
        "interpolated" if shape else "segmented",
        "tail" if at_tail else "head",
        ecn,
        tuple(dict(reversed(profiles)).items()),
    )


def _leads(rule: Rule, entry: Entry, known: Definitions) -> bool:
    return known.numbers.get(rule.of) == entry.number
