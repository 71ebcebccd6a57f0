"""What of a long text is read: no lines of access lists, and no policies that act nowhere."""

import re
from itertools import pairwise

from qoslib.config.interfaces import may_be
from qoslib.config.records import Remark
from qoslib.config.source import check_time

__all__ = ["needed", "without_lists"]

#: An access list with its header, and one whose lines all say its number.
_LISTS = (
    re.compile(
        r"^((?:ip|ipv4|ipv6|mac) access-list .*\n)"
        r"((?:[ \t]+(?:\d+ )?+(?:permit|deny|remark)\b.*\n)++)",
        re.MULTILINE,
    ),
    re.compile(r"^(access-list (\d+) .*\n)((?:access-list \2 .*\n)++)", re.MULTILINE),
)
#: Lines that only part blocks from each other.
_BARE = re.compile(r"^(?:[ \t]*!+[ \t]*\n)++", re.MULTILINE)
#: So many lines are read in any case, whether anything uses them or not.
MOST_LINES = 10_000
_NAMED = ("policy-map ", "class-map ")
#: What an interface does with packets that come in, which other interfaces then send.
_INPUT = re.compile(r"\b(?:in|input|trust|mls|auto|qos)\b")


def without_lists(text: str) -> tuple[str, int]:
    """A text in which access lists have only their first line, and comments are not empty.

    >>> without_lists("ip access-list extended A\\n permit ip any any\\n deny ip any any\\nend")
    ('ip access-list extended A\\n\\n\\nend', 2)
    """
    left = 0
    text = _BARE.sub(lambda found: "\n" * found[0].count("\n"), text)

    def header(found: re.Match[str]) -> str:
        nonlocal left
        count = found[found.re.groups].count("\n")
        left += count
        return found[1] + "\n" * count

    for lists in _LISTS:
        text = lists.sub(header, text)
    return text, left


def needed(text: str, interface: str | None = None) -> tuple[str, tuple[Remark, ...]]:
    """A text without policies and class maps that no interface reaches, where these are long.

    Whatever names a policy or a class map in any line reaches it, and all that it names itself. If
    one interface is meant, others are left out that have nothing on what comes in, but two: what
    comes in is marked there.

    >>> unused = "".join(f"policy-map P{n}\\n class C\\n" for n in range(9000))
    >>> needed(unused + "interface Gi0/1\\n service-policy output P7")[1][0].lost
    'No interface reaches it, nor 8,998 more blocks: 17,998 lines are not read.'
    """
    if text.count("\n") <= MOST_LINES or "policy-map " not in text:
        return text, ()
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if line and _begins(line)]
    blocks = [lines[a:b] for a, b in pairwise([*starts, len(lines)])]
    others = _others(blocks, interface) if interface else []
    unused = _unused(blocks, others, starts)
    policies = {at for at, block in enumerate(blocks) if block[0].startswith(_NAMED[0])}
    left = sum(len(blocks[number]) for number in unused)
    if policies <= unused or left <= MOST_LINES:
        return text, ()
    first = min(others or unused)
    why = f"Interface {interface} does not need it" if others else "No interface reaches it"
    lost = f"{why}, nor {len(unused) - 1:,} more blocks: {left:,} lines are not read."
    remark = Remark("not modelled", starts[first] + 1, blocks[first][0], lost)
    for number in unused:
        lines[starts[number] : starts[number] + len(blocks[number])] = [""] * len(blocks[number])
    return "\n".join(lines), (remark,)


def _unused(blocks: list[list[str]], others: list[int], starts: list[int]) -> set[int]:
    """The blocks that are other interfaces', and the policies and class maps that none reaches."""
    named: dict[str, list[int]] = {}
    for number, block in enumerate(blocks):
        # Below a header that stands alone its lines may not be indented.
        if block[0].startswith(_NAMED) and block[1:] and block[1][:1].isspace():
            named.setdefault(block[0].split()[-1], []).append(number)
    unused = {number for numbers in named.values() for number in numbers}
    ahead = [*{*range(len(blocks))}.difference(unused, others)]
    unused.update(others)
    while ahead:
        number = ahead.pop()
        check_time(starts[number] + 1)
        for line in blocks[number]:
            for name in named.keys() & line.split()[1:]:
                ahead += unused.intersection(named[name])
                unused.difference_update(named[name])
    return unused


def _others(blocks: list[list[str]], interface: str) -> list[int]:
    """The blocks of interfaces that are not meant, nor a part of that, and mark nothing."""
    name = interface.partition(".")[0]
    found = [
        (number, "".join(block[0].split()[1:]).partition(".")[0], block)
        for number, block in enumerate(blocks)
        if block[0].startswith("interface ")
    ]
    if not any(may_be(name, other) for _, other, _ in found):
        return []
    others = [(number, block) for number, other, block in found if not may_be(name, other)]
    return [number for number, block in others[2:] if not _INPUT.search("\n".join(block))]


def _begins(line: str) -> bool:
    """Whether a line begins a block: it is not indented, no comment, and ends none."""
    return line[0] not in " \t!#" and not line.startswith("end-")
