"""What lesson 12 shows: runs with their passport, and published, measured and modelled values."""

import json
import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from livelab.comparison import SMALL, Line, compared
from livelab.experiment import Experiment, Point
from livelab.experiments import EXPERIMENTS
from livelab.figure import draw
from livelab.lab import LabError
from livelab.probe import lacking, probe
from livelab.record import Spread, machine, passport, rows, stored
from livelab.session import perform, plan
from livelab.values import UNITS
from qoslib import Scenario, compare, measurements, units
from qoslib.plots import Figure
from qoslib.record import checked, fail

__all__ = [
    "about",
    "gates",
    "kernel",
    "measured",
    "picture",
    "scenario",
    "scored",
    "share",
    "table",
    "taken",
    "to_type",
    "value",
]

#: What a reader types around the tc commands. It is one command of the shell, so that nothing of it
#: can reach the machine's own network: a namespace, a device in it, and `send`.
_BEFORE = """\
unshare --user --map-root-user --net bash --rcfile <(cat <<'ROUTER'
ip link add out0 type veth peer name d0
ip link set out0 up; ip link set d0 up
ip address add 10.0.2.254/24 dev out0
ip neighbour add 10.0.2.1 lladdr 02:00:00:00:00:04 dev out0
"""
_BEHIND = """
send() {
python3 - <<END
import socket
for _ in range(1000):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(bytes(976), ("10.0.2.1", 9))
END
tc -s qdisc show dev out0
}
send
ROUTER
)"""


class Runs(NamedTuple):
    """Runs of an experiment, with what is known of them.

    Attributes
    ----------
    experiment : Experiment
    points : sequence of (Point, mapping)
        Median, least and most of each point's conclusive runs.
    passport : dict
        Kernel, commands, gates and every run.
    table : DataFrame
        The measured values, as `measurements.load` gives them.
    why_stored : str
        Why these are no fresh runs; empty where they are.
    """

    experiment: Experiment
    points: Sequence[tuple[Point, Spread]]
    passport: Mapping[str, Any]
    table: pd.DataFrame
    why_stored: str

    def __repr__(self) -> str:
        on, every = self.passport["on"], _every(self)
        passed = sum(not run["inconclusive"] for run in every)
        rights = "as root" if on["root"] else "without root"
        lines = {
            "experiment": f"{self.experiment.name}, {'stored' if self.why_stored else 'fresh'}",
            "kernel": f"{on['system']} {on['kernel']}, {on['machine']}",
            "machine": f"{on['processors']} processors, load {on['load_average']}, {rights}",
            "date": on["date"],
            "runs": f"{len(every)}, of which {passed} passed every gate",
        }
        lines |= {"why stored": self.why_stored} if self.why_stored else {}
        indent: dict[str, Any] = {"subsequent_indent": " " * 12, "break_long_words": False}
        return "\n".join(
            textwrap.fill(f"{name:12}{said}", WIDE, **indent) for name, said in lines.items()
        )


def _every(runs: Runs) -> list[Mapping[str, Any]]:
    return [run for each in runs.passport["points"] for run in each["runs"]]


def _stored(experiment: Experiment, why: str) -> Runs:
    return Runs(experiment, *stored(experiment), why)


def kernel() -> None:
    """Print what this machine's kernel and your rights offer, and a remedy for what is missing."""
    found = probe()
    works = ", ".join(each.name for each in found if each.works)
    _say(f"works: {works or 'nothing'}.")
    missing: dict[str, list[str]] = {}
    for each in found:
        if not each.works:
            missing.setdefault(each.remedy.rstrip("."), []).append(each.name)
    for remedy, names in missing.items():
        _say(f"no {', '.join(names)}: {remedy}.")


def _say(text: str) -> None:
    """Print a line that a narrow page does not break within a word."""
    print(textwrap.fill(text, WIDE, subsequent_indent="  ", break_long_words=False))


#: As many characters fit on a line of a page of 1000 pixels.
WIDE = 70


