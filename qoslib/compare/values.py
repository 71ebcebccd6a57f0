"""Which published values are results, and which were set by whoever ran the test."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from qoslib import measurements, units
from qoslib.platforms import platform

__all__ = ["INPUTS", "Data", "Published", "published", "values_of"]

#: What is not a result although it is no configured value: pattern of the quantity, and why.
INPUTS = {
    r"offered(_.*)?|oversubscription|numbered_packets|interval_.*": "the load, or its counter",
    r"target_.*|paced_rate|allocated_.*|buffer|latency_budget": "a setting or a demand",
    r"(sender_)?duration|since_.*": "how long was measured",
    r"bandwidth|in_profile|out_of_profile": "follows from transmit rate and load by definition",
    r"class_(packets|bytes)|mac_received_(unicast_)?(packets|octets)": "the load, as counted",
    r"expected_.*": "calculated in the source, not measured",
}

_LATENCY = {"maximum": "latency_maximum", "up_to": "latency_maximum", "minimum": "latency_minimum"}


@dataclass(frozen=True)
class Published:
    """One published value.

    Attributes
    ----------
    table : str
        Name of its table; the part before the first underscore is the platform.
    experiment, stream : str
        The stream is empty where the value is about all of them.
    quantity : str
        As on the scoreboard: a latency carries its statistic, ``latency_average`` unless the
        source says maximum, minimum or "up to".
    printed_quantity : str
        As in the table.
    value, half_width : float
        The number and the rounding that its print implies, in `unit`.
    unit : str
    status : str
        ``ok`` or ``inconsistent``.
    reason : str
        Why it is inconsistent.
    low, high : float or None
        Ends of a printed range, in `unit`.
    """

    table: str
    experiment: str
    stream: str
    quantity: str
    printed_quantity: str
    value: float
    half_width: float
    unit: str
    status: str
    reason: str
    low: float | None = None
    high: float | None = None

    @property
    def platform(self) -> str:
        """File stem of the platform."""
        return self.table.partition("_")[0]

    @property
    def key(self) -> str:
        """``table/experiment/stream/quantity``, as the facts of a platform name it."""
        return f"{self.table}/{self.experiment}/{self.stream}/{self.printed_quantity}"

    @property
    def scored_key(self) -> str:
        """The same with the quantity as on the scoreboard."""
        return f"{self.table}/{self.experiment}/{self.stream}/{self.quantity}"

    @property
    def name(self) -> tuple[str, str, str, str]:
        """What there is one of on the scoreboard, for each model and set of assumptions."""
        return self.platform, self.experiment, self.stream, self.quantity


@dataclass(frozen=True)
class Data:
    """All published values, sorted out.

    Attributes
    ----------
    results : tuple of Published
        What was measured; where a value is printed more than once, its most exact print.
    inputs : tuple of Published
        What was configured, sent or demanded: see `INPUTS`.
    repeated : int
        Further prints of the results.
    """

    results: tuple[Published, ...]
    inputs: tuple[Published, ...]
    repeated: int

    def of(self, platform: str) -> list[Published]:
        """The results of a platform."""
        return [each for each in self.results if each.platform == platform]

    def given(self, platform: str) -> dict[tuple[str, str, str], float]:
        """The inputs of a platform in base units, by experiment, stream and quantity."""
        return {
            (each.experiment, each.stream, each.quantity): each.value * units.UNITS[each.unit][1]
            for each in self.inputs
            if each.platform == platform and each.status == "ok"
        }

    def spread(self, value: Published) -> float:
        """How far apart the counters of a value's pair are printed [ratio]; 0 without a pair."""
        pair = platform(value.platform).pairs.get(value.quantity, ())
        if not pair:
            return 0.0
        where = value.platform, value.experiment, value.stream
        found = {each.name: each.value for each in self.results}
        printed = [found.get((*where, quantity), 0.0) for quantity in pair]
        return abs(printed[1] / printed[0] - 1) if all(printed) else 0.0


def published() -> Data:
    """Read every published value and tell results from inputs.

    A value is an input if it stands in a ``*_configuration`` table, if its statistic is
    ``configured``, or if `INPUTS` lists its quantity; all others are results. A flagged print
    that is no number (a blank, a letter for a digit) is left out.
    """
    results: dict[tuple[str, ...], Published] = {}
    inputs, count = [], 0
    for value, configured in _values():
        if configured or any(re.fullmatch(each, value.printed_quantity) for each in INPUTS):
            inputs.append(value)
            continue
        count += 1
        results[value.name] = min(results.get(value.name, value), value, key=_exactness)
    return Data(tuple(results.values()), tuple(inputs), count - len(results))


def _exactness(value):
    return value.status != "ok", value.half_width * units.UNITS[value.unit][1]


def _values() -> Iterator[tuple[Published, bool]]:
    for table in measurements.catalogue()["name"]:
        for value, configured in values_of(table, measurements.load(table)):
            yield value, configured or table.endswith("_configuration")


def values_of(table: str, frame: pd.DataFrame) -> Iterator[tuple[Published, bool]]:
    """The values of a table, and whether each was configured.

    Parameters
    ----------
    table : str
        What to call it.
    frame : DataFrame
        As `measurements.load` gives it.
    """
    for row in frame.dropna(subset="value").to_dict("records"):
        yield _value(table, row), row["statistic"] == "configured"


def _value(table, row):
    quantity = row["quantity"]
    return Published(
        table=table,
        experiment=row["experiment"],
        stream=row["stream"],
        quantity=_LATENCY.get(row["statistic"], "latency_average")
        if quantity == "latency"
        else quantity,
        printed_quantity=quantity,
        value=float(row["value"]),
        half_width=float(row["half_width"]),
        unit=row["unit"],
        status=row["status"],
        reason=row["reason"],
        **(dict(low=row["low"], high=row["high"]) if row["statistic"] == "range" else {}),
    )
