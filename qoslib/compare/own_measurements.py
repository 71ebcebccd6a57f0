"""Measurements of one's own next to what the models say of the same scenario, value by value."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qoslib import units
from qoslib.compare.observe import OFFERED, OWN
from qoslib.compare.rows import Row, score_measurements
from qoslib.compare.tables import relative_error
from qoslib.compare.values import Published, given_of, values_of
from qoslib.front import run
from qoslib.measurements import Measurements
from qoslib.packets.progress import Progress
from qoslib.record import checked
from qoslib.results import Result
from qoslib.scenario import Scenario
from qoslib.tables import Table, Tabular, format_quantity, in_unit, number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Overlay", "overlay"]

#: The models, in the order of their columns.
_MODELS = ("fluid", "packets")
#: Loads that differ by more than this share of the measured one are said to.
_PARTED = 0.1
#: As many values are named for each reason why they are not compared.
_MOST_NAMED = 4


@dataclass(frozen=True, repr=False)
class Overlay(Tabular):
    """Each measured value next to the fluid's and the packets' value of the same statistic.

    Attributes
    ----------
    scenario : Scenario
    measured : tuple of Published
        The measured values, in the order of their table.
    rows : tuple of Row
        Each of them compared with each model, by the rules of the scoreboard.
    results : tuple of Result
        What the models say.
    silent : mapping of str to str
        Model -> why it says nothing.
    inputs : tuple of Published
        What the table says was offered or set.
    """

    scenario: Scenario
    measured: tuple[Published, ...] = ()
    rows: tuple[Row, ...] = ()
    results: tuple[Result, ...] = ()
    silent: Mapping[str, str] = field(default_factory=dict)
    inputs: tuple[Published, ...] = ()

    def result(self, model: str) -> Result | None:
        """What a model says; None where it says nothing.

        Parameters
        ----------
        model : str
            ``fluid`` or ``packets``, with or without TCP hosts.

        Returns
        -------
        Result or None
        """
        return next((each for each in self.results if _kind(each) == model), None)

    def by_value(self) -> list[tuple[Published, dict[str, Row]]]:
        """Each measured value, and its rows by model.

        Returns
        -------
        list of Published and dict
        """
        kinds = [_kind(result) for result in self.results]
        chunks = [
            self.rows[at : at + len(kinds)] for at in range(0, len(self.rows), len(kinds) or 1)
        ]
        pairs = zip(self.measured, chunks, strict=True) if kinds else ()
        return [(value, dict(zip(kinds, rows, strict=True))) for value, rows in pairs]

    @property
    def loads(self) -> tuple[str, ...]:
        """Where the scenario offers another load than was measured: a sentence each."""
        return tuple(_loads(self.scenario, self.inputs))

    @property
    def notes(self) -> tuple[str, ...]:
        """Other loads than were measured, models that say nothing, values not compared, and why."""
        left: dict[str, list[str]] = {}
        of_one: dict[str, list[str]] = {}
        for value, by_model in self.by_value():
            silent = {model: row for model, row in by_model.items() if row.modelled is None}
            if len(silent) == len(by_model):
                reason = "; ".join(dict.fromkeys(row.reason or "" for row in silent.values()))
                left.setdefault(reason, []).append(_name(value))
                continue
            for model, row in silent.items():
                of_one.setdefault(f"{row.reason} ({model} model)", []).append(_name(value))
        silence = (f"The {model} model: {why}" for model, why in self.silent.items())
        return (*self.loads, *silence, *_not_compared(left), *_not_compared(of_one))

    def to_frame(self) -> "pd.DataFrame":
        """A row a measured value: the models' values in its unit, their errors, and why not.

        Returns
        -------
        DataFrame
            ``fluid`` and ``packets`` are NaN where a model does not give the value, and ``why``
            says why. ``fluid_error`` is a share of the measured value, or a difference where that
            is 0. ``place`` is where the value stands in its file.

        Examples
        --------
        >>> from qoslib import PacketLimit, Port, Queue, Scenario, Stream, telemetry
        >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
        >>> office = Scenario("office", port, (Stream("data", 120e6),))
        >>> told = '{"end": {"sum_received": {"seconds": 10, "bits_per_second": 99e6}}}'
        >>> table = overlay(office, telemetry.read(told, streams="data")).to_frame()
        >>> table[["quantity", "measured", "fluid", "unit"]].values.tolist()
        [['throughput', 99000000.0, 100000000.0, 'bit/s']]
        """
        import pandas as pd

        return pd.DataFrame([_line(value, rows) for value, rows in self.by_value()])

    def __repr__(self) -> str:
        return str(self)

    def _tables(self) -> Iterator[Table]:
        models = [model for model in _MODELS if self.result(model) is not None]
        headings = ["stream", "quantity", "measured"]
        headings += [heading for model in models for heading in (model, "error")]
        rows = [
            _cells(value, [by_model[model] for model in models])
            for value, by_model in self.by_value()
            if any(row.modelled is not None for row in by_model.values())
        ]
        judged = [row for row in self.rows if row.verdict != "unscored"]
        within = sum(row.verdict == "within" for row in judged)
        title = f"Overlay on {self.scenario.name!r}: {within} of {len(judged)} within tolerance"
        yield Table(title, headings, rows, self.notes)


def overlay(
    scenario: Scenario,
    measured: "pd.DataFrame | Measurements",
    results: Sequence[Result] | None = None,
    *,
    progress: Progress | None = None,
) -> Overlay:
    """Lay measurements of one's own over what the models say of a scenario.

    A mean is compared with a mean, a percentile with that percentile of the packets' delays, and a
    maximum with their maximum; the fluid model of a steady state has none of the last two. What was
    offered or set is an input. Counters are compared as shares of their own offered count, so that
    it does not matter how long they ran.

    Parameters
    ----------
    scenario : Scenario
    measured : DataFrame or Measurements
        As `telemetry.read`, `telemetry.rates` or `measurements.load` give it. Each row names a
        stream of the scenario by its name or mark, or is about all of them.
    results : sequence of Result, optional
        What models said of the scenario; by default both run.
    progress : callable, optional
        Of the packet model's run.

    Returns
    -------
    Overlay
        It prints, `to_frame` is its table, and `qoslib.plots.own_measurements` draws it.

    Raises
    ------
    ValueError
        If an argument is of another kind, a value is in a unit that its quantity is not measured
        in, or no model can run the scenario.

    Examples
    --------
    >>> import pandas as pd
    >>> from qoslib import PacketLimit, Port, Queue, Scenario, Stream, measurements
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> office = Scenario("office", port, (Stream("data", 120e6),))
    >>> seen = {"quantity": ["sent", "latency"], "value": [99.5, 8.1], "unit": ["Mbit/s", "ms"]}
    >>> seen |= {"stream": "data", "statistic": ["average", "p99"]}
    >>> overlay(office, measurements.load(pd.DataFrame(seen)))
    Overlay on 'office': 3 of 3 within tolerance
    stream     quantity     measured  fluid    error  packets    error
    data           sent  99.5 Mbit/s    100  +0.50 %      100  +0.50 %
    data    latency_p99       8.1 ms      -        -     8.08  -0.25 %
    Not compared: latency_p99 of data: a fluid has one latency a stream, and no percentiles
    (fluid model).
    """
    checked(Scenario, scenario, "scenario")
    rows_measured = Measurements.of(measured, "measured")
    silent: dict[str, str] = {}
    if results is None:
        results, silent = _run(scenario, progress)
    said: tuple[Result, ...] = checked(tuple[Result, ...], results, "results")
    rows = score_measurements(rows_measured, scenario, said)
    values = [*values_of(OWN, rows_measured)]
    inputs = tuple(value for value in values if value.is_input)
    others = tuple(value for value in values if not value.is_input)
    return Overlay(scenario, others, tuple(rows), said, silent, inputs)


def _run(
    scenario: Scenario, progress: Progress | None
) -> tuple[tuple[Result, ...], dict[str, str]]:
    """What each model says, and why one says nothing; if none does, the last one's reason."""
    results, silent, last = [], {}, None
    for model in _MODELS:
        try:
            results.append(run(scenario, model, progress=progress if model == "packets" else None))
        except ValueError as error:
            silent[model], last = str(error), error
    if last is not None and not results:
        raise last
    return tuple(results), silent


