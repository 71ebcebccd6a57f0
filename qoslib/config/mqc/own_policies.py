"""The policies of queues that NX-OS has by itself, which no text defines."""

from collections.abc import Collection

from qoslib.config.mqc.names import OWN_GROUP
from qoslib.config.mqc.policies import Policy, PolicyClass, Priority
from qoslib.config.values import Value

__all__ = ["own_policy"]

_KIND = "queuing"
#: Policy -> the row of ``defaults.toml``, how the names of its classes begin, and the last group.
_BY_GROUP = {
    "default-8q-out-policy": ("nxos.default_8q_out_policy", "c-out-8q-q", 7),
    "default-out-policy": ("nxos.default_out_policy", "c-out-q", 3),
}
#: Policy -> its row, and the per cents of its classes.
_BY_NAME = {
    "fcoe-default-out-policy": (
        "nxos.fcoe_default_out_policy",
        {"class-fcoe": 50.0, "class-default": 50.0},
    ),
}


def own_policy(name: str, groups: Collection[str]) -> Policy | None:
    """A policy of NX-OS, None of a name that is not known.

    Parameters
    ----------
    name : str
    groups : collection of str
        Those that the text puts packets into, as ``"qos-group 3"``: of classes of other groups,
        which no packet is in, the policy has none here.

    >>> [*own_policy("default-8q-out-policy", ["qos-group 3"]).classes]
    ['c-out-8q-q3', 'c-out-8q-q-default']
    """
    if name in _BY_GROUP:
        row, stem, last = _BY_GROUP[name]
        every = [_first(f"{stem}{last}", row)]
        every += [_shared(f"{stem}{group}", 0.0, row) for group in range(last - 1, 0, -1)]
        parts = [part for part in every if _group(part) in groups]
        parts.append(_shared(f"{stem}-default", 100.0, row))
    elif name in _BY_NAME:
        row, shares = _BY_NAME[name]
        parts = [
            PolicyClass(of, 0, bandwidth=Value(share / 100, "1", default=row), kind=_KIND)
            for of, share in shares.items()
        ]
    else:
        return None
    return Policy(name, 0, {part.name: part for part in parts}, _KIND)


def _group(part: PolicyClass) -> str:
    found = OWN_GROUP.fullmatch(part.name)
    return f"qos-group {found[1]}" if found else ""


def _first(name: str, row: str) -> PolicyClass:
    return PolicyClass(name, 0, priority=Priority(0, default=row), kind=_KIND)


def _shared(name: str, percent: float, row: str) -> PolicyClass:
    return PolicyClass(name, 0, remaining=Value(percent, "%", default=row), kind=_KIND)
