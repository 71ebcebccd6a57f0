"""Rules on commands of tc that have another effect than they seem to have."""

from collections.abc import Iterator

from qoslib.config.amounts import rate_text
from qoslib.config.reading import Configuration
from qoslib.config.rules.rule import Case, Found, rule
from qoslib.config.shares import nodes_of
from qoslib.config.text import check_time
from qoslib.port import HierarchicalTokenBucket, Node, Queue

__all__: list[str] = []

#: What a remark says of a command that tc or the kernel refuses, and of one that leads nowhere.
_REFUSED = ("The kernel refuses this", "did you mean", "The quotation does not end")
_NOWHERE = ("No packets wait in",)


@rule(
    "tc-refused",
    "error",
    "Linux manual, tc(8): a command that fails changes nothing; classid and default name a class",
    whole=True,
)
def tc_refused(configuration: Configuration) -> Iterator[Found]:
    """A command is refused, or names a class that is not there (tc)."""
    if configuration.dialect != "tc":
        return
    for each in configuration.remarks:
        check_time(each.line)
        if any(words in each.lost for words in _REFUSED):
            yield Found(each.line, _ended(each.lost))
        elif any(words in each.lost for words in _NOWHERE):
            yield Found(each.line, _ended(each.lost), severity="warning")


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith(".") else f"{sentence}: the command has no effect."


@rule("ceil-below-rate", "warning", "Linux manual, tc-htb(8): ceil is the most that a class sends")
def ceil_below_rate(case: Case) -> Iterator[Found]:
    """A class of htb has a ceil below its own rate, which it never gets (tc)."""
    if not isinstance(case.port.scheduler, HierarchicalTokenBucket):
        return
    lines = {each.queue or each.name: each.line for each in case.configured.classes}
    every: list[Queue | Node] = [*case.port.queues, *nodes_of(case.port)]
    for each in every:
        if each.shaper and each.shaper.rate_bps < each.guaranteed_bps:
            ceil, rate = rate_text(each.shaper.rate_bps), rate_text(each.guaranteed_bps)
            yield Found(
                lines.get(each.name) or case.configured.line,
                f"Class {each.name} never gets its rate of {rate}: its ceil is {ceil}.",
                f"{ceil} < {rate}.",
            )
