"""Halves of characters in a configuration: a finding at most, and never an error of ours."""

from random import Random

import pytest

from qoslib.findings import check
from sample_texts import TEXTS

HALVES = ("\ud800", "\udbff", "\udc00", "\udfff", "\udfff\ud800")
#: In JSON an escape says the same, and its reader gives it back as it is.
ESCAPES = ("\\ud800", "\\udfff", "\\ud83d\\ud83d")
JSON = ("tc -j", "sonic")


@pytest.mark.parametrize("name", TEXTS)
def test_a_lone_surrogate_anywhere_is_read_as_what_could_not_be_decoded(name):
    random, text = Random(f"surrogates {name}"), TEXTS[name]
    for _ in range(60):
        damaged = text
        for _ in range(random.choice((1, 1, 3))):
            at = random.randrange(len(damaged) + 1)
            half = random.choice(HALVES + ESCAPES * (name in JSON))
            damaged = damaged[:at] + half + damaged[at:]
        report = check(damaged, facts={"line_rate_bps": 1e9}, dialect=name.split()[0])
        assert report.to_json().encode()


def test_a_line_that_is_not_understood_keeps_its_number():
    text = "policy-map P\n class class-default\n  wrong\udc80 1\n"
    report = check(text, dialect="ios-xe")
    assert [(each.line, each.text) for each in report.remarks] == [(3, "wrong\ufffd 1")]


def test_comments_with_half_a_character_are_no_error():
    text = TEXTS["ios-xe"] + "! qoslib: ignore pol\udc80icer, loss \udfff\n"
    assert check(text).to_json().encode()
