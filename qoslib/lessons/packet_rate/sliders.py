"""The explorer of what is forwarded against the frame size: load, and the cost of a packet."""

import numpy as np

from qoslib import compare, fluid, run, units
from qoslib.compare.remarks import APART
from qoslib.explore.controls import slider
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.explore.redraw import memoize_lines
from qoslib.front.workers import silent
from qoslib.lessons import ghost
from qoslib.lessons.packet_rate.figures import figure, published_rows
from qoslib.platforms import mx150
from qoslib.platforms import platform as platform_named
from qoslib.port import Chain, Forwarder, Port
from qoslib.scenario import Scenario
from qoslib.traffic import Cbr

__all__ = ["SIMULATED", "SIZES", "explorer", "start"]

#: Frame sizes of the lines, those of the published rows among them [B].
SIZES = sorted({*mx150.FRAMES, *np.geomspace(64, 1518, 20).round().astype(int).tolist()})
#: Frame sizes of the packet model's dots [B].
SIMULATED = (64, 100, 128, 200, 256, 300, 360, 512, 1024, 1518)
#: Simulated time that the packet model leaves out, and its end, where so much is offered [s].
WARMUP_S, END_S, OFFERED_BPS = units.ms(1), units.ms(3), units.gbps(20)

#: Where both models lose the same of all streams together, but the packet model not of each.
UNEVEN = (
    "Both models lose the same share in total, but the packet model loses {}. The streams are"
    " evenly spaced at almost the same rate. So in this short run the packets of one keep arriving"
    " just after a place in the full queue became free, and those of the other just before. In a"
    " longer run the streams take turns."
)

#: Where a queue takes evenly spaced packets, and loses fewer of them than in the fluid model.
FILLING = "The run is short, so the queue is still filling, and nothing is lost until it is full."

#: Control -> its slider: name, least, most, step, digits.
_SLIDERS = {
    "frame": ("Frame [bytes]", 64, 1518, 2, 0),
    "cap": ("Cap [million packets/s]", 1, 16, 0.005, 3),
    "byte": ("Cost of a byte [ns]", 0, 1, 0.05, 2),
    "load": ("Offered load [% of the links]", 1, 100, 1, 0),
}


def explorer(where: str | Scenario = "mx150") -> Explorer:
    """Sliders for the frame size and the load, and for what a packet and a byte cost an engine.

    Lines are the fluid model. Dots are the packet model; they follow when the sliders rest.

    Parameters
    ----------
    where : str or Scenario
        Name of a platform, whose first experiment is taken, or a scenario of your own, of which
        the streams' rates on the line are 100 %. Packets and bytes have sliders if the first hop
        is a `Forwarder`.
    """
    begun = where if isinstance(where, Scenario) else _first(where)
    at, published = start(begun), published_rows("mx150_throughput") if where == "mx150" else []
    controls = {name: _slider(*_SLIDERS[name], at[name]) for name in _SLIDERS if name in at}
    gap_bytes = _overhead(begun.network)

    def swept(values):
        there = _described(begun.network, values)
        return {size: fluid.solve(there, _streams(begun, size, values)) for size in SIZES}

    lines = memoize_lines(swept, "frame")

    def draw(values, simulated):
        there = _described(begun.network, values)
        forwarded = {"fluid": lines(values), "packets": simulated or {}}
        here = fluid.solve(there, _streams(begun, round(values["frame"]), values))
        faded = values["load"] != at["load"]
        drawn = figure(gap_bytes, forwarded, published, (values["frame"], here), faded)
        if where == "mx150":
            top = drawn.layout["yaxis"]["range"][1]
            drawn.add_traces(
                [
                    ghost("05.a", 0, faded=faded),
                    ghost("05.b", 0, y=[0, 0.4 * top], faded=faded, side="right"),
                ]
            )
        drawn.remark = _remark(here, simulated and simulated[round(values["frame"])], begun)
        return drawn

    def simulate(values, progress):
        there, found = _described(begun.network, values), {}
        sizes = sorted({*SIMULATED, round(values["frame"])})
        for size in sizes:
            found[size] = _simulated(there, _streams(begun, size, values))
            progress(len(found) * END_S, len(sizes) * END_S)
        return found

    def scenarios(values):
        streams = _streams(begun, round(values["frame"]), values)
        return [begun.replace(network=_described(begun.network, values), streams=streams)]

    call = Call("packet_rate", repr(where) if isinstance(where, str) else "saved", scenarios)
    return Explorer(controls, draw, simulate, call)


