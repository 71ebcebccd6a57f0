"""The view of TCP draws what the event records say: its bytes, its counters, its errors."""

import base64
import json
import math
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from places import SUPPORT
from qoslib import explore, run
from qoslib.explore.packet_view import module
from qoslib.flows import Cubic, Flow, FqPacing, Host, NetemQueue, Reno, TimeoutOnly
from qoslib.lessons import pacing, tcp_buffers
from qoslib.port import ByteLimit, Codel, PacketLimit, Port, Queue, StrictPriority
from qoslib.scenario import Scenario
from qoslib.traffic import Poisson, Stream
from replays import events_of

PAGE = Path(explore.__file__).parent / "page"
NODE = shutil.which("node")
FLOW = Flow("TCP", 0.024, Reno(), mss_bytes=1448, frame_bytes=1500)
HOST = Host("sender", 100e6, (FLOW,))
UDP = Stream("UDP", 1e6, 500, Poisson())

TWO = tuple(Queue(name, PacketLimit(9)) for name in ("TCP", "other"))


def bottleneck(limit=None, hosts=(HOST,), streams=(), name="bottleneck", **fields):
    port = Port("link", 8e6, (Queue("all", limit or PacketLimit(16), **fields),))
    return Scenario(name, port, streams, 1.0, seed=2, hosts=hosts)


TIMED = Host("two", 50e6, (FLOW.replace(name="b", recovery=TimeoutOnly(), segments_per_ack=2),))
SCENARIOS = {
    "one BDP": bottleneck(),
    "small, next to UDP": bottleneck(PacketLimit(3), streams=(UDP,)),
    "bytes, two flows": bottleneck(ByteLimit(20_000), hosts=(HOST, TIMED), streams=(UDP,)),
    "codel, cubic": bottleneck(
        PacketLimit(60),
        dropper=Codel(5e-3, 50e-3),
        hosts=(Host("sender", 100e6, (FLOW.replace(congestion=Cubic()),)),),
    ),
    "paced, netem": bottleneck(
        hosts=(Host("sender", 1e8, (FLOW,), queue=NetemQueue(100, 0.01), pacing=FqPacing(6e6)),)
    ),
}


