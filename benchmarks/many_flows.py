"""Many flows: a thousand CUBIC connections through 10 Gb/s, 20 ms and as much buffer as that is.

Packets have 1500 bytes and no window is set, so that memory follows from what is under way.
`python -m benchmarks.many_flows 10` plays 10 s of it; a first time it compiles, in 0.5 GB.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

from qoslib import tcp
from qoslib.flows import Cubic, Flow, Host
from qoslib.port import ByteLimit, Port, Queue

__all__ = ["many_flows", "many_flows_figures"]

ROOT = Path(__file__).resolve().parent.parent
LINE_BPS, ROUND_TRIP_S, BUFFER_BYTES = 10e9, 0.02, 25_000_000
MSS_BYTES, FRAME_BYTES = 1448, 1500
FLOWS, DURATION_S = 1000, 10.0
#: One packet's time on the line.
JITTER_S = 1.2e-6


def many_flows(flows=FLOWS):
    """The port and its hosts, one a connection."""
    port = Port("line", LINE_BPS, (Queue("all", ByteLimit(BUFFER_BYTES)),))
    one = Flow("0", ROUND_TRIP_S, Cubic(), mss_bytes=MSS_BYTES, frame_bytes=FRAME_BYTES)
    each = (one.replace(name=str(i)) for i in range(flows))
    return port, [Host(flow.name, LINE_BPS, (flow,), jitter_s=JITTER_S) for flow in each]


def many_flows_figures(duration_s=DURATION_S):
    """Packets offered, seconds of processor time and of the clock, and the most memory [MB]."""
    command = [sys.executable, "-m", "benchmarks.many_flows", str(duration_s)]
    done = subprocess.run(
        [sys.executable, "-S", ROOT / "benchmarks" / "launch.py", *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    usage = json.loads(done.stderr.rsplit("\n", 1)[1])
    return {"simulated_s": duration_s} | json.loads(done.stdout) | usage


def _main(duration_s):
    began_s = time.process_time()
    result = tcp.simulate(*many_flows(), duration_s, progress=lambda done_s, total_s: None)
    took_s = time.process_time() - began_s
    print(json.dumps({"packets": int(result.packets.offered.sum()), "s": took_s}))


if __name__ == "__main__":
    _main(float(sys.argv[1]))
