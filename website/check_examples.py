"""What a page that checks a configuration shows at first, with the report stored with it."""

import json
import re
from typing import Any

from qoslib.checks.traffic_words import ALLOWED
from qoslib.lessons.configuration import scenes, texts
from website import checking

__all__ = ["files"]


def files() -> dict[str, bytes]:
    """Name of a script -> it: a text with its report, and the words that a load may have."""
    words = [each for each in re.findall(r"'([^']+)'", ALLOWED) if "counters" not in each]
    held = {
        name: {**given, "words": words, "answer": checking.answer(given, lambda done, whole: None)}
        for name, given in {"example": checking.EXAMPLE, "lesson_10": _of_lesson_10()}.items()
    }
    return {
        f"{name}.js": f"window.qoslibExample = {json.dumps(each)};\n".encode()
        for name, each in held.items()
    }


def _of_lesson_10() -> dict[str, Any]:
    """The text that the lesson edits: each change is compared with it."""
    facts = {name: str(value) for name, value in texts.FACTS.items()}
    given = {"name": "edge.cfg", "text": texts.edge(), "load": scenes.TRAFFIC, "facts": facts}
    return {**given, "compare": True}
