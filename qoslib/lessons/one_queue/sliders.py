"""The explorer of one queue: a load, how it is spaced, a buffer, a frame and a line."""

from functools import lru_cache

import numpy as np

from qoslib import Sweep, compare, fluid, sweep, units
from qoslib.explore.controls import choice, slider, stacked
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.front.workers import silent
from qoslib.lessons import ghost
from qoslib.lessons.one_queue.figures import Published, figure
from qoslib.port import PacketLimit, Port
from qoslib.record import checked, fail
from qoslib.results import Result
from qoslib.scenario import Scenario
from qoslib.traffic import Cbr, Poisson, Stream

__all__ = ["LOADS", "SIMULATED", "SPACINGS", "explorer", "simulated", "swept"]

#: Offered loads of the lines, as shares of the line; one is just above 1, where the delay jumps.
LOADS = np.sort(np.append(np.linspace(0, 2, 81), 1.001))
#: Offered loads of the packet model's dots, closest where something happens.
SIMULATED = (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 1.05, 1.1, 1.25, 1.5, 1.75, 2.0)
#: Packet times that the packet model leaves out at the start, and that it counts. An overload of
#: 1 % leaves one packet of a hundred in the queue, so a buffer of 1000 is full after 100,000 of
#: them: it is given that time and a tenth more, up to `MOST_WARMUP`.
WARMUP, COUNTED, MOST_WARMUP = 20_000, 80_000, 2_000_000
#: Ends of the sliders: packets of buffer, and bytes of a frame.
BUFFERS, FRAMES = (1, 1024), (60, 1514)
SPACINGS = {"evenly (CBR)": Cbr(), "at random (Poisson)": Poisson()}
SEED = 1
#: Controls that are always in sight; the others are below *More*.
FIRST = ("load", "buffer", "spacing")


def explorer(scenario: Scenario, published: Published | None = None) -> Explorer:
    """Sliders for the load, the buffer, the frame size and the rate of a port with one queue.

    Lines are the fluid model. Dots are the packet model, for packets that come evenly or at
    random; they follow when the controls rest.

    Parameters
    ----------
    scenario : Scenario
        A port with one queue, limited in packets, and one stream.
    published : Published, optional
        A published point, drawn as long as frame and line are as given.

    Raises
    ------
    ValueError
        If the scenario is of something else.
    """
    port, stream = _only(scenario)
    if not isinstance(published, Published | None):
        fail("published", published, "a Published, or None")
    start = _settings(port, stream)
    controls = {
        "load": slider("Offered load [% of the link]", start["load"], 0, 200, 1),
        "buffer": slider("Buffer [packets]", start["buffer"], *BUFFERS, 1),
        "frame": slider("Frame [bytes]", start["frame"], *FRAMES, 2),
        "rate": choice("Line rate", _rates(port), port.rate_bps),
        "spacing": choice("Packets come", list(SPACINGS), start["spacing"]),
    }

    @lru_cache(maxsize=1)
    def port_with(buffer, rate_bps):
        queue = port.queues[0].replace(limit=PacketLimit(round(buffer)))
        return port.replace(rate_bps=rate_bps, queues=(queue,))

    @lru_cache(maxsize=1)
    def stream_with(load, frame, spacing, line_bps):
        frame, overhead = round(frame), port.overhead_bytes
        rate_bps = units.convert(load, "%", "1") * line_bps * frame / (frame + overhead)
        return stream.replace(frame_bytes=frame, rate_bps=rate_bps, arrivals=SPACINGS[spacing])

    def described(values):
        load, frame, spacing = values["load"], values["frame"], values["spacing"]
        line_bps = values["rate"]
        return port_with(values["buffer"], line_bps), stream_with(load, frame, spacing, line_bps)

    def draw(values, dots):
        now_port, now = described(values)
        solved = swept(now_port, now)
        moved = dict(values.items() - start.items()).keys() - {"load"}
        seen = None if moved & {"frame", "rate"} else published
        delays_s = _delays_s(now_port.rate_bps, port.overhead_bytes)
        drawn = figure(now_port, now, solved, seen, dots, delays_s, bool(moved))
        at_random = values["spacing"] != next(iter(SPACINGS))
        drawn.add_traces(
            [
                ghost("00.b", 2, x=[start["load"]], faded=bool(moved)),
                ghost("00.c", 2, faded=moved != {"spacing"} or not at_random),
            ]
        )
        here = fluid.solve(now_port, [now]) if dots else solved
        drawn.remark = compare.remark(here, dots and dots[-1])
        return drawn

    def simulate(values, progress):
        return simulated(*described(values))

    call = Call("one_queue", "saved", lambda values: [_scenario(*described(values))])
    return Explorer(controls, draw, simulate, call, stacked(controls, FIRST))


