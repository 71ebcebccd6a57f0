"""A description from a file is data: whatever stands in it, a `ValueError` is the worst."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qoslib import port as p
from qoslib import traffic
from qoslib.record import Record, from_json
from qoslib.record import base as records
from strategies import CHAINS, ports, stream_sets

pytestmark = pytest.mark.newer


@given(ports() | CHAINS)
def test_any_port_or_chain_comes_back_from_json(described):
    assert from_json(described.to_json()) == described
    assert type(described).from_json(described.to_json(indent=None)) == described


@given(stream_sets())
def test_any_stream_comes_back_from_json(described):
    for stream in described:
        assert traffic.Stream.from_json(stream.to_json()) == stream


def document(**fields):
    return json.dumps({"schema": records.SCHEMA, **fields})


PLAIN = document(type="TimeLimit", time_s="?").replace('"?"', "?")
HOP = '{"type": "Hop", "at": '
HOSTILE = {
    "no JSON": "{",
    "nothing": "",
    "a list": "[]",
    "null": "null",
    "no text": 5,
    "bytes": b"\xff",
    "no schema": '{"type": "Fifo"}',
    "wrong schema": '{"schema": "qoslib/999", "type": "Fifo"}',
    "schema of objects": '{"schema": {}, "type": "Fifo"}',
    "no type": document(),
    "unknown type": document(type="System"),
    "a type that is no text": document(type=[["Fifo"]]),
    "a class, not a kind": document(type="object"),
    "unknown field": document(type="Fifo", weight=1),
    "a method": document(type="PacketLimit", packets=1, check=1),
    "missing field": document(type="PacketLimit"),
    "list for object": document(type="Queue", name="q", limit=[]),
    "object for list": document(type="Port", name="p", rate_bps=1, queues={"type": "Fifo"}),
    "text for number": document(type="PacketLimit", packets="1"),
    "true for number": document(type="PacketLimit", packets=True),
    "number for text": document(type="MemoryPool", name=1, limit_bytes=1),
    "other record": document(type="Hop", at={"type": "Fifo"}),
    "object that is none": document(type="Hop", at={"packets": 1}),
    "NaN": PLAIN.replace("?", "NaN"),
    "Infinity": PLAIN.replace("?", "Infinity"),
    "overflow": PLAIN.replace("?", "1e999"),
    "huge": PLAIN.replace("?", "1" + "0" * 400),
    "too huge": PLAIN.replace("?", "1" * 9999),
    "long text": document(type="PacketLimit", packets="x" * 100_000),
}
for depth in (50, 300, 450, 900, 100_000):
    HOSTILE[f"{depth} lists"] = PLAIN.replace("?", "[" * depth + "]" * depth)
    HOSTILE[f"{depth} hops"] = PLAIN.replace("?", HOP * depth + "1" + "}" * depth)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_json_is_one_short_value_error(text):
    with pytest.raises(ValueError, match=r"\w+") as raised:
        from_json(text)
    assert len(str(raised.value)) < 1500


QUEUE = '{"type": "Queue", "name": "q", "limit": {"type": "PacketLimit", "packets": ?}}'
PORT = '{"schema": "qoslib/1", "type": "Port", "name": "p", "rate_bps": 1, "queues": [' + QUEUE
#: What stands for a queue's packets -> what the message says.
PLACES = {
    "-1": r"^document.queues\[0\].limit: PacketLimit.packets is -1; allowed: 1 or more$",
    "NaN": r"^document.queues\[0\].limit: PacketLimit.packets is nan; allowed: a whole number$",
    "1" * 5_000: r"^document.queues\[0\].limit: PacketLimit.packets is a number of about 5,000 d",
    '1, "packets": 2': r"^document.queues\[0\].limit has the key 'packets' twice; allowed: each",
    '1}, "name": {"a": "b"': r"^document.queues\[0\] has the key 'name' twice; allowed: each key",
    '1}, "pool": {"type": "Pool"': r"^document.queues\[0\].pool.type is 'Pool'; allowed: Asym",
}


@pytest.mark.parametrize("value", PLACES, ids=lambda value: value[:20])
def test_an_error_names_the_place_in_the_document(value):
    with pytest.raises(ValueError, match=PLACES[value]):
        from_json(PORT.replace("?", value) + "]}")


def test_a_name_that_no_page_can_show_is_refused():
    half = json.dumps("\ud800")
    with pytest.raises(ValueError, match=r"name is '\\ud800'; allowed: a text without lone surr"):
        from_json(PORT.replace('"q"', half).replace("?", "1") + "]}")
    whole = json.dumps("\N{GRINNING FACE}")
    assert whole == '"\\ud83d\\ude00"'
    assert from_json(PORT.replace('"q"', whole).replace("?", "1") + "]}").queues[0].name


def test_of_two_equal_keys_neither_wins():
    text = document(type="PacketLimit", packets=1)
    assert from_json(text) == p.PacketLimit(1)
    with pytest.raises(ValueError, match=r"^document has the key 'schema' twice; allowed: each"):
        from_json(text.replace("{", '{"schema": "qoslib/1", '))
    with pytest.raises(ValueError, match=r"^document has the key 'packets' twice; allowed: each"):
        from_json(text.replace("}", ', "packets": 2}'))


def test_a_number_too_long_for_text_is_refused_by_code_too():
    with pytest.raises(ValueError, match=r"packets is a number of about 5,000 digits; allowed"):
        p.PacketLimit(10**5_000)


def test_no_json_is_told_with_its_place():
    with pytest.raises(
        ValueError, match=r"^the document is not JSON: .* line 2 column 3 .*; allow"
    ):
        from_json("{\n  x}")


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["type", "name", "queues", "limit", "at"]), inner, max_size=4
            )
        ),
        max_leaves=8,
    )
)
def test_any_json_is_a_description_or_a_value_error(inner):
    try:
        made = from_json(json.dumps({"schema": records.SCHEMA, "type": "Queue", "name": inner}))
    except ValueError:
        return
    assert isinstance(made, Record)


def test_a_document_of_another_kind_or_too_long_is_refused(monkeypatch):
    with pytest.raises(ValueError, match="type is 'Fifo'; allowed: Port"):
        p.Port.from_json(p.Fifo().to_json())
    monkeypatch.setattr(records, "MAX_JSON_CHARACTERS", 10)
    with pytest.raises(ValueError, match="has 44 characters; allowed: at most 10"):
        from_json(p.Fifo().to_json())
