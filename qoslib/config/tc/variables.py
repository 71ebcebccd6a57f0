"""Variables of a shell script, and whole numbers worked out of them: ``$((9 * $UP / 10))``."""

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping

from qoslib.config.lines import Line
from qoslib.config.source import ConfigurationError

__all__ = ["ARITHMETIC", "ASSIGNMENT", "Variables"]

#: Longest value of a variable; a value made of others cannot grow without end.
LONGEST = 1000
#: The longest expression that is worked out, which also bounds its brackets.
LONGEST_EXPRESSION = 200
#: A shell counts in 64 bits; beyond this nothing has a value.
MOST = 2**63 - 1
ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL | re.ASCII)
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))", re.ASCII)
#: What is left of a word where another command gives something, or nobody can say what.
_NOT_PLAIN = re.compile(r"\$[({]|`|\$$")
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
#: Words that may stand in front of an assignment.
_DECLARES = ("export", "local", "readonly", "declare")


class Variables:
    """The variables of a script that have a value which is known."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    def take(self, line: Line) -> bool:
        """Take what a command does to variables; whether that is all that it does.

        >>> variables = Variables()
        >>> variables.take(Line(1, "", ("UP=5", "DOWN=$UP"))), variables.values
        (True, {'UP': '5', 'DOWN': '5'})
        >>> variables.take(Line(2, "", ("read", "UP"))), variables.values
        (True, {'DOWN': '5'})
        """
        words = [word for word in line.words if word not in _DECLARES]
        assignments = [ASSIGNMENT.fullmatch(word) for word in words]
        if words and all(assignments):
            for assignment in filter(None, assignments):
                value, unknown = self.expand(assignment[2], line.number)
                self.forget([assignment[1]])
                if line.active and not unknown:
                    self.values[assignment[1]] = value
            return True
        if line.words[0] in ("read", "unset"):
            self.forget(line.words)
        elif line.words[0] in ("((", "let"):
            self.forget(_changed(" ".join(line.words)))
        else:
            return False
        return True

    def forget(self, names: Iterable[str]) -> None:
        """Variables have another value from here on."""
        for name in names:
            self.values.pop(name, None)

    def expand(self, word: str, line: int) -> tuple[str, str]:
        """A word with the values of its variables, and the first variable that has none.

        >>> variables = Variables()
        >>> variables.values["UP"] = "245"
        >>> variables.expand("$((9 * $UP / 10))kbit", 1), variables.expand("${DOWN}kbit", 1)
        (('220kbit', ''), ('${DOWN}kbit', 'DOWN'))
        """
        unknown: list[str] = []

        def number(found: re.Match[str]) -> str:
            value, missing = worked_out(found, self.values)
            self.forget(_changed(found[0]))
            unknown.append(missing)
            return found[0] if value is None else str(value)

        def variable(found: re.Match[str]) -> str:
            name = found[1] or found[2]
            unknown.append("" if name in self.values else name)
            return self.values.get(name, found[0])

        whole = _VARIABLE.sub(variable, ARITHMETIC.sub(number, word))
        if len(whole) > LONGEST:
            raise ConfigurationError("a variable grows without end", line)
        unknown.append("$(...)" if _NOT_PLAIN.search(whole) else "")
        return whole, next(filter(None, unknown), "")


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
    if len(numbers) > LONGEST_EXPRESSION or not _ALLOWED.fullmatch(numbers) or _changed(inside):
        return None, whole
    try:
        return _value(ast.parse(numbers.strip(), mode="eval").body), ""
    except (SyntaxError, ValueError, ArithmeticError):
        return None, whole


def _changed(text: str) -> list[str]:
    """The variables that an expression gives another value, as ``$((i++))`` does.

    >>> _changed("$((prio++))"), _changed("$((prio + 1))"), _changed("((up <= 5))")
    (['prio'], [], [])
    """
    return [found[1] or found[2] for found in _CHANGED.finditer(text)]


def _quotient(one: int, other: int) -> int:
    """A shell's division loses what is behind the point."""
    return abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)


_SIGNS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _quotient,
    ast.Mod: lambda one, other: one - _quotient(one, other) * other,
}


def _value(part: ast.expr) -> int:
    """What a part of an expression is."""
    match part:
        case ast.Constant(int(value)):
            number = value
        case ast.UnaryOp(ast.USub() | ast.UAdd() as sign, of):
            number = -_value(of) if isinstance(sign, ast.USub) else _value(of)
        case ast.BinOp(first, sign, second) if type(sign) in _SIGNS:
            number = _SIGNS[type(sign)](_value(first), _value(second))
        case _:
            raise ValueError(f"{type(part).__name__} is no arithmetic that is known here")
    if abs(number) > MOST:
        raise OverflowError("more than a shell can count")
    return number