def replayed(tmp_path, view, script="tcp_replay.mjs", times=500):
    if NODE is None:
        pytest.skip("no node; the browser tests compare the same")
    start_s = view._window.start_s
    lanes, known = [], []
    for each in view._runs:
        record, events = each.record, each.lane.events
        thresholds = [t if math.isfinite(t) else None for t in record.ssthresh_packets.tolist()]
        columns = (
            (record.time_s - start_s).tolist(),
            *(
                getattr(record, name).tolist()
                for name in (
                    *("kind", "flow", "segment", "tries", "acknowledged", "in_flight_packets"),
                    "window_packets",
                )
            ),
            thresholds,
            record.state.tolist(),
        )
        on_link = [
            (events.time_s[events.kind == kind] - start_s).tolist()
            for kind in ("start", "departure")
        ]
        lanes.append(
            {
                "flows": list(zip(*columns, strict=True)),
                "busy": list(zip(*on_link, strict=False)),
            }
        )
        known += [record.time_s, events.time_s]
        if script.startswith("packet"):
            lanes[-1] = events_of(each.lane, start_s)
    known_s = np.unique(np.concatenate(known)) - start_s
    # Half way between two ticks: what happens at one time is at one tick.
    middle = (known_s[1:] + known_s[:-1]) / 2
    middle = middle[(np.diff(known_s) > 1e-8) & (middle > 0) & (middle < view.spec["end_s"])]
    chosen = middle[np.linspace(0, len(middle) - 1, times).astype(int)]
    told = {
        "spec": dict(view.spec),
        "data": base64.b64encode(view.data).decode(),
        "lanes": lanes,
        "times_s": chosen.tolist(),
    }
    (tmp_path / "scene.json").write_text(json.dumps(told))
    command = [NODE, SUPPORT / script, PAGE, tmp_path / "scene.json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("start_s", [0.0, 0.35])
@pytest.mark.parametrize("name", SCENARIOS)
def test_counters_are_those_of_the_records_at_500_times(tmp_path, name, start_s):
    view = explore.tcp_view(SCENARIOS[name], start_s=start_s, duration_s=0.5)
    assert replayed(tmp_path, view)["compared"] > 4000
    if start_s:
        assert replayed(tmp_path, view, "packet_replay.mjs", 100)["compared"] > 400


def test_two_lanes_end_with_the_totals_of_the_engine(tmp_path):
    both = [SCENARIOS["one BDP"], SCENARIOS["small, next to UDP"]]
    found = replayed(tmp_path, explore.tcp_view(both), times=20)
    for scenario, (sender,) in zip(both, found["last"], strict=True):
        flows = run(scenario.replace(duration_s=1.0), bins=1).tcp
        assert sender["again"] == flows.retransmitted[0] > 0
        assert sender["timeouts"] == flows.timeouts[0]
        assert sender["window"] == pytest.approx(flows.window_packets[0, -1], rel=1e-6)
        assert sender["flight"] == flows.in_flight_packets[0, -1]
        assert 0 <= flows.goodput_bytes[0] // 1448 - sender["acknowledged"] < 100


def test_a_segment_has_a_story(tmp_path):
    ((again, lost),) = replayed(tmp_path, explore.tcp_view(SCENARIOS["one BDP"]), times=20)[
        "stories"
    ]
    record = run(SCENARIOS["one BDP"], events=10**5).tcp.events
    first = np.flatnonzero((record.kind == "send") & (record.tries == 2))[0]
    assert again["title"] == f"Segment {record.segment[first]} of TCP"
    assert again["sent"] == pytest.approx(record.time_s[first], abs=1e-8)
    assert again["told"].startswith("Sent a second time at ")
    assert "Acknowledged at " in again["told"]
    same = (record.segment == int(lost["title"].split()[1])) & (record.tries == 2)
    assert lost["again"] == pytest.approx(record.time_s[same][0], abs=1e-8)
    assert "the queue was full. Sent again at " in lost["told"]


def test_a_wall_moves_alone_though_the_limits_are_equal():
    view = explore.tcp_view({"a": SCENARIOS["one BDP"], "b": SCENARIOS["paced, netem"]})
    assert view.live
    view.widget.change = {"limit": 40, "lane": 0, "queue": 0}
    assert view.widget.error == ""
    assert [s.network.queues[0].limit.packets for s in view.scenarios] == [40, 16]
    # Only the wall is there to be grabbed.
    assert not any(times for lane in view.spec["lanes"] for _, times in lane["loads"])
    assert [queue["dropper"] for lane in view.spec["lanes"] for queue in lane["queues"]] == ["", ""]


@pytest.mark.parametrize(
    ("given", "more", "match"),
    [
        (3, {}, "what is shown is 3"),
        ([SCENARIOS["one BDP"]] * 3, {}, "number of lanes is 3; allowed: 1 to 2"),
        (bottleneck(hosts=(), streams=(UDP,)), {}, "number of its flows is 0; allowed: 1 to 3"),
        (
            SCENARIOS["one BDP"].replace(network=Port("p", 8e6, TWO, StrictPriority())),
            {},
            "allowed: a port of one queue",
        ),
        (run(SCENARIOS["one BDP"], events=100), {}, "is 'a Result'; allowed: a Scenario"),
        (SCENARIOS["one BDP"], {"start_s": 2.0}, "start_s is 2.0; allowed: below 1"),
        (SCENARIOS["one BDP"], {"duration_s": 100.0}, "allowed: at most 20000"),
        (SCENARIOS["one BDP"], {"duration_s": 0.0}, "duration_s is 0.0"),
    ],
)
def test_what_cannot_be_shown_says_so(given, more, match):
    with pytest.raises(ValueError, match=match):
        explore.tcp_view(given, **more)


@pytest.mark.parametrize("scene", [tcp_buffers.path_scene, tcp_buffers.scene, pacing.scene])
def test_scenes_of_lessons_are_small_and_tell_their_claim(scene):
    view = scene()
    assert len(view.to_html()) < 60_000
    assert view.still() == view.still()
    picture = view.still()
    assert len(picture) < 12_000
    ElementTree.fromstring(picture)
    assert not re.search(r"\b(nan|inf)\b", picture)
    assert view._repr_mimebundle_()[0]["image/svg+xml"] == picture
    curves = re.findall(
        r'fill="none" stroke="[^"]*" stroke-width="2" d="M(\d+) .*?(\d+) \d+"', picture
    )
    width = int(re.search(r'width="(\d+)"', picture)[1])
    assert curves == [("10", str(width - 10))] * len(view._runs)
    sent = [int((each.record.kind == "send").sum()) for each in view._runs]
    assert 300 < sum(sent) < 2500


def test_the_module_is_one_whole_and_that_of_ports_has_nothing_of_tcp():
    code = module(explore.TcpView.layers)
    assert "import " not in code
    assert code.count("export ") == 1
    assert len(set(re.findall(r"^function (\w+)", code, re.M))) == len(
        re.findall(r"^function (\w+)", code, re.M)
    )
    assert "Tcp" not in module()
