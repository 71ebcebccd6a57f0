"""Descriptions: made only valid, equal by value, printed briefly, through JSON and back."""

import dataclasses
import math
import re
import typing

import numpy as np
import pytest

from offenders import hold
from qoslib import flows, traffic
from qoslib import port as p
from qoslib.config import Configuration, Statement
from qoslib.record import Record, Within, checked, from_json, record
from records import EXAMPLES, QUEUE

pytestmark = pytest.mark.newer


def test_there_is_an_example_of_every_kind():
    rooms = ("qoslib.port", "qoslib.traffic", "qoslib.flows")
    kinds = {kind for kind in Record.kinds.values() if kind.__module__.startswith(rooms)}
    assert kinds == {type(example) for example in EXAMPLES}


def wrong_values(hint):
    """Values that a field of this type must refuse."""
    if typing.get_origin(hint) is typing.Annotated:
        base, within = typing.get_args(hint)
        below = math.nextafter(within.low, -math.inf) if base is float else int(within.low) - 1
        yield within.low if within.open_low else below
        if math.isfinite(within.high):
            above = math.nextafter(within.high, math.inf)
            yield above if base is float else int(within.high) + 1
        hint = base
    if hint in (int, float):
        yield from (math.nan, math.inf, -math.inf, 10**400, "many", True, None)
    elif hint is bool:
        yield from (1, "true")
    else:
        yield from (object(), -1.5)


def fields():
    """Yield (name, example, field, type of it) of every field of every kind."""
    for example in EXAMPLES:
        kind = type(example)
        hints = typing.get_type_hints(kind, include_extras=True)
        for field in dataclasses.fields(example):
            yield f"{kind.__name__}.{field.name}", example, field.name, hints[field.name]


def test_a_wrong_value_names_field_value_and_what_is_allowed():
    def refused(name, example, field, wrong):
        with pytest.raises(ValueError, match=r"\w+\.\w+ is .*; allowed: .+") as raised:
            example.replace(**{field: wrong})
        assert f"{name} is " in str(raised.value)
        assert repr(wrong)[:16] in str(raised.value)

    hold(
        refused,
        [
            (f"{name} = {wrong!r:.20}", name, example, field, wrong)
            for name, example, field, hint in fields()
            for wrong in wrong_values(hint)
        ],
    )


def test_every_kind_is_frozen():
    def frozen(example, field, _):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(example.replace(), field, None)

    hold(frozen, fields())


#: One of every kind, below the name of its kind.
NAMED = [(type(example).__name__, example) for example in EXAMPLES]


def again(example):
    """What the printed text of a description makes."""
    return eval(repr(example), {**vars(p), **vars(traffic), **vars(flows)})


def test_every_kind_is_printed_as_the_call_that_makes_it():
    def printed(example):
        assert again(example) == example

    hold(printed, NAMED)


def test_equal_descriptions_have_one_hash():
    def hashed(example):
        assert hash(again(example)) == hash(example)

    hold(hashed, NAMED)


def test_every_kind_comes_back_from_json():
    def back(example):
        assert from_json(example.to_json()) == example

    hold(back, NAMED)


def test_a_repr_leaves_out_defaults():
    assert repr(QUEUE) == "Queue(name='q', limit=PacketLimit(packets=10))"


def test_numbers_of_numpy_become_plain():
    made = p.TimeLimit(np.float32(0.5)), p.PacketLimit(np.int64(3))
    assert [type(made[0].time_s), type(made[1].packets)] == [float, int]
    assert traffic.Trace(np.array([0.0, 1.0]), np.array([64, 64])).frames_bytes == (64, 64)


def test_a_whole_number_may_come_with_a_point():
    made = p.Policer(10e6, 56250.0)
    assert (made.burst_bytes, type(made.burst_bytes)) == (56250, int)
    assert traffic.Trace((0.0, 1.0), np.array([64.0, 1518.0])).frames_bytes == (64, 1518)
    assert from_json(made.to_json().replace("56250", "56250.0")) == made
    for wrong in (56250.5, True, math.nan, math.inf):
        with pytest.raises(ValueError, match=r"burst_bytes is .*; allowed: a whole number$"):
            p.Policer(10e6, wrong)


def kinds_of(hint):
    """The kinds of record that a field may be of, where there is a choice."""
    options = tuple(each for each in typing.get_args(hint) or (hint,) if isinstance(each, type))
    kinds = [kind for kind in Record.kinds.values() if issubclass(kind, options)]
    return kinds if len(kinds) > 1 else []


