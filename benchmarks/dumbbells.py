"""`python -m benchmarks.dumbbells`: TCP of qoslib beside that of ns-3 on ten dumbbells.

They were declared before either had run on them. Each is played by both with CUBIC and NewReno,
under several seeds, which draw when the flows start; mean goodput of all flows and mean drops at
the bottleneck are compared.
"""

import argparse
import json
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.environments import made_environment
from qoslib import tcp, units
from qoslib.flows import Cubic, Flow, Host, Reno, SackRecovery
from qoslib.port import PacketLimit, Port, Queue

__all__ = ["DUMBBELLS", "LAWS", "Dumbbell", "described", "qoslib_run"]

PEER = Path(__file__).resolve().parent / "peers" / "ns3_tcp.py"
MSS_BYTES = 1448
#: With TCP's timestamps, IP and PPP headers.
FRAME_BYTES = MSS_BYTES + 32 + 20 + 2
#: How far two simulators may be apart.
CLOSE = 0.1
#: qoslib's law, and ns-3's name for it.
LAWS = {"CUBIC": (Cubic(), "TcpCubic"), "NewReno": (Reno(), "TcpLinuxReno")}
#: As ns-3 does it: RFC 6675's scoreboard, and the conservative bound. It has the safe one too,
#: but takes only one ACK in nine for safe; with none taken it drops as many, within 2 %.
RECOVERY = SackRecovery(bound="conservative", finds_repeats=False)
#: ns-3's recovery as it is, and with its one cause of other drop counts switched off.
RECOVERIES = {
    "ns3::TcpPrrRecovery": "ns-3 as released",
    "bench::CountedOnce": "ns-3 with what a duplicate ACK delivers counted once",
}


@dataclass(frozen=True)
class Dumbbell:
    """So many flows over one line; its buffer in bandwidth-delay products."""

    rate_mbps: float
    round_trip_ms: float
    buffer_share: float
    flows: int
    duration_s: float

    @property
    def buffer_packets(self):
        """The buffer in whole packets."""
        pipe_bytes = units.octets(units.mbps(self.rate_mbps) * units.ms(self.round_trip_ms))
        return max(round(self.buffer_share * pipe_bytes / FRAME_BYTES), 1)

    def __str__(self):
        line = f"{self.rate_mbps:g} Mb/s, {self.round_trip_ms:g} ms"
        return f"{line}, {self.buffer_share:g} BDP, {self.flows} flows"


DUMBBELLS = (
    Dumbbell(10, 10, 2.0, 1, 20.0),
    Dumbbell(10, 100, 1.0, 2, 40.0),
    Dumbbell(10, 50, 0.5, 4, 40.0),
    Dumbbell(20, 20, 1.0, 2, 20.0),
    Dumbbell(50, 50, 1.0, 2, 20.0),
    Dumbbell(100, 20, 0.5, 4, 20.0),
    Dumbbell(100, 100, 0.1, 2, 20.0),
    Dumbbell(200, 40, 0.2, 4, 10.0),
    Dumbbell(500, 20, 1.0, 2, 10.0),
    Dumbbell(1000, 10, 0.5, 2, 5.0),
)


def described(dumbbell, law, seed, recovery="ns3::TcpPrrRecovery"):
    """A run in plain numbers; `recovery` is ns-3's class."""
    draws = random.Random(seed)
    round_trip_s = units.ms(dumbbell.round_trip_ms)
    return {
        "rate_bps": units.mbps(dumbbell.rate_mbps),
        "access_bps": units.mbps(10 * dumbbell.rate_mbps),
        "round_trip_s": round_trip_s,
        "buffer_packets": dumbbell.buffer_packets,
        "mss_bytes": MSS_BYTES,
        "starts_s": [2 * round_trip_s * draws.random() for _ in range(dumbbell.flows)],
        "duration_s": dumbbell.duration_s,
        "law": LAWS[law][1],
        "recovery": recovery,
    }


def qoslib_run(asked, law, recovery=RECOVERY, jitter_s=0.0, **changes):
    """Goodput of all flows [bit/s] and drops at the bottleneck."""
    port = Port("line", asked["rate_bps"], (Queue("all", PacketLimit(asked["buffer_packets"])),))
    hosts = [
        Host(
            f"host {i}",
            asked["access_bps"],
            (
                Flow(
                    f"flow {i}",
                    asked["round_trip_s"],
                    LAWS[law][0],
                    recovery,
                    mss_bytes=asked["mss_bytes"],
                    frame_bytes=FRAME_BYTES,
                    start_s=start_s,
                    **changes,
                ),
            ),
            jitter_s=jitter_s,
        )
        for i, start_s in enumerate(asked["starts_s"])
    ]
    result = tcp.simulate(port, hosts, asked["duration_s"], progress=_quiet)
    return sum(result.tcp.goodput_bps), int(result.packets.lost.sum())


def _quiet(done_s, total_s):
    """No progress bar."""


def ns3_runs(python, asked):
    """The same from ns-3, a process for all."""
    lines = "".join(json.dumps(each) + "\n" for each in asked)
    done = subprocess.run([python, PEER], input=lines, capture_output=True, text=True, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if len(found) != len(asked):
        raise RuntimeError(done.stderr[-2000:])
    return [(sum(each["goodput_bps"]), each["dropped"]) for each in found]


def mean(pairs):
    """Of goodput and of drops."""
    return tuple(sum(column) / len(pairs) for column in zip(*pairs, strict=True))


def compared(python, recovery, seeds):
    """A row a law and dumbbell: means of both simulators, and whether both figures are close."""
    which = [(law, dumbbell) for law in LAWS for dumbbell in DUMBBELLS]
    asked = [[described(d, law, seed, recovery) for seed in range(seeds)] for law, d in which]
    theirs = iter(ns3_runs(python, [each for runs in asked for each in runs]))
    rows = []
    for (law, dumbbell), runs in zip(which, asked, strict=True):
        here = mean([qoslib_run(each, law) for each in runs])
        there = mean([next(theirs) for _ in runs])
        close = all(abs(x - y) <= CLOSE * y for x, y in zip(here, there, strict=True))
        row = {"law": law, "dumbbell": str(dumbbell), "qoslib": here, "ns-3": there}
        rows.append(row | {"close": close})
    return rows


def text(row):
    """A line of the table."""
    (mine_bps, mine), (theirs_bps, theirs) = row["qoslib"], row["ns-3"]
    goodput = f"{mine_bps / 1e6:8.2f} {theirs_bps / 1e6:8.2f} {mine_bps / theirs_bps - 1:+6.1%}"
    drops = f"{mine:8.1f} {theirs:8.1f} {mine / theirs - 1:+6.1%}" if theirs else f"{mine} {theirs}"
    return (
        f"{row['law']:8} {row['dumbbell']:36} {goodput}  {drops}  {'yes' if row['close'] else ''}"
    )


def main():
    """Play all and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dumbbells", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    asked = parser.parse_args()
    python, reason = made_environment("ns3")
    if python is None:
        sys.exit(f"not measured: {reason}")
    print("law, dumbbell, goodput [Mb/s] of qoslib and ns-3, drops of qoslib and ns-3, within 10 %")
    for recovery, name in RECOVERIES.items():
        rows = compared(python, recovery, asked.seeds)
        print(f"{name}:", *map(text, rows), sep="\n")
        for law in LAWS:
            close = [row["close"] for row in rows if row["law"] == law]
            print(f"{law}: {sum(close)} of {len(close)} within 10 %", flush=True)


if __name__ == "__main__":
    main()
