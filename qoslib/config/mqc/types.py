"""What NX-OS refuses because of the types of class maps and policies: qos, queuing, network-qos.

References
----------
Cisco, Nexus 9000 Series NX-OS Quality of Service Configuration Guide, Using Modular QoS CLI: a
policy takes class maps of its own type, and is attached as one of its type; queues are configured
in policies of type queuing.
"""

from collections.abc import Iterator

from qoslib.config.mqc.names import OWN_POLICIES, is_own, no_own_queue
from qoslib.config.mqc.policies import PLAIN, Interface, Policies, Policy, PolicyClass

__all__ = ["refuse_other_types"]

#: Fields of a class that only policies of type queuing take.
_OF_QUEUES = ("bandwidth", "remaining", "priority", "shape", "limit", "early")


def refuse_other_types(found: Policies) -> None:
    """Take away what stands in a policy, or names one, that is of another type."""
    for policy in found.policies.values():
        for name, part in list(policy.classes.items()):
            if problem := _of_class(found, policy, part):
                del policy.classes[name]
                _refuse(found, policy, part, problem)
            elif policy.kind == PLAIN:
                _refuse_queues(found, policy, part)
    for interface in found.interfaces.values():
        _refuse_attached(found, interface)


def _of_class(found: Policies, policy: Policy, part: PolicyClass) -> str:
    """What is wrong with the type of a class in a policy; empty where nothing is."""
    if part.kind != policy.kind:
        return (
            f"class {part.name} is of type {part.kind} and policy-map {policy.name} of type"
            f" {policy.kind}; allowed: classes of the policy's own type"
        )
    kinds = {each.kind for each in found.selections.values() if each.name == part.name}
    if not kinds:
        return no_own_queue(policy, part)
    if part.kind in kinds or is_own(part.name, nxos=True):
        return ""
    return (
        f"class-map {part.name} is of type {', '.join(sorted(kinds))}; allowed in policy-map"
        f" {policy.name}: one of type {policy.kind}"
    )


def _refuse(found: Policies, policy: Policy, part: PolicyClass, problem: str) -> None:
    """Refuse the header of a class, and all that stands below it."""
    headers = {each.text for each in found.notes.statements if each.line == policy.line}
    for each in list(found.notes.statements):
        below = f"class {part.name}" in each.parents and headers & {*each.parents}
        if each.line == part.line or below:
            found.notes.statements.remove(each)
            found.notes.refused(each.line, each.text, problem)


def _refuse_queues(found: Policies, policy: Policy, part: PolicyClass) -> None:
    """Take commands of queues away that stand in a policy of type qos."""
    for name in _OF_QUEUES:
        own = getattr(part, name)
        if own is None:
            continue
        setattr(part, name, None)
        problem = (
            f"policy-map {policy.name} is of type {policy.kind}; allowed for commands of queues:"
            " policies of type queuing"
        )
        for each in [each for each in part.statements if each.line == own.line]:
            part.statements.remove(each)
            found.notes.statements[:] = [s for s in found.notes.statements if s != each]
            found.notes.refused(each.line, each.text, problem)


def _refuse_attached(found: Policies, interface: Interface) -> None:
    """Take a policy of another type off an interface."""
    for way, named in list(interface.policies.items()):
        kinds = set(_kinds(found, named.name))
        if not kinds or named.kind in kinds or OWN_POLICIES.match(named.name):
            continue
        del interface.policies[way]
        problem = (
            f"policy-map {named.name} is of type {', '.join(sorted(kinds))}; allowed: one of type"
            f" {named.kind}"
        )
        for each in [each for each in found.notes.statements if each.line == named.line]:
            found.notes.statements.remove(each)
            found.notes.refused(each.line, each.text, problem)


def _kinds(found: Policies, name: str) -> Iterator[str]:
    """The types of the policies of a name."""
    return (policy.kind for policy in found.policies.values() if policy.name == name)
