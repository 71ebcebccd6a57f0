"""What meters, trees, shared memories and thresholds hold at 500 times of a packet view."""

import itertools
import math
from collections import defaultdict

import numpy as np
import pytest
from numpy.testing import assert_allclose

from packet_scenarios import MEMORY, METERS, TREES, pauses, port, ports, switch
from qoslib import explore, run
from qoslib.explore.packet_lanes import Shown, Window, lane_of
from qoslib.explore.packet_memory import held_over_time
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    Codel,
    DeficitRoundRobin,
    DropProfile,
    Instantaneous,
    PacketLimit,
    Pause,
    Port,
    Queue,
    Red,
    RedProfile,
    WeightedRoundRobin,
)
from qoslib.scenario import Scenario
from qoslib.traffic import Poisson, Stream
from replays import replayed
from twin.clock import PS
from twin.meters import ColourTwin

WINDOW = Window(0.004, 0.02)
LETTERS = ("green", "yellow", "red")


def shown(tmp_path, scenario, window=WINDOW, times=500):
    """A lane per port, and the state of the picture at so many times of the window [s]."""
    lanes = [lane_of(Shown(name, scenario, name), window, ()) for name in ports(scenario)]
    return lanes, replayed(tmp_path, lanes, window, times, states=True)


@pytest.mark.parametrize("name", METERS)
def test_buckets_and_colours_are_those_of_the_twin_at_500_times(tmp_path, name):
    scenario = METERS[name]
    (lane,), found = shown(tmp_path, scenario)
    events, twin = lane.events, ColourTwin(scenario.only_port.queues[0].policer)
    arrives = np.sort(np.unique(events.packet, return_index=True)[1])
    at_s, sizes = events.time_s[arrives], events.frame_bytes[arrives]
    number, counts = 0, dict.fromkeys(LETTERS, 0)
    for t, (state,) in zip(found["times_s"], found["states"], strict=True):
        while number < len(arrives) and at_s[number] <= WINDOW.start_s + t:
            packet = Packet(int(sizes[number]))
            twin.drops(packet, round(at_s[number] * PS))
            assert packet.label in (events.mark[arrives][number], "")
            counts[twin.given] += at_s[number] >= WINDOW.start_s
            number += 1
        now = round((WINDOW.start_s + t) * PS)
        queue = state["queues"][0]
        assert queue["coloured"] == list(counts.values())
        assert_allclose(queue["policer"], twin.bucket.share(now), atol=1e-4)
        if hasattr(twin.excess, "fill"):
            twin.excess.fill(now)
        second = queue["excess"] if queue["excess"] is not None else math.nan
        assert_allclose(second, twin.excess_share(now), atol=1e-4)
    assert sum(counts.values()) > 100


class Packet:
    label = ""

    def __init__(self, size):
        self.size = size


def test_a_limit_or_threshold_of_a_mark_has_the_letter_of_its_colour():
    (lane,) = explore.packet_view(METERS["RFC 2697"]).spec["lanes"]
    assert lane["queues"][0]["lines"] == [
        [8, "packets", "", 0],
        [14, "packets", "", 0],
        [3, "packets", "Y", 0],
        [8, "packets", "Y", 0],
        [10, "packets", "Y", 1],
    ]
    assert lane["marks"] == ["high"]
    points = ((0.0, 0.0), (0.5, 0.1), (0.9, 1.0))
    for shape, begins in (("segmented", [10_000]), ("interpolated", [])):
        dropper = DropProfile(points, shape, "tail", profiles=(("AF12", ((0.25, 0.5),)),))
        port = Port("core", 100e6, (Queue("all", ByteLimit(20_000), dropper),))
        scenario = Scenario("profiles", port, (Stream("data", 90e6, mark="AF12"),))
        (lane,) = explore.packet_view(scenario).spec["lanes"]
        assert lane["queues"][0]["lines"] == [
            *([value, "bytes", "", 0] for value in (*begins, 18_000)),
            *([5000, "bytes", "AF12", 0] for _ in range(1 + (shape == "segmented"))),
        ]


def one(queue, load_bps=130e6, **fields):
    stream = Stream("data", load_bps, 1000, Poisson(), **fields)
    return Scenario("one", Port("access", 100e6, (queue,)), (stream,), seed=3)


