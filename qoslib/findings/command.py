"""``python -m qoslib check``: its arguments, its files and its exit status."""

import argparse
import codecs
import json
import os
import sys
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from qoslib import units
from qoslib.checks.loads import TARGETS
from qoslib.config import ConfigurationError, MissingFact
from qoslib.config.amounts import parse_amount
from qoslib.config.facts import NAMES
from qoslib.config.interfaces import may_be
from qoslib.findings.check import check
from qoslib.findings.document import annotations, document
from qoslib.findings.markdown import markdown
from qoslib.findings.report import Report
from qoslib.findings.report_text import answer, kind_of_port
from qoslib.findings.terminal import overview, terminal
from qoslib.record import fail

if TYPE_CHECKING:
    from qoslib.packets.progress import Progress

__all__ = ["STATUS", "add_arguments", "all_used", "checked_files", "fact_of"]

STATUS = """exit status:
  0  nothing at or above --fail-on
  1  something at or above --fail-on
  2  a file, an argument or traffic.toml cannot be read, or a fact is missing
  3  nothing at or above --fail-on, but no all-clear: a port has no promise or no answer, a text
     has no port to check, or it is undecided whether a class meets its target

facts:
  --fact line_rate_bps=100M                    for all interfaces
  --fact Serial0/0.line_rate_bps=2048k         for one
  names: {names}
"""
_FAIL_ON = {"error": ("error",), "warning": ("error", "warning"), "never": ()}
_FAIL_ON["info"] = ("error", "warning", "info")
_MOST_BYTES = 40_000_000
#: The finding on a text without a port: nothing in it is checked.
_UNCHECKED = "nothing-checked"
#: More files than these have a line each.
FEW = 3
#: A fact that more ports miss is asked for once.
_MOST_ASKED = 3
#: So much of a file tells whether it is UTF-16.
_SAMPLE_BYTES = 4000
#: A rate without a unit that is lower is likely meant in another one [bit/s].
_SLOWEST_BPS = units.kbps(8.0)
#: After so long a terminal shows how far the packet model is [s].
_PATIENCE_S = 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give a parser the arguments of the command.

    >>> parser = argparse.ArgumentParser()
    >>> add_arguments(parser)
    >>> parser.parse_args(["edge.cfg"]).fail_on
    'error'
    """
    parser.epilog = STATUS.format(names=", ".join(NAMES))
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="a configuration; - reads the standard input")
    add("--interface", help="only this interface, as in the file or short: Gi0/0/1")
    add("--dialect", help="by default it is recognised")
    add("--traffic", metavar="TOML", help='a class per line: VOICE = "40 calls G.711"')
    add("--against", metavar="OLD", help="say what each class gains and loses from this file")
    add("--measured", metavar="FILE", help="counters or measurements of the device")
    add("--fact", action="append", default=[], metavar="NAME=VALUE", help="see below")
    add("--html", metavar="PAGE", help="write a page for a ticket; runs the packet model")
    add("--markdown", metavar="PAGE", help="the same as Markdown; - prints it")
    add("--json", action="store_true", help="print one JSON list, a report per file")
    add("--annotate", action="store_true", help="print annotations for GitHub's pages of a change")
    add(
        "--all",
        action="store_true",
        help="list every port, finding and line that is not in the models",
    )
    add("--fail-on", choices=sorted(_FAIL_ON), default="error", help="by default: error")


def checked_files(chosen: argparse.Namespace) -> int:
    """Check the files that were named, print what was asked for, and give the exit status.

    >>> parser = argparse.ArgumentParser()
    >>> add_arguments(parser)
    >>> checked_files(parser.parse_args(["nowhere.cfg"]))
    2
    """
    try:
        reports = list(_reports(chosen))
        empty = [report.file for report in reports if report.empty]
        if len(empty) == len(reports) == 1:
            return _refused(f"no policy, scheduler or qdisc found in {empty[0]}")
        _all_used(chosen, reports)
        _written(chosen, reports)
        for file in empty:
            print(f"note: no policy, scheduler or qdisc found in {file}", file=sys.stderr)
    except ConfigurationError as error:
        return _refused(f"{chosen.traffic or 'traffic'}: {error}")
    except BrokenPipeError:
        # Who reads the output has seen enough, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except (OSError, ValueError) as error:
        return _refused(str(error))
    if any(report.missing for report in reports):
        for line in _asked(fact for report in reports for fact in report.missing):
            print(line, file=sys.stderr)
        return 2
    if any(each.id == "unreadable" for report in reports for each in report.findings):
        return 2
    return _status(reports, _FAIL_ON[chosen.fail_on])


def _status(reports: Sequence[Report], fails: Collection[str]) -> int:
    """The exit status of reports that have all their facts; 0 whatever they say if nothing fails.

    >>> _status([Report("edge.cfg", doubts=("eth0 out: nothing is promised.",))], ("error",))
    3
    """
    findings = [each for report in reports for each in report.findings]
    if any(each.severity in fails for each in findings):
        return 1
    unclear = any(report.unclear for report in reports)
    unclear = unclear or any(each.id == _UNCHECKED for each in findings)
    return 3 if fails and unclear else 0


def _asked(missing: Iterable[MissingFact]) -> Iterator[str]:
    """What is asked: of one fact of many ports of a kind once, with the answer for all of them."""
    facts: dict[str, dict[MissingFact, None]] = {}
    for fact in missing:
        facts.setdefault(fact.name.rpartition(".")[2], {})[fact] = None
    for name, own in facts.items():
        kinds = Counter(kind_of_port(fact.name) for fact in own)
        kind, count = kinds.most_common(1)[0]
        alike = [fact for fact in own if kind_of_port(fact.name) == kind]
        if count > _MOST_ASKED:
            yield f"{alike[0].question} Answer for it and {count - 1} more: --fact {name}=VALUE"
        apart = [fact for fact in own if count <= _MOST_ASKED or fact not in alike]
        yield from (f"{fact.question} Answer: {answer(fact)}" for fact in apart)


def _all_used(chosen: argparse.Namespace, reports: Sequence[Report]) -> None:
    """The files that were named can be read once more; the standard input cannot."""
    traffic = chosen.traffic if chosen.traffic != "-" else None
    interfaces = [fact.partition("=")[0].rpartition(".")[0] for fact in chosen.fact]
    all_used(reports, interfaces, _text(traffic) if traffic else "", f"{traffic}: a table")


def all_used(
    reports: Sequence[Report], interfaces: Sequence[str], traffic: str, table: str
) -> None:
    """Raise an error where a fact or a table of loads is for an interface that no file has.

    >>> all_used([Report("edge.cfg")], ["Gi0/1"], "", "a table")
    Traceback (most recent call last):
    ...
    ValueError: the interface of --fact is 'Gi0/1'; allowed: an interface with queues: none here
    """
    if any(each.id == "unreadable" for report in reports for each in report.findings):
        return
    ports = [port for report in reports for port in report.ports]
    names = dict.fromkeys(port.interface for port in ports)
    asked = [fact.name for report in reports for fact in report.missing]
    names |= dict.fromkeys(name.rpartition(".")[0] for name in asked)
    allowed = f"an interface with queues: {', '.join(filter(None, names)) or 'none here'}"
    for interface in interfaces:
        if interface and not any(may_be(interface, name) for name in names):
            fail("the interface of --fact", interface, allowed)
    for name, value in tomllib.loads(traffic).items():
        if isinstance(value, dict) and name != TARGETS and name not in names:
            fail(table, name, f"[{TARGETS}], or {allowed}")


def _refused(problem: str) -> int:
    print(f"qoslib check: {problem}", file=sys.stderr)
    return 2


def _reports(chosen: argparse.Namespace) -> Iterator[Report]:
    facts = dict(map(fact_of, chosen.fact))
    traffic = _text(chosen.traffic) if chosen.traffic else None
    against = _text(chosen.against) if chosen.against else None
    full = bool(chosen.html or chosen.markdown)
    measured = None
    if chosen.measured:
        from qoslib import telemetry

        measured = telemetry.rows(chosen.measured)
    for file in chosen.files:
        with _waiting() as progress:
            report = check(
                _text(file),
                file,
                interface=chosen.interface,
                facts=facts,
                dialect=chosen.dialect,
                traffic=traffic,
                measured=measured,
                against=against,
                full=full,
                progress=progress,
            )
        yield report


@contextmanager
def _waiting() -> "Iterator[Progress | None]":
    """A bar of the packet model's ports on a terminal, once it has taken a second."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = None

    def told(done: float, whole: float) -> None:
        nonlocal bar
        if bar is None:
            # Only here: the module brings the engines along, which a check without a load spares.
            from qoslib.packets.progress import ProgressBar

            bar = ProgressBar("ports in the packet model")
            bar.patience_s = _PATIENCE_S
        bar(done, whole)

    try:
        yield told
    finally:
        if bar is not None:
            bar.close()


