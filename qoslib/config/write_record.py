"""What a port is written as."""

from qoslib.record import Record, record

__all__ = ["Written"]


@record
class Written(Record):
    """A port as a configuration.

    Parameters
    ----------
    text : str
        The configuration.
    facts : tuple of (str, float or str)
        What the text has no place for, as `read` takes it: ``read(text, facts=dict(facts))``.
    lost : tuple of str
        What neither says, a sentence each. Where it is empty, reading gives the port back.
    """

    text: str
    facts: tuple[tuple[str, float | str], ...] = ()
    lost: tuple[str, ...] = ()
