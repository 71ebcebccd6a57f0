"""What an experiment is: scenarios to run on the kernel, and what was published about them."""

from typing import NamedTuple

from qoslib import Scenario
from qoslib.measurements import load

__all__ = ["REPEATS", "Experiment", "Point", "Published", "published"]

#: Runs of each point; and how many more may replace runs that failed a gate.
REPEATS, SPARE = 3, 4


class Published(NamedTuple):
    """A published value that a point repeats.

    Attributes
    ----------
    text : str
        As published.
    value : float
        In the unit of the measured value, scaled to the point's rates.
    scaled : str
        How it was scaled; empty where it was not.
    of : tuple of str
        Platform and experiment, as on the scoreboard.
    scale : float
        What `value` is of the published one [ratio].
    """

    text: str
    value: float
    scaled: str = ""
    of: tuple[str, str] = ("", "")
    scale: float = 1.0


class Point(NamedTuple):
    """One setting of an experiment.

    Attributes
    ----------
    name : str
        Letters, digits and underscores.
    scenario : Scenario
        For the kernel and for every model.
    published : dict of (str, str) to Published
        By stream and quantity.
    counts : bool
        Whether packets are counted over the whole run, not rates and delays in a window.
    series, at : str and float
        Its line in the figure, and where on the axis it is, where the experiment has an `axis`.
    shown : tuple of str
        The quantities that are compared; empty for the usual ones.
    """

    name: str
    scenario: Scenario
    published: dict[tuple[str, str], Published]
    counts: bool = False
    series: str = ""
    at: float = 0.0
    shown: tuple[str, ...] = ()


class Experiment(NamedTuple):
    """An experiment to run.

    Attributes
    ----------
    name : str
        As the command line has it.
    question : str
    points : tuple of Point
    needs : tuple of str
        Names of what `probe` has to find.
    source : str
        The published source.
    explanation : str
        What the result shows.
    axis : str
        Title of its figure's axis; empty where points are shown side by side.
    """

    name: str
    question: str
    points: tuple[Point, ...]
    needs: tuple[str, ...]
    source: str
    explanation: str
    axis: str = ""


def published(
    table: str,
    experiment: str,
    stream: str,
    quantity: str,
    *,
    scale: float = 1.0,
    scaled: str = "",
) -> Published:
    """A published value.

    Parameters
    ----------
    table : str
        Its name in `measurements`.
    experiment, stream, quantity : str
    scale : float
        What a point's value is of the published one [ratio].
    scaled : str
        The same in words.

    Returns
    -------
    Published

    Examples
    --------
    >>> published("m120_latency", "base", "CS1", "latency").text
    'up to 84 milliseconds'
    """
    rows = load(table)
    mine = (rows.experiment == experiment) & (rows.stream == stream) & (rows.quantity == quantity)
    row = rows[mine].iloc[0]
    platform = table.partition("_")[0]
    value = float(row.value) * scale
    return Published(str(row.as_printed), value, scaled, (platform, experiment), scale)
