"""What every dialect has in common: facts that the reader states, and the lines of a text."""

import pytest

from qoslib.config import read, write
from sample_texts import NX_FABRIC, TEXTS

STATED = {"overhead_bytes": 4.0, "base_delay_s": 1e-3, "transmit_ring_packets": 9}
FACTS = {"line_rate_bps": 1e9, "buffer_bytes": 1e6, **STATED}
#: On NX-OS queues need classes and policies of their own type.
#: What pagers show, and how terminals overwrite it.
PAGERS = {
    "backspaces": " --More-- " + 9 * "\b" + 8 * " " + 9 * "\b",
    "returns": " --More-- \r" + 10 * " " + "\r",
    "erased": "\x1b[7m--More--\x1b[27m\r\x1b[K",
    "moved back": "\x1b[7m--More--\x1b[m" + "\x1b[8D\x1b[K",
    "spaces alone": " --More-- " + 8 * " ",
    "Junos": "---(more 45%)---\r" + 40 * " " + "\r",
}
WITH_PORTS = {**TEXTS, "nxos": NX_FABRIC}


@pytest.mark.parametrize("name", WITH_PORTS)
def test_a_stated_fact_counts_in_every_dialect(name):
    found = read(WITH_PORTS[name], facts=FACTS, dialect=name.split()[0])
    assert found.ports
    for configured in found:
        assert {fact: getattr(configured.port, fact) for fact in STATED} == STATED
        assert configured.origin("transmit_ring_packets").fact == "transmit_ring_packets"


def test_sr_os_keeps_a_transmit_ring_as_a_fact():
    (configured, *_) = read(TEXTS["sros"], facts=FACTS, dialect="sros")
    written = write(configured.port, "sros")
    assert dict(written.facts)["transmit_ring_packets"] == 9
    assert not any("ring" in each for each in written.lost)


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_has_as_many_lines_in_every_dialect(name):
    text, dialect = TEXTS[name].removesuffix("\n"), name.split()[0]
    for ended in (text, f"{text}\n"):
        assert read(ended, facts=FACTS, dialect=dialect).lines == len(text.split("\n"))


@pytest.mark.parametrize("pager", PAGERS.values(), ids=PAGERS)
@pytest.mark.parametrize("name", TEXTS)
def test_a_line_overwrites_what_a_pager_shows(name, pager):
    lines, dialect = TEXTS[name].split("\n"), name.split()[0]
    whole = read(TEXTS[name], facts=FACTS, dialect=dialect)
    for ended in ("\n", "\r\n"):
        paged = [pager + line if line and not at % 4 else line for at, line in enumerate(lines)]
        assert read(ended.join(paged), facts=FACTS, dialect=dialect) == whole
