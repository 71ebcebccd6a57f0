"""What an exercise of a lesson answers a page: its code runs as in the cell of the notebook."""

import ast
import contextlib
import io
import re
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

from qoslib import lessons
from qoslib.lessons import Verdict
from website import made, needed

__all__ = ["answer", "asked"]

#: What a page shows of what code prints.
MOST_LETTERS = 20_000
CODE = "<your code>"


def answer(message: Mapping[str, Any]) -> dict[str, Any]:
    """Answer ``{lesson, number, answer}`` or ``{lesson, number, code}``.

    `answer` stands in place of the dots in the cell of the exercise, and `code` in that of the
    whole cell. The names that the lesson's code has given before are known.

    Returns
    -------
    dict
        `printed`, and `right` and `text` of the verdict; or `shown`, what the last line gives; or
        `wrong`, why the code has ended.

    Raises
    ------
    ValueError
        If there is no such exercise, or the answer cannot be one.
    """
    cells, waiting = made.code(message.get("lesson", "")), f'check("{message.get("number")}", ...)'
    place = next((n for n, cell in enumerate(cells) if waiting in cell), None)
    if place is None:
        raise ValueError(f"number is {message.get('number')!r}; allowed: an exercise of the lesson")
    code = message.get("code")
    if code is None:
        code = cells[place].replace("...", _given(message.get("answer")))
    return _ran(cells[:place], code, lines="code" in message)


def asked(number: str) -> dict[str, str]:
    """How a page asks for the answer: its kind, and the unit of a number or the choices.

    >>> asked("00.1")
    {'kind': 'number', 'unit': 'ns'}
    >>> asked("10.2")
    {'kind': 'choice', 'choices': 'abcd'}
    """
    words = lessons.exercises()[number].words
    if "unit" in words:
        return {"kind": "number", "unit": words["unit"]}
    dots = words.get("no_answer", {}).get("dots", "")
    if dots.startswith("put one of"):
        return {"kind": "choice", "choices": "".join(re.findall(r'"(\w)"', dots))}
    return {"kind": "code"}


def _given(text: Any) -> str:
    """An answer that Python can read."""
    try:
        ast.parse(text.strip(), mode="eval")
    except (AttributeError, SyntaxError, ValueError):
        raise ValueError(
            f"“{text}” is no number; give one number, with a point and without its unit"
        ) from None
    return str(text.strip())


def _ran(before: Sequence[str], code: str, lines: bool) -> dict[str, Any]:
    """What code prints and gives, and why it has ended where it has."""
    printed, found = io.StringIO(), {}
    try:
        body = ast.parse(code, CODE).body
        given = needed.namespace(ast.parse("\n".join(before)).body, body)
        with contextlib.redirect_stdout(printed):
            found = _last(body, given)
    except (Exception, SystemExit) as error:
        found = {"wrong": _why(error, lines)}
    return {"printed": printed.getvalue()[:MOST_LETTERS], **found}


def _last(body: list[ast.stmt], given: dict[str, Any]) -> dict[str, Any]:
    """Run code; what its last line gives."""
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), CODE, "exec"), given)
    if not isinstance(last, ast.Expr):
        return {}
    value = eval(compile(ast.Expression(last.value), CODE, "eval"), given)
    if isinstance(value, Verdict):
        return {"right": value.ok, "text": value.text}
    return {} if value is None else {"shown": repr(value)[:MOST_LETTERS]}


def _why(error: BaseException, lines: bool) -> str:
    """What Python says of an error, and in which line of the code."""
    if isinstance(error, SyntaxError):
        at, said = error.lineno, error.msg
    else:
        frames = traceback.extract_tb(error.__traceback__)
        at = next((each.lineno for each in reversed(frames) if each.filename == CODE), None)
        said = str(error)
    named = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return f"Line {at}: {named}" if lines and at else named
