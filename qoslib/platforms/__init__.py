"""The routers of the sources, each as data: what is printed, assumed, fitted."""

from importlib import import_module
from types import ModuleType

__all__ = ["PLATFORMS", "platform"]

#: File stems of the platforms that models speak to.
PLATFORMS = ("m120", "gsr12000", "isr4331", "mx150", "mx80", "catalyst6506", "mlx")


def platform(name: str) -> ModuleType:
    """The module of a platform.

    Each has ``FACTS`` (its numbers and their origin), ``ASSUMPTIONS`` (name of each declared set
    to its description, ``base`` first), ``experiments(assumptions="base")``, name to `Experiment`,
    ``MODELS`` (those that speak to it), ``NOT_DESCRIBED`` (published experiment to the reason why
    it has no `Experiment`) and ``RATIOS`` (published ratio to a quantity and two streams). It may
    have ``LEAVES_BY`` (port to the port that what leaves by it came in at), ``PAIRS`` (quantity
    to two counters that the test makes equal: their ratio tells how far the print can be trusted),
    ``PARAMETERS`` (rival set to the fitted numbers that it was free to choose), ``COUNTED`` (sets
    that are told by how many values they meet, without a row for each), ``FULL_ONLY`` (those that
    only a full run plays) and ``WITHOUT_FITS`` (set to the same with its fits taken back).

    Raises
    ------
    ValueError
        If there is no such platform.
    """
    if name not in PLATFORMS:
        raise ValueError(f"platform is {name!r}; allowed: {', '.join(PLATFORMS)}")
    return import_module(f"qoslib.platforms.{name}")
