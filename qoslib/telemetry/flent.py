"""flent's data files (``.flent``, ``.flent.gz``): what each series is over the whole test."""

import re
from collections.abc import Sequence

import numpy as np

from qoslib.telemetry.document import Node, documents
from qoslib.telemetry.values import Values

__all__ = ["read"]

#: Units of flent -> ours.
UNITS = {"ms": "ms", "Mbits/s": "Mbit/s", "s": "s", "us": "us"}
#: Sums and means of other series, and what the kernel says of a socket.
DERIVED = re.compile(r".*(?: avg| sum|::[a-z_]+)$")
#: Percentile -> statistic.
PERCENTILES = {50: "p50", 95: "p95", 99: "p99"}


def read(text: str, values: Values) -> None:
    """Add the mean of each rate, and mean, percentiles and extremes of each round trip."""
    test = documents(text, values.file)[0]
    x_values, results = test.get("x_values"), test.get("results")
    if x_values is None or results is None or not isinstance(results.value, dict):
        test.fail("no x_values or results; allowed: a data file of flent, whole")
    times = [float(at) for each in x_values.items() if (at := _number(each)) is not None]
    over_s = max(times) - min(times) if times else None
    for name in results.value:
        unit = _unit(test, name)
        series = results.get(name)
        if series is None or DERIVED.match(name) or unit not in UNITS:
            continue
        numbers = [n for each in series.items() if (n := _number(each)) is not None]
        if numbers:
            _series(values, name, unit, numbers, series.path, over_s)
    step = test.number("metadata", "STEP_SIZE")
    if step is not None:
        values.note(f"Values are those that flent interpolated, one each {step.value} s.")


def _number(node: Node) -> float | None:
    if node.value is None:
        return None
    held = Node(node.file, node.path, {"": node.value}).number("")
    return None if held is None else float(held)


def _unit(test: Node, name: str) -> str:
    """The unit of a series; the oldest files have it in the name alone."""
    said = test.at("metadata", "SERIES_META")
    series = said.get(name) if said is not None else None
    if series is not None and series.text("UNITS"):
        return series.text("UNITS")
    return "ms" if "(ms)" in name else "Mbits/s" if name.startswith("TCP ") else ""


def _series(
    values: Values,
    name: str,
    unit: str,
    numbers: Sequence[float],
    place: str,
    over_s: float | None,
) -> None:
    if UNITS[unit] == "Mbit/s":
        found, quantity = {"average": float(np.mean(numbers))}, "throughput"
    else:
        shares = np.percentile(numbers, list(PERCENTILES)).tolist()
        found = {"average": float(np.mean(numbers)), "minimum": min(numbers)}
        found |= {"maximum": max(numbers)}
        found |= dict(zip(PERCENTILES.values(), shares, strict=True))
        quantity = "round_trip" if name.startswith("Ping") else "response_time"
    for statistic, number in found.items():
        values.add(
            name,
            quantity,
            f"{number:.6g}",
            UNITS[unit],
            place,
            statistic=statistic,
            half_width=None,
            interval_s=over_s,
        )
