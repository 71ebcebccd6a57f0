"""The explorer of lesson 04: the shared line, with the load of Less Than BE and WRED first."""

from qoslib.explore import Explorer
from qoslib.lessons import round_robin

__all__ = ["FIRST", "explorer"]

FIRST = ("load_prec0", "high", "period")


def explorer(experiment: str = "test_b") -> Explorer:
    """Sliders for the load of Less Than BE and for WRED; all others of the port are below *More*.

    Parameters
    ----------
    experiment : str
        ``test_a`` or ``test_b``, to begin with.
    """
    return round_robin.explorer(experiment, FIRST, "early_drop")
