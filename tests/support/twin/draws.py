"""SplitMix64 from a counter, in Python's whole numbers (Steele, Lea and Flood 2014)."""

import math

import numpy as np

WORD = 2**64


class Draws:
    """The numbers drawn by one owner: stream i is (0, i), queue i of hop h is (1, h, i)."""

    def __init__(self, seed, *owner):
        words = np.random.SeedSequence([seed, *owner]).generate_state(1, np.uint64)
        self.key, self.counter = int(words[0]), 0

    def bits(self):
        self.counter += 1
        z = (self.key + self.counter * 0x9E3779B97F4A7C15) % WORD
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
        return z ^ (z >> 31)

    def uniform(self):
        return (self.bits() >> 11) / 2**53

    def exponential(self):
        return -math.log(((self.bits() >> 11) + 1) / 2**53)
