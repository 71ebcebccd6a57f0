"""traffic.toml: an engineer's words as streams and flows, with arithmetic and clear errors."""

import pytest

from edges import LIMIT, POLICER, edge
from qoslib import units
from qoslib.checks.loads import loads
from qoslib.checks.promises import promises
from qoslib.config import ConfigurationError, ConfiguredClass, ConfiguredPort
from qoslib.config.amounts import parse_amount, rate_text, size_text, time_text
from qoslib.config.guarantees import capacity_bps
from qoslib.port import (
    DeficitRoundRobin,
    ModifiedDrr,
    PeakRate,
    Policer,
    Port,
    Queue,
    Shaper,
    StartTimeFairQueueing,
    StrictPriority,
    TimeLimit,
    WeightedRoundRobin,
)


def one(text, name="VIDEO", counters=None):
    return next(each for each in loads(edge(), text, counters) if each.name == name)


def test_calls_are_frames_with_headers():
    voice = one('VOICE = "40 calls G.711"', "VOICE")
    # 160 B of speech + 40 B of RTP, UDP, IP + 18 B of Ethernet, 50 times per second.
    assert voice.rate_bps == pytest.approx(40 * 218 * 8 * 50)
    assert (voice.origin, voice.line, voice.frame_bytes) == ("computed", 1, 218)
    assert voice.streams[0].mark == "EF"
    assert one('VOICE = "10 G729 calls"', "VOICE").rate_bps == pytest.approx(10 * 31_200)


def test_the_codecs_are_those_of_the_e_model():
    from qoslib.quality import G711, G729

    for codec, written in ((G711, "G.711"), (G729, "G.729")):
        headers_bytes = 58
        bits = units.bits(codec.payload_bytes + headers_bytes)
        voice = one(f'VOICE = "1 calls {written}"', "VOICE")
        assert voice.rate_bps == pytest.approx(bits / codec.packet_s)


def test_rates_video_tcp_and_lists():
    assert one('VIDEO = "6 Mb/s of 200 B"').frame_bytes == 200
    video = one('VIDEO = ["6 Mb/s video at 25/s", "500 kbps"]')
    assert video.rate_bps == 6.5e6
    assert video.streams[0].arrivals.tick_s == 0.04
    assert "30,000 B" in video.arithmetic
    bulk = one('class-default = "3 bulk TCP, 20 ms"', "class-default")
    assert [flow.round_trip_s for flow in bulk.flows] == [0.02] * 3
    assert bulk.flows[0].mark == "the rest"
    assert bulk.text == "3 TCP"
    assert one('VIDEO = "1 Gb/s of IMIX"').frame_bytes == pytest.approx(4342 / 12)
    assert one('VIDEO = "80 % of its minimum"').rate_bps == pytest.approx(0.8 * 27.5e6)


def test_without_a_text_counters_say_it_and_else_each_class_has_its_minimum():
    assert [each.rate_bps for each in loads(edge())] == [10e6, 27.5e6, 12.5e6]
    assert {each.origin for each in loads(edge())} == {"assumed"}
    counted = loads(edge(), None, {"VIDEO": 7e6})
    assert [each.origin for each in counted] == ["assumed", "counters", "assumed"]
    assert one('VIDEO = "what the counters say"', counters={"VIDEO": 7e6}).rate_bps == 7e6


def test_a_class_that_is_not_named_sends_nothing():
    assert one('VOICE = "40 calls G.711"').streams == ()


