"""How often an exercise was tried in this session: the second wrong answer gets a further hint."""

from typing import Any

from qoslib.exercises.verdict import Verdict, wrong

__all__ = ["Tries"]


class Tries:
    """Wrong answers by exercise; the same answer twice counts once."""

    def __init__(self):
        self._wrong: dict[str, set[str]] = {}

    def told(self, exercise: str, answer: Any, verdict: Verdict, further: str) -> Verdict:
        """The verdict, with what helps further from the second wrong answer on."""
        if verdict.ok:
            self._wrong.pop(exercise, None)
            return verdict
        before = self._wrong.setdefault(exercise, set())
        before.add(repr(answer))
        return wrong(f"{verdict.text} Hint: {further}") if len(before) > 1 else verdict
