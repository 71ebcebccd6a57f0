"""``python -m qoslib score [--full] [--json] [--store]``: published against modelled."""

import argparse
import sys
from collections.abc import Sequence

from qoslib import compare
from qoslib.compare.scoreboard import stored_in, written


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0 if it went well, 1 if a row is off without a known misfit."""
    parser = argparse.ArgumentParser(
        prog="python -m qoslib", description=compare.__doc__, allow_abbrev=False
    )
    commands = parser.add_subparsers(dest="command", required=True)
    score = commands.add_parser(
        "score", help="compare what models give with what was published", allow_abbrev=False
    )
    score.add_argument("--json", action="store_true", help="print one JSON document")
    score.add_argument("--store", action="store_true", help="keep it for the lessons")
    score.add_argument("--full", action="store_true", help="replay whole runs, in minutes")
    chosen = parser.parse_args(arguments)
    if chosen.full and chosen.store:
        score.error("--store keeps the short runs, which the lessons read; leave --full or it away")
    board = compare.score(lambda line: print(line, file=sys.stderr), chosen.full)
    print(board.to_json() if chosen.json else compare.text(board))
    if chosen.store:
        stored_in().write_text(written(board.rows), encoding="utf-8")
    for line in board.failures:
        print(f"off: {line}", file=sys.stderr)
    return 1 if board.failures else 0


if __name__ == "__main__":
    sys.exit(main())
