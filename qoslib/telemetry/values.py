"""The values that are found in one file, each with where it stands, as a table of measurements."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from qoslib.measurements import MeasurementError, Measurements
from qoslib.measurements.table import rows_of_cells

__all__ = ["MOST_VALUES", "Values", "lines_of", "short"]

#: More values than this are no output that a person looks at: half a million characters of it.
MOST_VALUES = 20_000
#: The longest text of a file that a message repeats, and the longest line of a terminal.
LONGEST, LONGEST_LINE = 80, 1_000


class _Row(NamedTuple):
    line: int | None
    cells: dict[str, str]


class Values:
    """What was found in a file so far.

    Attributes
    ----------
    file : str
        What errors call it.
    titles : dict of str to str
        Experiment to what the file calls it, say an interface and a direction.
    notes : dict of str to None
        Sentences about what was read, in order, each once.
    taken : str
        When the file says that its counters were read; empty where it does not.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.titles: dict[str, str] = {}
        self.notes: dict[str, None] = {}
        self.taken = ""
        self._rows: list[_Row] = []

    def __len__(self) -> int:
        return len(self._rows)

    def experiment(self, title: str) -> str:
        """What a table calls the experiment that the file calls so: letters, digits and _."""
        name = re.sub(r"[^A-Za-z0-9]+", "_", title).strip("_")
        name = name if name[:1].isalpha() and name.isascii() else f"of_{name}"
        self.titles.setdefault(name, title)
        return name

    def add(
        self,
        stream: str,
        quantity: str,
        value: str | float | Decimal,
        unit: str,
        place: int | str,
        *,
        statistic: str = "total",
        half_width: float | None = 0.0,
        interval_s: float | None = None,
        experiment: str = "own",
    ) -> None:
        """Add a value."""
        if len(self._rows) >= MOST_VALUES:
            raise self.error(f"more than {MOST_VALUES:,} values; allowed: fewer, say one interface")
        line = place if isinstance(place, int) else None
        cells = {
            "experiment": experiment,
            "stream": stream,
            "quantity": quantity,
            "statistic": statistic,
            "value": str(value),
            "unit": unit,
            "place": f"line {place}" if isinstance(place, int) else place,
        }
        if half_width is not None:
            cells["half_width"] = str(half_width)
        if interval_s is not None:
            cells["interval_s"] = str(float(interval_s))
        self._rows.append(_Row(line, cells))

    def note(self, sentence: str) -> None:
        """Say something about what was read, once."""
        self.notes.setdefault(sentence)

    def error(self, problem: str, line: int | None = None) -> MeasurementError:
        """The one error of a file: what is wrong, in which line, and what is allowed."""
        return MeasurementError(self.file, problem, line, None)

    def only(self, interface: str) -> None:
        """Keep what is of one interface, in one or both directions."""
        wanted = interface.strip().lower()
        names = {
            name
            for name, title in self.titles.items()
            if wanted in (title.lower(), title.lower().partition(" ")[0])
        }
        rows = [row for row in self._rows if row.cells["experiment"] in names]
        if not rows:
            known = ", ".join(list(self.titles.values())[:20]) or "none, since it names none"
            raise self.error(f"no values of interface {short(interface)}; allowed: {known}")
        self._rows = rows

    def rename(self, streams: dict[str, str]) -> None:
        """Give streams the names that a scenario has for them."""
        known = dict.fromkeys(row.cells["stream"] for row in self._rows)
        for name in streams:
            if name not in known:
                listed = ", ".join(repr(each) for each in list(known)[:20])
                raise self.error(f"no values of stream {short(name)}; allowed: {listed}")
        for row in self._rows:
            row.cells["stream"] = streams.get(row.cells["stream"], row.cells["stream"])

    def measurements(self, kind: str) -> Measurements:
        """All values as `measurements.rows` would give them."""
        if not self._rows:
            raise self.error(f"no values in this output of {kind}; allowed: its counters or sums")
        source = {"file": self.file, "title": self.file, "kind": kind, "taken": self.taken}
        rows = rows_of_cells(self._rows, self.file)
        return Measurements(rows, source, dict(self.titles), tuple(self.notes))


def short(text: str) -> str:
    """A text of a file, in quotes and not too long."""
    return repr(text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}...")


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """The lines that may hold something, with their numbers: neither blank nor very long."""
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) <= LONGEST_LINE and not line.isspace() and line:
            yield number, line