@pytest.mark.parametrize("limit", [PacketLimit(16, resume_packets=8), ByteLimit(16_000, 9500)])
def test_a_queue_is_closed_until_it_has_drained(tmp_path, limit):
    (lane,), found = shown(tmp_path, one(Queue("all", limit)))
    held, closed, at, seen = 0, False, 0, set()
    events = lane.events
    amounts = 1 if isinstance(limit, PacketLimit) else events.frame_bytes
    amounts = np.broadcast_to(amounts, len(events))
    for t, (state,) in zip(found["times_s"], found["states"], strict=True):
        while at < len(events) and events.time_s[at] <= WINDOW.start_s + t:
            kind, amount = events.kind[at], amounts[at]
            held += (kind == "enqueue") * amount - (kind == "choice") * amount
            closed = kind == "drop" or (closed and kind != "enqueue" and held > limit.resume)
            at += 1
        assert state["queues"][0]["closed"] == closed
        seen.add(closed)
    assert seen == {True, False}


MARKING = {
    "at K": Queue("all", PacketLimit(24), marking=RedProfile(8, 8)),
    "in bytes": Queue("all", ByteLimit(24_000), marking=ByteRedProfile(4000, 12_000, 0.5)),
    "by RED": Queue("all", PacketLimit(24), Red(RedProfile(2, 20, 0.5), (), Instantaneous(), True)),
    "by CoDel": Queue("all", PacketLimit(60), Codel(5e-3, 0.01, ce_threshold_s=5e-4)),
}


#: Where their lines stand: packets, bytes, or seconds.
CE = {"at K": [8], "in bytes": [4000, 12_000], "by RED": [], "by CoDel": [5e-4]}


@pytest.mark.parametrize("name", MARKING)
def test_marked_packets_are_those_of_the_record_and_of_the_totals(tmp_path, name):
    scenario, window = one(MARKING[name], 105e6, ecn=True), Window(0.0, 0.02)
    (lane,), found = shown(tmp_path, scenario, window)
    marked_s = lane.events.time_s[lane.events.marked]
    for t, (state,) in zip(found["times_s"], found["states"], strict=True):
        assert state["queues"][0]["marked"] == np.searchsorted(marked_s, t, "right")
    total = run(scenario.replace(duration_s=window.end_s), bins=1).packets.marked[0]
    assert 0 <= total - found["states"][-1][0]["queues"][0]["marked"] <= 1
    assert total > 20
    lines = found["scene"].spec["lanes"][0]["queues"][0]["lines"]
    assert [line[0] for line in lines if line[2] == "CE"] == CE[name]


def test_a_queue_pauses_its_own_senders_and_no_others(tmp_path):
    scenario = pauses()
    (lane,), found = shown(tmp_path, scenario)
    orders = found["scene"].spec["lanes"][0]["queues"][0]["orders"]
    assert [stop for _, stop in orders] == [1 - at % 2 for at in range(len(orders))]
    end_s = 1.6 * (WINDOW.end_s - WINDOW.start_s) + WINDOW.start_s
    asked = run(scenario.replace(duration_s=end_s), bins=1).pause_frames
    assert asked - 1 <= len(orders) <= asked
    paused = np.array(
        [[queue["paused"] for queue in state[0]["queues"]] for state in found["states"]]
    )
    assert 0 < paused[:, 0].mean() < 1
    assert not paused[:, 1].any()
    # A sender finishes the frame it is at, and begins none until it may go on.
    events = lane.events
    first = np.unique(events.packet, return_index=True)[1]
    arrives_s = events.time_s[first][events.queue[first] == 0] - WINDOW.start_s
    takes_s = 8 * 1000 / 100e6
    for (stops_s, _), (goes_s, _) in zip(orders[::2], orders[1::2], strict=False):
        assert not ((arrives_s > stops_s + takes_s) & (arrives_s < goes_s + takes_s - 1e-9)).any()
    names = [line[2] for line in found["scene"].spec["lanes"][0]["queues"][0]["lines"]]
    assert names == ["xoff", "xon"]