def measured(name: str, fresh: bool = False) -> Runs:
    """Runs of an experiment: the stored ones, or fresh ones of this machine's kernel.

    Parameters
    ----------
    name : str
        As ``python -m livelab list`` has it.
    fresh : bool
        Whether to run it here. Where this machine cannot, where no run of it passes every gate, or
        where you stop it, the stored runs are shown, and why.

    Raises
    ------
    ValueError
        If there is no such experiment, or `fresh` is neither True nor False.
    """
    if not isinstance(name, str) or name not in EXPERIMENTS:
        fail("experiment", name, ", ".join(EXPERIMENTS))
    experiment = EXPERIMENTS[name]
    if not checked(bool, fresh, "fresh"):
        return _stored(experiment, "fresh is False")
    if missing := lacking(probe(), experiment.needs):
        return _stored(experiment, missing)
    takes = plan(experiment)
    print(
        f"{takes.runs} runs in network namespaces of their own: {takes.least_s:.0f} to"
        f" {takes.most_s:.0f} s. Nothing leaves this machine. Press the stop button ■ of the"
        " notebook to stop."
    )
    try:
        tried = perform(experiment, print)
    except LabError as error:
        return _stored(experiment, f"the lab failed: {error}")
    except KeyboardInterrupt:
        print("Stopped. The lab is gone, and the stored runs are shown.")
        return _stored(experiment, "you stopped the fresh runs")
    if not any(each.conclusive for each in tried):
        reasons = [one.inconclusive for each in tried for one in each.runs]
        many = f"none of {len(reasons)} fresh runs passed every gate; the first: {reasons[0]}"
        return _stored(experiment, many)
    on = machine()
    table = measurements.load(pd.DataFrame(rows(tried, on)))
    known = json.loads(passport(experiment, tried, on))
    return Runs(experiment, [(each.point, each.spread()) for each in tried], known, table, "")


def picture(runs: Runs, streams: Sequence[str] = ()) -> Figure:
    """Measured values with their spread, compared with both models and what was published.

    Parameters
    ----------
    runs : Runs
    streams : sequence of str
        These alone; by default all.
    """
    lines = compared(runs.points)
    return draw(runs.experiment, [line for line in lines if not streams or line.stream in streams])


def table(runs: Runs, quantity: str = "latency", streams: Sequence[str] = ()) -> pd.DataFrame:
    """Published, measured here and modelled values of one quantity, with the models' errors.

    Measured is the median, with the least and the most in brackets. Behind a model's value stands
    its error against this median: nothing is compared with what was published.

    Parameters
    ----------
    runs : Runs
    quantity : str
        ``latency``, ``sent``, ``drop_ratio`` or ``dropped_packets``.
    streams : sequence of str
        These alone; by default all.
    """
    shown = [
        line
        for line in compared(runs.points)
        if line.quantity == quantity and (not streams or line.stream in streams)
    ]
    unit = UNITS[quantity][0]
    several = len({line.stream for line in shown}) > 1
    names = [f"{line.point} {line.stream}" if several else line.point for line in shown]
    found = pd.DataFrame([_row(line) for line in shown], index=names)
    if not any(line.published for line in shown):
        found = found.drop(columns="published")
    return found.rename_axis(index=f"{TITLES[quantity]} [{unit}]")


#: What a table says of a quantity.
TITLES = {"latency": "delay", "sent": "sent", "drop_ratio": "dropped"}
TITLES |= {"dropped_packets": "dropped"}


def _row(line: Line) -> dict[str, str]:
    """One value; a run that is inconclusive has none, and no error either."""
    found = {"published": _published(line)}
    found["measured here"] = _seen(line.spread)
    for model in ("fluid", "packets"):
        error = line.error(model)
        # Of next to nothing a relative error says nothing.
        least_told = SMALL[UNITS[line.quantity][0]]
        told = line.spread is not None and line.spread[0] >= least_told
        percent = f" ({error:+.1%})" if told and error is not None else ""
        found[f"{model}, modelled (error vs kernel)"] = f"{_short(getattr(line, model))}{percent}"
    return found


def _published(line: Line) -> str:
    """A bound is no value to compare a mean with, so it says that it is one."""
    if line.published is None:
        return "-"
    bound = "up to " if line.published.text.startswith("up to ") else ""
    return bound + _short(line.published.value)


def _seen(spread: tuple[float, float, float] | None) -> str:
    """A median with the least and the most in brackets, where any run was conclusive."""
    return "{} ({}–{})".format(*map(_short, spread)) if spread else "inconclusive"


