"""Text as a terminal shows it: prompts before lines, and what `show` prints of policies."""

import re

from qoslib.config.source import ConfigurationError, check_time

__all__ = ["as_configured"]

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
#: What a terminal shows after each page, and how it takes that back.
_PAGED = re.compile(r" ?--More-- ?(?:\x08+[ \x08]*)?")
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
    """
    text = _PAGED.sub("", text)
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
