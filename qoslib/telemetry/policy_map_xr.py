"""``show policy-map interface`` of IOS-XR."""

import re
from typing import Any

from qoslib.telemetry.values import Values, lines_of

__all__ = ["read"]

INTERFACE = re.compile(r"\s*(\S+) (input|output): (\S+)\s*$")
CLASS = re.compile(r"\s*(?:Policy (\S+) )?Class (\S+)\s*$")
#: A name, packets and bytes, and a rate that decays over the load interval.
COUNTERS = re.compile(r"\s*([A-Za-z][^:]*?)\s*:\s*(\d+)/(\d+)(?:\s+(\d+))?\s*$")
LEVEL = re.compile(
    r"\s*(High watermark|Inst-queue-len|Avg-queue-len)\s+\((packets|bytes)\)[^:]*:\s*(\d+)"
)

#: Name -> beginning of the quantity, of packets, bytes and a rate.
NAMES = {
    "Matched": "class",
    "Transmitted": "sent",
    "Total Dropped": "dropped",
    "Taildropped(packets/bytes)": "tail_dropped",
    "RED random drops(packets/bytes)": "random_dropped",
    "Policed and dropped": "exceed_dropped",
}
#: What the rate of a line is called; it is in kbit/s, rounded down or up.
RATES = {"Matched": "offered_bits_interval", "Total Dropped": "dropped_bits_interval"}
#: Name -> quantity and statistic.
LEVELS = {
    "High watermark": ("queue_high_watermark", "maximum"),
    "Inst-queue-len": ("queue_depth", "unspecified"),
    "Avg-queue-len": ("smoothed_queue_depth", "average"),
}


def read(text: str, values: Values) -> None:
    """Add the counters of each class."""
    experiment, paths = values.experiment("policy"), _paths(text)
    policies: dict[str, set[str]] = {}
    for policy, name in paths.values():
        policies.setdefault(name, set()).add(policy)
    stream = ""
    for line, said in lines_of(text):
        if found := INTERFACE.match(said):
            experiment = values.experiment(f"{found[1]} {found[2]}")
        elif line in paths:
            policy, name = paths[line]
            stream = f"{policy}/{name}" if policy and len(policies[name]) > 1 else name
        elif found := LEVEL.match(said):
            unit, (quantity, statistic) = found[2], LEVELS[found[1]]
            measured: dict[str, Any] = {"statistic": statistic, "experiment": experiment}
            unit = "packets" if unit == "packets" else "B"
            values.add(stream, quantity, found[3], unit, line, **measured)
        elif found := COUNTERS.match(said):
            _add(values, experiment, stream, line, found)
    if len(values.titles) > 1:
        values.titles.pop("policy", None)


def _paths(text: str) -> dict[int, tuple[str, str]]:
    """Policy and class of each heading, by its line."""
    found = ((n, CLASS.match(said)) for n, said in lines_of(text))
    return {line: (match[1] or "", match[2]) for line, match in found if match}


def _add(values: Values, experiment: str, stream: str, line: int, found: re.Match[str]) -> None:
    name, packets, octets, rate = found.groups()
    if name not in NAMES:
        return
    values.add(stream, f"{NAMES[name]}_packets", packets, "packets", line, experiment=experiment)
    values.add(stream, f"{NAMES[name]}_bytes", octets, "B", line, experiment=experiment)
    if rate is not None and name in RATES:
        measured: dict[str, Any] = {
            "statistic": "average",
            "half_width": 0.5,
            "experiment": experiment,
        }
        values.add(stream, RATES[name], rate, "kbit/s", line, **measured)
