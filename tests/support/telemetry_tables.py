"""What telemetry reads of an output, and its rows."""

import json

from qoslib import telemetry


def read(source, *args, **kwargs):
    """The table of an output; what is no text is written as JSON."""
    made = source if isinstance(source, str | bytes) else json.dumps(source, indent=1)
    return telemetry.read(made, *args, **kwargs)


def value(table, quantity, stream="", statistic=None, unit=None):
    """The one row of a quantity of a stream."""
    found = table[(table["quantity"] == quantity) & (table["stream"] == stream)]
    found = found if statistic is None else found[found["statistic"] == statistic]
    found = found if unit is None else found[found["unit"] == unit]
    (row,) = found.to_dict("records")
    return row


def quantities(table, stream=""):
    return set(table.loc[table["stream"] == stream, "quantity"])


def lines(text, place):
    """The line of a text that a place names."""
    return text.split("\n")[int(place.removeprefix("line ")) - 1]
