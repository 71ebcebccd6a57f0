"""Exercises of lesson 11: how far a model is from the published value, and what that is worth."""

from qoslib import compare, units
from qoslib.lessons.exercise import read

__all__ = ["EXERCISES"]

#: The frame check sequence, the last field of an Ethernet frame.
FCS_BYTES = 4


def _percent(ratio):
    return float(units.convert(ratio, "1", "%"))


def error(counted):
    """Error of a modelled number of bytes in per cent, where the counter leaves out the FCS."""
    return _percent(FCS_BYTES / counted), {
        "of_the_model": _percent(FCS_BYTES / (counted + FCS_BYTES))
    }


def rounding(published):
    """How far a true value may be from one published in whole numbers, in per cent of it."""
    return _percent(0.5 / published), {"whole": _percent(1 / published)}


def predictions(tolerance):
    """Predictions of all models under `base` with an error of at most so many per cent [%]."""
    rows = [row for row in compare.stored() if row.assumptions == "base" and row.published > 0]
    expected, with_fits = (
        _share([abs(row.error or 0.0) for row in some], tolerance)
        for some in ([row for row in rows if not row.fitted], rows)
    )
    return expected, {"with_fits": with_fits}


def _share(errors, tolerance):
    allowed = float(units.convert(tolerance, "%", "1"))
    return _percent(sum(error <= allowed for error in errors) / len(errors))


def own(answer):
    """A table of measurements of one's own, as `measurements.load` gives it."""
    if "source" not in getattr(answer, "attrs", {}):
        return "table", {}
    if answer.attrs["source"].get("source"):
        return "published", {}
    exact = not (answer["half_width"] > 0).any()
    return ("exact" if exact else "right"), {"values": len(answer)}


EXERCISES = read(__file__, error, rounding, predictions, own)
