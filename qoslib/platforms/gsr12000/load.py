"""What the tester sends: five regular streams a port, all due at once, by one line."""

from collections.abc import Mapping
from functools import cache

from qoslib.platforms.gsr12000.facts import CLASSES, FACTS, PORTS, START_ORDER
from qoslib.traffic import Stream, on_one_line

__all__ = ["GROUPS", "loaded", "streams"]

#: Published rows that speak of several streams.
GROUPS = {
    "1A+1B": tuple(f"{port}/{name}" for port in PORTS for name in CLASSES),
    **{f"1A+1B/{name}": tuple(f"{port}/{name}" for port in PORTS) for name in CLASSES},
}


@cache
def streams(
    test: str = "test_a",
    less_than_best_effort_bps: float | None = None,
    ports: tuple[str, ...] = PORTS,
) -> tuple[Stream, ...]:
    """The streams of both tester ports, by port and precedence from 7 down.

    The tester stamps a packet as it leaves, so what waits for its line is no latency; the line
    is worked into the pattern of each stream (a chain with the line as a hop takes ten times as
    long). A common clock keeps the ports together for 20 minutes.
    """
    offered = {name: FACTS.offered_bps * FACTS[f"offered_{name}"] for name in CLASSES}
    if less_than_best_effort_bps is not None:
        both_bps = offered["prec0"] + offered["prec1"]
        offered["prec0"] = less_than_best_effort_bps / len(PORTS)
        offered["prec1"] = both_bps - offered["prec0"]
    return tuple(stream for port in ports for stream in _of_port(port, offered, test))


def loaded(
    test: str, offered_bps: Mapping[str, float], ports: tuple[str, ...] = PORTS
) -> tuple[Stream, ...]:
    """What if: the same streams at other rates."""
    rates = dict.fromkeys(CLASSES, 0.0) | dict(offered_bps)
    return tuple(stream for port in ports for stream in _of_port(port, rates, test))


def _of_port(port: str, offered: Mapping[str, float], test: str) -> list[Stream]:
    order = START_ORDER[test]
    first_to_last = sorted(CLASSES, key=lambda c: order.index(c) if c in order else len(order))
    sent = on_one_line(
        [_stream(port, name, offered[name]) for name in first_to_last],
        FACTS.line_bps,
        FACTS.overhead_e2_bytes,
    )
    return sorted(sent, key=lambda stream: CLASSES.index(stream.mark))


def _stream(port: str, name: str, rate_bps: float) -> Stream:
    return Stream(
        f"{port}/{name}",
        rate_bps,
        int(FACTS.frame_bytes),
        mark=name,
        jitter_s=FACTS.jitter_s,
        start_s=FACTS.lead_s if port == "1A" else 0.0,
    )
