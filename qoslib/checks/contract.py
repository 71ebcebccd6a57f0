"""Rules on the rate that a carrier takes, which is often below that of the port."""

import re
from collections.abc import Iterator

from qoslib import units
from qoslib.checks.fixes import unused
from qoslib.checks.rule import Case, Found, rule
from qoslib.config.amounts import rate_text

__all__ = ["contract_bps"]

#: Of these, `bandwidth` is the rate of what carries them, which shapes by itself.
_CARRIED = re.compile(r"(dialer|virtual|multilink|tunnel|atm)", re.IGNORECASE)
#: The usual packet of a rate without a size, where nobody said what is sent: IMIX [B].
USUAL_BYTES = 362


def contract_bps(case: Case) -> tuple[float, int] | None:
    """What the carrier takes [bit/s], and the line that says so; 0 for a fact.

    The reader's fact `contract_bps`, or else IOS's `bandwidth` of the interface, where it is below
    the line rate: that is what a shaped hand-off is mostly told by. On switches with NX-OS or EOS
    it is a weight for routing.
    """
    interface = case.configured.interface
    fact = case.facts.number(interface, "contract_bps")
    if fact:
        return fact, 0
    if not case.configuration.dialect.startswith("ios") or _CARRIED.match(interface):
        return None
    parents = (f"interface {interface}",)
    for each in case.configuration.by_verb.get("bandwidth", ()):
        if each.parents != parents:
            continue
        if said := re.fullmatch(r"bandwidth (\d{1,12})", each.text):
            rate = units.kbps(float(said[1]))
            return (rate, each.line) if rate < case.port.rate_bps else None
    return None


@rule("no-shaper", "error", "RFC 2475, section 2.3.3.3: a shaper brings a stream into its profile")
def no_shaper(case: Case) -> Iterator[Found]:
    """A port sends faster than the carrier takes, and nothing shapes it."""
    contract = contract_bps(case)
    if contract is None:
        return
    rate, line = contract
    if case.shaped or case.port.rate_bps <= rate:
        return
    where = f" (line {line})" if line else ""
    says = f"The port sends {rate_text(case.port.rate_bps)}, the contract is {rate_text(rate)}"
    offered = sum(load.rate_bps for load in case.loads)
    why = f"Nothing shapes it to {rate_text(rate)}, so that the queues never fill"
    if offered > rate:
        lost = units.convert(1 - rate / offered, "1", "%")
        why = f"{rate_text(offered)} in, {rate_text(rate)} out: the carrier drops {lost:.0f} %,"
        why += " voice too, as it does not know the classes"
    yield Found(
        case.configured.line,
        f"{says}{where}, and no shaper holds it back.",
        why + ".",
        case.fix(
            mqc=_parent(case, _fitting_bps(case, rate)),
            junos=f"set class-of-service interfaces {case.configured.interface}"
            f" shaping-rate {_fitting_bps(case, rate):.0f}",
        ),
        "error" if offered > rate or not line else "warning",
    )


@rule(
    "shaper-over-contract",
    "warning",
    "IEEE 802.3, clause 4.4.2: 8 B of preamble and 12 B of gap per frame",
)
def shaper_over_contract(case: Case) -> Iterator[Found]:
    """A shaper lets through more than the carrier takes, once its overhead counts."""
    contract = contract_bps(case)
    if contract is None or not case.shaped:
        return
    rate, _ = contract
    more = case.facts.number(case.configured.interface, "overhead_bytes")
    if case.capacity_bps > rate:
        says = f"The shaper sends {rate_text(case.capacity_bps)} into {rate_text(rate)}."
        why = f"{rate_text(case.capacity_bps)} - {rate_text(rate)} ="
        why += f" {rate_text(case.capacity_bps - rate)} too much"
        yield Found(
            case.configured.line, says, why + ".", _shape(case, _fitting_bps(case, rate)), "error"
        )
        return
    if more is None:
        return
    frame = _frame_bytes(case)
    counted = case.capacity_bps * (frame + more) / frame
    if counted > rate:
        yield Found(
            case.configured.line,
            f"With {more:g} B more for each frame the carrier counts {rate_text(counted)},"
            f" above its {rate_text(rate)}.",
            f"{rate_text(case.capacity_bps)} x ({frame:.0f} + {more:g}) / {frame:.0f} ="
            f" {rate_text(counted)}, with a mean frame of {frame:.0f} B.",
            _shape(case, _fitting_bps(case, rate)),
        )


def _frame_bytes(case: Case) -> float:
    """The mean frame that is sent, or a usual one [B]."""
    sent = [(load.rate_bps, load.frame_bytes) for load in case.loads if load.frame_bytes]
    packets = sum(units.rate_pps(rate, size) for rate, size in sent)
    return units.octets(sum(rate for rate, _ in sent)) / packets if packets else USUAL_BYTES


def _fitting_bps(case: Case, rate_bps: float) -> float:
    """The shaper's rate with which the carrier counts its own, with what it adds to a frame."""
    more = case.facts.number(case.configured.interface, "overhead_bytes") or 0.0
    frame = _frame_bytes(case)
    return rate_bps * frame / (frame + more)


def _parent(case: Case, rate_bps: float) -> str:
    """A policy above that of the interface, and in its place there (IOS)."""
    policy = case.configured.policy
    name = unused(case, "PARENT", "policy-map")
    lines = [f"policy-map {name}", " class class-default", f"  shape average {rate_bps:.0f}"]
    lines += [f"  service-policy {policy}"] if policy else []
    lines += [f"interface {case.configured.interface}"]
    lines += [f" no service-policy output {policy}"] if policy else []
    return "\n".join([*lines, f" service-policy output {name}"])


def _shape(case: Case, rate_bps: float) -> str:
    shaped = [
        of
        for of in case.configured.classes
        if any(each.text.startswith("shape ") for each in of.statements)
    ]
    return case.fix(
        mqc=case.in_class(shaped[0], f"shape average {rate_bps:.0f}") if len(shaped) == 1 else "",
        junos=f"set class-of-service interfaces {case.configured.interface}"
        f" shaping-rate {rate_bps:.0f}",
    )
