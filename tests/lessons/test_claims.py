"""Numbers in the text of the lessons that no cell shows come out of the models and the data."""

from functools import lru_cache

import nbformat
import pytest

from livelab import lesson
from places import ROOT
from qoslib import Scenario, compare, fluid, measurements, packets, run, tcp, units
from qoslib.lessons import one_queue, your_network
from qoslib.platforms import catalyst6506, gsr12000, m120, mx80, mx150, platform
from qoslib.port import ByteLimit, Chain, Hop, PacketLimit, Pause, Red, Sampled, TailDrop

NOTEBOOKS = ROOT / "notebooks"


def value(table, experiment, stream, quantity):
    """One published value."""
    rows = measurements.load(table).query(
        "experiment == @experiment and stream == @stream and quantity == @quantity"
    )
    return rows["value"].iloc[0]


def said(lesson):
    """The text of a lesson, without its code."""
    path = next(NOTEBOOKS.glob(f"{lesson}_*.ipynb"))
    cells = nbformat.read(path, as_version=4).cells
    return " ".join(" ".join(c.source for c in cells if c.cell_type == "markdown").split())


def test_lesson_00_the_port_of_the_complaint_has_these_counters():
    complaint = one_queue.bursts()
    counted = packets.simulate(complaint.network, complaint.streams, complaint.duration_s)["data"]
    link_pps = units.rate_pps(complaint.network.rate_bps, 1490 + 24)
    assert counted.offered_pps / link_pps == pytest.approx(0.30, abs=0.01)
    assert counted.drop_ratio == pytest.approx(0.42, abs=0.01)


def test_lesson_01_the_excess_of_the_base_test_goes_to_nc_and_cs1():
    base = m120.PLATFORM.experiments()["base"]
    line_bps, offered = base.port.rate_bps, m120.SHARES["base"]
    sure = {q.name: min(offered[q.name], q.guaranteed_bps / line_bps) for q in base.port.queues}
    assert 1 - sum(sure.values()) == pytest.approx(0.22)
    result = fluid.solve(base.port, base.streams)
    line_pps = units.rate_pps(line_bps, m120.FACTS.frame_bytes + m120.FACTS.gap_bytes)
    excess = {name: result[name].sent_pps / line_pps - sure[name] for name in m120.CLASSES}
    assert excess["NC"] == pytest.approx(0.01)
    assert excess["CS1"] == pytest.approx(0.21)


@pytest.mark.parametrize("cs1", [0.15, 0.2, 0.25, 0.4, 0.8])
@pytest.mark.parametrize("be", [0.05, 0.25, 0.5])
def test_lesson_01_a_class_waits_for_100_ms_times_the_share_that_gets_through(cs1, be):
    loads = m120.SHARES["base"] | {"CS1": cs1, "BE": be}
    result = fluid.solve(m120.port(), m120.streams(loads))
    for name in ("CS1", "BE"):
        through = 1 - result[name].drop_ratio
        if through < 1 - 1e-9:
            expected_s = through * m120.FACTS.delay_buffer_s + m120.FACTS.transit_s
            assert result[name].delay_mean_s == pytest.approx(expected_s, abs=units.us(2))
    assert "100 ms times the share of its packets that gets through" in said("01")


def test_lesson_01_with_equal_loads_priority_makes_the_delays_differ():
    base = m120.PLATFORM.experiments()["base"]
    assert m120.SHARES["base"]["CS1"] == m120.SHARES["base"]["BE"]
    result = fluid.solve(base.port, base.streams)
    assert result["CS1"].delay_mean_s > 20 * result["BE"].delay_mean_s
    assert "whatever its priority" not in said("01")