def _only(scenario):
    """The port with one queue, and the one stream."""
    scenario = checked(Scenario, scenario, "scenario")
    port, streams = scenario.network, scenario.streams
    if not isinstance(port, Port) or len(port.queues) != 1 or len(streams) != 1 or scenario.hosts:
        fail("scenario", scenario.name, "a Port with one queue, and one stream")
    if not isinstance(port.queues[0].limit, PacketLimit):
        fail("limit of the queue", port.queues[0].limit, "a PacketLimit")
    return port, streams[0]


def _settings(port, stream):
    return {
        "load": round(units.convert(stream.rate_bps / _full_bps(port, stream), "1", "%"), 2),
        "buffer": port.queues[0].limit.packets,
        "frame": round(stream.mean_frame_bytes),
        "rate": port.rate_bps,
        "spacing": _spacing(stream),
    }


def _spacing(stream):
    names = {type(each): name for name, each in SPACINGS.items()}
    return names.get(type(stream.arrivals), names[Cbr])


def swept(port: Port, stream: Stream) -> Result:
    """What a port with one queue does to a stream of every load in `LOADS`, and of its own last."""
    offered_bps = np.append(LOADS * _full_bps(port, stream), stream.rate_bps)
    return fluid.solve(port, [stream], offered_bps[:, None])


def simulated(port: Port, stream: Stream) -> Sweep:
    """The same packet by packet, for the loads in `SIMULATED` and, last, for the stream's own."""
    rates_bps = [*(load * _full_bps(port, stream) for load in SIMULATED), stream.rate_bps]
    scenarios = [_scenario(port, stream.replace(rate_bps=rate_bps)) for rate_bps in rates_bps]
    return sweep(scenarios, bins=1, progress=silent)


def _scenario(port, stream):
    """A run that leaves out how the queue fills."""
    over = stream.rate_bps / _full_bps(port, stream) - 1
    fills = port.queues[0].limit.packets / over if over > 0 else 0.0
    warmup = min(max(WARMUP, 1.1 * fills), MOST_WARMUP)
    packet_s = units.serialisation_s(stream.mean_frame_bytes, port.rate_bps, port.overhead_bytes)
    end_s = (warmup + COUNTED) * packet_s
    return Scenario("one queue", port, (stream,), end_s, warmup * packet_s, SEED)


@lru_cache(maxsize=1)
def _delays_s(line_bps, overhead_bytes):
    """The least and the largest delay that the sliders can make at a line rate [s]."""
    shortest_s, longest_s = (
        units.serialisation_s(frame, line_bps, overhead_bytes) for frame in FRAMES
    )
    return shortest_s, BUFFERS[1] * longest_s


def _full_bps(port, stream):
    """The stream's rate that fills the line [bit/s]."""
    frame = stream.mean_frame_bytes
    return port.rate_bps * frame / (frame + port.overhead_bytes)


def _rates(port):
    usual = {units.mbps(10), units.mbps(100), units.gbps(1), units.gbps(10), port.rate_bps}
    return [(f"{units.convert(rate, 'bit/s', 'Mbit/s'):g} Mb/s", rate) for rate in sorted(usual)]
