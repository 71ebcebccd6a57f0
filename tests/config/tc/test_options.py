"""The one table of options: what is written by it is read by it."""

import pytest

from qoslib.config.tc.command import Command
from qoslib.config.tc.options import KINDS, Options, options_of, take_options, words_of

#: A value of each sort; those of netem are never written.
VALUES = {
    "rate": 8e6, "rate or share": 8e6, "size": 1500, "time": 0.005, "count": 7, "packets": 9,
    "hex": 31, "share": 0.02, "word": "x", "words": ("1", "2"), "flag": True,
}  # fmt: skip


@pytest.mark.parametrize(("thing", "kind"), KINDS)
def test_each_option_is_read_as_it_is_written(thing, kind):
    table = KINDS[thing, kind]
    values = {name: VALUES[each.sort] for name, each in table.items() if each.sort in VALUES}
    _, *words = words_of(thing, kind, **values).split()
    if thing == "action":
        options = Options(table)
        while words:
            assert take_options(options, words, 1, whole=True)
    else:
        options, unknown = options_of(Command(1, "", thing, "add", "", kind=kind, words=words))
        assert not unknown
    assert {name: given.value for name, given in options.items()} == values
    assert all(given.line == 1 for given in options.values())


def options_from(text):
    kind, *words = text.split()
    return options_of(Command(1, "", "qdisc", "add", "", kind=kind, words=words))[0]


def test_what_no_port_says_is_lost_in_the_order_of_the_table():
    options = options_from("tbf linklayer atm mpu 64 rate 1mbit burst 9k peakrate 2mbit")
    assert [each.split()[0] for each in options.lost()] == ["Without", "A", "Frames"]
    assert not options_from("tbf linklayer ethernet mpu 0 rate 1mbit").lost()
