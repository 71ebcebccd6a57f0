"""W5: two CUBIC connections through 10 Gb/s, 50 ms and 12 MB of buffer, 9000-byte packets.

qoslib plays 30 s of it. ns-3 plays fewer: its scoreboard is a list that every ACK of a recovery
looks through, so that it takes minutes for the whole.
"""

import json
import subprocess
import time
from functools import partial

from benchmarks.dumbbells import PEER, TIMEOUT_S
from qoslib import tcp
from qoslib.flows import Cubic, Flow, Host
from qoslib.port import ByteLimit, Port, Queue

__all__ = ["long_pipe_figures"]

MSS_BYTES, FRAME_BYTES = 8948, 9000
LINE_BPS, ROUND_TRIP_S, BUFFER_BYTES = 10e9, 0.05, 12_000_000
WINDOW_BYTES = 48_000_000
#: One packet's time on the line.
JITTER_S = 7.2e-6
QOSLIB_S, NS3_S = 30.0, 1.0
#: Packet by packet without a progress bar, and the fluid model.
SIMULATE = partial(tcp.simulate, progress=lambda done_s, total_s: None)
MODELS = (
    ("qoslib, 2 flows", SIMULATE, 2),
    ("qoslib, 64 flows", SIMULATE, 64),
    ("qoslib, 2 flows, fluid", tcp.solve, 2),
)


def qoslib_seconds(play, flows=2, repeats=3):
    """Packets offered in 30 s, and the least processor time that a model took for them [s]."""
    port = Port("line", LINE_BPS, (Queue("all", ByteLimit(BUFFER_BYTES)),))
    hosts = [
        Host(
            f"host {i}",
            LINE_BPS,
            (Flow(f"flow {i}", ROUND_TRIP_S, Cubic(), window_bytes=WINDOW_BYTES),),
            jitter_s=JITTER_S,
        )
        for i in range(flows)
    ]
    took_s, packets = [], 0
    play(port, hosts, ROUND_TRIP_S)
    for _ in range(repeats):
        began_s = time.process_time()
        result = play(port, hosts, QOSLIB_S)
        took_s.append(time.process_time() - began_s)
        packets = round(float(result.offered_pps.sum()) * QOSLIB_S)
    return packets, min(took_s)


def ns3_seconds(python, duration_s=NS3_S):
    """The same of two flows in ns-3, in so much simulated time."""
    asked = {
        "rate_bps": LINE_BPS,
        "access_bps": LINE_BPS,
        "round_trip_s": ROUND_TRIP_S,
        "buffer_packets": BUFFER_BYTES // FRAME_BYTES,
        "mss_bytes": MSS_BYTES,
        "starts_s": [0.0, 0.0],
        "duration_s": duration_s,
        "law": "TcpCubic",
        "recovery": "ns3::TcpPrrRecovery",
        "minimum_timeout_s": TIMEOUT_S,
    }
    done = subprocess.run(
        [python, PEER], input=json.dumps(asked) + "\n", capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout.splitlines()[-1])
    return found["offered"], found["simulation_s"]


def long_pipe_figures(python):
    """A row a simulator; `python` is ns-3's interpreter, or None."""
    rows = [
        {"simulator": name, "simulated_s": QOSLIB_S, "packets": n, "s": took_s}
        for name, play, flows in MODELS
        for n, took_s in [qoslib_seconds(play, flows)]
    ]
    if python:
        packets, took_s = ns3_seconds(python)
        row = {"simulator": "ns-3, 2 flows", "simulated_s": NS3_S, "packets": packets, "s": took_s}
        rows.append(row)
    return rows
