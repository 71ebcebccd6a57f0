"""What the fluid model refuses, since it has no closed form of it; the packet model runs it."""

from collections.abc import Sequence

from qoslib.fluid.paths import Paths
from qoslib.port import DropProfile, HeadDrop, Port, Red, TailDrop
from qoslib.record import fail
from qoslib.traffic import Stream

__all__ = ["refuse", "refuse_marking"]

#: What may drop packets here.
DROPPERS = (TailDrop, HeadDrop, Red, DropProfile)
#: Of what has no closed form here.
REFUSED = 'in the fluid model; model="packets" runs'


def refuse(port: Port) -> None:
    """Raise an error where a port has what the fluid model has no closed form of."""
    for pool in port.pools:
        if pool.resume_bytes is not None:
            where = f"MemoryPool {pool.name!r} resume_bytes"
            fail(where, pool.resume_bytes, f"None {REFUSED} it")
    for queue in port.queues:
        if queue.flows and queue.flows.overflow == "arriving" and not queue.flows.flow_limit:
            allowed = f"'longest', 'fattest' or a flow_limit {REFUSED} it"
            fail(f"Queue {queue.name!r} flows.overflow", queue.flows.overflow, allowed)
        if queue.pause is not None:
            fail(f"Queue {queue.name!r} pause", queue.pause, f"None {REFUSED} it")
        if queue.pool and queue.alpha is None:
            fail(f"Queue {queue.name!r} pool", queue.pool, f"none {REFUSED} pools without alpha")
        if queue.pool and not isinstance(queue.dropper, TailDrop):
            allowed = f"TailDrop with a pool {REFUSED} others"
            fail(f"Queue {queue.name!r} dropper", queue.dropper, allowed)
        if queue.flows is None and not isinstance(queue.dropper, DROPPERS):
            known = ", ".join(kind.__name__ for kind in DROPPERS)
            fail(f"Queue {queue.name!r} dropper", queue.dropper, f"{known} {REFUSED} Codel and Pie")
        if isinstance(queue.dropper, DropProfile) and queue.dropper.profiles:
            profiles = queue.dropper.profiles
            fail(f"Queue {queue.name!r} profiles", profiles, f"none by mark {REFUSED} them")
        if queue.limits and isinstance(queue.dropper, Red | DropProfile):
            fail(
                f"Queue {queue.name!r} limits",
                queue.limits,
                f"none by mark behind a dropper {REFUSED} both",
            )
    if port.pause is not None and port.pause.obeyed:
        fail(f"Port {port.name!r} pause", port.pause, f"none that is obeyed {REFUSED} it")


def refuse_marking(port: Port, streams: Sequence[Stream], paths: Paths) -> None:
    """Raise an error where a drop profile marks some streams and drops others."""
    for index, queue in enumerate(port.queues):
        capable = [
            s.name
            for s, here in zip(streams, paths.member[:, index], strict=True)
            if here and s.ecn != "no"
        ]
        marks = isinstance(queue.dropper, DropProfile) and (queue.dropper.ecn or queue.marking)
        if marks and capable:
            where = (
                f"the ECN-capable streams of queue {queue.name!r}, which its drop profile marks,"
            )
            fail(where, capable, f"none {REFUSED} it", "are")
