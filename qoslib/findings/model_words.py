"""What a reader has to know of the models that ran: what they take TCP for, and flows that meet."""

from collections.abc import Iterator, Sequence

from qoslib.checks import Load
from qoslib.checks.traffic_words import MANY
from qoslib.config import ConfiguredPort
from qoslib.config.amounts import share_text
from qoslib.findings.report import ClassRun
from qoslib.findings.under_load import queue_of
from qoslib.port import Queue

__all__ = ["of_flows", "of_tcp"]

#: A chance below this is not worth a line [ratio].
LEAST_CHANCE = 0.01


def of_tcp(
    configured: ConfiguredPort, runs: Sequence[ClassRun], given: Sequence[Load]
) -> Iterator[str]:
    """What models that ran take TCP for."""
    models = {run.model for run in runs}
    if "fluid" in models and any(load.flows for load in given):
        yield (
            "In the fluid model TCP takes the rate that the others leave, whatever its round-trip"
            " time and its number of connections."
        )
    if "packets" in models and any(load.flows for load in given):
        yield (
            "In the packet model TCP comes from hosts that send at the line rate, or at twice what"
            " the port can send, if that is more."
        )
    apart = {queue.name for queue in _queues(configured) if queue.flows}
    into = queue_of(configured, given)
    if "packets" in models and any(
        load.flows and load.rate_bps and into[load.name] not in apart for load in given
    ):
        yield "In the packet model TCP fills its queue, so other packets there are dropped too."


def of_flows(configured: ConfiguredPort, given: Sequence[Load]) -> Iterator[str]:
    """How likely flows share one of the queues that are to keep them apart.

    >>> from qoslib.checks import loads
    >>> from qoslib.config import ConfiguredClass
    >>> from qoslib.port import FlowQueues, PacketLimit, Port, Queue
    >>> queue = Queue("all", PacketLimit(64), flows=FlowQueues(16))
    >>> port, of = Port("access", 1e7, (queue,)), ConfiguredClass("all", "all")
    >>> edge = ConfiguredPort("Gi0/1", "out", port, (of,))
    >>> for said in of_flows(edge, loads(edge, 'all = ["9 TCP, 20 ms", "1 call G.711"]')):
    ...     print(said)
    all: 10 flows in 16 queues, so each shares its queue with another with a chance of 44 %.
    """
    into = queue_of(configured, given)
    if any(queue.flows and queue.flows.isolation != "flows" for queue in _queues(configured)):
        yield (
            "A load does not name its hosts, so it is taken to come from one, and its flows share"
            " equally. Of several hosts each would have an equal share instead."
        )
    for queue in _queues(configured):
        own = [load for load in given if into[load.name] == queue.name]
        steady = [stream for load in own for stream in load.streams if stream.rate_bps]
        number = sum(stream.flows for stream in steady) + sum(len(load.flows) for load in own)
        if queue.flows is None or queue.flows.ways > 1 or number < 2:
            continue
        chance = queue.flows.collision_probability(number)
        if chance >= LEAST_CHANCE:
            plain = f" (a rate alone counts as {MANY})" * (MANY in (s.flows for s in steady))
            yield (
                f"{queue.name}: {number:,} flows{plain} in {queue.flows.queues:,} queues, so each"
                f" shares its queue with another with a chance of {share_text(round(chance, 2))}."
            )


def _queues(configured: ConfiguredPort) -> tuple[Queue, ...]:
    return configured.port.queues if configured.port is not None else ()
