"""The explorer of TCP and a buffer: its size, as configured and in effect, path and senders."""

from functools import lru_cache

import numpy as np

from qoslib import plots, tcp, units
from qoslib.explore import transfer
from qoslib.explore.controls import button, choice, row, slider
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.explore.transfer import CONGESTION, RECOVERIES
from qoslib.platforms import mlx, mx80
from qoslib.scenario import Scenario

__all__ = ["SHARES", "START", "buffer_size", "described", "settings", "sizes"]

#: Platform -> the published test to begin with.
START = {"mx80": "buffer_36MB", "catalyst6506": "hold_queue_4096", "mlx": "queue_32MB"}
#: Buffers of the lines as shares of the largest that the slider goes to; those of the published
#: tables are among them where that is 120 MB.
SHARES = np.array([0.5, 1, 2, 6, 12, 18, 24, 36, 60, 90, 120]) / 120
MOST_FLOWS = 8
#: The MLX's band is between these sets of assumptions.
BAND_SETS = ("base", "of_the_time")
AS_CONFIGURED = "as configured"


def buffer_size(of: str | Scenario = "mx80", assumptions: str = "as_configured") -> Explorer:
    """Sliders for buffer, path and senders: what TCP carries and loses, and why, over time.

    Lines are the fluid model and follow at once; dots and thin lines the packet model, when a
    control is let go. A test lasts for as long as the published one, 600 round trips at most.

    Parameters
    ----------
    of : str or Scenario
        ``mx80``, ``catalyst6506`` or ``mlx``; or a port of your own with one queue, its hosts, and
        the streams beside them.
    assumptions : str
        Name of a platform's set.
    """
    test, name = transfer.begun(of, assumptions, START), transfer.published_of(of)
    start, most = settings(test), transfer.most_bytes(test)
    effects = _effects(name)
    controls = {
        "buffer": slider("Buffer, as configured [MB]", start["buffer"], *_range(most), digits=1),
        "rtt": slider("Round trip [ms]", start["rtt"], 5, 200, 1),
        "flows": slider("Flows", start["flows"], 1, MOST_FLOWS, 1),
        "window": slider("Window of a flow [MB]", start["window"], *_range(most), digits=1),
        "congestion": choice("Congestion control", list(CONGESTION), start["congestion"]),
        "recovery": choice("Recovery", list(RECOVERIES), start["recovery"]),
        "effect": choice("Buffer in effect", list(effects), AS_CONFIGURED),
    }

    def sweep(values, at, model=transfer.water):
        tests = [_with(test, values, effects, size) for size in at]
        return plots.SizeSweep(at, *transfer.tried(tests, model))

    def draw(values, dots):
        size = _bytes(values["buffer"])
        now = _with(test, values, effects, size)
        lines = {"fluid": sweep(values, sizes(most, values["flows"])), "packets": dots or _NONE}
        return plots.buffer_size(
            now,
            size,
            lines,
            transfer.water(now),
            transfer.played(now) if dots else None,
            _published(name, values, start),
            _band() if name else None,
            rules(now),
            name,
        )

    def play(values):
        return sweep(values, [_bytes(values["buffer"])], transfer.played)

    def described_now(values):
        return [_with(test, values, effects, _bytes(values["buffer"]))]

    reset = button("Reset", lambda: app.move(**start, effect=AS_CONFIGURED))
    sliders = [controls[each] for each in ("buffer", "rtt", "flows", "window")]
    chosen = row(*(controls[each] for each in ("congestion", "recovery", "effect")), reset)
    said = f"{of!r}, {assumptions!r}" if name else "saved"
    call = Call("buffer_size", said, described_now)
    app: Explorer = Explorer(controls, [*sliders, chosen], draw, play, call)
    return app


_NONE = plots.SizeSweep([], [], [])


def _range(most):
    """Least, most and step of a slider of sizes [MB]."""
    top = units.convert(most, "B", "MB")
    return top / 240, top, top / 240


def _bytes(megabytes):
    return units.megabytes(megabytes)


