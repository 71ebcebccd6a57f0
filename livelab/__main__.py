"""``python -m livelab probe | list | run EXPERIMENT``: experiments on this machine's kernel."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from livelab.lab import LabError
from livelab.probe import lacking, probe, report


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
    one.add_argument("--repeats", type=int, default=3, help="conclusive runs of each point")
    one.add_argument("--into", type=Path, help="a folder for the table, passport and figure")
    one.add_argument("--dry", action="store_true", help="show the commands, and run nothing")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.command == "probe":
            print(report(probe()))
            return 0
        if chosen.command == "list":
            return _list()
        return _run(chosen, one)
    except LabError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped; the lab is gone.", file=sys.stderr)
        return 130


def _list() -> int:
    from livelab.experiments import EXPERIMENTS
    from livelab.session import plan

    for name, experiment in EXPERIMENTS.items():
        takes = plan(experiment)
        print(f"{name:14} {takes.runs:2} runs, {takes.least_s:3.0f} s  {experiment.question}")
    return 0


def _run(chosen: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    from livelab.commands import commands
    from livelab.comparison import compared, text
    from livelab.experiments import EXPERIMENTS
    from livelab.figure import draw
    from livelab.record import save
    from livelab.session import perform, plan
    from qoslib.plots import page

    if chosen.experiment not in EXPERIMENTS:
        parser.error(f"no experiment {chosen.experiment!r}; there are {', '.join(EXPERIMENTS)}")
    experiment = EXPERIMENTS[chosen.experiment]
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
    for line in commands(first.scenario.only_port, first.scenario.streams).lines:
        print(f"  {line}")
    if chosen.dry:
        return 0
    if missing := lacking(probe(), experiment.needs):
        raise LabError(missing)
    tried = perform(experiment, lambda line: print(line, flush=True), chosen.repeats)
    lines = compared(tried)
    print(text(lines))
    print(experiment.explanation)
    if chosen.into is not None and any(each.conclusive for each in tried):
        for path in save(experiment, tried, chosen.into):
            print(f"Written: {path}")
        picture = chosen.into / f"{experiment.name}.html"
        picture.write_text(page(draw(experiment, lines), experiment.question), encoding="utf-8")
        print(f"Written: {picture}")
    return 0 if all(line.spread for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
