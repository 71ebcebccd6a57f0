"""Rules on the rate that a carrier takes, which is often below that of the port."""

import math
from collections.abc import Iterator

from qoslib import units
from qoslib.checks.checked_port import CheckedPort, Member
from qoslib.checks.rule import Found, rule
from qoslib.config.amounts import rate_text
from qoslib.tolerances import ROUNDING

__all__ = ["contract_bps", "exceeded_bps"]

#: Of these, `bandwidth` is the rate of what carries them, which shapes by itself.
_CARRIED = ("dialer", "virtual", "multilink", "tunnel", "atm")
#: The usual packet of a rate without a size, where nobody said what is sent: IMIX [B].
USUAL_BYTES = 362
_BLIND = "as it does not know the classes"


def contract_bps(checked: CheckedPort) -> tuple[float, int] | None:
    """What the carrier takes [bit/s], and the line that says so; 0 for a fact.

    The reader's fact `contract_bps`, or else IOS's `bandwidth` of the interface, where it is below
    the line rate: that is what a shaped hand-off is mostly told by. On switches with NX-OS or EOS
    it is a weight for routing.
    """
    interface = checked.configured.interface
    fact = checked.facts.number(interface, "contract_bps")
    if fact:
        return fact, 0
    if not checked.manners.contract_by_bandwidth or interface.lower().startswith(_CARRIED):
        return None
    for said in checked.configuration.by_verb.get("bandwidth", ()):
        above = [parent.partition(" ")[2] for parent in said.parents]
        if above == [interface] and len(said.words) == 2 and said.name.isdecimal():
            rate_bps = units.kbps(float(said.name))
            return (rate_bps, said.line) if rate_bps < checked.port.rate_bps else None
    return None


@rule("no-shaper", "error", "RFC 2475, section 2.3.3.3: a shaper brings a stream into its profile")
def no_shaper(checked: CheckedPort) -> Iterator[Found]:
    """A port sends faster than the carrier takes, and nothing shapes it."""
    contract = contract_bps(checked)
    if contract is None:
        return
    rate, line = contract
    most_bps = _most_bps(checked)
    if checked.shaped or most_bps <= rate:
        return
    where = f" (line {line})" if line else ""
    says = f"The port sends {rate_text(most_bps)}, the contract is {rate_text(rate)}"
    less = most_bps < checked.port.rate_bps
    held = "the limits of its classes let all of that out" if less else "no shaper holds it back"
    over = exceeded_bps(checked) is not None
    yield Found(
        checked.configured.line,
        f"{says}{where}, and {held}.",
        _carried(checked, rate, over=over),
        checked.fixes.port_rate(_fitting_bps(checked, rate)),
        "error" if over or not line else "warning",
    )


def _carried(checked: CheckedPort, rate_bps: float, *, over: bool) -> str:
    """What becomes of a load where nothing shapes a port to what the carrier takes."""
    if not over:
        return f"Nothing shapes it to {rate_text(rate_bps)}, so that the queues never fill."
    sent_bps = _sent_bps(checked, tcp=False)
    flows = sum(len(load.flows) for load in checked.loads)
    load = " + ".join([rate_text(sent_bps), *([f"{flows} TCP"] if flows else [])])
    assumed = any(each.origin == "assumed" for each in checked.loads)
    sent = f"{load}{' (assumed: the minima)' if assumed else ''} in, {rate_text(rate_bps)} out"
    lost = units.convert(1 - rate_bps / sent_bps, "1", "%") if sent_bps > rate_bps else 0.0
    if lost:
        return f"{sent}: the carrier drops {lost:.0f} %, voice too, {_BLIND}."
    return f"{sent}: TCP sends until the carrier drops packets, those of voice too, {_BLIND}."


def exceeded_bps(checked: CheckedPort) -> float | None:
    """The contract that a port's load exceeds [bit/s]; None where it fits or none is known.

    What the carrier drops then is of any class, as TCP sends until packets are dropped.
    """
    contract = contract_bps(checked)
    if contract is None:
        return None
    frame = _frame_bytes(checked)
    counted_bps = _sent_bps(checked) * (frame + _overhead_bytes(checked)) / frame
    return contract[0] if counted_bps > contract[0] * (1 + ROUNDING) else None


