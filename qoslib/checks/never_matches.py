"""The rule on classes that nobody can be in."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from qoslib.checks.fixes_mqc import code_points
from qoslib.checks.manners import manners_of
from qoslib.checks.names import GROUPS, OF_ROUTER, ClassMap, class_map, groups_set
from qoslib.checks.rule import Found, rule
from qoslib.config.code_points import read_word
from qoslib.config.records import Configuration, Remark, Statement
from qoslib.config.source import check_time

__all__: list[str] = []

_HEADERS = "class-map", "policy-map", "interface"


@rule(
    "class-never-matches",
    "warning",
    "Cisco command references of IOS, IOS XE and IOS XR, class-map: a packet is in a class if it"
    " meets all of its matches, or any of them with match-any;"
    " RFC 2475, section 2.3.1: a classifier selects packets by its rules",
    whole=True,
)
def class_never_matches(configuration: Configuration) -> Iterator[Found]:
    """A class has no match, or matches that exclude each other, or a list that is not there."""
    if not manners_of(configuration.dialect).maps_whole:
        return
    headers = _headers(configuration)
    matches, uncertain = _matches(configuration, headers)
    known = {said.text.split()[1] for said in configuration.by_verb.get("access-list", ())}
    groups = set(groups_set(configuration))
    # What a later header says of the matches holds for those above it as well.
    combined = {header.name: header.combined for header in headers.values() if header.combined}
    for line, header in headers.items():
        mine = matches.pop(header.name, None)
        if mine is not None and header.name not in uncertain:
            together = combined.get(header.name) != "match-any"
            yield from _never(line, header.name, together, mine, groups)
            yield from _absent_lists(header.name, mine, known)


def _headers(configuration: Configuration) -> dict[int, ClassMap]:
    """The class maps without a type by their lines."""
    said = configuration.by_verb.get("class-map", ())
    maps = ((each.line, class_map(each)) for each in said)
    return {line: found for line, found in maps if found and not found.kind}


def _matches(
    configuration: Configuration, headers: dict[int, ClassMap]
) -> tuple[dict[str, list[Statement]], set[str]]:
    """The matches of each class map, and the names of those of which one is not understood."""
    names = {line: header.name for line, header in headers.items()}
    matches: dict[str, list[Statement]] = {name: [] for name in names.values()}
    uncertain: set[str] = set()
    of_headers = (configuration.by_verb.get(verb, ()) for verb in _HEADERS)
    # Line 0 owns what stands above all headers.
    begins = sorted({0, *(said.line for some in of_headers for said in some)})
    for said in configuration.every:
        check_time(said.line)
        name = names.get(begins[bisect_left(begins, said.line) - 1], "")
        unknown = isinstance(said, Remark) and said.kind == "unknown"
        if name and isinstance(said, Statement) and said.verb == "match":
            matches[name].append(said)
        elif name and (unknown or said.verb in ("match", "no")):
            uncertain.add(name)
    return matches, uncertain


def _never(
    line: int, name: str, together: bool, matches: Sequence[Statement], groups: set[str]
) -> Iterator[Found]:
    """Why no packet is in a class, by its matches."""
    if not matches:
        yield Found(line, f"Class {name} has no match: no packet is in it.")
        return
    of_marks = [words for said in matches if (words := code_points(said.text))]
    marks = [{read_word(word, "cisco") for word in words} for words in of_marks]
    known = len(marks) > 1 and not any(None in some for some in marks)
    if together and known and not set.intersection(*marks):
        yield Found(
            matches[0].line,
            f"Class {name} wants all of its DSCPs at once: no packet is in it.",
            "; ".join(said.text for said in matches) + ".",
            f"class-map match-any {name}",
        )
    if nobody := _never_set(matches, groups):
        yield Found(
            matches[0].line,
            f"Class {name} gets no packet: no line of this text sets {' or '.join(nobody)}.",
            f"What lines set: {', '.join(sorted(groups))}.",
        )


#: What the packets of an access list are (IOS XR).
_FAMILIES = ("ipv4", "ipv6", "ethernet-service", "ethernet-services")


def _absent_lists(name: str, matches: Sequence[Statement], known: set[str]) -> Iterator[Found]:
    """Access lists of a class that no line defines."""
    for said in matches:
        words = [word for word in said.words[1:] if word not in ("not", "name")]
        of_family = len(words) == 3 and words[1] in _FAMILIES
        named = words[:1] == ["access-group"] and (len(words) == 2 or of_family)
        if named and said.name not in known:
            yield Found(
                said.line,
                f"Access list {said.name} of class {name} is not in this text.",
                f"0 lines define access list {said.name}.",
            )


def _never_set(matches: Sequence[Statement], groups: set[str]) -> list[str]:
    """The groups that a class matches alone, where lines set others of the kind and none of these.

    Group 0 is what a packet has by itself, and packets of the router may have 6 and 7.
    """
    said = [each.words for each in matches if each.words[1:2] and each.words[1] in GROUPS]
    wanted = [(words[1], number) for words in said for number in words[2:]]
    kinds = {group.split()[0] for group in groups}
    own = any(" ".join(each) in groups or each[1] in OF_ROUTER for each in wanted)
    numbers = all(number.isdecimal() for _, number in wanted)
    same = numbers and all(kind in kinds for kind, _ in wanted)
    alone = same and not own and len(said) == len(matches)
    return [" ".join(each) for each in wanted] if alone else []
