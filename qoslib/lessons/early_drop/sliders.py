"""The explorer of lesson 04, of the shared line, and the ramp of random early detection."""

from collections.abc import Mapping

import numpy as np

from qoslib import units
from qoslib.explore import Explorer
from qoslib.lessons import round_robin
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure
from qoslib.port import RedProfile

__all__ = ["FIRST", "explorer", "ramp"]

#: The load of Less Than BE and WRED come first.
FIRST = ("load_prec0", "high", "period")
#: Ends of the axis of the average queue, as powers of ten of a packet.
_ENDS = (-0.3, 3.7)


def explorer(experiment: str = "test_b") -> Explorer:
    """Sliders for the load of Less Than BE and for WRED; all others of the port are below *More*.

    Parameters
    ----------
    experiment : str
        ``test_a`` or ``test_b``, to begin with.
    """
    return round_robin.explorer(experiment, FIRST, "early_drop")


def ramp(profiles: Mapping[str, RedProfile]) -> Figure:
    """Probability with which RED drops an arriving packet, against the average queue.

    Parameters
    ----------
    profiles : mapping of str to RedProfile
        Label of each.
    """
    traces, sentences, columns = [], [], {}
    average = np.logspace(*_ENDS, 9)
    looks = style.looks(profiles)
    for label, profile in profiles.items():
        low, high = profile.minimum_packets, profile.maximum_packets
        x = np.array([10 ** _ENDS[0], low, high, high, 10 ** _ENDS[1]])
        most = units.convert(profile.maximum_probability, "1", "%")
        y = np.array([0, 0, most, 100, 100])
        named = f"{label}: {low:g} and {high:g}"
        traces.append(style.curve("fluid", named, x, y, 0, as_look=looks[label], uid=label))
        columns[f"{label} [%]"] = np.interp(average, x, y)
        sentences.append(f"{label}: nothing is dropped below {low:g}, everything above {high:g}")
    table = Columns(columns, average.round(1), "average queue [packets]").round(1)
    layout = style.layout(["probability of a drop [%]"], "average queue [packets]")
    layout["xaxis"] |= style.decades(*_ENDS)
    layout["yaxis"]["range"] = [-3, 104]
    return Figure(data=traces, layout=layout, summary=f"{'; '.join(sentences)}.", table=table)
