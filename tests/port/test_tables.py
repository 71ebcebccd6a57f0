"""Records that describe print as tables: all of their queues, streams and hosts, and no markup."""

import pytest

from qoslib import tables
from qoslib.flows import Flow, Host
from qoslib.platforms import PLATFORMS, platform
from qoslib.port import Chain, Forwarder, Hop, PacketLimit, Port, Queue, Shaper
from qoslib.record import from_json
from qoslib.scenario import Scenario
from qoslib.traffic import Poisson, Stream

pytestmark = pytest.mark.newer

PORT = Port("<uplink>", 1e9, (Queue("<i>", PacketLimit(64), shaper=Shaper(1e6, 9)),))
HOST = Host("sender", 1e9, (Flow("f", 0.05, mark="x"),), burst_packets=7)
STREAMS = (Stream("voice", 2e6, 200, Poisson()), Stream("data", 0.0, ecn=True))
CHAIN = Chain("way", (Hop(Forwarder("cpu", PORT.queues[0], 1e-6), ("voice",)), Hop(PORT)))
#: Record -> what its text has.
SHOWN = {
    PORT: ("Port '<uplink>', 1 Gbit/s", "PacketLimit(packets=64)", "Shaper(rate_bps=1000000.0"),
    CHAIN: (
        "Chain 'way'",
        "cpu         voice",
        "<uplink>      all",
        "'cpu', 1 µs per packet",
        "1 Gbit/s",
    ),
    Scenario("s", PORT, STREAMS): ("1 s after 0 s of warm-up", "voice", "Poisson()", "1 Gbit/s"),
    Scenario("s", PORT, (), hosts=(HOST,)): ("Scenario 's'", "Host 'sender'", "burst_packets: 7"),
}


@pytest.mark.parametrize("record", SHOWN, ids=lambda each: type(each).__name__)
def test_a_description_prints_as_a_table_and_its_repr_makes_it_again(record):
    for text in SHOWN[record]:
        assert text in str(record)
    assert max(map(len, str(record).splitlines())) <= 140
    page = record._repr_html_()
    assert "<i>" not in page
    assert "<uplink>" not in page
    assert page.count("<table>") == page.count("</table>") == len(list(record._tables()))
    assert repr(record).startswith(f"{type(record).__name__}(name=")
    assert from_json(record.to_json()) == record


@pytest.mark.parametrize("name", PLATFORMS)
def test_every_published_experiment_prints(name):
    for experiment in platform(name).experiments().values():
        scenario = experiment.scenario
        for queue in getattr(scenario.network, "queues", ()):
            assert queue.name in str(scenario)
        assert all(stream.name in str(scenario) for stream in scenario.streams)


@pytest.mark.parametrize(
    ("quantity", "value", "text"),
    [
        ("rate_bps", 0.0, "0 Mbit/s"),
        ("rate_bps", 999.0, "999 bit/s"),
        ("rate_bps", 2.5e9, "2.5 Gbit/s"),
        ("delay_mean_s", 1e-10, "0.1 ns"),
        ("delay_mean_s", 72.4e-6, "72.4 µs"),
        ("limit_bytes", 9000, "9000 B"),
        ("sent_pps", 1234.5, "1.234 kpackets/s"),
        ("weight", 3.0, "3"),
        ("rate_bps", float("nan"), "- Mbit/s"),
    ],
)
def test_numbers_stand_in_the_units_that_people_use(quantity, value, text):
    assert tables.format_quantity(quantity, value) == text


def test_long_texts_and_tables_are_cut_and_lines_joined():
    rows = [["x" * 500, "a\nb"]] * 100
    text = str(tables.Table("t\t" * 100, ["one", "two"], rows, ["r " * 1000]))
    assert len(text.splitlines()) < 50
    assert max(map(len, text.splitlines())) <= 100
    assert "a b" in text
    assert "... 69 more" in text
    assert tables.Table("", ["one"], rows).html().count("<tr>") == tables.MOST_ROWS + 1