def _text(file: str) -> str:
    """A file's text; what is no UTF-8 is read as Latin-1, which every byte is."""
    raw = sys.stdin.buffer.read(_MOST_BYTES) if file == "-" else _bytes(Path(file))
    try:
        return raw.decode(_encoding(raw))
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _encoding(raw: bytes) -> str:
    """UTF-16, which PowerShell writes, by its mark or by a NUL in each second place; else UTF-8."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    start = raw[:_SAMPLE_BYTES]
    for name, first in (("utf-16-be", 0), ("utf-16-le", 1)):
        nul, other = start[first::2], start[1 - first :: 2]
        if len(nul) > 1 and not any(nul) and all(other):
            return name
    return "utf-8"


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError as error:
        raise OSError(f"{path}: {error.strerror}; name a file that you may read") from None


def fact_of(text: str, said: str = "--fact") -> tuple[str, float | str]:
    """A fact as somebody types it: its name and its value; `said` is what errors call it.

    >>> fact_of("Gi0/1.line_rate_bps=100M")
    ('Gi0/1.line_rate_bps', 100000000.0)
    """
    name, equals, value = text.partition("=")
    kind = name.rsplit(".", 1)[-1]
    if not equals or kind not in NAMES:
        fail(said, text, f"NAME=VALUE with a name of {', '.join(NAMES)}")
    if not NAMES[kind]:
        return name, value
    try:
        given = parse_amount(value, NAMES[kind])
    except ValueError as error:
        fail(f"{said} {name}", value, str(error).partition("allowed: ")[2] + ", as in 100M")
    if kind.endswith("_bps") and given < _SLOWEST_BPS and value.strip().replace(".", "").isdigit():
        without = f"{said} {name} has no unit, so it"
        fail(without, f"{value} bit/s", f"{value}M if Mb/s are meant, else '{value} b/s'")
    return name, given


def _written(chosen: argparse.Namespace, reports: Sequence[Report]) -> None:
    if chosen.html:
        from qoslib.findings.page import page

        Path(chosen.html).write_text(page(reports), encoding="utf-8")
    text = "\n\n".join(map(markdown, reports)) + "\n" if chosen.markdown else ""
    if chosen.markdown and chosen.markdown != "-":
        Path(chosen.markdown).write_text(text, encoding="utf-8")
    if chosen.json:
        print(json.dumps([document(report) for report in reports], indent=2))
    elif chosen.annotate:
        for report in reports:
            print(*annotations(report), sep="\n")
    elif chosen.markdown == "-":
        print(text, end="")
    elif len(reports) > FEW and not chosen.all:
        print(overview(reports))
    else:
        print("\n\n\n".join(terminal(report, everything=chosen.all) for report in reports))
