"""Whatever a file of counters holds, it is read or refused in one clear error, soon.

600 tries in every test, 30,000 under `make soak` (ten for each of its runs).
"""

import gzip
from random import Random

import pytest

from damage import any_bytes, cut, damaged_json
from outputs import DAMAGED
from qoslib import telemetry
from qoslib.measurements import COLUMNS
from refusals import refusal
from soak import SOAK

TRIES = SOAK * 3 if SOAK else 600
NUMBERS = (
    b"0",
    b"-1",
    b"9" * 20,
    b"9" * 900,
    b"1e9",
    b"N/A",
    b"0/0/0/0",
    b"",
    b"0x1f",
    b"\xd9\xa4",
)
WORDS = (
    b"drop",
    b"Class-map: x",
    b"Queueing",
    b"<a>",
    b"</queue>",
    b"&lt;",
    b"&x;",
    b"\0",
    b" " * 900,
)
WORDS += (
    b"(queue depth/total drops)",
    b"priority level 1",
    b"Service-policy : c",
    b"class htb 1:1",
)
WORDS += (b"a" * 5_000, b"a b " * 2_000, b"(" * 300, b"1/" * 400)


def damaged_text(raw, random):
    """An output with some lines left out, moved or repeated, or with other words and numbers."""
    lines = raw.split(b"\n")
    for _ in range(random.choice((1, 1, 2, 5))):
        at, kind = random.randrange(len(lines)), random.randrange(6)
        words = lines[at].split(b" ")
        place = random.randrange(len(words))
        if kind == 0:
            del lines[at : at + random.choice((1, 5))]
            lines = lines or [b""]
        elif kind == 1:
            lines[at:at] = [random.choice(lines)] * random.choice((1, 30))
        elif kind == 2:
            lines[at] = lines[at].strip()
        else:
            words[place] = random.choice(NUMBERS + WORDS)
            lines[at] = b" ".join(words)
    return b"\n".join(lines)


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_read_or_refused(name, pytestconfig):
    seed = pytestconfig.getoption("hypothesis_seed") or 0
    raw = DAMAGED[name].encode()
    refused = 0

    def read(damaged):
        table = telemetry.read(damaged)
        assert tuple(table.columns) == (*COLUMNS, "interval_s")
        assert len(table)

    tries = -(-TRIES // len(DAMAGED))
    for number in range(tries):
        random = Random(f"{seed} {name} {number}")
        of_kind = damaged_json if raw.startswith((b"{", b"[")) else damaged_text
        damage = random.choice((of_kind, of_kind, of_kind, cut, any_bytes))
        found = damage(raw, random)
        if random.random() < 0.1:
            found = cut(gzip.compress(found), random)
        refused += bool(refusal(read, found))
    assert 0 < refused < tries


BLOCK = """\
GigabitEthernet0/0/0
  Service-policy output: WAN
    queue stats for all priority classes:
      queue limit 64 packets
      (queue depth/total drops/no-buffer drops) 0/3/0
      (pkts output/bytes output) 100/10000
"""
NEXT = """\
GigabitEthernet0/0/1
  Service-policy output: WAN
    Class-map: class-default (match-any)
      10 packets, 1000 bytes
"""


@pytest.mark.parametrize("text", [BLOCK + NEXT, NEXT + BLOCK])
def test_a_block_of_priority_classes_whose_classes_are_cut_off_is_kept(text):
    """The rest of its policy is missing, and that is said."""
    found = telemetry.read(text)
    cut_off = [each for each in found.attrs["notes"] if "cut off" in each]
    assert any(each.startswith("GigabitEthernet0/0/0 output: No class") for each in cut_off)
    drops = found[found["quantity"] == "queue_dropped_packets"]
    assert list(drops["value"]) == [3]
