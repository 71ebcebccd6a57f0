"""A policer in front of the router's queues: what its program has to know, and what it drops."""

import json
from collections.abc import Mapping

from livelab.lab import ROUTER, Lab, LabError, python
from qoslib import units
from qoslib.config.code_points import DSCP
from qoslib.port import PacketLimit, Policer, Port

__all__ = ["Refused", "dropped_by", "policer_of"]

#: The clocks of the program are read as numbers of this many bits.
MOST_NS = 2**31


class Refused(ValueError):
    """The kernel would do something else than the port says; the message says what."""


def policer_of(port: Port, frame_bytes: float) -> tuple[dict[str, int], str]:
    """What the program of a port's only policer has to know.

    Parameters
    ----------
    port : Port
        One class, told by one DSCP, has a policer that drops; always, or only under congestion,
        where a packet that passes without congestion keeps the tokens.
    frame_bytes : float
        What a packet is, where the port counts packets [B].

    Returns
    -------
    tuple of dict of str to int, and str
        Times per byte and of the burst, and the policed queue.

    Raises
    ------
    Refused
        If the program cannot do what the policer does.

    Examples
    --------
    >>> from qoslib.port import Classifier, Queue, StrictPriority
    >>> voice = Queue("EF", PacketLimit(9), policer=Policer(4e6, 100_000))
    >>> queues = voice, Queue("default", PacketLimit(9), priority=1)
    >>> port = Port("p", 2e7, queues, StrictPriority(), 24, Classifier((("EF", "EF"),), "default"))
    >>> order, name = policer_of(port, 1490)
    >>> name, order["priority_ns"], order["line_ns"]
    ('EF', 2000, 400)
    """
    (queue, *others) = [each for each in port.queues if each.policer]
    marks = [mark for mark, name in port.classifier.rules if name == queue.name]
    policer = queue.policer
    assert policer is not None
    always = policer.when == "always"
    plain = Policer(
        policer.rate_bps,
        policer.burst_bytes,
        when=policer.when,
        congestion_packets=policer.congestion_packets,
        uncongested="drains" if always else "keeps",
    )
    if others or len(marks) != 1 or marks[0] not in DSCP or policer != plain:
        raise Refused(
            f"The policer of queue {queue.name!r} is not run: one class, told by one DSCP, may have"
            " a policer that drops, always or under congestion alone (uncongested='keeps')."
        )
    packet_s = units.serialisation_s(frame_bytes + port.overhead_bytes, port.rate_bps)
    room = sum(each.limit.packets for each in port.queues if isinstance(each.limit, PacketLimit))
    order = {
        "field": DSCP[marks[0]] << 2,
        "priority_ns": _whole(units.serialisation_s(1, policer.rate_bps)),
        "burst_ns": _whole(units.serialisation_s(policer.burst_bytes, policer.rate_bps)),
        "line_ns": _whole(units.serialisation_s(1, port.rate_bps)),
        "overhead_bytes": round(port.overhead_bytes),
        "congested_ns": 0 if always else _whole((policer.congestion_packets or 1) * packet_s),
        "full_ns": _whole(room * packet_s),
    }
    if max(order.values()) >= MOST_NS:
        raise Refused("The program's clocks hold no time above two seconds.")
    return order, queue.name


def _whole(time_s: float) -> int:
    return round(units.convert(time_s, "s", "ns"))


def dropped_by(lab: Lab, order: Mapping[str, int] | None = None) -> int:
    """Load the policer, where it is given, and read how many packets it has dropped.

    Parameters
    ----------
    lab : Lab
    order : mapping of str to int, optional
        From `policer_of`.

    Returns
    -------
    int

    Raises
    ------
    LabError
        If there are no rights to load it.
    """
    done = lab.start(python("policer"), ROUTER, json.dumps(dict(order or {}))).wait(20.0)
    if done.code:
        raise LabError(f"the policer could not be loaded: {done.err.strip().splitlines()[-1]}")
    return int(json.loads(done.out)["dropped"])
