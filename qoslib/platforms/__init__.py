"""The routers of the sources as data, in which each number is sourced, assumed or fitted."""

from importlib import import_module

from qoslib.platforms.platform import Experiment, Platform, Ramp
from qoslib.record import fail

__all__ = ["PLATFORMS", "Experiment", "Platform", "Ramp", "platform"]

#: Names of the platforms that models speak to; each is a module that ends in its `Platform`.
PLATFORMS = ("m120", "gsr12000", "isr4331", "mx150", "mx80", "catalyst6506", "mlx")


def platform(name: str) -> Platform:
    """A platform by name.

    Parameters
    ----------
    name : str
        One of `PLATFORMS`.

    Returns
    -------
    Platform
        Its facts, ports and experiments.

    Raises
    ------
    ValueError
        If there is no such platform.

    Examples
    --------
    >>> platform("m120").experiments()["base"].title
    'Base test: CS4 at 27 %'
    """
    if name not in PLATFORMS:
        fail("platform", name, ", ".join(PLATFORMS))
    found: Platform = import_module(f"qoslib.platforms.{name}").PLATFORM
    return found
