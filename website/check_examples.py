"""What a page that checks a configuration shows at first, with the report stored with it."""

import json
import re
from collections.abc import Mapping
from typing import Any

from qoslib.checks.traffic_words import ALLOWED
from qoslib.config import DIALECTS
from qoslib.lessons.configuration import scenes, texts
from qoslib.lessons.your_network import branch
from website import checking

__all__ = ["files"]

#: What lesson 13 knows of its carrier by the time it asks the reader to change the text.
BRANCH_FACTS = {"contract_bps": 20e6, "overhead_bytes": 20}


def files() -> dict[str, bytes]:
    """Name of a script -> it: a text with its report, words of loads, and names of dialects."""
    words = [each for each in re.findall(r"'([^']+)'", ALLOWED) if "counters" not in each]
    begun = {
        "example": checking.EXAMPLE,
        "lesson_10": _edited(texts.edge(), scenes.TRAFFIC, texts.FACTS),
        "lesson_13": _edited(branch.configuration(), branch.traffic(), BRANCH_FACTS),
    }
    held = {
        name: {
            **given,
            "words": words,
            "dialects": sorted(DIALECTS),
            "answer": checking.answer(given, lambda done, whole: None),
        }
        for name, given in begun.items()
    }
    return {
        f"{name}.js": f"window.qoslibExample = {json.dumps(each)};\n".encode()
        for name, each in held.items()
    }


def _edited(text: str, load: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The text that a lesson edits: each change is compared with it."""
    told = {name: str(value) for name, value in facts.items()}
    return {"name": "edge.cfg", "text": text, "load": load, "facts": told, "compare": True}
