"""``python -m qoslib check FILE...``: a configuration; ``score``: published against modelled."""

import argparse
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; `check` says its exit status in its help.

    `score` reads the stored scoreboard unless it is to run the models. It returns 0 if it went
    well, 1 if a row is off without a known misfit.
    """
    parser = argparse.ArgumentParser(
        prog="python -m qoslib", description="Models of router queues.", allow_abbrev=False
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
    # Each command loads only what it needs: a check is to answer at once.
    from qoslib.findings.command import add_arguments, checked_files

    add_arguments(check)
    # Files may stand in front of an option and behind it.
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["check"]:
        return checked_files(check.parse_intermixed_args(given[1:]))
    chosen = parser.parse_args(given)
    if chosen.full and chosen.store:
        score.error("--store keeps the short runs, which the lessons read; leave --full or it away")
    return _score(chosen.fresh, chosen.full, chosen.json, chosen.store)


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
