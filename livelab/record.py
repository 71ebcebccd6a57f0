"""What an experiment leaves: a table that `measurements.load` takes, and a passport beside it."""

import csv
import io
import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from livelab.experiment import Experiment, Point
from livelab.lab import LabError
from livelab.run import Run
from livelab.values import UNITS, Key, measured
from qoslib import measurements, units
from qoslib.measurements import COLUMNS

__all__ = ["Spread", "Tried", "machine", "passport", "rows", "save", "stored", "table", "written"]

#: Digits after the point of a value, by unit; and how many delays of a run a passport keeps.
DIGITS = {"ms": 2, "Mbit/s": 3, "%": 2, "packets": 0}
KEPT_DELAYS = 100


#: Median, least and most by stream and quantity.
Spread: TypeAlias = Mapping[Key, tuple[float, float, float]]


class Tried(NamedTuple):
    """All runs of a point, the inconclusive ones too.

    Attributes
    ----------
    point : Point
    runs : tuple of Run
    """

    point: Point
    runs: tuple[Run, ...]

    @property
    def conclusive(self) -> tuple[Run, ...]:
        """The runs that passed every gate."""
        return tuple(one for one in self.runs if not one.inconclusive)

    def spread(self) -> Spread:
        """Median, least and most of the conclusive runs, by stream and quantity."""
        each = [measured(self.point, one) for one in self.conclusive]
        keys = list(each[0]) if each else []
        values = {key: sorted(run[key] for run in each) for key in keys}
        return {key: (statistics.median(v), v[0], v[-1]) for key, v in values.items()}


def machine() -> dict[str, Any]:
    """What the runs were made on.

    Returns
    -------
    dict
        Kernel, tools, processors, their load and rights; nothing that names the machine.
    """
    version = subprocess.run(["tc", "-V"], capture_output=True, text=True).stdout
    return {
        "system": platform.system(),
        "kernel": ".".join(platform.release().split(".")[:2]),
        "machine": platform.machine(),
        "tc": version.split(",")[-2].strip() if "," in version else version.strip(),
        "processors": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 1),
        "root": os.geteuid() == 0,
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }


def rows(tried: Sequence[Tried], on: Mapping[str, Any]) -> list[dict[str, str]]:
    """One row a value: the median of the conclusive runs, with the least and the most.

    Parameters
    ----------
    tried : sequence of Tried
    on : mapping
        From `machine`.

    Returns
    -------
    list of dict of str to str
        By `measurements.COLUMNS`.
    """
    made = []
    for each in tried:
        scenario = each.point.scenario
        line = units.convert(scenario.only_port.rate_bps, "bit/s", "Mbit/s")
        runs = len(each.conclusive)
        place = f"{runs} run{'s' * (runs != 1)} of {scenario.duration_s:g} s;"
        place += f" {on['system']} {on['kernel']}; {line:g} Mb/s"
        for (stream, quantity), spread in each.spread().items():
            unit, statistic = UNITS[quantity]
            value, low, high = (f"{number:.{DIGITS[unit]}f}" for number in spread)
            cells = dict.fromkeys(COLUMNS, "")
            cells |= {"experiment": each.point.name, "stream": stream, "quantity": quantity}
            cells |= {"statistic": statistic, "as_printed": value, "value": value, "unit": unit}
            cells |= {"half_width": f"{0.5 * 10 ** -DIGITS[unit]:g}", "low": low, "high": high}
            made.append(cells | {"place": place, "status": "ok"})
    return made


