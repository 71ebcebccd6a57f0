"""The packet view draws what the event record says: its bytes, its counters, its errors."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from qoslib import explore, lessons, run
from qoslib.explore import lane_description
from qoslib.explore.packet_lanes import Shown, Window, lane_of
from qoslib.explore.packet_scene import NEVER, unpacked
from qoslib.explore.packet_view import module
from qoslib.lessons.prediction import Store
from qoslib.packets.kernels.codes import SCHEDULERS, TREES
from qoslib.platforms import platform
from qoslib.port import (
    AsymmetricEwma,
    ByteLimit,
    ByteRedProfile,
    CakeTins,
    Chain,
    Classifier,
    Codel,
    DeficitRoundRobin,
    DropProfile,
    Ewma,
    Fifo,
    FlowQueues,
    Forwarder,
    HeadDrop,
    HierarchicalTokenBucket,
    Hop,
    ModifiedDrr,
    Node,
    PacketLimit,
    Pause,
    Pie,
    Policer,
    Port,
    PriorityLevels,
    Queue,
    Red,
    RedProfile,
    Sampled,
    SchedulerTree,
    Shaper,
    ShareRedProfile,
    StartTimeFairQueueing,
    StrictPriority,
    TimeLimit,
    TimeRedProfile,
    WeightedRoundRobin,
)
from qoslib.scenario import Scenario
from qoslib.traffic import Poisson, Stream, Trace, imix
from replays import replayed

LINE = 100e6


def one(limit=None, dropper=None, load=150e6, name="one queue", **fields):
    more = {} if dropper is None else {"dropper": dropper}
    port_fields = {key: fields.pop(key) for key in ("shaper_", "ring") if key in fields}
    queue = Queue("all", limit or PacketLimit(16), **more, **fields)
    port = Port(
        "access",
        LINE,
        (queue,),
        shaper=port_fields.get("shaper_"),
        transmit_ring_packets=port_fields.get("ring", 0),
    )
    return Scenario(name, port, (Stream("data", load, arrivals=Poisson()),), seed=3)


def three(scheduler, **more):
    names = ("voice", "video", "bulk")
    queues = tuple(
        Queue(
            name,
            ByteLimit(12_000),
            priority=at if isinstance(scheduler, CakeTins) else at // 2,
            guaranteed_bps=20e6,
            weight=at + 1,
            quantum_bytes=1300 * (at + 1),
        )
        for at, name in enumerate(names)
    )
    streams = tuple(
        Stream(name, rate, size, Poisson())
        for name, rate, size in zip(names, (30e6, 60e6, 60e6), (200, 1000, imix()), strict=True)
    )
    return Scenario("three", Port("core", LINE, queues, scheduler, **more), streams, seed=4)


SITE = Node("site", ("bulk", "voice"), shaper=Shaper(40e6, 10_000))
ENGINE = Forwarder("engine", Queue("in", PacketLimit(20)), 8e-5, 1e-9)
SCENARIOS = {
    "tail": one(),
    "head": one(dropper=HeadDrop()),
    "bytes and overhead": one(ByteLimit(9000)),
    "policer": one(policer=Policer(60e6, 4000)),
    "shaper": one(shaper=Shaper(60e6, 4000)),
    "port shaper": one(shaper_=Shaper(60e6, 4000)),
    "ring": one(ring=4),
    "red": one(dropper=Red(RedProfile(3, 12, 0.3), averaging=AsymmetricEwma(2))),
    "profile": one(dropper=DropProfile(((0.3, 0.1), (0.9, 1.0)), "interpolated")),
    "codel": one(PacketLimit(60), Codel(1e-3, 2e-3)),
    "pie": one(PacketLimit(60), Pie(1e-3, 1e-3, burst_s=0)),
    "strict": three(StrictPriority()),
    "levels": three(PriorityLevels()),
    "wrr": three(WeightedRoundRobin()),
    "drr": three(DeficitRoundRobin()),
    "mdrr": three(ModifiedDrr("voice")),
    "wfq, ring": three(StartTimeFairQueueing(), transmit_ring_packets=3),
    "tree": three(SchedulerTree((SITE, Node("core", ("site", "video"))), strict_levels=1)),
    "htb": three(HierarchicalTokenBucket((SITE, Node("core", ("site", "video"), 50e6)))),
    "engine": Scenario("engine", ENGINE, (Stream("data", 150e6),)),
}
CHAIN = Scenario("chain", Chain("chain", (Hop(ENGINE), Hop(one().network))), one().streams)


@pytest.mark.parametrize("name", SCENARIOS)
def test_counters_are_those_of_the_record_at_500_times(tmp_path, name):
    window = Window(0.004, 0.02)
    lanes = [lane_of(Shown(name, SCENARIOS[name]), window, ())]
    assert replayed(tmp_path, lanes, window, 500)["compared"] > 2000


FOUR = ("tail", "head", "red", "codel")


@pytest.mark.parametrize("ports", [1, 2, 3, 4])
def test_lanes_on_one_clock_and_the_totals_of_the_engine(tmp_path, ports):
    end_s = 0.02
    shown = [SCENARIOS[name] for name in FOUR[:ports]]
    lanes = [lane_of(Shown(s.name, s), Window(0, end_s), ()) for s in shown]
    done = replayed(tmp_path, lanes, Window(0.0, end_s), 500)
    assert done["compared"] > 2000 * ports
    for scenario, flows in zip(shown, done["last"], strict=True):
        counts = run(scenario.replace(duration_s=end_s), bins=1).packets
        # The last time compared is half an event before the end.
        for name, total in (("offered", counts.offered), ("sent", counts.sent)):
            assert 0 <= total[0] - flows[0][name] <= 1
        assert 0 <= counts.lost[0] - flows[0]["dropped"] <= 1


def decoded(view, lane, name):
    return unpacked(view.data, view.spec["lanes"][lane]["columns"][name])


def test_bytes_are_columns_of_the_record():
    scenario = SCENARIOS["head"]
    view = explore.packet_view(scenario, packets=200)
    tick_s, zero_s = view.spec["tick_s"], view.spec["zero_s"]
    events = run(scenario.replace(duration_s=1.6 * view.spec["end_s"]), events=5000).events
    arrives = np.unique(events.packet, return_index=True)[1]
    number = view.spec["lanes"][0]["first"] + decoded(view, 0, "number").astype(int)
    arrival_s = zero_s + decoded(view, 0, "arrival") * tick_s
    assert np.abs(arrival_s - events.time_s[arrives][number]).max() < tick_s
    assert (decoded(view, 0, "bytes") == events.frame_bytes[arrives][number]).all()
    left, gone = decoded(view, 0, "leave"), decoded(view, 0, "departure")
    fate = decoded(view, 0, "fate")
    assert ((gone == NEVER) | (fate == 0)).all()
    assert (left[gone != NEVER] < gone[gone != NEVER]).all()
    dropped = number[fate > 0]
    assert set(dropped) == set(events.packet[events.kind == "drop"]) & set(number)
    assert len(view.data) < 20 * len(number) + 100


def test_a_window_after_the_start_has_what_waits_and_what_is_on_the_link():
    view = explore.packet_view(SCENARIOS["drr"], start_s=0.01, packets=100)
    arrival_s = view.spec["zero_s"] + decoded(view, 0, "arrival") * view.spec["tick_s"]
    departure = decoded(view, 0, "departure")
    gone_s = view.spec["zero_s"] + departure * view.spec["tick_s"]
    assert (arrival_s < 0).any()
    assert ((gone_s < 0) & (departure != NEVER)).any()


def test_a_limit_at_the_served_rate_is_what_the_engine_drops_by():
    base = platform("m120").experiments()["base"]
    scenario = Scenario("M120", base.port, base.streams, seed=1)
    view = explore.packet_view(
        scenario, start_s=0.45, packets=300, queues=("CS1", "BE"), rates_divided_by=80
    )
    assert view.spec["badge"] == "rates divided by 80"
    (lane,) = view.spec["lanes"]
    assert [lane["queues"][at]["name"] for at in lane["shown"]] == ["CS1", "BE"]
    window = Window(0.45, 0.45 + view.spec["end_s"])
    events = lane_of(Shown("", view.scenarios[0]), window, ()).events
    takes_s = 8 * 1502 / 125e6
    for number in lane["shown"]:
        changes = lane["queues"][number]["limit"]["over_time"]
        mine = (events.queue == number) & (events.kind == "enqueue") & (events.time_s > 0.45)
        place = np.searchsorted([at for at, _ in changes], events.time_s[mine] - 0.45) - 1
        room = np.array([most for _, most in changes])[place] / takes_s
        # A full queue drops until the packet fits; that of BE is full, that of CS1 still fills.
        assert (events.queue_packets[mine] <= room + 1e-6).all()
    assert (events.queue_packets[mine] > room - 1).any()


def test_a_hand_moves_limit_rate_and_end():
    lanes = {"tail": SCENARIOS["tail"], "head": SCENARIOS["head"]}
    view = explore.packet_view(lanes, same_limit=True)
    assert view.live
    view.widget.change = {"limit": 40, "lane": 0, "queue": 0}
    limits = [scenario.network.queues[0].limit for scenario in view.scenarios]
    assert limits == [PacketLimit(40), PacketLimit(40)]
    assert [lane["queues"][0]["limit"]["most"] for lane in view.spec["lanes"]] == [40, 40]
    view.widget.change = {"rate": 0.5, "lane": 1, "queue": 0}
    assert [s.streams[0].rate_bps for s in view.scenarios] == [75e6, 75e6]
    assert [lane["loads"] for lane in view.spec["lanes"]] == [[[75e6, 0.5]]] * 2
    view.widget.change = {"rate": 1.0, "lane": 0, "queue": 0}
    assert [s.streams[0].rate_bps for s in view.scenarios] == [150e6, 150e6]
    view.widget.change = {"turn": True, "lane": 0, "queue": 0}
    assert all(isinstance(s.network.queues[0].dropper, HeadDrop) for s in view.scenarios)


def test_walls_that_happen_to_be_equal_move_alone():
    lanes = {"small": one(PacketLimit(8)), "large": one(PacketLimit(16))}
    view = explore.packet_view(lanes)
    for lane, packets, limits in ((0, 16, [16, 16]), (0, 9, [9, 16]), (1, 40, [9, 40])):
        view.widget.change = {"limit": packets, "lane": lane, "queue": 0}
        assert [s.only_port.queues[0].limit.packets for s in view.scenarios] == limits
    with pytest.raises(ValueError, match="same_limit"):
        explore.packet_view(lanes, same_limit=True)


def test_the_walls_of_small_and_large_buffer_are_never_tied():
    view = lessons.tcp_buffers.scene()
    for packets in (25, 40):
        view.widget.change = {"limit": packets, "lane": 0, "queue": 0}
    limits = [s.only_port.queues[0].limit.packets for s in view.scenarios]
    assert limits == [40, 25]


def test_the_wall_of_the_carriers_upper_queue_moves_alone():
    view = lessons.your_network.scene()
    before = view.spec["lanes"][1]["queues"][0]["limit"]
    view.widget.change = {"limit": 10, "lane": 0, "queue": 0}
    upper, lower = (lane["queues"][0]["limit"] for lane in view.spec["lanes"])
    assert upper["most"] == 10
    assert lower == before


def test_arrivals_of_one_queue_are_those_of_its_streams_in_every_lane():
    first = SCENARIOS["strict"]
    joined = first.only_port.replace(classifier=Classifier((("voice", "voice"),), "bulk"))
    view = explore.packet_view({"apart": first, "joined": first.replace(network=joined)})
    began = [stream.rate_bps for stream in first.streams]

    def times():
        return [
            [stream.rate_bps / bps for stream, bps in zip(s.streams, began, strict=True)]
            for s in view.scenarios
        ]

    view.widget.change = {"rate": 2.0, "lane": 0, "queue": 1}
    assert times() == [[1.0, 2.0, 1.0]] * 2
    view.widget.change = {"rate": 0.5, "lane": 1, "queue": 2}
    assert times() == [[1.0, 0.5, 0.5]] * 2
    assert [times for _, times in view.spec["lanes"][1]["loads"]] == [1.0, 0.5, 0.5]
    view.widget.change = {"reset": True}
    assert times() == [[1.0, 1.0, 1.0]] * 2


def test_a_change_that_cannot_run_leaves_the_picture():
    view = explore.packet_view(one(ByteLimit(9000)))
    before = view.data
    view.widget.change = {"limit": 10, "lane": 0, "queue": 0}
    assert "limit" in view.widget.error
    assert view.data == before
    assert view.scenarios[0].network.queues[0].limit == ByteLimit(9000)
    view.widget.change = {"limit": 5000, "lane": 0, "queue": 0}
    assert view.widget.error == ""


def test_a_change_is_answered_without_a_notebook():
    view, shown = (explore.packet_view(one(PacketLimit(16))) for _ in range(2))
    scene = view.change(limit=8, lane=0, queue=0)
    shown.widget.change = {"limit": 8, "lane": 0, "queue": 0}
    assert (scene.spec, scene.data) == (view.spec, view.data) == (shown.spec, shown.data)
    assert (shown.widget.spec, shown.widget.data) == (shown.spec, shown.data)
    with pytest.raises(ValueError, match="rate_bps"):
        view.change(rate=-1.0, lane=0, queue=0)
    assert view.data == scene.data


def test_a_finished_run_is_shown_and_cannot_be_moved():
    result = run(SCENARIOS["drr"].replace(duration_s=0.02), events=5000)
    view = explore.packet_view(result)
    assert not view.live
    assert all(queue["limit"] is None for queue in view.spec["lanes"][0]["queues"])
    chain = run(CHAIN.replace(duration_s=0.02), events=5000)
    assert explore.packet_view(chain, hop="1").spec["lanes"][0]["title"] == "one run"


def test_every_scheduler_has_its_row_in_the_table_of_what_is_shown():
    assert {*lane_description.SCHEDULERS, Fifo} == {*SCHEDULERS, *TREES}
    for scheduler in set(SCHEDULERS) - {Fifo}:
        shown = lane_description.SCHEDULERS[scheduler]
        (lane,) = explore.packet_view(three(scheduler())).spec["lanes"]
        assert (lane["note"], lane["value"], lane["level"]) == shown
        assert ("values" in lane["columns"]) == bool(shown.value)
        assert shown.value in ("", "deficit", "start tag", "turn"), "meters.js draws no other"


def test_a_tree_shows_its_queues_in_its_order_and_says_what_its_nodes_may_send():
    (lane,) = explore.packet_view(SCENARIOS["tree"]).spec["lanes"]
    assert lane["shown"] == [2, 0, 1]
    assert lane["note"].startswith("strict priority, then guaranteed rates, then the excess")
    assert lane["note"].endswith("; site at most 40 Mbit/s")
    (lane,) = explore.packet_view(SCENARIOS["htb"]).spec["lanes"]
    assert lane["note"].startswith("own rates first")


def test_a_chain_shows_the_hop_that_is_named():
    view = explore.packet_view(CHAIN, hop="engine")
    assert "one packet after the other" in view.spec["lanes"][0]["note"]
    with pytest.raises(ValueError, match="hop is ''; allowed: engine, access"):
        explore.packet_view(CHAIN)


@pytest.mark.parametrize(
    ("given", "more", "match"),
    [
        (3, {}, "what is shown is 3"),
        ("office", {}, "what is shown is 'office'"),
        ([], {}, "number of ports shown is 0"),
        ([one()] * 5, {}, "number of ports shown is 5"),
        ({"a": 3}, {}, "what is shown as 'a' is 3"),
        (run(one().replace(duration_s=0.01)), {}, "Result.events is None"),
        (one(), {"queues": ["gold"]}, "allowed: all"),
        (one(), {"packets": 10}, "packets is 10"),
        (one(), {"packets": 10**6}, "packets is 1000000"),
        (one(), {"duration_s": 10.0}, "the packets of 'one queue' in the window"),
        (one(), {"start_s": 1e4}, "packets up to the window's end"),
        (one(), {"rates_divided_by": 0}, "rates_divided_by"),
        (one(load=0), {}, "the streams' rates"),
    ],
)
def test_what_cannot_be_shown_says_so(given, more, match):
    with pytest.raises(ValueError, match=match):
        explore.packet_view(given, **more)


def test_a_scale_model_keeps_delays():
    scenario = one(TimeLimit(0.02, at="line")).replace(duration_s=2.0, warmup_s=0.5)
    small = explore.divided(scenario, 4)
    big, little = run(scenario), run(small)
    np.testing.assert_allclose(little.delay_mean_s, big.delay_mean_s, rtol=0.02)
    policed = explore.divided(one(PacketLimit(40), policer=Policer(90e6, 100_000)), 10)
    queue = policed.network.queues[0]
    assert (queue.policer, queue.limit) == (Policer(9e6, 10_000), PacketLimit(4))
    engine = Forwarder("engine", Queue("in", PacketLimit(100)), 1e-6, pause=Pause(80, 20))
    engine = explore.divided(scenario.replace(network=engine), 10).network
    assert (engine.packet_s, engine.pause) == (pytest.approx(1e-5), Pause(8, 2))
    with pytest.raises(ValueError, match="a Trace"):
        explore.divided(scenario.replace(streams=(Stream("t", arrivals=Trace((0.0,), (99,))),)), 2)


def test_a_scale_model_divides_quanta_so_that_a_round_takes_as_long():
    queues = tuple(
        Queue(name, TimeLimit(0.05, at="line"), quantum_bytes=quantum)
        for name, quantum in (("voice", 40_000), ("data", 320_000))
    )
    port = Port("link", 1e9, queues, DeficitRoundRobin())
    streams = (Stream("voice", 40e6, 1000, Poisson()), Stream("data", 1.1e9, 1000))
    big = Scenario("turns", port, streams, duration_s=1.5, warmup_s=0.2, seed=2)
    small = explore.divided(big, 5)
    assert [queue.quantum_bytes for queue in small.only_port.queues] == [8000, 64_000]
    delays_s = [run(each)["voice"].delay_mean_s for each in (big, small)]
    # The grain: a packet takes 40 us on the smaller link.
    assert delays_s[1] == pytest.approx(delays_s[0], abs=3 * 40e-6)
    # With the quanta of the whole, a turn of data takes five times as long.
    kept = small.replace(
        network=small.only_port.replace(
            queues=tuple(
                scaled.replace(quantum_bytes=queue.quantum_bytes)
                for scaled, queue in zip(small.only_port.queues, queues, strict=True)
            )
        )
    )
    assert run(kept)["voice"].delay_mean_s > 4 * delays_s[0]
    tiny = explore.divided(big, 1e6)
    assert min(queue.quantum_bytes for queue in tiny.only_port.queues) == 1


def test_a_scale_model_divides_the_thresholds_of_red_and_shortens_its_average():
    red = Red(RedProfile(200, 600, 0.5), (("gold", RedProfile(300, 900)),), Ewma(8))
    port = Port("link", 1e9, (Queue("all", PacketLimit(2000), red),), transmit_ring_packets=64)
    big = Scenario("red", port, (Stream("data", 1.2e9, 1000, Poisson()),), 2.0, 0.5, seed=2)
    small = explore.divided(big, 16)
    (queue,) = small.only_port.queues
    assert queue.dropper == Red(
        RedProfile(12.5, 37.5, 0.5), (("gold", RedProfile(18.75, 56.25)),), Ewma(4)
    )
    assert (queue.limit, small.only_port.transmit_ring_packets) == (PacketLimit(125), 4)
    whole, part = run(big)["data"], run(small)["data"]
    assert part.delay_mean_s == pytest.approx(whole.delay_mean_s, rel=0.05)
    assert part.drop_ratio == pytest.approx(whole.drop_ratio, rel=0.05)
    relay = one(dropper=Red(RedProfile(3, 12), averaging=Sampled(40, 1e-3, 20, release_packets=8)))
    look = explore.divided(relay, 4).only_port.queues[0].dropper.averaging
    assert look == Sampled(10, 1e-3, 5, release_packets=2)
    # A share of the limit stays one; time is that of a rate, which is divided.
    for profile, divided in (
        (ByteRedProfile(8000, 12_000), ByteRedProfile(2000, 3000)),
        (TimeRedProfile(1e-3, 2e-3, 80e6), TimeRedProfile(1e-3, 2e-3, 20e6)),
        (ShareRedProfile(0.2, 0.8), ShareRedProfile(0.2, 0.8)),
    ):
        (queue,) = explore.divided(one(dropper=Red(profile), marking=profile), 4).only_port.queues
        assert (queue.dropper.profile, queue.marking) == (divided, divided)


def test_a_scene_of_a_lesson_hands_over_the_guess_of_its_reader(monkeypatch):
    monkeypatch.setattr(lessons, "_store", Store())
    view = lessons.one_queue.scene()
    sent = []
    monkeypatch.setattr(view.widget, "send", sent.append)
    view.widget._answer(view.widget, {"guess": True}, None)
    lessons.predict("00.a").guess = "a third"
    view.widget._answer(view.widget, {"guess": True}, None)
    said = "Which share of the packets is lost?\nMy guess: a third."
    assert sent == [{"guess": ""}, {"guess": said}]
    assert lessons.one_queue.scene().spec["guess"] == said


def test_a_view_is_small_and_fetches_nothing():
    view = explore.packet_view({"tail": SCENARIOS["tail"], "head": SCENARIOS["head"]})
    assert len(view.to_html()) < 60_000
    assert not {"import", "fetch", "XMLHttpRequest", "WebSocket"} & set(
        re.findall(r"\w+", module())
    )


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_still_is_small_and_has_the_counters(name):
    view = explore.packet_view(SCENARIOS[name], packets=300)
    drawn = view._repr_mimebundle_()
    bundle = drawn[0] if isinstance(drawn, tuple) else drawn
    picture = bundle["image/svg+xml"]
    assert len(picture) < 12_000
    ElementTree.fromstring(picture)
    end_s = 0.4 * view.spec["end_s"]
    counts = run(SCENARIOS[name].replace(duration_s=end_s), bins=1).packets
    assert f">{counts.sent.sum():,} sent<" in picture


def test_the_moving_picture_of_the_first_lesson_is_that_of_the_engine():
    port = Port("access", LINE, (Queue("all", PacketLimit(8)),))
    drawn = explore.packet_loop(Scenario("one queue", port, (Stream("data", 150e6),)))
    kept = Path(explore.__file__).parents[2] / "notebooks" / "one_queue.svg"
    assert len(drawn) < 40_000
    assert kept.read_text() == drawn
    ElementTree.fromstring(drawn)
    events = run(
        Scenario("", port, (Stream("data", 150e6),), duration_s=10 / 2500), events=999
    ).events
    assert f">{(events.kind == 'drop').sum()} dropped<" in drawn


@pytest.mark.parametrize("name", ["head", "policer", "ring", "drr", "engine"])
def test_a_moving_picture_of_another_port_is_refused(name):
    with pytest.raises(ValueError, match="of a packet loop"):
        explore.packet_loop(SCENARIOS[name])


def test_queues_within_a_queue_are_refused_and_not_drawn_as_one_line():
    queue = Queue("all", PacketLimit(50), flows=FlowQueues(16))
    streams = [Stream("a", 6e6, 1000), Stream("b", 6e6, 1000)]
    scenario = Scenario("flows", Port("line", 10e6, (queue,)), streams, duration_s=0.1)
    with pytest.raises(ValueError, match=r"own queues of 'flows' are \[.+\]; allowed: none: a"):
        explore.packet_view(scenario)