def test_lesson_01_cs2_may_hold_what_its_guaranteed_rate_sends_in_100_ms():
    edge = m120.PLATFORM.experiments()["scenario1"]
    guaranteed = {
        queue.name: queue.guaranteed_bps / edge.port.rate_bps for queue in edge.port.queues
    }
    offered = m120.SHARES["scenario1"]
    assert (guaranteed["CS3"], offered["CS3"]) == pytest.approx((0.34, 0.25))
    expected_ms = 100 * guaranteed["CS2"] / offered["CS2"]
    rates = [stream.rate_bps * (1 - 4e-4) for stream in edge.streams]
    delay_s = fluid.solve(edge.port, edge.streams, rates)["CS2"].delay_mean_s
    assert units.convert(delay_s, "s", "ms") == pytest.approx(expected_ms, rel=2e-3)
    assert f"63 / 23 × 100 ms = {expected_ms:.0f} ms" in said("01")
    assert "as many as its guaranteed rate sends in that time" in said("01")
    assert "CS3 is guaranteed 34 % and gets all of its load of 25 %" in said("01")


def test_lesson_01_says_that_the_report_limits_the_buffer_to_100_ms():
    assert units.convert(m120.FACTS.delay_buffer_s, "s", "ms") == pytest.approx(100)
    assert "calls 100 ms the longest buffer of an interface on the M120" in said("01")


@pytest.mark.parametrize(("voice_bytes", "percent"), [(160, 27), (20, 74)])
def test_lesson_02_headers_are_a_share_of_a_voice_frame(voice_bytes, percent):
    ip_udp_rtp, ethernet = 20 + 8 + 12, 14 + 4
    headers = ip_udp_rtp + ethernet
    assert round(100 * headers / (headers + voice_bytes)) == percent
    assert f"{percent} % " in said("02")


def test_lesson_07_names_the_traffic_that_passes_by_the_class_of_htb():
    assert "its `htb` has no `default`" in said("07")
    assert "shapes everything that the host sends" not in said("07")


def test_lesson_12_best_effort_on_the_kernel_is_nearly_a_fifth_below_the_published():
    runs = lesson.measured("six_classes")
    kernel_ms = lesson.value(runs, "head", "BE")
    published_ms = value("m120_latency", "base", "BE", "latency")
    assert 0.18 < 1 - kernel_ms / published_ms < 0.2
    assert f"{kernel_ms:.2f} ms for BE, which is nearly a fifth less" in said("12")
    room = next(q for q in lesson.scenario(runs, "head").only_port.queues if q.name == "BE")
    assert room.limit == PacketLimit(4)
    seen_ms = (
        3.5
        / fluid.solve(
            lesson.scenario(runs, "head").only_port, lesson.scenario(runs, "head").streams
        )["BE"].offered_pps
    )
    assert units.convert(seen_ms, "s", "ms") == pytest.approx(kernel_ms, rel=0.05)
    assert "3.5 on average" in said("12")


@pytest.mark.parametrize("frames", [2, 3, 5, 20, 50, 100])
def test_lesson_13_a_queue_of_bytes_would_lose_less_of_the_calls(frames):
    today = your_network.way(your_network.configuration())
    router, carrier = today.network.hops
    queue = carrier.at.queues[0].replace(limit=ByteLimit(frames * 1518))
    in_bytes = Chain("way", (router, Hop(carrier.at.replace(queues=(queue,)))))
    assert run(today.replace(network=in_bytes))["VOICE"].drop_ratio < 0.09
    assert "one loss figure does not prove it" in said("13")


def test_no_lesson_before_12_and_no_opening_page_shows_what_12_asks():
    readme = (NOTEBOOKS.parent / "README.md").read_text()
    assert "best effort for 3" not in readme
    for path in NOTEBOOKS.glob("[01]*.ipynb"):
        if path.name >= "12":
            continue
        assert 'measured("six_classes")' not in path.read_text().replace('\\"', '"')


def test_lesson_01_the_configured_buffer_of_cs1_is_no_explanation():
    held_s = 0.24 * m120.FACTS.delay_buffer_s
    base = held_s / m120.SHARES["base"]["CS1"]
    line_mbps = units.convert(m120.FACTS.line_bps, "bit/s", "Mbit/s")
    profile1 = held_s / (m120.RATES_MBPS["profile1"]["CS1"] / line_mbps)
    assert (base, profile1) == pytest.approx((0.096, 1.2))
    assert value("m120_configuration", "configuration", "CS1", "buffer_size") == 24


