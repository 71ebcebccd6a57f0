"""Two snapshots of counters as the rates between them."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from qoslib import units
from qoslib.measurements import Measurement, MeasurementError, Measurements
from qoslib.measurements.table import rows_of_cells
from qoslib.record import Positive, checked, fail

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["rates"]

#: End of a counter's name -> unit of its rate.
RATES = {"_packets": "packets/s", "_bytes": "bit/s"}
#: What a class matched is offered to it, and what a queue put out is sent.
CALLED = {"class": "offered", "output": "sent", "queue_dropped": "dropped"}
#: Rates of bits are of these alone; others are counted as packets.
IN_BITS = ("offered", "sent", "dropped")
#: How a time is written, with and without a year: see `attrs["source"]["taken"]`.
TIMES = ("%H:%M:%S.%f %b %d %Y", "%b %d %H:%M:%S.%f")


def rates(
    before: "pd.DataFrame | Measurements",
    after: "pd.DataFrame | Measurements",
    interval_s: float | None = None,
) -> "pd.DataFrame":
    """Rates over the time between two readings of the same counters.

    Parameters
    ----------
    before, after : DataFrame or Measurements
        What `read` or `rows` gave for each of two outputs of one command.
    interval_s : float, optional
        Time between them [s]; by default from the times that both outputs tell.

    Returns
    -------
    DataFrame
        A row for each counter of packets or bytes that is in both, as `read` gives it: its rate
        in packets/s or bit/s. What a class matched becomes ``offered``, what a queue put out
        ``sent`` and what it dropped ``dropped``; other names lose their ``_packets``.

    Raises
    ------
    MeasurementError
        If a counter is smaller in the second output: it was cleared, or it wrapped.
    ValueError
        If the interval is not known or not above 0, the tables share no counter, or they are none.

    Examples
    --------
    >>> from qoslib.telemetry import read
    >>> shown = "qdisc fq_codel 0: dev eth0 root\\n Sent {} bytes {} pkt (dropped 0, overlimits 0)"
    >>> found = rates(read(shown.format(1_000, 10)), read(shown.format(251_000, 260)), 10)
    >>> found[["quantity", "value", "unit", "interval_s"]].values.tolist()[:2]
    [['sent', 200000.0, 'bit/s', 10.0], ['sent', 25.0, 'packets/s', 10.0]]
    """
    first, second = Measurements.of(before, "before"), Measurements.of(after, "after")
    over_s = _interval_s(first, second, interval_s)
    file = str(second.source.get("file", "after"))
    earlier, rows = _counters(first), []
    for key, row in _counters(second).items():
        if key not in earlier or not _rate_name(row.quantity):
            continue
        grown = row.value - earlier[key].value
        if grown < 0:
            raise MeasurementError(
                file,
                f"{row.quantity} of {row.stream or 'all'} fell from {earlier[key].value:.0f} to"
                f" {row.value:.0f}, so it was cleared or wrapped; allowed: two readings without"
                " that between them",
                _line(row.place),
                None,
            )
        rows.append((None, _rate(row, grown, over_s)))
    if not rows:
        fail("the counters of before and after", "different", "two readings of one device", "are")
    return replace(second, rows=rows_of_cells(rows, file)).to_frame()


def _counters(table: Measurements) -> dict[tuple[str, ...], Measurement]:
    """The counters of a table; of those with one name the first."""
    found: dict[tuple[str, ...], Measurement] = {}
    for row in table:
        if row.quantity.endswith(tuple(RATES)) and row.statistic == "total" and row.is_known:
            found.setdefault((row.experiment, row.stream, row.quantity, row.unit), row)
    return found


def _interval_s(before: Measurements, after: Measurements, given: float | None) -> float:
    if given is not None:
        return float(checked(Positive, given, "interval_s"))
    times = [_time(table.source.get("taken", "")) for table in (before, after)]
    if None in times:
        fail("interval_s", None, "the time between the readings in s, as they do not both tell it")
    first, second = times
    assert first is not None
    assert second is not None
    between_s = (second - first).total_seconds()
    if between_s <= 0:
        fail("the time of after", str(after.source["taken"]), "later than that of before")
    return between_s


def _time(text: str) -> datetime | None:
    text = " ".join(text.split())
    for form in TIMES:
        try:
            # Without a year: of one that has a 29th of February.
            return datetime.strptime(
                *((text, form) if "%Y" in form else (f"{text} 2000", f"{form} %Y"))
            )
        except ValueError:
            continue
    return None


def _rate_name(quantity: str) -> str:
    """What the rate of a counter is called; nothing where there is none."""
    name, _, of = quantity.rpartition("_")
    name = CALLED.get(name, name)
    return name if of == "packets" or name in IN_BITS else ""


def _line(place: str) -> int | None:
    number = place.removeprefix("line ")
    return int(number) if place != number and number.isdecimal() else None


def _rate(row: Measurement, grown: float, over_s: float) -> dict[str, str]:
    of = row.quantity.rpartition("_")[2]
    packets = of == "packets"
    value = grown / over_s if packets else float(units.bits(grown)) / over_s
    step = 1 / over_s if packets else float(units.bits(1)) / over_s
    return {
        "experiment": row.experiment,
        "stream": row.stream,
        "quantity": _rate_name(row.quantity),
        "statistic": "average",
        "value": f"{value:.12g}",
        "unit": RATES[f"_{of}"],
        # A packet more or less at either end.
        "half_width": f"{step:.6g}",
        "place": f"{row.place}, less that of the first reading",
        "interval_s": repr(over_s),
    }