def _kind(result: Result) -> str:
    return "fluid" if result.model == "fluid" else "packets"


#: Kind of unit -> the end of the name of a quantity in its base unit.
_ENDS = {"data rate": "bps", "packet rate": "pps", "time": "s", "data": "bytes", "ratio": "share"}


def _cells(value: Published, rows: Sequence[Row]) -> list[str]:
    """A line of the table: all values in the unit that suits the measured one."""
    kind, size = units.UNITS[value.unit]
    modelled = [math.nan if row.modelled is None else row.modelled for row in rows]
    unit, shown = in_unit(f"x_{_ENDS.get(kind, '')}", np.array([value.value * size]))
    scale = float(shown[0]) / value.value if unit and value.value else 1.0
    unit = unit if value.value else units.symbol(value.unit)
    unit = unit or value.unit
    measured = f"{number(value.value * scale)} {unit}"
    cells = [value.stream or "all", value.quantity, measured]
    for row, said in zip(rows, modelled, strict=True):
        cells += [number(said * scale), _error(row)]
    return cells


def _name(value: Published) -> str:
    return f"{value.quantity} of {value.stream or 'all'}"


def _error(row: Row) -> str:
    return relative_error(row, ".2f") if row.modelled is not None and row.error is not None else "-"


def _line(value: Published, rows: Mapping[str, Row]) -> dict[str, object]:
    line: dict[str, object] = {
        "experiment": value.experiment,
        "stream": value.stream,
        "quantity": value.quantity,
        "measured": value.value,
        "half_width": value.half_width,
        "unit": value.unit,
    }
    for model, row in rows.items():
        none = row.modelled is None
        line[model] = math.nan if none else row.modelled
        line[f"{model}_error"] = math.nan if none or row.error is None else row.error
        line[f"{model}_verdict"] = row.verdict
    reasons = dict.fromkeys(row.reason for row in rows.values() if row.reason)
    return line | {"why": "; ".join(map(str, reasons)), "place": value.place}