def test_lesson_01_the_counters_of_scenario_1_do_not_show_the_generator():
    offered = fluid.solve(
        m120.PLATFORM.experiments()["scenario1"].port,
        m120.PLATFORM.experiments()["scenario1"].streams,
    )["CS2"].offered_pps
    assert offered == pytest.approx(191_411, abs=1)
    assert value("m120_counters", "scenario1", "CS2", "dropped") == 191_505 > offered


def test_lesson_01_a_hundredth_of_a_per_cent_is_80_packets_of_cs2():
    edge = m120.PLATFORM.experiments()["scenario1"]
    rates = [stream.rate_bps * (1 - 1e-4) for stream in edge.streams]
    assert fluid.solve(edge.port, edge.streams, rates)["CS2"].sent_pps == pytest.approx(80, abs=1)


def test_lesson_01_cs2_would_hold_twice_as_much_as_any_other_queue():
    on_line_bytes = m120.FACTS.frame_bytes + m120.FACTS.gap_bytes
    held = 0.219 * 191_411 * on_line_bytes
    assert held == pytest.approx(63e6, rel=0.01)
    base = m120.PLATFORM.experiments()["base"]
    cs1 = fluid.solve(base.port, base.streams)["CS1"].delay_mean_s * 208_056 * on_line_bytes
    assert cs1 < held / 2


def larger(quantum_bytes):
    """Test B with another quantum of the queue of Less Than Best Effort."""
    test = gsr12000.PLATFORM.experiments()["test_b"]
    queues = tuple(
        queue.replace(quantum_bytes=quantum_bytes) if queue.name == "queue3" else queue
        for queue in test.port.queues
    )
    return packets.simulate(test.port.replace(queues=queues), test.streams, 1.0)


def test_lesson_04_a_larger_quantum_would_give_lbe_the_delays_of_updates():
    others = sum(
        queue.quantum_bytes
        for queue in gsr12000.PLATFORM.experiments()["test_b"].port.queues
        if queue.name != "queue3"
    )
    needed = 86 / (2374.6 - 200 - 86) * others
    assert needed == pytest.approx(13_500, rel=0.01)
    result = larger(round(needed))
    found = [getattr(result["1A/prec0"], f"delay_{kind}_s") for kind in ("mean", "max")]
    assert found == pytest.approx([633e-6, 1298e-6], rel=0.01)
    table = measurements.load("gsr12000_results").query("experiment == 'test_b'")
    table = table.query("stream == '1A/prec0' and quantity == 'latency'").set_index("statistic")
    average_us, most_us = table.loc[["average", "maximum"], "value"]
    assert average_us > 1.8 * units.convert(found[0], "s", "us")
    assert most_us > 3.8 * units.convert(found[1], "s", "us")


def test_lesson_04_with_tail_drop_lbe_falls_back_to_its_quantum():
    test = gsr12000.PLATFORM.experiments()["test_b"]
    offered_bps = units.mbps(80)
    streams = (
        platform("gsr12000").experiments()["conclusion_lbe_limit"].ramp.streams_at(offered_bps)
    )

    def lost(port):
        result = run(Scenario("x", port, streams, 5.0, warmup_s=2.0))
        return 1 - sum(result[f"{n}/prec0"].sent_bps for n in ("1A", "1B")) / offered_bps

    queues = tuple(
        queue.replace(dropper=TailDrop()) if queue.name == "queue2" else queue
        for queue in test.port.queues
    )
    assert lost(test.port) == pytest.approx(0, abs=0.002)
    assert lost(test.port.replace(queues=queues)) == pytest.approx(1 - 24 / 80, abs=0.01)


@pytest.mark.parametrize(("engine", "test"), [("e2", "test_a"), ("e3", "test_b")])
def test_lesson_04_the_fitted_card_looks_from_time_to_time_and_keeps_no_average(engine, test):
    looks = {
        queue.dropper.averaging
        for queue in gsr12000.PLATFORM.experiments()[test].port.queues
        if isinstance(queue.dropper, Red)
    }
    period_us = {"e2": 140, "e3": 300}[engine]
    assert looks == {gsr12000.averaging("base", engine)}
    assert all(isinstance(look, Sampled) for look in looks)
    assert [look.period_s for look in looks] == pytest.approx([units.us(period_us)])
    assert f"{period_us} µs" in said("04")
    assert "The fitted model has no average at all" in said("04")


