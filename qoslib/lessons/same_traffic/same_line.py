"""Three routers' schedulers and a plain queue on one line, to send the same traffic through each.

Every port keeps the rules of its published configuration. The line is that of the Cisco 12000;
what another router sets as a rate, a burst or a number of packets grows with the line, so that
each buffer is as long in time, and each share as large, as published. This is a what-if: nobody
has measured it.
"""

from collections.abc import Mapping
from typing import Any

from qoslib import units
from qoslib.platforms import gsr12000, isr4331, m120
from qoslib.port import Classifier, PacketLimit, Port, Queue
from qoslib.traffic import Cbr, OnOff, Poisson, Stream

__all__ = ["LINE_BPS", "LOADS", "MIX", "SPACINGS", "ports", "streams"]

LINE_BPS = float(gsr12000.FACTS.line_bps)
#: What the line adds to each frame, the same for all [B].
OVERHEAD_BYTES = 20.0

#: Classes of the mix and their frames [B].
MIX = {"voice": 200, "control": 300, "business": 1000, "best effort": 1500}
#: The queue of each class, at the M120, the Cisco 12000 and the ISR4331.
_QUEUES = (
    {"voice": "CS4", "control": "NC", "business": "CS3", "best effort": "BE"},
    {"voice": "queue1", "control": "queue0", "business": "queue2", "best effort": "queue3"},
    {"voice": "EF", "control": "default", "business": "default", "best effort": "default"},
)
#: What each offers at first, as a share of the line [ratio].
LOADS = {"voice": 0.08, "control": 0.01, "business": 0.5, "best effort": 0.6}
#: How the packets of each class may be spaced.
SPACINGS: dict[str, Cbr | Poisson | OnOff] = {
    "at random (Poisson)": Poisson(),
    "evenly (CBR)": Cbr(),
    "in bursts of 1 ms": OnOff(units.ms(1), units.ms(1)),
}


def ports() -> dict[str, Port]:
    """The ports by what people call them: a plain queue, M120, Cisco 12000, ISR4331.

    >>> [port.rate_bps == LINE_BPS for port in ports().values()]
    [True, True, True, True]
    """
    return {
        "one queue": _same(_wider(isr4331.fifo())),
        "M120": _same(_wider(m120.port()), _QUEUES[0]),
        "Cisco 12000": _same(gsr12000.engine3(), _QUEUES[1]),
        "ISR4331": _same(_wider(isr4331.llq()), _QUEUES[2]),
    }


def streams(
    loads: dict[str, float] = LOADS, spacing: str = next(iter(SPACINGS))
) -> tuple[Stream, ...]:
    """The mix: one stream a class."""
    return tuple(
        Stream(
            name,
            loads[name] * LINE_BPS * frame / (frame + OVERHEAD_BYTES),
            frame,
            SPACINGS[spacing],
        )
        for name, frame in MIX.items()
    )


def _same(port: Port, queues: Mapping[str, str] | None = None) -> Port:
    """The port on the common line, sorting the mix into its own queues."""
    return port.replace(
        rate_bps=LINE_BPS,
        overhead_bytes=OVERHEAD_BYTES,
        base_delay_s=0.0,
        classifier=Classifier(tuple((queues or {}).items())),
    )


def _wider(port: Port) -> Port:
    """The port with all that counts in bits, bytes or packets grown with the line."""
    times = LINE_BPS / port.rate_bps
    return port.replace(queues=tuple(_longer(queue, times) for queue in port.queues))


def _longer(queue: Queue, times: float) -> Queue:
    changed: dict[str, Any] = {"guaranteed_bps": queue.guaranteed_bps * times}
    if isinstance(queue.limit, PacketLimit):
        changed["limit"] = PacketLimit(round(queue.limit.packets * times))
    if queue.policer is not None:
        congested = queue.policer.congestion_packets
        changed["policer"] = queue.policer.replace(
            rate_bps=queue.policer.rate_bps * times,
            burst_bytes=round(queue.policer.burst_bytes * times),
            congestion_packets=None if congested is None else round(congested * times),
        )
    return queue.replace(**changed)
