"""TCP at a bottleneck: window, queue, path and acknowledgements, as a picture that plays."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from qoslib import units
from qoslib.explore.lane_description import Lane
from qoslib.explore.packet_lanes import MARGIN, Shown, Window, shown_of
from qoslib.explore.packet_scene import MOST_PACKETS, Scene
from qoslib.explore.packet_view import LAYERS, PacketView
from qoslib.explore.packet_words import time_words
from qoslib.explore.tcp_scene import TcpLane, paths_of, tcp_scene_of
from qoslib.explore.tcp_still import still_of_tcp
from qoslib.flows import Flow
from qoslib.front import run
from qoslib.front.workers import silent
from qoslib.port import Port
from qoslib.record import NotNegative, Positive, checked, fail
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

__all__ = ["TcpView", "tcp_view"]

#: Layers of the page of which TCP has others.
ONLY_PORTS = ("tree", "draw", "link", "chart")
#: Most lanes one above the other, and flows of a lane: each has a row of slots.
MOST_LANES, MOST_FLOWS = 2, 3
#: Packets that may come for each that the link carries, and the rows of the record for each.
EXCESS, ROWS = 1.6, 4.5


class TcpView(PacketView):
    """What `tcp_view` returns: a `PacketView` of windows, queue and path."""

    layers = (
        *(layer for layer in LAYERS[: LAYERS.index("picture")] if layer not in ONLY_PORTS),
        *("tcp_scene", "tcp_layout", "tcp_draw", "tcp_chart", "tcp_picture"),
        *LAYERS[LAYERS.index("picture") + 1 :],
    )

    movable = False

    def _scene(self) -> Scene:
        self._runs = [_ran(each, self._window) for each in self._shown]
        words = self._words | {"turn": self._turn}
        scene = tcp_scene_of(self._runs, *self._window, **words)
        for each, described in zip(self._runs, scene.spec["lanes"], strict=True):
            self._rated(each.lane, described)
            described["note"] = ""
        scene.spec["summary"] = _summary(self._runs, self._window)
        return scene

    def _still(self, scene: Scene, time_s: float) -> str:
        return still_of_tcp(scene, self._runs, self._window, time_s)


def _ran(shown: Shown, window: Window) -> TcpLane:
    """The lane with what happened there, until the last acknowledgement of the window is back."""
    scenario, port = shown.scenario, shown.scenario.only_port
    trip_s = max(flow.round_trip_s for host in scenario.hosts for flow in host.flows)
    end_s = window.end_s + max(MARGIN * (window.end_s - window.start_s), 2 * trip_s)
    rows = int(ROWS * _arriving(scenario, end_s)) + 5000
    scenario = scenario.replace(duration_s=end_s, warmup_s=0.0)
    result = run(scenario, events=rows, bins=1, progress=silent)
    assert result.events is not None
    assert result.tcp is not None
    assert result.tcp.events is not None
    if max(len(result.events), len(result.tcp.events)) == rows:
        fail(f"the packets of {shown.title!r}", "more than expected", f"about {rows // 5}")
    flows = tuple(flow for host in scenario.hosts for flow in host.flows)
    streams: tuple[Stream | Flow, ...] = (*flows, *scenario.streams)
    lane = Lane(shown.title, port, streams, result.events)
    return TcpLane(lane, scenario.hosts, result.tcp.events)


def _arriving(scenario: Scenario, seconds: float) -> float:
    """At most about so many packets come in a time."""
    port, flows = scenario.only_port, [f for host in scenario.hosts for f in host.flows]
    pps = units.rate_pps(port.rate_bps, min(flow.frame_bytes for flow in flows))
    pps += sum(units.rate_pps(s.mean_rate_bps, s.mean_frame_bytes) for s in scenario.streams)
    return float(EXCESS * pps * seconds)


def _summary(lanes: Sequence[TcpLane], window: Window) -> str:
    """What the picture shows, in words."""
    span_s = window.end_s - window.start_s
    said = [f"TCP in {time_words(span_s)}."]
    for each in lanes:
        events, record = each.lane.events, each.record
        inside = (events.time_s >= window.start_s) & (events.time_s <= window.end_s)
        noted = (record.time_s >= window.start_s) & (record.time_s <= window.end_s)
        sent = noted & (record.kind == "send")
        flows = sum(len(host.flows) for host in each.hosts)
        lost = inside & (events.kind == "drop") & (events.stream < flows)
        begins = events.time_s[events.kind == "start"]
        ends = events.time_s[events.kind == "departure"]
        both = np.clip(begins[: len(ends)], *window), np.clip(ends, *window)
        busy = 100 * float((both[1] - both[0]).sum()) / span_s
        holds = np.mean([path.holds_packets for path in paths_of(each)])
        most = record.window_packets[noted].max(initial=0.0)
        said.append(
            f"{each.lane.title}: the path holds {holds:.0f} packets, the window reaches"
            f" {most:.0f}; {int(sent.sum()):,} segments are sent,"
            f" {int((record.tries[sent] > 1).sum()):,} of them again, {int(lost.sum()):,} are"
            f" dropped, and the link is busy for {busy:.0f} % of the time."
        )
    return " ".join(said)


def tcp_view(
    shown: Scenario | Sequence[Scenario] | Mapping[str, Scenario],
    *,
    start_s: float = 0.0,
    duration_s: float | None = None,
    title: str = "",
    badge: str = "",
    guess: str | Callable[[], str] = "",
    playing: bool = False,
) -> TcpView:
    """Show TCP senders, a bottleneck's queue, the path and its acknowledgements as a loop.

    Each sender's congestion window is a row of slots, filled with the packets in flight. Queue,
    path and way back are drawn to one scale of bytes, and so of time at the rate of the link.
    The tcp model runs with its event records on, and the picture is a function of these and of the
    time alone. The queue's wall can be moved by hand: the model then runs again.

    Parameters
    ----------
    shown : Scenario, or a sequence or mapping of them
        One or two, each with hosts and a port of one queue; a mapping gives their titles. A link
        of few packets per round trip suits best: behaviour is the same in units of the
        bandwidth-delay product.
    start_s : float
        Where the window begins in the run [s].
    duration_s : float, optional
        Its length [s]; by default to the end of the first scenario.
    title : str
        For assistive technology; by default from the titles of the lanes.
    badge : str
        A note in a frame, such as the scale of a model.
    guess : str or callable
        What the reader had expected: it is written below a picture that is copied. A function is
        called when it is.
    playing : bool
        Whether it plays as soon as it is seen.

    Returns
    -------
    TcpView

    Raises
    ------
    ValueError
        If something else is to be shown, there are no hosts or more than three flows, the port
        has several queues, or too many packets are in the window.

    Notes
    -----
    The engine knows how long a packet takes from the port to the receiver together with the
    acknowledgement's way back; each is drawn as half of that.

    Examples
    --------
    >>> from qoslib import PacketLimit, Port, Queue, Scenario
    >>> from qoslib.flows import Flow, Host, Reno
    >>> port = Port("link", 8e6, (Queue("all", PacketLimit(16)),))
    >>> flow = Flow("TCP", 0.024, Reno(), mss_bytes=1448, frame_bytes=1500)
    >>> scenario = Scenario("one BDP", port, (), 1.0, hosts=(Host("sender", 100e6, (flow,)),))
    >>> view = tcp_view(scenario)
    >>> view.spec["summary"].split(", ")[0]
    'TCP in 1 s. one BDP: the path holds 16 packets'
    """
    start_s = checked(NotNegative, start_s, "start_s")
    duration_s = checked(Positive | None, duration_s, "duration_s")
    lanes = shown_of(shown, "", 1.0)
    if len(lanes) > MOST_LANES:
        fail("the number of lanes", len(lanes), f"1 to {MOST_LANES}")
    for lane in lanes:
        _suits(lane)
    end_s = start_s + duration_s if duration_s else lanes[0].scenario.duration_s
    if not end_s > start_s:
        fail("start_s", start_s, f"below {end_s:g}, where the scenario ends")
    for lane in lanes:
        if (count := _arriving(lane.scenario, end_s)) > MOST_PACKETS:
            fail(f"the packets of {lane.title!r}", f"about {count:.0f}", f"at most {MOST_PACKETS}")
    words: dict[str, Any] = {"playing": playing}
    words["title"] = title or "TCP: " + ", ".join(lane.title for lane in lanes)
    if badge:
        words["badge"] = badge
    return TcpView(lanes, Window(start_s, end_s), guess=guess, **words)


def _suits(lane: Shown) -> None:
    where = f"the scenario of {lane.title!r}"
    if lane.result is not None:
        fail(where, "a Result", "a Scenario")
    network, hosts = lane.scenario.network, lane.scenario.hosts
    if not isinstance(network, Port) or len(network.queues) != 1:
        fail(where, network, "a port of one queue")
    flows = sum(len(host.flows) for host in hosts)
    if not 1 <= flows <= MOST_FLOWS:
        fail(f"{where}: the number of its flows", flows, f"1 to {MOST_FLOWS}")