def test_nothing_of_lesson_04_says_that_the_card_averages_slowly():
    course = NOTEBOOKS.parent / "course"
    lesson = NOTEBOOKS.parent / "qoslib" / "lessons" / "early_drop"
    files = [*course.glob("*/04*.md"), *course.glob("*.*"), *lesson.glob("*.toml")]
    for path in files:
        text = " ".join(path.read_text().split())
        assert "slow average" not in text, path
        assert "average is slow" not in text, path


#: Of a prediction: words that would answer it, and are on the page only after it.
ANSWERS = {
    "06.c": ("more than 7 Gb/s", "from 6 to 36 MB", "5 to 8 Gb/s", "7.65"),
    "07.a": ("at full speed", "more than was set", "8.22"),
    "12.a": ("87.9", "3.26 ms"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_nothing_before_a_prediction_answers_it(name):
    path = next(NOTEBOOKS.glob(f"{name[:2]}_*.ipynb"))
    sources = [cell.source for cell in nbformat.read(path, as_version=4).cells]
    asked = next(at for at, text in enumerate(sources) if f'predict("{name}")' in text)
    before = " ".join(" ".join(sources[:asked]).split())
    assert not [words for words in ANSWERS[name] if words in before]


#: Corrections of fact whose wording must stay: lesson, words that are there, words that are not.
WORDINGS = [
    ("00", "logarithmic", "chooses the queue whose limit"),
    ("00", "TCP traffic comes in larger bursts", ""),
    ("05", "", "seldom the cause"),
    ("06", "Both are inferences, not findings", "must have hit small windows"),
    ("06", "`ssthresh`", "the source compares the routers"),
]


@pytest.mark.parametrize(("lesson", "there", "gone"), WORDINGS)
def test_a_correction_of_fact_stays(lesson, there, gone):
    text = said(lesson)
    assert there in text
    assert not gone or gone not in text


def test_the_feedback_of_01_q4_says_what_priority_does_to_the_buffer():
    quiz = (NOTEBOOKS.parent / "course" / "quiz.toml").read_text()
    assert "Priority does not change the buffer" not in quiz


def test_exercise_04_2_says_where_its_ramp_ends():
    assert "reaches 100 % at 500 packets" in said("04")


def test_exercise_03_4_asks_for_the_turns_of_the_others():
    assert "sum of the quanta of all *other* queues" in said("03")


def test_lesson_03_the_other_causes_of_premium_loss_lose_far_more_or_from_others():
    sent = sum(
        value("gsr12000_results", "test_b", f"{port}/prec{precedence}", "sent_packets")
        for port in ("1A", "1B")
        for precedence in (6, 3, 0)
    )
    assert sent == pytest.approx(54e6, rel=1e-6)
    test = gsr12000.PLATFORM.experiments()["test_b"]
    police = gsr12000.policer(0.0, 2000)
    queues = tuple(
        queue.replace(policer=police) if queue.policer else queue for queue in test.port.queues
    )
    run = packets.simulate(test.port.replace(queues=queues), test.streams, 1.0)
    premium = [run.streams.index(f"{port}/prec5") for port in ("1A", "1B")]
    share = run.packets.lost[premium].sum() / run.packets.offered[premium].sum()
    assert share == pytest.approx(0.2, abs=0.03)


@lru_cache
def published_gbps():
    """Frame size and published Gb/s of each row of lesson 05's table."""
    table = measurements.load("mx150_throughput").query("quantity == 'throughput'")
    return list(zip(mx150.FRAMES, table["value"], strict=True))


def rows_missed(packet_ns, byte_ns, gap_bytes):
    """Frame sizes whose published Gb/s such a forwarder and two full lines would not give."""
    line_bps = 2 * units.gbps(10)
    missed = []
    for size, seen in published_gbps():
        pps = min(1e9 / (packet_ns + byte_ns * size), units.rate_pps(line_bps, size + 20))
        gbps = units.convert(units.rate_bps(pps, size + gap_bytes), "bit/s", "Gbit/s")
        if abs(gbps - seen) > 0.5:
            missed.append(size)
    return missed


def test_lesson_05_only_the_row_of_512_bytes_tells_layer_1_from_layer_2():
    layer_1, layer_2 = 20, 0
    assert rows_missed(105, 0.07, layer_2) == [512]
    assert rows_missed(1e3 / 7.545, 0, layer_1) == []
    most_gbps = 20 * 512 / 532
    assert most_gbps == pytest.approx(19.25, abs=0.005)
    assert all(rows_missed(a / 4, 0.04, layer_1) for a in range(200, 600))
    assert not rows_missed(124.6, 0.035, layer_1)


def test_lesson_05_the_ledger_of_the_fault():
    def seen(quantity):
        return value("mx150_counters", "before_fix", "xe-0/0/12", quantity)

    assert seen("mac_received_packets") - seen("input_packets") == pytest.approx(834e6, rel=1e-3)
    longest_s = 65_535 * 512 / units.gbps(10)
    assert longest_s == pytest.approx(3.36e-3, rel=2e-3)
    frames_s = units.serialisation_s(1_000_000_000 * 84, units.gbps(10))
    assert frames_s == pytest.approx(67.2)
    stopped_s = seen("since_cleared") - frames_s
    assert stopped_s == pytest.approx(99, abs=0.5)
    each_s = stopped_s / seen("mac_transmitted_pause_frames")
    each_us = units.convert(each_s, "s", "us")
    assert f"at most {stopped_s:.0f} s, which is {each_us:.0f} µs per PAUSE frame" in said("05")
    table = measurements.load("mx150_counters").query("experiment == 'before_fix'")
    drops = table[table["quantity"].str.contains("drop|error")]
    assert len(drops)
    assert (drops["value"] == 0).all()


def test_lesson_05_the_times_of_obeyed_pause_frames_do_not_add_up():
    pause = Pause(800, 200)
    asked_s = pause.quanta * 512 / units.gbps(10)
    senders = mx150.streams(64)
    result = run(Scenario("x", mx150.router(pause=pause), senders, duration_s=0.02))
    assert result.packets.lost.sum() == 0
    assert result.pause_frames * asked_s > 2 * 0.02


def test_lesson_06_says_what_is_assumed_of_the_first_router():
    facts = catalyst6506.FACTS
    assert {facts[name].kind for name in ("streams", "line_bps")} == {"assumed"}
    assert mx80.FACTS["streams"].kind == "sourced"
    assert "We assume 10 Gb/s and two streams" in said("06")
    assert "Two TCP streams shared a link of 10 Gb/s" not in said("06")


@pytest.mark.parametrize(("megabytes", "gbps"), [(36, 7.69), (12, 7.65), (6, 4.97)])
def test_lesson_06_a_quarter_of_the_product_does_nearly_as_well_as_36_mb(megabytes, gbps):
    test = mx80.PLATFORM.experiments("as_configured")["buffer_36MB"].scenario
    room = ByteLimit(round(units.megabytes(megabytes)))
    port = test.network.replace(queues=(test.network.queues[0].replace(limit=room),))
    result = run(test.replace(network=port, seed=1))
    sent = units.convert(result.tcp.goodput_bps.sum(), "bit/s", "Gbit/s")
    assert sent == pytest.approx(gbps, abs=0.005)


def test_lesson_06_the_line_carries_four_million_packets_in_a_test():
    assert 30 * units.rate_pps(units.gbps(10), 9000) == pytest.approx(4.2e6, rel=0.01)


def test_lesson_06_if_all_flows_fell_together_the_line_would_be_86_percent_busy():
    rate_pps = units.rate_pps(units.mbps(200), 1538)
    room = tcp.desynchronised_buffer_bytes(units.mbps(200), 0.05, 32) / 1538
    busy = tcp.saw_tooth(rate_pps / 32, 0.05, room / 32).utilisation
    assert busy == pytest.approx(0.86, abs=0.005)


@pytest.mark.parametrize("megabytes", [6, 36])
def test_lesson_06_hosts_barely_faster_lose_as_many_with_any_buffer(megabytes):
    test = mx80.PLATFORM.experiments("as_configured")["buffer_36MB"].scenario
    room = ByteLimit(round(units.megabytes(megabytes)))
    port = test.network.replace(queues=(test.network.queues[0].replace(limit=room),))
    host = test.hosts[0].replace(access_bps=units.gbps(8.2))
    run = tcp.simulate(port, (host,), 30, streams=test.streams, seed=1)
    assert 150 < run.packets.lost[:2].sum() < 300
    assert run.tcp.goodput_bps.sum() > units.gbps(7)


def test_lesson_11_counting_a_counter_once_leaves_the_share_within():
    rows = [row for row in compare.stored() if row.assumptions == "base" and not row.fitted]
    rows = [row for row in rows if row.verdict != "unscored"]
    once: dict[tuple, bool] = {}
    for row in rows:
        kind = next(
            (kind for kind, words in KINDS.items() if any(word in row.quantity for word in words)),
            row.quantity,
        )
        counter = row.model, row.platform, row.experiment, row.stream, kind
        once[counter] = once.get(counter, True) and row.verdict == "within"
    share = sum(row.verdict == "within" for row in rows) / len(rows)
    assert 0.6 < len(once) / len(rows) < 0.75
    assert sum(once.values()) / len(once) == pytest.approx(share, abs=0.02)


#: What is counted, whichever unit it is counted in.
KINDS = {
    "dropped": ("drop",),
    "sent": ("sent", "received", "throughput", "in_service", "output", "transmitted"),
    "input": ("input",),
    "limit": ("loss_free",),
}


def test_lesson_11_the_largest_ratio_is_the_reading_of_frames():
    rows = [row for row in compare.stored() if row.error is not None]
    largest = max((row for row in rows if row.error_kind == "relative"), key=lambda r: abs(r.error))
    assert largest.misfit == "m120_frames_latency"
    assert largest.error > 1000


def test_lesson_13_the_loss_of_voice_depends_on_what_the_carrier_has():
    text = your_network.configuration()
    today = your_network.way(text)
    router, carrier = today.network.hops
    queue = carrier.at.queues[0].replace(limit=ByteLimit(50 * 1518))
    in_bytes = Chain("way", (router, Hop(carrier.at.replace(queues=(queue,)))))
    lost = {
        0.159: today,
        0.181: your_network.way(text, packets=30),
        0.116: your_network.way(text, packets=100),
        0.009: your_network.way(text, polices=True),
        0.017: today.replace(network=in_bytes),
    }
    for share, scenario in lost.items():
        assert run(scenario)["VOICE"].drop_ratio == pytest.approx(share, abs=5e-4)


def test_lesson_13_voice_loses_more_because_its_packets_are_small():
    today = your_network.way(your_network.configuration())
    voice, *others = today.streams
    large = today.replace(streams=(voice.replace(frame_bytes=1518), *others))
    assert run(large)["VOICE"].drop_ratio == pytest.approx(0.079, abs=5e-4)


def test_lesson_13_half_a_cure_is_worse_than_none():
    losses = your_network.losses([50, 24, 20, 19.4])["VOICE"]
    assert losses[24] > 2 * losses[50] > losses[20] > 1
    assert losses[19.4] == 0
    behind_s = units.serialisation_s(218, units.mbps(24))
    assert behind_s == pytest.approx(units.us(73), abs=units.us(0.5))
    frees_s = units.serialisation_s(1518, units.mbps(20), 20)
    assert frees_s == pytest.approx(units.us(615), abs=units.us(0.5))


def test_lesson_13_the_backup_pays_with_loss_and_delay():
    after = run(your_network.way(your_network.configuration(units.mbps(19.4))))["class-default"]
    left_bps = units.mbps(14) * (1 - after.drop_ratio)
    assert left_bps == pytest.approx(units.mbps(9.9), rel=0.005)
    assert units.serialisation_s(50 * 1518, left_bps) == pytest.approx(
        units.ms(61), abs=units.ms(0.5)
    )
