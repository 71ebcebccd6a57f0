"""Text as people paste it: prompts, what `show` prints, access lists, policies that act nowhere."""

import re
from itertools import pairwise

from qoslib.config.interfaces import may_be
from qoslib.config.records import Remark
from qoslib.config.source import ConfigurationError, check_time

__all__ = ["as_configured", "needed", "without_lists"]

#: What a device of Cisco's has in front of a command: its name, and the mode in brackets.
_PROMPT = re.compile(
    r"[ \t]*(?:RP/\d+/\w+/\w+:)?[\w.-]{1,63}(?:\((config[\w/.-]*)\))?[#>][ \t]*(.*)"
)
#: Prompts are looked for where one stands in front of a command of this kind.
_TYPED = re.compile(
    r"^[ \t]*(?:RP/\d+/\w+/\w+:)?[\w.-]{1,63}(?:\(config[\w/.-]*\)#|#|>)[ \t]*"
    r"(?:cl\w*-m\w*|pol\w*-?m?\w*|int\w*|class|sh\w* +(?:run|pol)\S*)\b",
    re.MULTILINE,
)
#: Modes below those of a policy and of an interface.
_DEEP = re.compile(r"pmap(?:-\w+)?-c\b|txq-\d")
#: What a page of the web has around a configuration, and within it.
_TAG = re.compile(r"</?(?:code|pre|mark|strong|span|div|br|b|p)\b[^<>\n]{0,200}>", re.IGNORECASE)
_SHOWN = re.compile(r"^[ \t]*(?:Policy Map \S+|Class Map match-\w+ .*)[ \t]*$", re.MULTILINE)
_COUNTED = re.compile(r"^[ \t]*Service-policy (?:input|output): \S+", re.MULTILINE)
_CONFIGURED = re.compile(r"^[ \t]*(?:policy-map|Policy Map) \S", re.MULTILINE)
#: The number of a code point behind its name.
_CODE = re.compile(r" \(\d+\)")
#: A line of `show policy-map` -> the command that it stands for; the first that fits counts.
_SAID = tuple(
    (re.compile(rf"\s*{pattern}\s*", re.IGNORECASE), command)
    for pattern, command in (
        (r"Policy Map (\S+)", r"policy-map \1"),
        (r"Class Map match-any class-default .*", "!"),
        (r"Class Map (match-a\w+) (\S+)(?: \(id \d+\))?", r"class-map \1 \2"),
        (r"Match any", "!"),
        (r"Match +(.*)", r" match \1"),
        (r"Class (\S+)", r" class \1"),
        (r"Description:? (.*)", r"  description \1"),
        (r"Strict Priority", "  priority"),
        (r"priority (level \d )?(\d+) \(%\).*", r"  priority \1percent \2"),
        (r"priority (level \d )?(\d+) \(kb(?:/s|ps)\).*", r"  priority \1\2"),
        (r"bandwidth remaining (\d+) ?(?:\(%\)|%).*", r"  bandwidth remaining percent \1"),
        (r"bandwidth (\d+) \(%\).*", r"  bandwidth percent \1"),
        (r"bandwidth (\d+) \(kb(?:/s|ps)\).*", r"  bandwidth \1"),
        (r"cir (\d+) \(bps\).*", r"  shape average \1"),
        (r"cir (\d+)%.*", r"  shape average percent \1"),
        (r"packet-based wred, exponential weight (\d+)", "  random-detect"),
        (
            r"((?:af|cs)\d+|ef) \(\d+\)\s+(\d+)\s+(\d+)\s+1/(\d+)",
            r"  random-detect dscp \1 \2 \3 \4",
        ),
        (r"(\d)\s+(\d+)\s+(\d+)\s+1/(\d+)", r"  random-detect precedence \1 \2 \3 \4"),
        # Headlines, rules of tables, and rows in which the platform's own thresholds stand.
        (r"(?:Average Rate Traffic Shaping|Weighted Fair Queueing|[-\s]+)", "!"),
        (r"(?:class|dscp|precedence)\s+min-threshold.*", "!"),
        (r"\S+(?: \(\d+\))?\s+-\s+-\s+1/\d+", "!"),
        (r"police cir (\d+) bc (\d+)(.*)", r"  police cir \1 bc \2\3"),
    )
)


def as_configured(text: str) -> str:
    """A text without prompts, and with the commands that `show` of policies and classes stands for.

    >>> print(as_configured("R1(config)#policy-map WAN\\nR1(config-pmap)# class VOICE"))
    policy-map WAN
     class VOICE
    >>> print(as_configured("Policy Map WAN\\n  Class VOICE\\n   priority 20 (%)"))
    policy-map WAN
     class VOICE
      priority percent 20
    >>> as_configured("<code>policy-map <mark>WAN</mark></code>")
    'policy-map WAN'
    """
    text = _TAG.sub("", text)
    if _TYPED.search(text):
        text = "\n".join(map(_without_prompt, text.split("\n")))
    if _COUNTED.search(text) and not _CONFIGURED.search(text):
        line = text.count("\n", 0, _COUNTED.search(text).start()) + 1  # type: ignore[union-attr]
        raise ConfigurationError(
            "`show policy-map interface` prints counters; give them as --measured, and as the"
            " configuration what `show policy-map` or `show running-config` prints",
            line,
        )
    if _SHOWN.search(text):
        text = "\n".join(map(_said, text.split("\n")))
    return text


def _without_prompt(line: str) -> str:
    """A command, as deep as the mode of its prompt says."""
    check_time()
    found = _PROMPT.fullmatch(line)
    if not found:
        return line
    mode, command = found[1] or "", found[2]
    depth = 0 if mode in ("", "config") else 2 if _DEEP.search(mode) else 1
    return " " * depth + command


def _said(line: str) -> str:
    check_time()
    for pattern, command in _SAID:
        if found := pattern.fullmatch(line):
            said = found.expand(command)
            return _CODE.sub("", said) if said.startswith(" match ") else said
    return line


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
