"""Random numbers from a counter: same key and counter, same draw, on every machine.

The mixing function is that of SplitMix64 (Steele, Lea and Flood 2014, doi:10.1145/2660193.2660195).
"""

import math

import numpy as np

from qoslib.packets.kernels.compiling import kernel

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11, _1 = (np.uint64(n) for n in (30, 27, 31, 11, 1))
_TO_UNIT = 2.0**-53


def key(seed: int, *owner: int) -> int:
    """A key of 64 bits for each owner of draws (a stream, a queue of a hop) under a seed."""
    words = np.random.SeedSequence([seed, *owner]).generate_state(1, np.uint64)
    return int(words[0])


@kernel
def _mixed(z):
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return z ^ (z >> _31)


@kernel
def mixed(owner):
    """The owner's next 64 random bits; its `counter` moves on."""
    owner.counter += _1
    return _mixed(owner.key + owner.counter * _GAMMA)


@kernel
def scrambled(key, number):
    """64 bits that a key and a number give, always the same: a hash."""
    return _mixed(_mixed(key + _GAMMA) ^ (np.uint64(number) * _GAMMA))


@kernel
def uniform(owner):
    """A number from [0, 1), a multiple of 2**-53."""
    return (mixed(owner) >> _11) * _TO_UNIT


@kernel
def exponential(owner):
    """An exponential number with mean 1."""
    return -math.log(((mixed(owner) >> _11) + _1) * _TO_UNIT)