def test_targets_and_tables_of_interfaces():
    text = 'VIDEO = "6 Mb/s"\n[targets]\nVIDEO = "p99 20 ms"\n["Gi0/0/1"]\nVIDEO = "7 Mb/s"\n'
    video = one(text)
    assert (video.target_s, video.rate_bps) == (0.02, 7e6)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('\nVIDEO = "40 calls G.999"', 2, "G.711"),
        ('VIDEO = "much"', 1, "40 calls G.711"),
        ('VIDEO = "6.1.2 Mb/s"', 1, "digits"),
        ('VIDEO = "6 MB/s"', 1, "small b"),
        ("VIDEO = 6", 1, "40 calls G.711"),
        ("VIDEO = []", 1, "40 calls G.711"),
        ('VIDEO = "0 bulk TCP, 20 ms"', 1, "1 to 1000"),
        (
            'VIDEO = ["900 TCP, 20 ms", "101 TCP, 20 ms"]',
            1,
            "more streams and TCP flows; allowed: up to 1,000",
        ),
        ('VIDEO = "bulk TCP, 20 m"', 1, "ms"),
        (
            'VIDEO = "2 bulk TCP, 30"',
            1,
            "round trip of VIDEO is '30'; allowed: a time with its unit",
        ),
        ('VIDEO = "2 bulk TCP, 30 s"', 1, "round trip of VIDEO is '30 s'; allowed: 10 µs to 10 s"),
        ('VIDEO = "2 bulk TCP, 1 us"', 1, "round trip of VIDEO is '1 us'; allowed: 10 µs to 10 s"),
        ('VIDEO = "6 Mb/s of 0 B"', 1, "1 or more"),
        ('VIDEO = "6 Mb/s video at 0/s"', 1, "above 0"),
        ('VIDEO = "what the counters say"', 1, "--measured"),
        ('VIDEO = "6 Mb/s"\nVDEO = "1 Mb/s"', 2, "VOICE, VIDEO, class-default"),
        ("VIDEO = 6 Mb/s", 1, "VOICE ="),
        ('VIDEO = "1 Mb/s"\n[targets]\nVIDEO = "soon"', 3, "s, ms, us"),
        ('targets = "20 ms"', 1, "[targets]"),
    ],
)
def test_an_error_names_the_line_and_what_is_allowed(text, line, says):
    with pytest.raises(ConfigurationError) as caught:
        loads(edge(), text)
    assert caught.value.line == line
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "words",
    [
        "25,5 Mb/s video",
        "25,5 Mb/s",
        "1,500 kb/s",
        "1,000 calls G.711",
        "6 Mb/s of 1,000 B",
        "6 Mb/s video at 29,97/s",
        "1,5 % of its minimum",
        "2 bulk TCP, 30,5 ms",
        "1,2 TCP, 30 ms",
    ],
)
def test_a_number_with_a_comma_is_refused(words):
    with pytest.raises(ConfigurationError) as caught:
        loads(edge(), f'VIDEO = "{words}"')
    said = f"traffic of VIDEO is '{words}'; allowed: numbers without a comma"
    assert said in str(caught.value)
    assert "a point is the decimal sign (25.5)" in str(caught.value)
    with pytest.raises(ConfigurationError, match=r"20,5 ms.*without a comma"):
        loads(edge(), 'VIDEO = "6 Mb/s"\n[targets]\nVIDEO = "20,5 ms"')


def test_a_comma_between_words_and_round_trips_at_the_ends_of_the_range_are_read():
    assert one('VIDEO = "6.5 Mb/s, cbr"').rate_bps == 6.5e6
    trips = "TCP, 10 us", "bulk TCP,30.5ms", "3 TCP flows, 10 s"
    assert [one(f'VIDEO = "{each}"').flows[0].round_trip_s for each in trips] == pytest.approx(
        [1e-5, 0.0305, 10]
    )


def test_minima_of_a_tree_are_guarantees_and_a_share_of_what_is_left():
    voice, video, rest = promises(edge())
    assert (voice.minimum_bps, voice.maximum_bps) == (10e6, 10e6)
    # 50 - 10 - 15 = 25 is shared by two classes of one weight: 12.5 each.
    assert (video.minimum_bps, video.maximum_bps) == (15e6 + 12.5e6, 50e6)
    assert video.minimum_why == "15 Mb/s guaranteed + 25 Mb/s left / 2"
    assert rest.minimum_bps == 12.5e6
    assert "50 Mb/s - 10 Mb/s - 15 Mb/s = 25 Mb/s" in rest.minimum_why
    assert video.queue_s == pytest.approx(64 * 1518 * 8 / 27.5e6)
    assert capacity_bps(edge().port) == 50e6


def test_a_shaper_of_a_class_limits_what_it_gets():
    queues = edge().port.queues
    shaped = queues[2].replace(shaper=Shaper(2e6, 9000))
    _, _, rest = promises(edge(queues=(*queues[:2], shaped)))
    assert (rest.minimum_bps, rest.maximum_bps) == (2e6, 2e6)


def test_a_policed_queue_is_served_faster_than_it_is_filled():
    voice, video, _ = promises(edge())
    # 64 packets of 1518 B, served first at the 50 Mb/s of the shaper.
    assert voice.queue_s == pytest.approx(64 * 1518 * 8 / 50e6)
    assert (voice.minimum_bps, voice.served_bps, video.served_bps) == (10e6, 50e6, 27.5e6)


