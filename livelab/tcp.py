"""TCP connections of the kernel across the router, with a round trip that a delay line makes.

The data take the kernel's own path. Only acknowledgements are held back, by a program between two
more virtual cables, so that no netem is needed and no packet of data passes through Python.
"""

import json
from typing import Any, NamedTuple

import numpy as np

from livelab.lab import ADDRESS, RECEIVER, ROUTER, SENDER, SOURCE, Job, Lab, LabError, python
from qoslib import Scenario, units
from qoslib.flows import Bbr, Cubic, Flow, FqPacing, Host, Reno

__all__ = ["Connections", "FlowSeen", "start"]

PORT = 5202
#: Congestion control as the kernel calls it.
NAMES = {Reno: "reno", Cubic: "cubic", Bbr: "bbr"}
#: A socket may hold so much [B].
MEMORY_BYTES = 8_000_000

# The path of acknowledgements: router, delay line (in the helper's own namespace), sender.
_PATH = """
ip link show dev b0 > /dev/null 2>&1 && exit 0
for each in all default; do echo 1 > /proc/sys/net/ipv6/conf/$each/disable_ipv6 || true; done
ip link add b0 type veth peer name back0 netns router address 02:00:00:00:00:05
ip link add b1 type veth peer name back1 netns sender address 02:00:00:00:00:06
ip link set b0 up; ip link set b1 up
"""
_ROUTER = f"""
ip link set back0 up
ip route replace {SOURCE}/32 dev back0
ip neighbour replace {SOURCE} lladdr 02:00:00:00:00:06 dev back0 nud permanent
"""
_SENDER = f"""
ip link set back1 up
for each in all back1; do echo 0 > /proc/sys/net/ipv4/conf/$each/rp_filter; done
echo 1 > /proc/sys/net/ipv4/tcp_no_metrics_save
echo 4096 131072 {MEMORY_BYTES} > /proc/sys/net/ipv4/tcp_wmem
"""
_RECEIVER = f"""
echo 4096 131072 {MEMORY_BYTES} > /proc/sys/net/ipv4/tcp_rmem
"""
_OFFLOAD = {SENDER: ("s0", "back1"), ROUTER: ("in0", "out0", "back0"), RECEIVER: ("d0",)}


class FlowSeen(NamedTuple):
    """What was seen of a connection, from its sender's kernel.

    Attributes
    ----------
    goodput_bps : float
        Bytes acknowledged per second behind the warm-up, in bits [bit/s].
    again_packets : int
        Packets sent again, over the whole run.
    looks : list of list of float
        Each 100 ms: time [s], bytes acknowledged, packets sent again, window [packets], smoothed
        round trip [us], as the kernel has it.
    """

    goodput_bps: float
    again_packets: int
    looks: list[list[float]]


class Connections(NamedTuple):
    """Connections that are under way.

    Attributes
    ----------
    sender, receiver, line : Job
    """

    sender: Job
    receiver: Job
    line: Job

    def finish(self, scenario: Scenario, timeout_s: float) -> "tuple[dict[str, FlowSeen], float]":
        """Wait for their end.

        Parameters
        ----------
        scenario : Scenario
        timeout_s : float
            At most so long [s].

        Returns
        -------
        tuple of dict of str to FlowSeen, and float
            By flow; and how late the delay line was with 99 % of the acknowledgements [s].
        """
        flows = [flow for host in scenario.hosts for flow in host.flows]
        found = _answer(self.sender, timeout_s)["flows"]
        line = _answer(self.line, timeout_s)
        self.receiver.stop()
        seen = {flow.name: _flow(looks, scenario) for flow, looks in zip(flows, found, strict=True)}
        return seen, float(line["lateness_p99_s"])


def start(lab: Lab, scenario: Scenario, delay_s: float, lasting_s: float) -> Connections:
    """Start all connections of a scenario's hosts.

    Parameters
    ----------
    lab : Lab
    scenario : Scenario
        All its flows have one round trip and begin together.
    delay_s : float
        Until they begin [s].
    lasting_s : float
        Until the delay line ends [s].

    Returns
    -------
    Connections

    Raises
    ------
    LabError
        If the path of the acknowledgements cannot be built.
    """
    flows = [(host, flow) for host in scenario.hosts for flow in host.flows]
    round_trips = {flow.round_trip_s for _, flow in flows}
    if len(round_trips) > 1:
        raise LabError(f"one delay line gives one round trip, not {sorted(round_trips)}")
    lab.script(_PATH, "")
    for name, text in ((ROUTER, _ROUTER), (SENDER, _SENDER), (RECEIVER, _RECEIVER)):
        lab.script(text, name)
        lab.run([*python("offload"), *_OFFLOAD[name]], name)
    held = {"from": "b0", "to": "b1", "time_s": lasting_s, "delay_s": round_trips.pop()}
    line = lab.start(python("delay_line"), "", json.dumps(held))
    taken = {"port": PORT, "time_s": lasting_s}
    receiver = lab.start(python("tcp_receiver"), RECEIVER, json.dumps(taken))
    order = {
        "flows": [_order(host, flow) for host, flow in flows],
        "address": ADDRESS,
        "port": PORT,
        "time_s": scenario.duration_s,
        "delay_s": delay_s,
    }
    return Connections(lab.start(python("tcp_sender"), SENDER, json.dumps(order)), receiver, line)


def _order(host: Host, flow: Flow) -> dict[str, Any]:
    """What the sender has to know of a connection."""
    kind = type(flow.congestion)
    if kind not in NAMES:
        raise LabError(f"the kernel is not asked for {kind.__name__}: use Reno, Cubic or Bbr")
    pacing_bps = 0.0
    if host.pacing is not None:
        if not isinstance(host.pacing, FqPacing):
            raise LabError("a socket paces each connection by itself: use FqPacing")
        pacing_bps = host.pacing.rate_bps
    return {"congestion": NAMES[kind], "pacing_bytes_per_s": units.octets(pacing_bps)}


def _answer(job: Job, timeout_s: float) -> dict[str, Any]:
    done = job.wait(timeout_s)
    if done.code:
        raise LabError(" ".join(done.err.split()) or f"exit status {done.code}")
    found: dict[str, Any] = json.loads(done.out)
    return found


def _flow(looks: list[list[float]], scenario: Scenario) -> FlowSeen:
    rows = np.array([look for look in looks if look[0] >= scenario.warmup_s])
    time_s, acknowledged_bytes = rows[-1, :2] - rows[0, :2]
    goodput_bps = float(units.bits(acknowledged_bytes) / time_s)
    return FlowSeen(goodput_bps, int(looks[-1][2]), looks)