def _sent_bps(checked: CheckedPort, *, tcp: bool = True) -> float:
    """What the port sends of its load, TCP as much as its class may [bit/s]."""
    sent_bps = dict.fromkeys(checked.port.queue_names, 0.0)
    members = {member.name: member for member in checked.every}
    for load in checked.loads:
        queue = members[load.taken_by or load.name].queue.name
        sent_bps[queue] += math.inf if tcp and load.flows else load.rate_bps
    whole_bps = 0.0
    for group in checked.groups:
        each = (min(sent_bps[of.queue.name], _limit_bps(of)) for of in group.members)
        whole_bps += min(group.most_bps, sum(each))
    return min(checked.capacity_bps, whole_bps)


def _most_bps(checked: CheckedPort) -> float:
    """What the port sends at most where each class has a limit of its own as well [bit/s]."""
    most_bps = 0.0
    for group in checked.groups:
        most_bps += min(group.most_bps, sum(map(_limit_bps, group.members)))
    return min(checked.capacity_bps, most_bps)


def _limit_bps(member: Member) -> float:
    """What a class sends at most on a port that is not congested [bit/s]."""
    queue = member.queue
    waits = queue.policer is not None and queue.policer.when == "congested" and not queue.shaper
    return math.inf if member.limit_bps is None or waits else member.limit_bps


@rule(
    "shaper-over-contract",
    "warning",
    "IEEE 802.3, clause 4.4.2: 8 B of preamble and 12 B of gap per frame",
)
def shaper_over_contract(checked: CheckedPort) -> Iterator[Found]:
    """A shaper lets through more than the carrier takes, once its overhead counts."""
    contract = contract_bps(checked)
    if contract is None or not checked.shaped:
        return
    rate_bps, capacity_bps = contract[0], checked.capacity_bps
    more, frame = _overhead_bytes(checked), _frame_bytes(checked)
    counted_bps = capacity_bps * (frame + more) / frame
    if max(capacity_bps, counted_bps) <= rate_bps:
        return
    if capacity_bps > rate_bps:
        says = f"The shaper sends {rate_text(capacity_bps)} into {rate_text(rate_bps)}."
        why = f"{rate_text(capacity_bps)} - {rate_text(rate_bps)} ="
        why += f" {rate_text(capacity_bps - rate_bps)} too much."
    else:
        says = f"With {more:g} B more for each frame the carrier counts {rate_text(counted_bps)},"
        says += f" above its {rate_text(rate_bps)}."
        why = f"{rate_text(capacity_bps)} x ({frame:.0f} + {more:g}) / {frame:.0f} ="
        why += f" {rate_text(counted_bps)}, with a mean frame of {frame:.0f} B."
    fix = checked.fixes.port_rate(_fitting_bps(checked, rate_bps))
    yield Found(
        checked.configured.line, says, why, fix, "error" if capacity_bps > rate_bps else None
    )


def _overhead_bytes(checked: CheckedPort) -> float:
    """What the carrier adds to each frame when it counts, a fact [B]."""
    return checked.facts.number(checked.configured.interface, "overhead_bytes") or 0.0


def _frame_bytes(checked: CheckedPort) -> float:
    """The mean frame that is sent, or a usual one [B]."""
    sent = [(load.rate_bps, load.frame_bytes) for load in checked.loads if load.frame_bytes]
    packets = sum(units.rate_pps(rate, size) for rate, size in sent)
    return units.octets(sum(rate for rate, _ in sent)) / packets if packets else USUAL_BYTES


def _fitting_bps(checked: CheckedPort, rate_bps: float) -> float:
    """The shaper's rate with which the carrier counts its own, with what it adds to a frame."""
    more, frame = _overhead_bytes(checked), _frame_bytes(checked)
    return rate_bps * frame / (frame + more)
