"""One run of a scenario on the kernel: its streams are sent, received, counted and judged."""

import base64
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from livelab.commands import BURST_S, Commands, commands
from livelab.counters import Sample, sample
from livelab.gates import Gate, gates
from livelab.lab import ADDRESS, DEVICE, RECEIVER, ROUTER, SENDER, Lab, LabError, python
from livelab.policing import Refused, dropped_by
from livelab.tcp import FlowSeen, start
from qoslib import Scenario, units
from qoslib.config.code_points import DSCP
from qoslib.port import Port
from qoslib.traffic import Cbr, Poisson, Stream, TickedBursts

__all__ = ["Run", "Seen", "router", "run_once"]

#: Ethernet, IP and UDP headers, which the kernel counts of a packet besides its payload.
HEADERS_BYTES = 42
PORT = 5201
#: Between the order to send and the first packet; for queues to empty behind the last [s].
DELAY_S, DRAIN_S = 0.3, 0.7
#: Packets sent later than this before the end of a run find queues that fill no more [s].
END_S = 0.2
SAMPLES_S = 0.25


class Seen(NamedTuple):
    """What was seen of a stream.

    Attributes
    ----------
    offered_packets, sent_packets : int
        That were sent into the router in the window, and those of them that came out.
    total_packets, arrived_packets : int
        The same over the whole run, until all queues are empty.
    served_pps : float
        What came out in the window [packets/s].
    delays_s : ndarray, shape (packets,)
        From the sender's clock to the kernel's stamp at the receiver, of packets sent in the
        window [s].
    """

    offered_packets: int
    sent_packets: int
    total_packets: int
    arrived_packets: int
    served_pps: float
    delays_s: "np.ndarray[Any, np.dtype[np.float64]]"


class Run(NamedTuple):
    """One run on the kernel.

    Attributes
    ----------
    seen : dict of str to Seen
        By stream.
    samples : list of Sample
        The router's counters, the last when all queues are empty.
    gates : tuple of Gate
        A run that fails one is inconclusive.
    commands : Commands
    flows : mapping of str to FlowSeen
        By TCP connection.
    """

    seen: dict[str, Seen]
    samples: list[Sample]
    gates: tuple[Gate, ...]
    commands: Commands
    flows: Mapping[str, FlowSeen] = {}

    @property
    def inconclusive(self) -> str:
        """Why the run says nothing about the router; empty where it does."""
        return "; ".join(gate.said for gate in self.gates if not gate.passed)


def run_once(lab: Lab, scenario: Scenario, seed: int = 0) -> Run:
    """Run a scenario once on the kernel.

    Parameters
    ----------
    lab : Lab
    scenario : Scenario
        Of one port and streams whose marks are DSCPs, regular or Poisson.
    seed : int
        Of Poisson arrivals.

    Returns
    -------
    Run

    Raises
    ------
    Refused
        If the kernel would do something else than the scenario says.
    LabError
        If a command fails.
    """
    made = router(scenario)
    orders = [_order(stream, scenario) for stream in scenario.streams]
    lab.run(["tc", "qdisc", "del", "dev", DEVICE, "root"], ROUTER)
    if made.policer:
        lab.run(["tc", "qdisc", "del", "dev", DEVICE, "clsact"], ROUTER)
        dropped_by(lab, made.policer)
    lab.script("\n".join(made.lines), ROUTER)
    lasting_s = scenario.duration_s + DELAY_S + DRAIN_S
    receive = {"port": PORT, "time_s": lasting_s + 0.2}
    receiver = lab.start(python("receiver"), RECEIVER, json.dumps(receive))
    send = {"streams": orders, "address": ADDRESS, "port": PORT, "seed": seed, "delay_s": DELAY_S}
    sender = lab.start(python("sender"), SENDER, json.dumps(send))
    connections = start(lab, scenario, DELAY_S, lasting_s) if scenario.hosts else None
    begun, samples = time.monotonic() + DELAY_S, list[Sample]()
    while (now := time.monotonic() - begun) < scenario.duration_s + DRAIN_S - SAMPLES_S:
        samples.append(sample(lab, made.classes, now))
        time.sleep(max(0.0, begun + now + SAMPLES_S - time.monotonic()))
    sent = _answer(sender.wait(lasting_s + 20.0))
    received = _columns(_answer(receiver.wait(lasting_s + 20.0)))
    flows, lateness_s = dict[str, FlowSeen](), 0.0
    if connections:
        flows, lateness_s = connections.finish(scenario, lasting_s + 20.0)
    samples.append(sample(lab, made.classes, time.monotonic() - begun))
    if made.policer:
        samples[-1].dropped_packets[made.policed] += dropped_by(lab)
    seen = _seen(scenario, sent, received)
    judged = gates(scenario, seen, samples[-1], sent, lateness_s)
    return Run(seen, samples, judged, made, flows)


