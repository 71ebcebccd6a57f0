"""`python -m benchmarks.dumbbells`: TCP of qoslib beside that of ns-3 on ten dumbbells.

They were declared before either had run on them. Each is played by both with CUBIC and NewReno,
under several seeds, which draw when the flows start; mean goodput of all flows and mean drops at
the bottleneck are compared. `--write` puts the tables into RESULTS.md.
"""

import argparse
import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.environments import made_environment
from benchmarks.report import write_results
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
#: Least timeout, and one that no recovery of these lasts for.
TIMEOUT_S, PATIENT_S = 0.2, 1.0
#: qoslib's law, and ns-3's name for it.
LAWS = {"CUBIC": (Cubic(), "TcpCubic"), "NewReno": (Reno(), "TcpLinuxReno")}
#: RFC 6675's way to find losses and the safe bound: ns-3's both, by its source.
RECOVERY = SackRecovery(bound="safe", finds_repeats=False)
#: The bound that its products in 32 bits make of it.
CONSERVATIVE = SackRecovery(bound="conservative", finds_repeats=False)
#: ns-3's recovery: compared is the last, without two faults that its later source mends.
RECOVERIES = {
    "ns3::TcpPrrRecovery": "as released",
    "bench::CountedOnce": "counted once",
    "bench::Whole": "counted once and in 64 bits",
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


def described(dumbbell, law, seed, recovery="bench::Whole", minimum_timeout_s=TIMEOUT_S):
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
        "minimum_timeout_s": minimum_timeout_s,
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
                    minimum_timeout_s=asked["minimum_timeout_s"],
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
    return tuple(float(sum(column)) / len(pairs) for column in zip(*pairs, strict=True))


def is_close(here, there):
    """Whether goodput and drops both are."""
    return all(abs(x - y) <= CLOSE * y for x, y in zip(here, there, strict=True))


def ns3_means(python, seeds):
    """(law, ns-3's recovery) -> means of each dumbbell; as many at a time as there are cores."""

    def means(which):
        law, recovery = which
        asked = [described(d, law, seed, recovery) for d in DUMBBELLS for seed in range(seeds)]
        runs = ns3_runs(python, asked)
        return [mean(runs[i : i + seeds]) for i in range(0, len(runs), seeds)]

    which = [(law, recovery) for law in LAWS for recovery in RECOVERIES]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(which, pool.map(means, which), strict=True))


def qoslib_mean(law, dumbbell, seeds, recovery=RECOVERY, jitter_s=0.0, **changes):
    """Mean goodput and drops over the seeds."""
    asked = [described(dumbbell, law, seed, **changes) for seed in range(seeds)]
    return mean([qoslib_run(each, law, recovery, jitter_s) for each in asked])


def compared(theirs, seeds):
    """A row a law and dumbbell: means of both simulators, and of each with something switched."""
    rows = []
    for law in LAWS:
        for i, dumbbell in enumerate(DUMBBELLS):
            half_s = FRAME_BYTES * 8 / units.mbps(dumbbell.rate_mbps) / 2
            row = {"law": law, "dumbbell": dumbbell}
            row["qoslib"] = qoslib_mean(law, dumbbell, seeds)
            row["conservative"] = qoslib_mean(law, dumbbell, seeds, CONSERVATIVE)
            row["jitter"] = qoslib_mean(law, dumbbell, seeds, jitter_s=half_s)
            row |= {recovery: theirs[law, recovery][i] for recovery in RECOVERIES}
            row["close"] = is_close(row["qoslib"], row["bench::Whole"])
            rows.append(row)
    return rows


HEAD = (
    "law | dumbbell | goodput, Mb/s: qoslib | ns-3 | | drops: qoslib | ns-3 | | within 10 %"
    " | drops of ns-3: counted once | as released | of qoslib: conservative bound | jitter"
)


def line_of(row):
    """Of the table."""
    (mine_bps, mine), (theirs_bps, theirs) = row["qoslib"], row["bench::Whole"]
    cells = [row["law"], row["dumbbell"], f"{mine_bps / 1e6:.2f}", f"{theirs_bps / 1e6:.2f}"]
    cells += [f"{mine_bps / theirs_bps - 1:+.1%}", f"{mine:.1f}", f"{theirs:.1f}"]
    cells += [f"{mine / theirs - 1:+.1%}", "yes" if row["close"] else "no"]
    switched = "bench::CountedOnce", "ns3::TcpPrrRecovery", "conservative", "jitter"
    return cells + [f"{row[what][1]:.1f}" for what in switched]


def counts(rows):
    """On how many dumbbells of each law both figures are close, under each choice."""
    lines = []
    for mine, bound in (("qoslib", "safe"), ("conservative", "conservative")):
        for recovery, name in RECOVERIES.items():
            close = {law: 0 for law in LAWS}
            for row in rows:
                close[row["law"]] += is_close(row[mine], row[recovery])
            found = ", ".join(f"{law} {n} of {len(DUMBBELLS)}" for law, n in close.items())
            lines.append(f"- qoslib with the {bound} bound, ns-3 {name}: {found}")
    return lines


def timers(python, rows, seeds):
    """Drops where no timer runs out in a recovery, on each dumbbell that is not close."""
    timer, lines = {"minimum_timeout_s": PATIENT_S}, []
    for law, dumbbell in ((row["law"], row["dumbbell"]) for row in rows if not row["close"]):
        asked = [described(dumbbell, law, seed, **timer) for seed in range(seeds)]
        _, mine = qoslib_mean(law, dumbbell, seeds, **timer)
        _, theirs = mean(ns3_runs(python, asked))
        told = f"drops {mine:.1f}, of ns-3 {theirs:.1f} ({mine / theirs - 1:+.1%})"
        lines.append(f"- {law}, {dumbbell}, no timeout below {PATIENT_S:g} s: {told}")
    return lines


def table(rows, seeds):
    """The Markdown that RESULTS.md shows."""
    lines = [[HEAD], ["|".join(["---"] * (HEAD.count("|") + 1))], *map(line_of, rows)]
    parts = ["\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)]
    return "\n\n".join([f"Means of {seeds} seeds.", *parts, "\n".join(counts(rows))])


def main():
    """Play all and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dumbbells", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="put the tables into RESULTS.md")
    asked = parser.parse_args()
    python, reason = made_environment("ns3")
    if python is None:
        sys.exit(f"not measured: {reason}")
    rows = compared(ns3_means(python, asked.seeds), asked.seeds)
    text = "\n".join([table(rows, asked.seeds), *timers(python, rows, asked.seeds)])
    print(text)
    if asked.write:
        write_results(text, "dumbbells")


if __name__ == "__main__":
    main()
