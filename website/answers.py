"""What the engines of a page answer: a message comes in, and an answer or an error goes out.

This runs in the page's worker, and in tests as it is here.
"""

import importlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from qoslib.packets.progress import Progress

__all__ = ["ANSWERERS", "answer", "answer_text", "keep"]

#: What a message may ask -> the module whose `answer` answers it.
ANSWERERS = {
    "explorer": "website.explorers",
    "scene": "website.scenes",
    "check": "website.checking",
    "exercise": "website.exercises",
}
#: What takes long, and so tells how far it is.
LONG = {"check", "explorer"}


def answer(message: Any, progress: Progress) -> dict[str, Any]:
    """The answer to a message; one that cannot be answered gives ``{"error": sentence}``.

    >>> answer({"ask": "tea"}, print)
    {'error': "ask is 'tea'; allowed: explorer, scene, check, exercise"}
    """
    if not isinstance(message, Mapping):
        return {"error": f"a message is {message!r}; allowed: an object"}
    asked = message.get("ask")
    if asked not in ANSWERERS:
        return {"error": f"ask is {asked!r}; allowed: {', '.join(ANSWERERS)}"}
    answered: Callable[..., dict[str, Any]] = importlib.import_module(ANSWERERS[asked]).answer
    try:
        return answered(message, progress) if asked in LONG else answered(message)
    except (ValueError, OverflowError, MemoryError) as error:
        return {"error": str(error) or "this needs more memory than a page has"}


def answer_text(text: str, progress: Progress) -> tuple[str, dict[str, bytes]]:
    """The same for a message as JSON: the answer as JSON, and apart from it what is bytes."""
    made = answer(json.loads(text), progress)
    raw = {name: value for name, value in made.items() if isinstance(value, bytes)}
    plain = {name: value for name, value in made.items() if name not in raw}
    return json.dumps(plain, allow_nan=False), raw


def keep(lesson: str, pickled: Any) -> None:
    """Remember what a lesson shows, from the bytes that the build of this site has pickled."""
    from website import made

    made.keep(lesson, bytes(pickled))
