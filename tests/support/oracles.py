"""Slow, obvious twins of what qoslib computes, and formulas from textbooks."""


def water_level(demands, capacity, weights):
    """Weighted max-min fair shares by pouring: raise one water level until it runs over.

    A bisection on the level mu, with ``s_i = min(d_i, w_i mu)`` and ``sum s = min(sum d, C)``.
    """
    if sum(demands) <= capacity:
        return list(demands)
    low, high = 0.0, max(d / w for d, w in zip(demands, weights, strict=True))
    for _ in range(200):
        level = (low + high) / 2
        poured = sum(min(d, w * level) for d, w in zip(demands, weights, strict=True))
        low, high = (level, high) if poured <= capacity else (low, level)
    return [min(d, w * low) for d, w in zip(demands, weights, strict=True)]


def by_priority(demands, capacity, levels, weights):
    """Each level from what the levels above it leave; pouring within a level."""
    sent = [0.0] * len(demands)
    for level in sorted(set(levels)):
        members = [i for i, each in enumerate(levels) if each == level]
        shares = water_level(
            [demands[i] for i in members], capacity - sum(sent), [weights[i] for i in members]
        )
        for i, share in zip(members, shares, strict=True):
            sent[i] = share
    return sent


def by_level_and_guarantee(demands, capacity, levels, guaranteed, weights):
    """Junos: every level within its guarantees first, then every level beyond them."""
    within = [min(d, g) for d, g in zip(demands, guaranteed, strict=True)]
    first = by_priority(within, capacity, levels, weights)
    beyond = [d - w for d, w in zip(demands, within, strict=True)]
    second = by_priority(beyond, max(capacity - sum(first), 0.0), levels, weights)
    return [a + b for a, b in zip(first, second, strict=True)]