def test_a_limit_above_the_line_rate_is_none():
    fast = edge().port.queues[0].replace(policer=Policer(16e9, 9000))
    _, _, rest = promises(edge(queues=(fast, *edge().port.queues[1:])))
    assert "strict priority without a limit" in rest.minimum_why


def test_strict_priority_without_a_limit_leaves_nothing():
    port = edge().port
    queues = (port.queues[0].replace(policer=None), *port.queues[1:])
    _, video, rest = promises(edge(queues=queues))
    assert video.minimum_why == "nothing: VOICE has strict priority without a limit"
    assert video.minimum_bps == 0
    assert rest.minimum_bps == 0
    assert rest.queue_s is None


FLAT = [
    (StrictPriority(), [10e6, 45e6, 45e6]),
    (StartTimeFairQueueing(), [10e6, 30e6, 60e6]),
    (WeightedRoundRobin(), [10e6, 30e6, 60e6]),
    (DeficitRoundRobin(), [10e6, 30e6, 60e6]),
    (ModifiedDrr("a"), [10e6, 30e6, 60e6]),
]


@pytest.mark.parametrize(("scheduler", "wanted"), FLAT, ids=lambda each: type(each).__name__)
def test_minima_of_flat_ports(scheduler, wanted):
    queues = (
        Queue("a", LIMIT, policer=POLICER, quantum_bytes=1500),
        Queue("b", LIMIT, priority=1, quantum_bytes=1500),
        Queue("c", LIMIT, priority=1, weight=2.0, quantum_bytes=3000),
    )
    port = Port("out", 100e6, queues, scheduler)
    classes = tuple(ConfiguredClass(queue.name, queue.name) for queue in queues)
    got = [each.minimum_bps for each in promises(ConfiguredPort("x", "out", port, classes))]
    assert got == pytest.approx(wanted)


def test_what_a_queue_holds_and_what_a_policer_lets_through():
    two = Policer(1e6, 9000, excess=PeakRate(2e6, 9000), exceed="pass")
    queue = Queue("a", TimeLimit(0.1, "line"), policer=two)
    (got,) = promises(
        ConfiguredPort("x", "out", Port("out", 10e6, (queue,)), (ConfiguredClass("a", "a"),))
    )
    assert got.held_bytes == 125_000
    assert (got.maximum_bps, got.maximum_why) == (2e6, "its policer")


def test_of_several_kinds_of_frames_the_largest_fill_a_queue():
    mixed = one('class-default = ["5 Mb/s of IMIX", "2 TCP, 30 ms"]', "class-default")
    assert mixed.frames_bytes == pytest.approx((4342 / 12, 1518))
    _, _, rest = promises(edge(), {mixed.name: mixed.frames_bytes})
    assert (rest.held_bytes, rest.held_why) == (64 * 1518, "64 packets of up to 1,518 B")
    alone = one('class-default = "5 Mb/s of IMIX"', "class-default")
    _, _, rest = promises(edge(), {alone.name: alone.frames_bytes})
    assert rest.held_why == "64 packets of 362 B"


def test_amounts():
    assert [parse_amount(text, "bit/s") for text in ("50M", "5e7", "50 Mb/s")] == [50e6] * 3
    assert parse_amount("2 Gb", "bit/s") == 2e9
    with pytest.raises(ValueError, match="small b"):
        parse_amount("6 MB/s", "bit/s")
    assert [rate_text(0), rate_text(12), rate_text(999e9)] == ["0", "12 b/s", "999 Gb/s"]
    assert [time_text(0), time_text(0.00025), time_text(16)] == ["0 ms", "250 µs", "16 s"]
    assert size_text(2500) == "2,500 B"
    with pytest.raises(ValueError, match="s, ms, us"):
        parse_amount("20 parsec", "s")
    for text in ("25,5M", "1,000,000"):
        with pytest.raises(ValueError, match=f"{text}.*without a comma: a point is the decimal"):
            parse_amount(text, "bit/s")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("6 Mb/s of 10 B", "allowed: 40 B to 9,216 B"),
        ("6 Mb/s of 20000 B", "a frame of class 'VIDEO' has 20,000 B"),
        ("25000 Gb/s", "allowed: up to 1,000 times the line rate of 1 Gb/s"),
    ],
)
def test_frames_and_rates_that_nobody_means_are_one_error(words, part):
    with pytest.raises(ConfigurationError, match=part) as error:
        loads(edge(), f'VOICE = "nothing"\nVIDEO = "{words}"')
    assert error.value.line == 2
