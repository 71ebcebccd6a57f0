"""Two snapshots of counters as the rates between them."""

from collections.abc import Hashable, Mapping
from datetime import datetime
from typing import Any

import pandas as pd

from qoslib import units
from qoslib.measurements import COLUMNS, MeasurementError
from qoslib.measurements.table import frame_of_cells
from qoslib.record import Positive, checked, fail

__all__ = ["rates"]

#: What names a counter.
KEY = ["experiment", "stream", "quantity", "unit"]
#: End of a counter's name -> unit of its rate.
RATES = {"_packets": "packets/s", "_bytes": "bit/s"}
#: What a class matched is offered to it, and what a queue put out is sent.
CALLED = {"class": "offered", "output": "sent", "queue_dropped": "dropped"}
#: Rates of bits are of these alone; others are counted as packets.
IN_BITS = ("offered", "sent", "dropped")
#: How a time is written, with and without a year: see `attrs["source"]["taken"]`.
TIMES = ("%H:%M:%S.%f %b %d %Y", "%b %d %H:%M:%S.%f")


def rates(
    before: pd.DataFrame, after: pd.DataFrame, interval_s: float | None = None
) -> pd.DataFrame:
    """Rates over the time between two readings of the same counters.

    Parameters
    ----------
    before, after : DataFrame
        What `read` gave for each of two outputs of one command.
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
    first, second = (
        _counters(table, name) for table, name in ((before, "before"), (after, "after"))
    )
    over_s = _interval_s(before, after, interval_s)
    file = str(after.attrs.get("source", {}).get("file", "after"))
    earlier = first.set_index(KEY)["value"]
    rows = []
    for row in second.to_dict("records"):
        key = tuple(row[name] for name in KEY)
        if key not in earlier.index or not _rate_name(row["quantity"]):
            continue
        grown = row["value"] - earlier[key]
        if grown < 0:
            raise MeasurementError(
                file,
                f"{row['quantity']} of {row['stream'] or 'all'} fell from {earlier[key]:.0f} to"
                f" {row['value']:.0f}, so it was cleared or wrapped; allowed: two readings without"
                " that between them",
                _line(row["place"]),
                None,
            )
        rows.append((None, _rate(row, grown, over_s)))
    if not rows:
        fail("the counters of before and after", "different", "two readings of one device", "are")
    frame = frame_of_cells(rows, file)
    frame.attrs = dict(after.attrs)
    return frame


def _counters(table: object, name: str) -> pd.DataFrame:
    frame = checked(pd.DataFrame, table, name)
    if not set(COLUMNS) <= set(frame.columns):
        fail(f"the columns of {name}", list(frame.columns), "what telemetry.read gives", verb="are")
    found = frame[frame["quantity"].str.endswith(tuple(RATES)) & (frame["statistic"] == "total")]
    found = found.dropna(subset="value").drop_duplicates(KEY)
    # A copy without the attributes, which pandas copies at each look at a column.
    return pd.DataFrame({column: found[column] for column in COLUMNS})


def _interval_s(before: pd.DataFrame, after: pd.DataFrame, given: float | None) -> float:
    if given is not None:
        return float(checked(Positive, given, "interval_s"))
    times = [_time(table.attrs.get("source", {}).get("taken", "")) for table in (before, after)]
    if None in times:
        fail("interval_s", None, "the time between the readings in s, as they do not both tell it")
    first, second = times
    assert first is not None
    assert second is not None
    between_s = (second - first).total_seconds()
    if between_s <= 0:
        fail("the time of after", str(after.attrs["source"]["taken"]), "later than that of before")
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


def _rate(row: Mapping[Hashable, Any], grown: float, over_s: float) -> dict[str, str]:
    quantity = str(row["quantity"])
    of = quantity.rpartition("_")[2]
    packets = of == "packets"
    value = grown / over_s if packets else float(units.bits(grown)) / over_s
    step = 1 / over_s if packets else float(units.bits(1)) / over_s
    return {
        "experiment": str(row["experiment"]),
        "stream": str(row["stream"]),
        "quantity": _rate_name(quantity),
        "statistic": "average",
        "value": f"{value:.12g}",
        "unit": RATES[f"_{of}"],
        # A packet more or less at either end.
        "half_width": f"{step:.6g}",
        "place": f"{row['place']}, less that of the first reading",
        "interval_s": repr(over_s),
    }
