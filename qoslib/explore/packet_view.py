"""Packets at a port, one by one, as a picture that plays and that a hand can change."""

import base64
import gzip
import html
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from qoslib.explore.lane_description import Lane
from qoslib.explore.packet_lanes import MARGIN, Shown, Window, lane_of, shown_of, window_of
from qoslib.explore.packet_scene import Scene, scene_of
from qoslib.explore.packet_still import still_svg
from qoslib.explore.packet_words import summary
from qoslib.explore.page_code import joined
from qoslib.flows import Flow
from qoslib.port import ByteLimit, HeadDrop, PacketLimit, Port, Queue, TailDrop
from qoslib.record import Count, NotNegative, Positive, Share, checked, fail
from qoslib.results import Result
from qoslib.scenario import Scenario
from qoslib.traffic import Stream, Trace

if TYPE_CHECKING:
    from qoslib.explore.packet_widget import PacketWidget

__all__ = ["LAYERS", "PacketView", "packet_view"]

#: Layers of the module that runs in the page, each importing from those before it.
LAYERS = (
    *("scene", "state", "tree_layout", "layout", "words", "brush", "meters", "queue", "tree"),
    *("link", "draw", "chart", "hands", "page", "sliders", "picture", "stage", "clock"),
    *("stories", "copy", "keys", "controls", "projector", "view"),
)
#: Ends of the number of packets that may be asked for, and most queues of a lane.
FEWEST, MOST, MOST_QUEUES = 20, 10_000, 8


def module(layers: Sequence[str] = LAYERS) -> str:
    """The layers as one ES module."""
    return joined(*(f"page/{layer}.js" for layer in layers))


#: A view on a page of its own: it unpacks its module and its data, and begins.
_ALONE = """{
const place = document.currentScript.previousElementSibling;
const unpacked = (text) => {
const view = new DataView(new ArrayBuffer(4 * Math.ceil(text.length / 5)));
for (let at = 0, i = 0, value = 0; at < 1.25 * view.byteLength; at++) {
value = 85 * value + "DIGITS".indexOf(text[at] ?? "~");
if (at % 5 === 4) { view.setUint32(i, value); i += 4; value = 0; }
}
const blob = new Blob([view.buffer.slice(0, Math.floor(0.8 * text.length))]);
return new Response(blob.stream().pipeThrough(new DecompressionStream("gzip")));
};
(async () => {
const code = await unpacked("CODE").text(), data = await unpacked("DATA").arrayBuffer();
place.replaceChildren();
new Function(code)()(place, JSON.parse(await unpacked("SPEC").text()), new Uint8Array(data));
})();
}"""