def named_by_a_text(example, field, hint, kind):
    with pytest.raises(ValueError, match=r"is '\?'; allowed: .+") as raised:
        example.replace(**{field: "?"})
    allowed = str(raised.value)
    assert kind.__name__ in allowed
    short = re.sub("(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()
    if any(f.default is dataclasses.MISSING for f in dataclasses.fields(kind)):
        assert repr(short) not in allowed
    else:
        assert repr(short) in allowed
        for text in (short, kind.__name__, short.replace("_", "-"), short.upper()):
            assert checked(hint, text, "a field") == kind()


def test_a_text_names_a_kind_that_needs_no_arguments():
    cases = []
    for name, example, field, _ in fields():
        hint = typing.get_type_hints(type(example))[field]
        cases += [(f"{name}-{k.__name__}", example, field, hint, k) for k in kinds_of(hint)]
    hold(named_by_a_text, cases)


def test_short_forms_of_the_descriptions_that_people_write():
    assert traffic.Stream("s", 1e6, arrivals="poisson").arrivals == traffic.Poisson()
    assert flows.Flow("f", 0.05, "cubic", "timeout_only").recovery == flows.TimeoutOnly()
    assert p.Queue("q", p.PacketLimit(1), "Codel").dropper == p.Codel()
    assert p.Port("p", 1e6, (QUEUE,), scheduler="strict priority").scheduler == p.StrictPriority()


def test_a_changed_copy_keeps_nothing_that_was_worked_out_of_the_old_fields():
    before = Configuration("ios", statements=(Statement(1, "interface Gi0/1"),))
    assert before.headers == {1: "Gi0/1"}
    after = before.replace(statements=(Statement(7, "interface Gi0/2"),))
    assert after.headers == {7: "Gi0/2"}


def test_a_field_that_is_not_there_is_named_with_those_that_are():
    said = r"Queue has no field 'weigth'; allowed: name, limit, .*weight"
    with pytest.raises(TypeError, match=said):
        QUEUE.replace(weigth=2)


def test_a_field_may_be_of_any_kind_that_has_a_base():
    class Base(Record, family=True):
        pass

    @record
    class _One(Base):
        size: int = 1

    @record
    class _Two(Base):
        size: int

    @record
    class _Holder(Record):
        held: Base = _One()

    try:
        assert _Holder(_Two(3)).held == _Two(3)
        assert _Holder("one").held == _One(1)
        assert from_json(_Holder(_Two(2)).to_json()) == _Holder(_Two(2))
        for wrong in ("two", 5, None, QUEUE):
            with pytest.raises(ValueError, match=r"held is .*; allowed: _One or _Two, or '_one'"):
                _Holder(wrong)
        assert "Base" not in Record.kinds
    finally:
        for name in ("_One", "_Two", "_Holder"):
            del Record.kinds[name]


def test_a_range_prints_as_it_is_checked():
    assert str(Within()) == "any finite number"
    assert str(Within(0)) == "0 or more"
    assert str(Within(0, open_low=True)) == "above 0"
    assert str(Within(0, 1e12)) == "0 to 1e12"
    assert str(Within(1, 65_535)) == "1 to 65,535"
    assert str(Within(0.5, 1, open_high=True)) == "at least 0.5 and below 1"
    assert str(Within(0, 1, open_low=True)) == "above 0 and up to 1"
    assert str(Within(high=1)) == "up to 1"
    assert math.inf not in Within(0)
    assert 0 not in Within(0, 1, open_low=True)
    assert 1 not in Within(0, 1, open_high=True)


def test_a_tuple_of_fixed_length_counts_its_values():
    @record
    class _Pair(Record):
        pair: tuple[int, int]

    del Record.kinds["_Pair"]
    assert _Pair([1, 2]).pair == (1, 2)
    with pytest.raises(ValueError, match=r"_Pair.pair is \(1,\); allowed: 2 values"):
        _Pair((1,))


def test_a_default_of_another_type_is_kept_in_that_of_its_field():
    @record
    class _Meter(Record):
        delay_s: float = 0
        levels: tuple[float, ...] = (1, 2)

    del Record.kinds["_Meter"]
    for made in (_Meter(), _Meter(levels=(1, 2)), _Meter(5).replace(delay_s=0)):
        assert repr(made.levels) == "(1.0, 2.0)"
        assert repr(made.delay_s) == "0.0"
