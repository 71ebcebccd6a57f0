"""Integer arithmetic in a shell script, ``$((9 * $UP / 10))``: worked out, and never run."""

import ast
import re
from collections.abc import Mapping

__all__ = ["ARITHMETIC", "changed", "worked_out"]

#: The longest expression that is worked out, which also bounds its brackets.
LONGEST = 200
#: A shell counts in 64 bits; beyond this nothing has a value.
MOST = 2**63 - 1
_INSIDE = r"[^()\[\]`'\"\\]"
_OPENS = r"(?<!\$)\("
_PART = _INSIDE
# Brackets may stand five deep.
for _ in range(5):
    _PART = rf"(?:{_INSIDE}|{_OPENS}{_PART}*+\))"
#: What has a command in it, ``$(...)``, is no arithmetic.
ARITHMETIC = re.compile(rf"\$\(\((?P<new>{_PART}*+)\)\)|\$\[(?P<old>(?:{_INSIDE}|{_OPENS}|\))*+)\]")
_NAME = re.compile(r"\$\{(\w+)\}|\$?\b([A-Za-z_]\w*)|\$(\w)", re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,18})", re.ASCII)
_ALLOWED = re.compile(r"[\d\s+*/%()-]*", re.ASCII)
#: A name that gets another value: ``i++``, ``--i``, ``i = 5``, ``i += 5``.
_CHANGED = re.compile(
    r"([A-Za-z_]\w*)\s*(?:\+\+|--|(?:<<|>>|[-+*/%&|^])?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)",
    re.ASCII,
)


def worked_out(found: re.Match[str], values: Mapping[str, str]) -> tuple[int | None, str]:
    """The value of an expression of whole numbers and variables, with + - * / % and brackets.

    >>> worked_out(ARITHMETIC.match("$((9 * $UP / 10))"), {"UP": "245"})
    (220, '')
    >>> worked_out(ARITHMETIC.match("$[9*DOWN/10]"), {"UP": "245"})
    (None, 'DOWN')
    >>> worked_out(ARITHMETIC.match("$((UP / 0))"), {"UP": "245"})
    (None, '((UP / 0))')
    """
    inside, whole = found["new"] or found["old"] or "", found[0][1:61]
    for match in _NAME.finditer(inside):
        name = match[match.lastindex or 0]
        if not _NUMBER.fullmatch(values.get(name, "")):
            return None, whole if name in values else name
    numbers = _NAME.sub(lambda match: f"({values[match[match.lastindex or 0]]})", inside)
    if len(numbers) > LONGEST or not _ALLOWED.fullmatch(numbers) or changed(inside):
        return None, whole
    try:
        return _value(ast.parse(numbers.strip(), mode="eval").body), ""
    except (SyntaxError, ValueError, ArithmeticError):
        return None, whole


def changed(text: str) -> list[str]:
    """The variables that an expression gives another value, as ``$((i++))`` does.

    >>> changed("$((prio++))"), changed("$((prio + 1))"), changed("((up <= 5))")
    (['prio'], [], [])
    """
    return [found[1] or found[2] for found in _CHANGED.finditer(text)]


def _value(part: ast.expr) -> int:
    """What a part of an expression is; a division loses what is behind the point, as a shell's."""
    match part:
        case ast.Constant(int(value)):
            made = value
        case ast.UnaryOp(ast.USub(), of):
            made = -_value(of)
        case ast.UnaryOp(ast.UAdd(), of):
            made = _value(of)
        case ast.BinOp(first, ast.Add(), second):
            made = _value(first) + _value(second)
        case ast.BinOp(first, ast.Sub(), second):
            made = _value(first) - _value(second)
        case ast.BinOp(first, ast.Mult(), second):
            made = _value(first) * _value(second)
        case ast.BinOp(first, (ast.Div() | ast.Mod()) as how, second):
            one, other = _value(first), _value(second)
            whole = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
            made = whole if isinstance(how, ast.Div) else one - whole * other
        case _:
            raise ValueError(f"{type(part).__name__} is no arithmetic that is known here")
    if abs(made) > MOST:
        raise OverflowError("more than a shell can count")
    return made