def settings(test: Scenario) -> dict:
    """What the controls of a test begin at."""
    flows = [flow for host in test.hosts for flow in host.flows]
    first = flows[0]
    window = first.window_bytes or transfer.most_bytes(test)
    size = plots.buffer_bytes(test.where, first.frame_bytes)
    return {
        "buffer": round(units.convert(size, "B", "MB"), 3),
        "rtt": units.convert(first.round_trip_s, "s", "ms"),
        "flows": len(flows),
        "window": min(
            units.convert(window, "B", "MB"), units.convert(transfer.most_bytes(test), "B", "MB")
        ),
        "congestion": _called(CONGESTION, first.congestion),
        "recovery": _called(RECOVERIES, first.recovery),
    }


def _called(known, chosen):
    for name, each in known.items():
        if type(each) is type(chosen):
            return name
    raise ValueError(f"{type(chosen).__name__} is of the packet model only; allowed: {list(known)}")


def sizes(most_bytes: float, flows: int) -> np.ndarray:
    """Buffers of the lines [B]: half as many for more than two flows, which take longer."""
    return most_bytes * (SHARES if flows <= 2 else SHARES[::2])


def described(test: Scenario, values: dict) -> Scenario:
    """The test as the controls stand, with the buffer as configured."""
    flows = {
        "round_trip_s": units.convert(values["rtt"], "ms", "s"),
        "window_bytes": max(round(_bytes(values["window"])), test.hosts[0].flows[0].mss_bytes),
        "congestion": _chosen(CONGESTION, values["congestion"], test.hosts[0].flows[0].congestion),
        "recovery": _chosen(RECOVERIES, values["recovery"], test.hosts[0].flows[0].recovery),
    }
    host = test.hosts[0]
    if host.queue and host.queue.delay_s > flows["round_trip_s"]:
        queue = host.queue.replace(delay_s=flows["round_trip_s"])
        test = test.replace(hosts=(host.replace(queue=queue),))
    made = transfer.with_flows(test, round(values["flows"]), **flows)
    return transfer.with_buffer(made, _bytes(values["buffer"]))


def _chosen(known, name, own):
    """The test's own where it is of this kind, with its numbers."""
    return own if type(own) is type(known[name]) else known[name]


def _with(test, values, effects, size):
    """The test with a buffer as configured, at what that is in effect."""
    effective = effects[values["effect"]](size)
    return described(test, values | {"buffer": units.convert(effective, "B", "MB")})


def _effects(platform):
    """What a configured buffer may be in effect."""
    known = {AS_CONFIGURED: lambda size: size}
    if platform == "mx80":
        small, up_to = float(mx80.FACTS.effective_bytes), float(mx80.FACTS.effective_up_to_bytes)
        said = [f"{units.convert(each, 'B', 'MB'):g} MB" for each in (small, up_to)]
        name = f"{said[0]} up to {said[1]} (fitted)"
        known[name] = lambda size: small if size <= up_to else size
    return known | {"10 %": lambda size: 0.1 * size, "1 %": lambda size: 0.01 * size}


def rules(test: Scenario) -> dict[str, float | None]:
    """One product, and the buffer in which the windows fit, where one is needed [B]."""
    flows = test.hosts[0].flows
    left, trip_s = transfer.left_bps(test), flows[0].round_trip_s
    found: dict[str, float | None] = {"BDP": tcp.bandwidth_delay_bytes(left, trip_s)}
    windows = sum(flow.window_bytes or np.inf for flow in flows)
    beside = test.where.rate_bps - left
    fits = tcp.loss_free_buffer_bytes(windows, test.where.rate_bps, trip_s, beside)
    return found | {"B*": fits if 0 < fits < np.inf else None}


def _published(platform, values, start):
    """Every published test without pacing, where path and number of flows are theirs."""
    if not platform or any(values[name] != start[name] for name in ("rtt", "flows")):
        return ()
    tests = [test for name in ("mx80", "catalyst6506") for test in plots.tcp_tests(name)]
    return tuple(test for test in tests if test.paced_bps is None)


@lru_cache(maxsize=1)
def _band():
    """What the two sets of assumptions predict of the MLX, by the size of its queue."""
    rates = [
        transfer.tried([each.scenario for each in mlx.experiments(name).values()])[0]
        for name in BAND_SETS
    ]
    at = [units.megabytes(size) for size in mlx.SIZES]
    return plots.Band(at, np.min(rates, axis=0), np.max(rates, axis=0))
