"""``python -m livelab probe | list | run EXPERIMENT``: experiments on this machine's kernel."""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from livelab.lab import LabError
from livelab.probe import lacking, probe, report

if TYPE_CHECKING:
    from livelab.experiment import Experiment

#: So many conclusive runs of each point may be asked for.
MOST_REPEATS = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the command line.

    Returns
    -------
    int
        0 if it went well; 1 if a run was inconclusive; 2 if this machine lacks something.
    """
    parser = argparse.ArgumentParser(
        prog="python -m livelab", description=main.__doc__, allow_abbrev=False
    )
    parser.description = "Published experiments again, on this machine's own Linux kernel."
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("probe", help="say what this kernel and these rights offer")
    commands.add_parser("list", help="list the experiments, and how long each takes")
    one = commands.add_parser("run", help="run an experiment", allow_abbrev=False)
    one.add_argument("experiment")
    one.add_argument("--repeats", type=_repeats, default=3, help="conclusive runs of each point")
    one.add_argument("--into", type=Path, help="a folder for the table, passport and figure")
    one.add_argument("--dry", action="store_true", help="show the commands, and run nothing")
    kept = commands.add_parser("show", help="show the stored run of an experiment, without rights")
    kept.add_argument("experiment")
    kept.add_argument("--markdown", action="store_true", help="the main values, as Markdown")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.command == "probe":
            print(report(probe()))
            return 0
        # The compiled models take some seconds to load.
        print("Loading the models ...", file=sys.stderr, flush=True)
        if chosen.command == "list":
            return _list()
        if chosen.command == "show":
            return _show(chosen, kept)
        return _run(chosen, one)
    except LabError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped; the lab is gone.", file=sys.stderr)
        return 130


def _repeats(said: str) -> int:
    if said.isdecimal() and 1 <= int(said) <= MOST_REPEATS:
        return int(said)
    raise argparse.ArgumentTypeError(f"{said!r} is no number from 1 to {MOST_REPEATS}")


def _make(folder: Path) -> None:
    """Make the folder of the results, before the runs and not after them."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        why = f"{folder} cannot be written to ({error.strerror}); nothing was run."
        raise LabError(why) from error


def _list() -> int:
    from livelab.experiments import EXPERIMENTS
    from livelab.session import plan

    for name, experiment in EXPERIMENTS.items():
        takes = plan(experiment)
        print(f"{name:14} {takes.runs:2} runs, {takes.least_s:3.0f} s  {experiment.question}")
    return 0


def _chosen(chosen: argparse.Namespace, parser: argparse.ArgumentParser) -> "Experiment":
    from livelab.experiments import EXPERIMENTS

    if chosen.experiment not in EXPERIMENTS:
        parser.error(f"no experiment {chosen.experiment!r}; there are {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[chosen.experiment]


def _show(chosen: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    from livelab.comparison import compared, markdown, text
    from livelab.record import stored

    experiment = _chosen(chosen, parser)
    measured, passport, _ = stored(experiment)
    lines = compared(measured)
    if chosen.markdown:
        print(markdown(lines))
        return 0
    on = passport["on"]
    print(experiment.question)
    print(
        f"Stored run of {on['date']}: {on['system']} {on['kernel']}, {on['processors']} processors."
    )
    print(text(lines))
    print(experiment.explanation)
    return 0


def _run(chosen: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    from livelab.comparison import compared, text
    from livelab.figure import draw
    from livelab.record import save
    from livelab.run import router
    from livelab.session import perform, plan
    from qoslib.plots import page

    experiment = _chosen(chosen, parser)
    takes = plan(experiment, chosen.repeats)
    print(experiment.question)
    print(f"Source: {experiment.source}.")
    points = ", ".join(point.name for point in experiment.points)
    print(
        f"{takes.runs} runs ({points}) in network namespaces of their own: {takes.least_s:.0f} s,"
        f" at most {takes.most_s:.0f} s where runs are inconclusive. Nothing leaves this machine,"
        " its own network is not touched, and nothing is left behind. Ctrl-C stops it."
    )
    first = experiment.points[0]
    print(f"The router of {first.name}:")
    for line in router(first.scenario).lines:
        print(f"  {line}")
    if chosen.dry:
        return 0
    if missing := lacking(probe(), experiment.needs):
        raise LabError(f"{missing} `python -m livelab show {experiment.name}` shows a stored run.")
    if chosen.into is not None:
        _make(chosen.into)
    tried = perform(experiment, lambda line: print(line, flush=True), chosen.repeats)
    lines = compared((each.point, each.spread()) for each in tried)
    print(text(lines))
    whole, some = all(line.spread for line in lines), any(each.conclusive for each in tried)
    if whole:
        print(experiment.explanation)
    if chosen.into is not None and not some:
        print(f"Nothing is written to {chosen.into}: no run is conclusive.")
    elif chosen.into is not None:
        for path in save(experiment, tried, chosen.into):
            print(f"Written: {path}")
        picture = chosen.into / f"{experiment.name}.html"
        picture.write_text(page(draw(experiment, lines), experiment.question), encoding="utf-8")
        print(f"Written: {picture}")
    if whole:
        return 0
    print(
        f"{'Some' if some else 'All'} points are inconclusive: this machine was too busy for them."
        " Nothing follows from them. Stop other programs and run it again, or run it as root, where"
        " the sender keeps its time."
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