def test_a_port_pauses_all_its_senders(tmp_path):
    queues = tuple(Queue(name, PacketLimit(40), quantum_bytes=1500) for name in "ab")
    pause = Pause(20, 5, quanta=100)
    port = Port("core", 100e6, queues, DeficitRoundRobin(), pause=pause)
    streams = tuple(Stream(name, 70e6, 1000, Poisson(), access_bps=100e6) for name in "ab")
    scenario = Scenario("paused", port, streams, seed=4)
    (lane,), found = shown(tmp_path, scenario)
    events = lane.events
    a, b = found["scene"].spec["lanes"][0]["queues"]
    assert a["orders"] == b["orders"]
    first = np.unique(events.packet, return_index=True)[1]
    arrives_s, takes_s = events.time_s[first] - WINDOW.start_s, 8 * 1000 / 100e6
    lasts_s = 512 * 100 / 100e6
    stops = [at_s for at_s, stop in a["orders"] if stop]
    # While a pause holds no sender begins a frame, and no other pause is told.
    for stops_s, again_s in itertools.pairwise(stops):
        goes_s = min(at_s for at_s, stop in a["orders"] if not stop and at_s > stops_s)
        assert goes_s <= min(stops_s + lasts_s + 1e-12, again_s)
        late = arrives_s > stops_s + takes_s + 1e-9
        assert not (late & (arrives_s < goes_s + takes_s - 1e-9)).any()
    states = found["states"]
    paused = np.array([[queue["paused"] for queue in each[0]["queues"]] for each in states])
    assert_allclose(paused[:, 0], paused[:, 1])
    for t, held in zip(found["times_s"], paused[:, 0], strict=True):
        mine = [stop for at_s, stop in a["orders"] if at_s <= t]
        assert held == bool(mine and mine[-1])
    assert 0 < paused.mean() < 1


@pytest.mark.parametrize("made", [switch, port])
def test_memory_and_its_moving_threshold_are_those_that_the_engine_drops_by(tmp_path, made):
    lanes, found = shown(tmp_path, made())
    queues = [queue for lane in lanes for queue in lane.at.queues]
    first = np.cumsum([0, *(len(lane.at.queues) for lane in lanes)])
    rows = sorted(
        (time_s, n, at)
        for n, lane in enumerate(lanes)
        for at, time_s in enumerate(lane.events.time_s)
    )
    taken, dropped = [0] * len(queues), {True: 0, False: 0}
    shared_bytes = MEMORY.limit_bytes - sum(queue.reserved_bytes for queue in queues)
    arrived = [set() for _ in lanes]

    def shares(more=0, of=-1):
        return [
            max(held + more * (k == of) - queue.reserved_bytes, 0)
            for k, (held, queue) in enumerate(zip(taken, queues, strict=True))
        ]

    at = 0
    for t, states in zip(found["times_s"], found["states"], strict=True):
        while at < len(rows) and rows[at][0] <= WINDOW.start_s + t:
            _, n, row = rows[at]
            events, k = lanes[n].events, first[n] + lanes[n].events.queue[row]
            kind, size = events.kind[row], MEMORY.taken_bytes(int(events.frame_bytes[row]))
            arrives = events.packet[row] not in arrived[n]
            arrived[n].add(events.packet[row])
            if arrives:
                held, free = shares()[k], shared_bytes - sum(shares())
                more, alpha = shares(size, k)[k] - held, queues[k].alpha
                refused = more > free or (more > 0 and alpha is not None and held >= alpha * free)
                assert refused == (kind == "drop")
                dropped[refused] += 1
            taken[k] += size if kind == "enqueue" else -size if kind == "choice" else 0
            at += 1
        free = shared_bytes - sum(shares())
        for n, state in enumerate(states):
            for own, k in zip(state["queues"], range(first[n], first[n + 1]), strict=True):
                assert (own["taken"], own["free"]) == (taken[k], free)
                alpha = queues[k].alpha
                may = free * alpha if alpha else free + shares()[k]
                assert own["may"] == pytest.approx(queues[k].reserved_bytes + may)
    assert min(dropped.values()) > 20


def test_a_port_of_a_switch_alone_shows_what_the_others_hold():
    lanes = [lane_of(Shown(name, switch(), name), WINDOW, ()) for name in "ab"]
    (first, _), (second, _) = pairs = [held_over_time(lane, "memory") for lane in lanes]
    assert (first == second).all()
    assert (pairs[0][1] == pairs[1][1]).all()
    (alone,) = explore.packet_view(switch(), hop="b").spec["lanes"]
    assert alone["memories"][0]["shared"] == MEMORY.limit_bytes - 4000


