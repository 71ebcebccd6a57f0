"""Damaged configurations of IOS XR, NX-OS and EOS give a reading or one error."""

from random import Random

import pytest

from mqc_texts import damaged
from qoslib.config import Configuration, ConfigurationError, read
from sample_texts import NX_FABRIC, ROCE, XR_CORE

TEXTS = {"ios-xr": XR_CORE, "nxos": NX_FABRIC, "eos": ROCE}
FACTS = {"line_rate_bps": 1e9, "buffer_bytes": 1e6}


def reading(text, dialect, facts):
    """The error of a text or None, and what was read."""
    try:
        return None, read(text, facts=facts, dialect=dialect)
    except ConfigurationError as error:
        return error, Configuration(dialect)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("dialect", TEXTS)
def test_damage_gives_a_reading_or_one_error(dialect, seed):
    random = Random(f"{dialect} {seed}")
    for _ in range(30):
        text = damaged(TEXTS[dialect], random)
        problem, found = reading(text, dialect, random.choice((FACTS, None)))
        assert len(str(problem)) < 1000
        spoken = [each.line for each in (*found.statements, *found.remarks)]
        assert all(1 <= line <= found.lines for line in spoken)
