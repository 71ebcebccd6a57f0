"""Arguments that functions must refuse, and what the refusal says."""

import math

from qoslib.traffic import Stream

STREAMS = (Stream("a", 5e6),)
WRONG = {
    "text": "x",
    "nothing": None,
    "negative": -1,
    "zero": 0,
    "not a number": math.nan,
    "infinite": math.inf,
    "very small": 1e-300,
    "half": 1.5,
    "huge": 10**5_000,
    "empty list": [],
    "list of text": ["x"],
    "list of nothing": [None],
    "lists": [[1]],
    "table": {},
    "object": object(),
    "true": True,
    "bytes": b"\xff",
    "twice": STREAMS * 2,
}


def answer(function, given):
    """What the error says, or that all was allowed."""
    try:
        function(**given)
    except ValueError as error:
        return str(error)
    return "allowed"