def test_what_is_left_of_a_turn_is_that_of_the_record_once_the_packet_is_sent(tmp_path):
    queues = tuple(
        Queue(name, PacketLimit(20), weight=turn) for name, turn in zip("ab", (1, 5), strict=True)
    )
    streams = tuple(Stream(name, 70e6, 1000, Poisson()) for name in "ab")
    scenario = Scenario("turns", Port("core", 100e6, queues, WeightedRoundRobin()), streams, seed=4)
    (lane,), found = shown(tmp_path, scenario)
    events, seen = lane.events, set()
    chosen = np.flatnonzero(events.kind == "choice")
    for t, (state,) in zip(found["times_s"], found["states"], strict=True):
        row = chosen[np.searchsorted(events.time_s[chosen], WINDOW.start_s + t, "right") - 1]
        left, mine = events.scheduler[row].copy(), events.queue[row]
        left[mine] = left[mine] - 1 if events.queue_packets[row] else 0
        assert [queue["value"] for queue in state["queues"]] == left.tolist()
        seen.add(tuple(left))
    assert {(0, 4), (0, 3), (0, 2), (0, 1), (0, 0)} <= seen
    assert any("of 5 packets left" in said for said in found["says"])


@pytest.mark.parametrize("name", TREES)
def test_tokens_deficits_and_turns_are_those_of_a_slow_replay(tmp_path, name):
    scenario, lends = TREES[name], name == "HTB"
    (lane,), found = shown(tmp_path, scenario)
    nodes, events = found["scene"].spec["lanes"][0]["nodes"], lane.events
    assert [(node["name"], node["parent"]) for node in nodes] == [
        *[("voice", 3), ("video", 3), ("bulk", 4), ("site", 4), ("core", -1)]
    ]
    assert nodes[0]["rate"]["burst_bytes"] == 10 * 220
    full_s = {(n, kind): 0.0 for n, node in enumerate(nodes) for kind in ("rate", "ceil")}
    chosen, at, seen = np.flatnonzero(events.kind == "choice"), 0, set()
    deficits, above, turns = defaultdict(int), [0, 0, 0, 1, 2], set()
    for t, (state,) in zip(found["times_s"], found["states"], strict=True):
        now_s = WINDOW.start_s + t
        while at < len(chosen) and events.time_s[chosen[at]] <= now_s:
            row = chosen[at]
            time_s, size = float(events.time_s[row]), int(events.frame_bytes[row])
            way = [int(events.queue[row])]
            while nodes[way[-1]]["parent"] >= 0:
                way.append(nodes[way[-1]]["parent"])
            lender = int(events.lender[row])
            if lends:
                mine = way[0], above[lender]
                deficits[mine] -= size
                deficits[mine] += 1500 if deficits[mine] < 0 else 0
                served, covered = "", way[way.index(lender) :]
                served = f"borrows from {nodes[lender]['name']}" if lender != way[0] else "own rate"
            elif events.strict[row]:
                served, covered = "strict priority", way[1:]
            else:
                served = "guaranteed" if events.guaranteed[row] else "excess"
                covered = way if events.guaranteed[row] else []
            for n in way:
                ceil_bytes = size + 20 if lends else size
                for kind, takes, cost in (
                    ("rate", n in covered, size + 20),
                    ("ceil", True, ceil_bytes),
                ):
                    bucket = nodes[n].get(kind)
                    if bucket and takes:
                        spent_s = cost * 8 / bucket["rate_bps"]
                        full_s[n, kind] = max(full_s[n, kind], time_s) + spent_s
                        if kind == "rate" and not lends:
                            most_s = bucket["burst_bytes"] * 8 / bucket["rate_bps"]
                            full_s[n, kind] = min(full_s[n, kind], time_s + most_s)
            at += 1
        assert state["served"] == served
        assert state["lender"] == lender
        assert state["turns"] == events.turn[chosen[at - 1]].tolist()
        turns.update(enumerate(state["turns"]))
        if lends:
            held = [deficits[queue, above[lender]] for queue in range(3)]
            assert [queue["value"] for queue in state["queues"]] == held
        seen.add(served)
        for n, (node, held) in enumerate(zip(nodes, state["nodes"], strict=True)):
            assert set(held) == set(node) & {"rate", "ceil"}
            for kind, tokens in held.items():
                owed_s = max(full_s[n, kind] - now_s, 0)
                expected = node[kind]["burst_bytes"] - owed_s * node[kind]["rate_bps"] / 8
                assert tokens == pytest.approx(expected, abs=0.5)
    assert turns >= {(0, 1), (1, 2), (1, 3)}
    said = " ".join(found["says"])
    assert "its turn at" in said
    assert all(name in said for name in (["deficit"] if lends else ["PIR"]))
    assert seen == (
        {"own rate", "borrows from site", "borrows from core"}
        if lends
        else {"strict priority", "guaranteed", "excess"}
    )


@pytest.mark.parametrize("made", [*METERS.values(), *TREES.values(), switch(), port()])
def test_views_of_all_this_are_small(made):
    view = explore.packet_view(made)
    assert len(view.to_html()) < 60_000
