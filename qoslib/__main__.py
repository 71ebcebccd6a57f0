"""The command ``qoslib``, or ``python -m qoslib``: check, score, worksheet and lessons."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; `check` says its exit status in its help.

    `score` reads the stored scoreboard unless it is to run the models. It returns 0 if it went
    well, 1 if a row is off without a known misfit. The others return 0.
    """
    called = Path(sys.argv[0]).stem
    parser = argparse.ArgumentParser(
        prog=called if called == "qoslib" else "python -m qoslib",
        description="Models of router queues.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser(
        "check",
        help="say what a configuration gives each class, and what is wrong with it",
        allow_abbrev=False,
    )
    score = commands.add_parser(
        "score", help="compare what models give with what was published", allow_abbrev=False
    )
    score.add_argument("--json", action="store_true", help="print one JSON document")
    score.add_argument("--fresh", action="store_true", help="run the models, in half a minute")
    score.add_argument("--store", action="store_true", help="run them and keep the result")
    score.add_argument("--full", action="store_true", help="replay whole tests, in minutes")
    _add_worksheet(commands)
    lessons = commands.add_parser(
        "lessons", help="copy the lessons into a folder of your own", allow_abbrev=False
    )
    lessons.add_argument("folder", type=Path, metavar="DIR", help="copies that are there stay")
    lessons.add_argument("--fresh", action="store_true", help="copy all anew, and keep the old")
    # Each command loads only what it needs: a check is to answer at once.
    from qoslib.findings.command import add_arguments, checked_files

    add_arguments(check)
    # Files may stand in front of an option and behind it.
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["check"]:
        return checked_files(check.parse_intermixed_args(given[1:]))
    chosen = parser.parse_args(given)
    if chosen.command == "worksheet":
        return _worksheet(chosen)
    if chosen.command == "lessons":
        return _lessons(chosen.folder, chosen.fresh)
    if chosen.full and chosen.store:
        score.error("--store keeps the short runs, which the lessons read; leave --full or it away")
    return _score(chosen.fresh, chosen.full, chosen.json, chosen.store)


def _add_worksheet(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    added = commands.add_parser(
        "worksheet",
        help="say how large a buffer a port needs, and how to test it",
        allow_abbrev=False,
    )
    quantities = {
        "rate": ("bit/s", "line rate, such as 100M"),
        "round_trip": ("s", "round-trip time without any queue, such as 20ms"),
        "--buffer": ("B", "what the port has, such as 200kB"),
        "--window": ("B", "the smaller socket buffer, such as 4MB"),
        "--background": ("bit/s", "traffic that does not respond to loss"),
    }
    for name, (unit, text) in quantities.items():
        added.add_argument(name, type=_in(unit), help=text, metavar=name.strip("-").upper())
    added.add_argument("--flows", type=int, default=1, help="long-lived TCP connections")


def _in(unit: str) -> "argparse._ActionType":
    """Read an amount in a unit; a bad one is an error of the command line."""

    def amount_of(text: str) -> float:
        from qoslib.config.amounts import parse_amount

        try:
            return parse_amount(text, unit)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return amount_of


def _worksheet(chosen: argparse.Namespace) -> int:
    from qoslib.worksheet import worksheet

    try:
        sheet = worksheet(
            chosen.rate,
            chosen.round_trip,
            chosen.flows,
            buffer_bytes=chosen.buffer,
            window_bytes=chosen.window,
            background_bps=chosen.background or 0.0,
        )
    except ValueError as error:
        print(f"qoslib: {error}", file=sys.stderr)
        return 2
    print(sheet)
    return 0


def _lessons(folder: Path, fresh: bool) -> int:
    from qoslib.lessons.copies import copy_lessons

    try:
        told = copy_lessons(folder, fresh)
    except OSError as error:
        print(f"qoslib: {folder}: {error.strerror}", file=sys.stderr)
        return 2
    for line in told:
        print(f"qoslib: {line}")
    if told and not fresh:
        print("qoslib: --fresh makes new copies and keeps yours in a backup folder")
    return 0


def _score(fresh: bool, full: bool, json: bool, store: bool) -> int:
    from qoslib import compare
    from qoslib.compare.store import stored_in, written

    if fresh or full or store:
        board = compare.score(lambda line: print(line, file=sys.stderr), full)
    else:
        board = compare.stored_scoreboard()
    print(board.to_json() if json else compare.text(board))
    if store:
        stored_in().write_text(written(board.rows), encoding="utf-8")
    for line in board.failures:
        print(f"off: {line}", file=sys.stderr)
    return 1 if board.failures else 0


if __name__ == "__main__":
    sys.exit(main())