#: 85 digits of which five are four bytes: those of RFC 1924 but for what HTML reads.
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%.()*+-;,=:?@^_`{|}~"


def _packed(raw: bytes) -> str:
    coded = base64.b85encode(gzip.compress(raw, 9, mtime=0))
    return coded.translate(bytes.maketrans(b"&<>", b".,:")).decode()


class PacketView:
    """What `packet_view` returns: the picture, and what can be had of it.

    It is a plain object, which answers a change by hand without a notebook: see `change`. In a
    notebook it shows itself as a widget, `widget`, which is made when it is asked for.

    Attributes
    ----------
    scenarios : tuple of Scenario
        What is on screen, as it was last changed by hand.
    time_ms : float
        Where it was last paused, from the start of the window [ms].
    playing : bool
    spec : dict
        What the picture is drawn of, as JSON.
    data : bytes
        Its packets, in the columns that `spec` describes.
    live : bool
        Whether it can be changed.
    """

    layers: ClassVar[tuple[str, ...]] = LAYERS
    #: Whether arrivals can be dragged.
    movable: ClassVar[bool] = True

    def __init__(
        self,
        shown: Sequence[Shown],
        window: Window,
        queues: Sequence[str] = (),
        guess: str | Callable[[], str] = "",
        same_limit: bool = False,
        **words: Any,
    ) -> None:
        if same_limit:
            _alike(shown)
            words["same_limit"] = True
        self._same_limit = same_limit
        self._began, self._shown = list(shown), list(shown)
        self._window, self._queues, self._words, self._guess = window, tuple(queues), words, guess
        self._rates: dict[str, float] = {}
        self._turn = 0
        self.spec, self.data = self._made()
        self.live = all(each.result is None for each in shown)
        self._widget: PacketWidget | None = None

    @property
    def widget(self) -> "PacketWidget":
        """The picture in a notebook."""
        if self._widget is None:
            from qoslib.explore.packet_widget import PacketWidget

            self._widget = PacketWidget(self)
        return self._widget

    @property
    def time_ms(self) -> float:
        return float(self._widget.time_ms) if self._widget else 0.0

    @property
    def playing(self) -> bool:
        return bool(self._widget and self._widget.playing)

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        return tuple(each.scenario for each in self._shown)

    def to_html(self) -> str:
        """The view as a page that plays without a kernel, and fetches nothing.

        Returns
        -------
        str
            An HTML document.
        """
        title = html.escape(self.spec["title"])
        head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        style = "<style>:root{color-scheme:light dark}body{margin:16px}</style>"
        return f"{head}{style}<body>{self.fragment()}</body></html>"

    def fragment(self) -> str:
        """The same as part of a page.

        Returns
        -------
        str
            An element and its script.
        """
        spec = json.dumps(dict(self.spec), separators=(",", ":"))
        # Without a kernel nothing can be moved: the sliders for that would not be reached.
        layers = [layer for layer in self.layers if layer != "sliders"]
        code = module(layers).replace("export default { render };\n", "return mount;\n")
        parts = {"CODE": code.encode(), "DATA": self.data, "SPEC": spec.encode()}
        words = {"DIGITS": _DIGITS} | {name: _packed(raw) for name, raw in parts.items()}
        script = re.sub("|".join(words), lambda found: words[found[0]], _ALONE)
        return f"<div></div><script>{script}</script>"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget; without a kernel a page that plays, or else a still picture, and words."""
        bundle = self.widget._repr_mimebundle_(**kwargs)
        data, *more = bundle if isinstance(bundle, tuple) else (bundle or {},)
        still, summary = self.still(), self.spec["summary"]
        coded = base64.b64encode(still.encode()).decode()
        alt = html.escape(summary)
        picture = f'<div><img alt="{alt}" src="data:image/svg+xml;base64,{coded}"></div>'
        alive = self.fragment().replace("<div></div>", picture, 1)
        data = {**data, "text/html": alive, "image/svg+xml": still, "text/plain": summary}
        return (data, *more) if more else data

    def still(self, share: float = 0.4) -> str:
        """One moment as an SVG, for where nothing plays.

        Parameters
        ----------
        share : float
            Of the window, from 0 to 1.

        Returns
        -------
        str
            An SVG document of at most 12 kB.

        Raises
        ------
        ValueError
            If the share is not from 0 to 1.
        """
        share = checked(Share, share, "share")
        start_s, end_s = self._window
        return self._still(Scene(dict(self.spec), self.data), start_s + share * (end_s - start_s))

    def _still(self, scene: Scene, time_s: float) -> str:
        return still_svg(scene, self._lanes, time_s)

    def _guessed(self) -> str:
        return self._guess() if callable(self._guess) else self._guess

    def _made(self) -> Scene:
        scene = self._scene()
        scene.spec["guess"] = self._guessed()
        return scene

    def _scene(self) -> Scene:
        lanes = [lane_of(each, self._window, self._queues) for each in self._shown]
        self._lanes = lanes
        start_s, end_s = self._window
        words = self._words | {"turn": self._turn}
        scene = scene_of(lanes, start_s, end_s, MARGIN * (end_s - start_s), **words)
        for lane, described in zip(lanes, scene.spec["lanes"], strict=True):
            self._rated(lane, described)
        scene.spec["summary"] = summary(lanes, *self._window)
        return scene

    def _rated(self, lane: Lane, described: dict[str, Any]) -> None:
        """Say the rates of a lane: of its link, and those that each stream offers."""
        if lane.known:
            described["rate_bps"] = lane.at.rate_bps if isinstance(lane.at, Port) else 0.0
            described["loads"] = [self._load(stream) for stream in lane.streams]

    def _load(self, stream: Stream | Flow) -> list[float]:
        """What a stream offers [bit/s], and how many times what it did at first; 0 if it cannot."""
        if not isinstance(stream, Stream):
            return [0.0, 0.0]
        moves = self.movable and not isinstance(stream.arrivals, Trace)
        return [stream.mean_rate_bps, self._rates.get(stream.name, 1.0) if moves else 0.0]

    def change(self, **asked: Any) -> Scene:
        """Change a queue of a lane, run the model again, and return the scene.

        Parameters
        ----------
        **asked
            `lane` and `queue`, their places, and one of `limit`, the room of the queue in its own
            unit; `rate`, how many times as fast as at first its streams arrive; `turn`, for the
            other end at which packets are dropped. Or `reset`, for all as it was at first.

        Returns
        -------
        Scene
            Its `spec` and `data`.

        Raises
        ------
        ValueError
            If it cannot be so; the view stays as it was.
        """
        before, rates = list(self._shown), dict(self._rates)
        try:
            self._apply(asked)
            self._turn += 1
            scene = self._made()
        except ValueError:
            self._shown, self._rates = before, rates
            raise
        self.spec, self.data = scene
        return scene

    def _apply(self, asked: Mapping[str, Any]) -> None:
        if "reset" in asked:
            self._shown, self._rates = list(self._began), {}
            return
        lane, place = int(asked["lane"]), int(asked["queue"])
        if "rate" in asked:
            self._faster(self._shown[lane].streams_of(place), float(asked["rate"]))
            return
        if "turn" in asked:
            self._set(lane, place, _turned(self._shown[lane].queues[place]))
        if "limit" in asked:
            for at in range(len(self._shown)) if self._same_limit else (lane,):
                queue = self._shown[at].queues[place]
                limit = _limited(queue.limit, asked["limit"])
                self._set(at, place, queue.replace(limit=limit))

    def _set(self, lane: int, place: int, queue: Queue) -> None:
        self._shown[lane] = self._shown[lane].with_queue(place, queue)

    def _faster(self, names: Collection[str], factor: float) -> None:
        """Streams of these names, in all lanes, so many times as fast as they were at first."""
        self._rates |= dict.fromkeys(names, factor)
        for at, (each, began) in enumerate(zip(self._shown, self._began, strict=True)):
            streams = tuple(
                stream.replace(rate_bps=stream.rate_bps * self._rates.get(stream.name, 1.0))
                for stream in began.scenario.streams
            )
            self._shown[at] = each._replace(scenario=each.scenario.replace(streams=streams))


def _alike(shown: Sequence[Shown]) -> None:
    """That lanes whose walls move together have the same limits."""
    first, *others = ([queue.limit for queue in each.queues] for each in shown)
    for limits in others:
        if limits != first:
            fail("the limits of lanes with `same_limit`", limits, f"those of the first, {first}")


def _turned(queue: Queue) -> Queue:
    turned = {TailDrop: HeadDrop(), HeadDrop: TailDrop()}.get(type(queue.dropper), queue.dropper)
    return queue.replace(dropper=turned)


def _limited(limit: Any, most: float) -> Any:
    if isinstance(limit, PacketLimit):
        most = max(round(most), 1)
        return limit.replace(packets=most, resume_packets=_below(limit.resume_packets, most))
    if isinstance(limit, ByteLimit):
        most = max(round(most), 1)
        return limit.replace(limit_bytes=most, resume_bytes=_below(limit.resume, most))
    return limit.replace(time_s=float(most))


def _below(resume: int | None, most: float) -> int | None:
    return None if resume is None else min(resume, round(most) - 1)


def packet_view(
    shown: Scenario | Result | Sequence[Scenario | Result] | Mapping[str, Scenario | Result],
    *,
    packets: int | None = None,
    start_s: float | None = None,
    duration_s: float | None = None,
    queues: Sequence[str] = (),
    hop: str = "",
    rates_divided_by: float = 1.0,
    title: str = "",
    guess: str | Callable[[], str] = "",
    playing: bool = False,
    same_limit: bool = False,
) -> PacketView:
    """Show the packets of up to four ports on one clock, as they arrive, wait and leave.

    The packet model runs with its event record on, and the picture is a function of that record and
    the time alone. In a notebook a queue's wall, its arrivals and the end at which packets are
    dropped can be moved by hand: the model then runs again, and the picture goes on. Arrivals that
    are moved are those of all streams of the queue, and of the same streams in other lanes.

    Parameters
    ----------
    shown : Scenario or Result, or a sequence or mapping of them
        One to four; a mapping gives their titles. A `Result` has its event record, but no port to
        run again: nothing in it can be moved, and no limits are drawn.
    packets : int, optional
        About how many arrive in the window, from 20 to 10,000; by default 400, and up to 2,000
        where a queue has room for many.
    start_s : float, optional
        Where the window begins in the run [s]; by default where the warm-up ends.
    duration_s : float, optional
        Its length [s], in place of `packets`.
    queues : sequence of str
        Which queues are drawn, eight at most; by default all. Packets of other queues are grey.
    hop : str
        Name of the hop of a chain or switch that is shown, all ports of a switch by default; its
        number in a `Result`.
    rates_divided_by : float
        A scale model: all rates are divided by this, and what limits packets and bytes, so that
        delays stay and packets can be counted. A badge in the picture says so.
    title : str
        For assistive technology; by default from the titles of the lanes.
    guess : str or callable
        What the reader had expected: it is written below a picture that is copied. A function is
        called when it is.
    playing : bool
        Whether it plays as soon as it is seen.
    same_limit : bool
        Whether one limit holds for a queue in all lanes, so that its walls move together; by
        default each wall moves alone.

    Returns
    -------
    PacketView

    Raises
    ------
    ValueError
        If something else is to be shown, a result has no events, a name is not known, too many
        packets are in the window, or lanes with the same limit have different ones.

    Examples
    --------
    >>> from qoslib import PacketLimit, Port, Queue, Scenario, Stream
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(16)),))
    >>> view = packet_view(Scenario("one queue", port, (Stream("data", 150e6),)), packets=100)
    >>> view.spec["summary"].split(",")[0]
    'Packets in 5.33 ms. one queue: 101 arrive'
    """
    packets = checked(Count | None, packets, "packets")
    if packets is not None and not FEWEST <= packets <= MOST:
        fail("packets", packets, f"from {FEWEST} to {MOST:,}")
    start_s = checked(NotNegative | None, start_s, "start_s")
    duration_s = checked(Positive | None, duration_s, "duration_s")
    lanes = shown_of(shown, hop, checked(Positive, rates_divided_by, "rates_divided_by"))
    for lane in lanes:
        known = [queue.name for queue in lane.queues]
        for name in queues:
            if name not in known:
                fail(f"a queue of {lane.title!r}", name, ", ".join(known))
        if len(queues or known) > MOST_QUEUES:
            fail("the number of queues drawn", len(known), f"at most {MOST_QUEUES}; name `queues`")
    words: dict[str, Any] = {"playing": playing}
    words["title"] = title or "Packets: " + ", ".join(lane.title for lane in lanes)
    if rates_divided_by != 1:
        words["badge"] = f"rates divided by {rates_divided_by:g}"
    window = window_of(lanes, packets, start_s, duration_s)
    return PacketView(lanes, window, queues, guess, same_limit, **words)
