"""The rule on lines that a device would not take."""

from collections.abc import Iterator

from qoslib.checks.rule import Found, rule
from qoslib.config.records import Configuration

__all__: list[str] = []


@rule(
    "line-refused",
    "error",
    "docs/checking.md: a line that the device refuses has no effect",
    whole=True,
)
def line_refused(configuration: Configuration) -> Iterator[Found]:
    """A device would not take this line; the rest of the configuration is read without it."""
    for each in configuration.remarks:
        if each.kind == "refused":
            yield Found(each.line, f"{each.lost} It has no effect on the device.")