def router(scenario: Scenario) -> Commands:
    """The commands of its port; with TCP, bursts of one frame.

    A longer burst holds the rate of a busy machine, but lets clumps of packets through that a line
    would spread out, and their acknowledgements make the senders' next clumps.

    Parameters
    ----------
    scenario : Scenario

    Returns
    -------
    Commands
    """
    burst_s = 0.0 if scenario.hosts else BURST_S
    return commands(scenario.only_port, scenario.streams, burst_s=burst_s)


def _answer(done: Any) -> dict[str, Any]:
    if done.code:
        raise LabError(" ".join(done.err.split()) or f"exit status {done.code}")
    found: dict[str, Any] = json.loads(done.out)
    return found


def _order(stream: Stream, scenario: Scenario) -> dict[str, Any]:
    """What the sender has to know of a stream."""
    mark = stream.mark or stream.name
    port: Port = scenario.only_port
    chosen = mark in DSCP or len(port.queues) == 1
    if not chosen and port.queue_names[port.queue_of(stream)] != port.classifier.default:
        raise Refused(f"Stream {stream.name!r} has the mark {mark!r}: use a DSCP, like 'EF'.")
    if not isinstance(stream.arrivals, Cbr | Poisson | TickedBursts) or not isinstance(
        stream.frame_bytes, int
    ):
        raise Refused(
            f"Stream {stream.name!r} is not sent: only regular, ticked or Poisson, of one size."
        )
    payload = stream.frame_bytes - HEADERS_BYTES
    return {
        "name": stream.name,
        "dscp": DSCP.get(mark, 0),
        "payload_bytes": payload,
        "rate_pps": units.rate_pps(stream.rate_bps, stream.frame_bytes),
        "arrivals": "poisson" if isinstance(stream.arrivals, Poisson) else "cbr",
        "tick_s": getattr(stream.arrivals, "tick_s", 0.0),
        "start_s": stream.start_s,
        "stop_s": scenario.duration_s if stream.stop_s is None else stream.stop_s,
    }


def _columns(answer: dict[str, str]) -> dict[str, Any]:
    return {name: np.frombuffer(base64.b64decode(text), "i8") for name, text in answer.items()}


def _seen(scenario: Scenario, sent: dict[str, Any], received: dict[str, Any]) -> dict[str, Seen]:
    """What was seen of each stream, in a window behind the warm-up and before the end."""
    begin_ns = sent["begin_ns"]
    first_s, last_s = scenario.warmup_s, scenario.duration_s - END_S
    found = {}
    for number, stream in enumerate(scenario.streams):
        mine = received["stream"] == number
        left_s = units.convert((received["sent_ns"][mine] - begin_ns).astype(float), "ns", "s")
        came_s = units.convert((received["received_ns"][mine] - begin_ns).astype(float), "ns", "s")
        inside = (left_s >= first_s) & (left_s < last_s)
        numbers: Sequence[int] = received["number"][mine][inside]
        # Lost packets have no stamp: of those sent, the first and last to arrive bound the window.
        offered = int(numbers[-1]) - int(numbers[0]) + 1 if len(numbers) else 0
        served = np.count_nonzero((came_s >= first_s) & (came_s < last_s)) / (last_s - first_s)
        found[stream.name] = Seen(
            offered,
            len(numbers),
            sent["sent"][number],
            int(np.count_nonzero(mine)),
            float(served),
            (came_s - left_s)[inside],
        )
    return found
