"""The least of many numbers, kept as one after the other changes, and the first that is so small.

A tournament of so many places, a power of two, takes twice as many entries from `first` on: entry 1
is the least of all, the second half are the places; each is the lesser of its two.
"""

from qoslib.packets.kernels.compiling import kernel


@kernel
def put(entries, first, places, place, value):
    """Change the number of a place."""
    at = places + place
    entries[first + at] = value
    while at > 1:
        least = min(value, entries[first + (at ^ 1)])
        at >>= 1
        if entries[first + at] == least:
            return
        entries[first + at] = least
        value = least


@kernel
def first_from(entries, first, places, place, most):
    """The first place from one on whose number is at most so large; -1 for none."""
    if place >= places:
        return -1
    at = places + place
    while entries[first + at] > most:
        # Up while it is the right one of its two, then to the right.
        while at & 1:
            at >>= 1
        if at == 0:
            return -1
        at += 1
    while at < places:
        at *= 2
        if entries[first + at] > most:
            at += 1
    return at - places