def table(made: Sequence[Mapping[str, str]]) -> str:
    """The rows as a CSV text.

    Parameters
    ----------
    made : sequence of mapping
        From `rows`.

    Returns
    -------
    str
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(made)
    return text.getvalue()


def passport(experiment: Experiment, tried: Sequence[Tried], on: Mapping[str, Any]) -> str:
    """All that is known of the runs, as JSON: commands, gates, counters and raw samples.

    Parameters
    ----------
    experiment : Experiment
    tried : sequence of Tried
    on : mapping
        From `machine`.

    Returns
    -------
    str
    """
    points = [
        {
            "point": each.point.name,
            "commands": list(each.runs[0].commands.lines) if each.runs else [],
            "scenario": json.loads(each.point.scenario.to_json()),
            "runs": [_run(each.point, one) for one in each.runs],
        }
        for each in tried
    ]
    whole = {"experiment": experiment.name, "source": experiment.source, "on": dict(on)}
    note = f"delays_ms has every n-th packet's delay, at most {KEPT_DELAYS} a run and stream"
    return json.dumps(whole | {"note": note, "points": points}, separators=(",", ":")) + "\n"


def _run(point: Point, one: Run) -> dict[str, Any]:
    values = {f"{s}/{q}": round(v, 4) for (s, q), v in measured(point, one).items()}
    streams = {
        name: {
            "offered": seen.offered_packets,
            "sent": seen.sent_packets,
            "total": seen.total_packets,
            "arrived": seen.arrived_packets,
            "delays_ms": _thinned(seen.delays_s),
        }
        for name, seen in one.seen.items()
    }
    samples = [
        [round(each.time_s, 3), each.sent_packets, each.dropped_packets, each.queue_packets]
        for each in one.samples
    ]
    flows = {
        name: {"again_packets": seen.again_packets, "looks": [_short(row) for row in seen.looks]}
        for name, seen in one.flows.items()
    }
    return {
        "inconclusive": one.inconclusive,
        "gates": [list(gate) for gate in one.gates],
        "values": values,
        "streams": streams,
        **({"flows": flows} if flows else {}),
        "counters": samples,
    }


def _short(row: Sequence[float]) -> list[float]:
    """A look at a connection: the time in hundredths, all else is whole."""
    return [round(row[0], 2), *(int(each) for each in row[1:])]


def _thinned(delays_s: Any) -> list[float]:
    step = max(1, -(-len(delays_s) // KEPT_DELAYS))
    thinned: list[float] = np.round(units.convert(delays_s[::step], "s", "ms"), 2).tolist()
    return thinned


def save(experiment: Experiment, tried: Sequence[Tried], folder: Path) -> tuple[Path, Path]:
    """Write the table and its passport.

    Parameters
    ----------
    experiment : Experiment
    tried : sequence of Tried
        At least one of them with a conclusive run.
    folder : Path

    Returns
    -------
    tuple of Path
        The CSV file and the JSON file.
    """
    on = machine()
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / f"{experiment.name}.csv", folder / f"{experiment.name}.json"
    paths[0].write_text(table(rows(tried, on)), encoding="utf-8")
    paths[1].write_text(passport(experiment, tried, on), encoding="utf-8")
    return paths


def stored(
    experiment: Experiment,
) -> tuple[list[tuple[Point, Spread]], dict[str, Any], pd.DataFrame]:
    """A run that comes with the package, for machines that cannot repeat it.

    Parameters
    ----------
    experiment : Experiment

    Returns
    -------
    tuple of list of (Point, mapping), dict, and DataFrame
        Median, least and most of each point, as `comparison.compared` takes them; the passport;
        the measured values, as `measurements.load` gives them.

    Raises
    ------
    LabError
        If none is stored.

    Examples
    --------
    >>> from livelab.experiments import EXPERIMENTS
    >>> points, passport, table = stored(EXPERIMENTS["six_classes"])
    >>> passport["on"]["system"]
    'Linux'
    """
    folder = measurements.folder().parent / "live"
    if not (folder / f"{experiment.name}.csv").is_file():
        raise LabError(f"No run of {experiment.name} is stored: `run` it.")
    frame = measurements.load(folder / f"{experiment.name}.csv")
    known = json.loads((folder / f"{experiment.name}.json").read_text(encoding="utf-8"))
    found: list[tuple[Point, Spread]] = []
    for point in experiment.points:
        mine = frame[frame.experiment == point.name]
        keys = zip(mine.stream, mine.quantity, strict=True)
        values = zip(mine.value, mine.low, mine.high, strict=True)
        found.append((point, dict(zip(keys, values, strict=True))))
    return found, known, frame


def written(spread: tuple[float, float, float], quantity: str) -> str:
    """A median with its least and most, as people read it.

    Parameters
    ----------
    spread : tuple of float
    quantity : str
        A name of `UNITS`.

    Returns
    -------
    str

    Examples
    --------
    >>> written((41.5, 41.3, 41.6), "latency")
    '41.50 ms (41.30 - 41.60)'
    """
    unit = UNITS[quantity][0]
    value, low, high = (f"{number:,.{DIGITS[unit]}f}" for number in spread)
    return f"{value} {unit} ({low} - {high})"