def _short(number: float) -> str:
    """Four digits, and all of those of a larger number."""
    if math.isnan(number):
        return "-"
    return f"{number:,.0f}" if number >= LARGE else f"{number:.4g}"


#: From here on a number is written without decimals.
LARGE = 1000


def value(runs: Runs, point: str, stream: str, quantity: str = "latency") -> float:
    """The median of one value; NaN where every run was inconclusive."""
    spread = {each.name: spread for each, spread in runs.points}[point]
    return spread[stream, quantity][0] if spread else float("nan")


def about(found: float, *choices: float) -> str | None:
    """The choice nearest to a delay [ms], in words; None where every run was inconclusive."""
    if math.isnan(found):
        return None
    nearest = min(choices, key=lambda each: abs(math.log(each / found)))
    return f"about {nearest:g} ms"


def gates(runs: Runs) -> None:
    """Print each gate: how many runs passed it, what one of them found, and what failed."""
    said: dict[str, list[tuple[bool, str]]] = {}
    for run in _every(runs):
        for name, passed, text in run["gates"]:
            said.setdefault(name, []).append((passed, text))
    for name, found in said.items():
        _say(f"{name}: {sum(passed for passed, _ in found)} of {len(found)} runs passed.")
        _say(f"  first run: {found[0][1]}")
        for text in [text for passed, text in found if not passed][:3]:
            _say(f"  failed: {text}")


def to_type(runs: Runs, point: str) -> None:
    """Print what makes a device of this port in a namespace, for you to paste into a shell."""
    commands = {each["point"]: each["commands"] for each in runs.passport["points"]}[point]
    print(_BEFORE + "\n".join(commands) + _BEHIND)


def share(runs: Runs, point: str, stream: str) -> float:
    """Share of what the streams of a point send together that is one stream's [%]."""
    sent = {
        each.name: value(runs, point, each.name, "sent") for each in scenario(runs, point).streams
    }
    return float(units.convert(sent[stream] / sum(sent.values()), "1", "%"))


def scenario(runs: Runs, point: str) -> Scenario:
    """The scenario of a point, as any model runs it."""
    return {each.name: each.scenario for each, _ in runs.points}[point]


def scored(runs: Runs) -> pd.DataFrame:
    """The scoreboard's rows of what these runs repeat, and your kernel's values apart from them.

    Beside a model's value stands its error against what was published, as on the scoreboard;
    nothing is compared with your kernel. Values at other rates are brought back to those of the
    published test.
    """
    mine, keys = list[dict[str, Any]](), set[tuple[str, ...]]()
    for line in compared(runs.points):
        if line.published is None:
            continue
        place = (*line.published.of, line.stream)
        # The kernel's delay is a mean, and only such a row may have it.
        average = line.quantity == "latency"
        quantity = f"{line.quantity}_average" if average else line.quantity
        keys |= {(*place, name) for name in (quantity, *(["latency_maximum"] if average else ()))}
        if line.spread is not None:
            value, low, high = (each / line.published.scale for each in line.spread)
            key = dict(zip(("platform", "experiment", "stream"), place, strict=True))
            mine.append(key | {"quantity": quantity, "value": value, "low": low, "high": high})
    rows = [
        row
        for row in compare.stored()
        if row.assumptions == "base"
        and (row.platform, row.experiment, row.stream, row.quantity) in keys
    ]
    told = compare.to_frame(rows, kernel=pd.DataFrame(mine)).to_dict("records")
    shown: dict[tuple[str, ...], dict[str, str]] = {}
    own: dict[tuple[str, ...], str] = {}
    for row in told:
        at = tuple(row[name] for name in ("experiment", "stream", "quantity"))
        cells = shown.setdefault(at, {"published": f"{row['published']} {row['unit']}"})
        name = f"{row['model']}, modelled (error vs published)"
        cells[name] = f"{row['modelled']} ({row['error']})"
        own[at] = row["your kernel"] or "inconclusive"
    names = [f"{test} {stream}, {quantity}" for test, stream, quantity in shown]
    found = pd.DataFrame(list(shown.values()), index=names).fillna("-")
    return found.assign(**{"your kernel": list(own.values())})


def taken(runs: Runs, point: str) -> pd.DataFrame:
    """The measured values of a point, as `measurements.load` gives them."""
    mine = runs.table[runs.table.experiment == point]
    mine.attrs = runs.table.attrs
    return mine