def _remark(here, counted, begun):
    """Where the models part at the frame that is set; alone, where the fluid model is valid."""
    text = compare.remark(here, counted)
    if not text or counted is None:
        return text
    fluid_lost, lost = (each.dropped_pps.sum() / each.offered_pps.sum() for each in (here, counted))
    if not all(isinstance(each.arrivals, Cbr) for each in begun.streams):
        return text
    if abs(fluid_lost - lost) > APART * fluid_lost:
        return f"{text.partition('. ')[0]}. {FILLING}" if lost < fluid_lost else text
    shares = units.convert(counted.drop_ratio, "1", "%")
    return UNEVEN.format(
        " and ".join(
            f"{share:.3g} % of {name}" for name, share in zip(counted.streams, shares, strict=True)
        )
    )


def start(begun: Scenario) -> dict:
    """What the controls begin at."""
    engine = _engine(begun.network)
    at: dict = {"frame": round(begun.streams[0].mean_frame_bytes), "load": 100}
    if engine is not None and engine.packet_s:
        at["cap"] = units.convert(1 / engine.packet_s, "packets/s", "Mpackets/s")
        at["byte"] = units.convert(engine.byte_s, "s", "ns")
    return at


def _slider(name, low, high, step, digits, value):
    return slider(name, value, min(low, value), max(high, value), step, digits)


def _first(platform):
    """The scenario of a platform: the MX150 with both lines full, else its first experiment."""
    if platform == "mx150":
        return Scenario("MX150", mx150.router(), mx150.streams(SIMULATED[0]))
    return next(iter(platform_named(platform).experiments().values())).scenario


def _engine(where):
    first = where.hops[0].at if isinstance(where, Chain) else where
    return first if isinstance(first, Forwarder) else None


def _overhead(where):
    """What the line adds to each frame [B]."""
    places = [hop.at for hop in where.hops] if isinstance(where, Chain) else [where]
    return max((place.overhead_bytes for place in places if isinstance(place, Port)), default=0.0)


def _described(where, values):
    """Where the streams go, as the controls stand."""
    engine = _engine(where)
    if engine is None or "cap" not in values:
        return where
    packet_s = 1 / units.convert(values["cap"], "Mpackets/s", "packets/s")
    changed = engine.replace(packet_s=packet_s, byte_s=units.convert(values["byte"], "ns", "s"))
    if not isinstance(where, Chain):
        return changed
    first, *others = where.hops
    return where.replace(hops=(first.replace(at=changed), *others))


def _streams(begun, size, values):
    """The streams in frames of one size, taking as much of the line as they did."""
    load, gap = units.convert(values["load"], "%", "1"), _overhead(begun.network)
    return tuple(
        each.replace(
            frame_bytes=size,
            rate_bps=load * each.rate_bps * _share(size, gap) / _share(each.mean_frame_bytes, gap),
        )
        for each in begun.streams
    )


def _share(frame_bytes, gap_bytes):
    """What of the line's bits are frames [ratio]."""
    return frame_bytes / (frame_bytes + gap_bytes)


def _simulated(where, streams):
    longer = max(1.0, OFFERED_BPS / max(sum(each.rate_bps for each in streams), 1.0))
    test = Scenario("frames", where, streams, longer * END_S, longer * WARMUP_S)
    return run(test, bins=1, progress=silent)
