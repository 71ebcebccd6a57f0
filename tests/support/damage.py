"""Random damage to documents: bytes, cells, numbers, keys and names that no reader expects."""

import json
import re
from random import Random

from qoslib import units
from qoslib.compare.observe import READINGS
from qoslib.measurements.table import COLUMNS, NUMBERS, STATISTICS

__all__ = ["any_bytes", "cut", "damaged_csv", "damaged_json"]

DIGITS = ("0", "-1", "1", "3", "64", "100", "1e6", "1e9", "1e15", "1e308", "0.1", "0.5", "1e-9")
DIGITS += ("1e-308", "-0.0", "1e999", "NaN", "Infinity", "1" * 30, "9" * 5_000)
NAMES = ("", "\0", "x" * 3_000, '<a href="x">y</a>', "=1+1", "\u202e", "R&D", "voice", "\n", "%{x}")
KINDS = ("Fifo", "Poisson", "StrictPriority", "TailDrop", "PacketLimit", "Port", "Pie", "x")
VALUES = (
    *(*DIGITS, "true", "null", "[]", "{}", '"\\ud800"', "[[[[0]]]]"),
    *(f'{{"type": "{kind}"}}' for kind in KINDS),
    *map(json.dumps, (*NAMES, *KINDS, "congested", "line", "served")),
)
#: Column -> what a cell of it may become.
CELLS = {
    **dict.fromkeys(COLUMNS, (*NAMES, '"', "1")),
    **dict.fromkeys(NUMBERS, DIGITS),
    "stream": ("", "voice", "data", "CS1", "BE", *NAMES),
    "quantity": (*READINGS, "jitter", "offered", "duration", "payload_rate", "offered_packets"),
    "statistic": (*STATISTICS, "x"),
    "unit": (*units.UNITS, "x"),
    "status": ("ok", "inconsistent", "x"),
}
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|\w+|[][{}:,]')
POOLS = (bytes(range(256)), b'{}[]":,0123456789.eE-', b",\n\r\"'x1", b"\0", b"[", b"\xff\xfe")


def any_bytes(raw: bytes, random: Random) -> bytes:
    """Bytes without any meaning, or with a little, in place of a document."""
    return bytes(random.choices(random.choice(POOLS), k=random.choice((0, 1, 10, 1_000))))


def cut(raw: bytes, random: Random) -> bytes:
    """Without a part, with a part twice, with other bytes in between, or with some bits turned."""
    low, high = sorted(random.choices(range(len(raw) + 1), k=2))
    ways = (
        lambda: raw[:low],
        lambda: raw[:low] + raw[high:],
        lambda: raw[:high] + raw[low:],
        lambda: raw[:low] + any_bytes(b"", random) + raw[low:],
        lambda: bytes(each ^ (random.random() < 0.01) * random.randrange(256) for each in raw),
    )
    return random.choice(ways)()


def damaged_json(raw: bytes, random: Random) -> bytes:
    """A document with some of its values replaced, left out, repeated or moved, or its keys."""
    tokens = TOKEN.findall(raw)
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        tokens = tokens or [b"null"]
        begin, end = _value(tokens, random)
        whole = begin - 2 if tokens[begin - 1] == b":" else begin  # with its key
        kind = random.randrange(10)
        if kind <= 5 and tokens[begin][:1] in b"-0123456789":
            tokens[begin] = random.choice(DIGITS).encode()
        elif kind <= 5:
            tokens[begin:end] = [random.choice(VALUES).encode()]
        elif kind == 6:
            after = tokens[end : end + 1] == [b","]
            del tokens[whole - (not after and tokens[whole - 1] == b",") : end + after]
        elif kind == 7:
            tokens[whole:whole] = [*tokens[whole:end], b","] * random.choice((1, 2, 40))
        elif kind == 8:
            low, high = _value(tokens, random)
            tokens[begin:end] = tokens[low:high]
        elif whole < begin:
            tokens[whole] = json.dumps(random.choice((*NAMES, "type", "name", "streams"))).encode()
    return b" ".join(tokens)


def _value(tokens, random):
    """Where one of the values begins and ends."""
    ends = [*tokens[1:], b""]
    begins = [
        at
        for at, token in enumerate(tokens)
        if token not in (b"]", b"}", b":", b",") and ends[at] != b":"
    ]
    begin = end = random.choice(begins[1:] or begins or [0])
    depth = 0
    while True:
        depth += (tokens[end] in (b"[", b"{")) - (tokens[end] in (b"]", b"}"))
        end += 1
        if depth <= 0 or end == len(tokens):
            return begin, end


def damaged_csv(raw: bytes, random: Random) -> bytes:
    """A table with some of its cells replaced, left out or repeated, or a line repeated."""
    lines = [line.split(b",") for line in raw.splitlines()]
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        line = random.choice(lines)
        at = random.randrange(len(COLUMNS))
        kind = random.randrange(12)
        if kind <= 8:
            line[at : at + 1] = [random.choice(CELLS[COLUMNS[at]]).encode()]
        elif kind == 9:
            del line[at : at + 1]
        elif kind == 10:
            line[at:at] = line[at : at + 1] * random.choice((1, 200))
        else:
            lines.insert(random.randrange(len(lines)), list(random.choice(lines)))
    return b"\n".join(map(b",".join, lines))