def _not_compared(left: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for reason, names in left.items():
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        yield f"Not compared: {', '.join(names[:_MOST_NAMED])}{more}: {reason}."


def _loads(scenario: Scenario, inputs: Sequence[Published]) -> Iterator[str]:
    """The streams whose measured load is not the scenario's, each once."""
    flows = [flow for host in scenario.hosts for flow in host.flows]
    for stream, (quantity, measured) in _offered(inputs).items():
        mine = [each for each in scenario.streams if stream in ("", each.name, each.label)]
        # What TCP offers depends on what it gets.
        if not mine or any(stream in ("", flow.name, flow.label) for flow in flows):
            continue
        rates = [each.mean_rate_bps for each in mine]
        if quantity == "rate_pps":
            frames = (each.mean_frame_bytes for each in mine)
            rates = list(map(units.rate_pps, rates, frames))
        if abs(sum(rates) - measured) > _PARTED * measured:
            offered, given = (format_quantity(quantity, each) for each in (sum(rates), measured))
            yield f"The scenario offers {offered} of {stream or 'all'}, and {given} were measured."


def _offered(inputs: Sequence[Published]) -> dict[str, tuple[str, float]]:
    """The measured load of each stream: packets of a known time, or else a rate."""
    given = given_of(inputs)
    found: dict[str, tuple[str, float]] = {}
    for value in inputs:
        key, kind = (value.experiment, value.stream), units.UNITS[value.unit][0]
        time_s = given.get((*key, "duration"))
        if value.quantity.startswith("offered") and kind in ("packet rate", "data rate"):
            quantity = "rate_pps" if kind == "packet rate" else "rate_bps"
            found.setdefault(value.stream, (quantity, value.base_value))
        elif value.quantity in OFFERED["offered_packets"] and time_s:
            found[value.stream] = "rate_pps", value.base_value / time_s
    return found
