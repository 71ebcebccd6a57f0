"""A slow, obvious twin of the packet engine, in plain Python: objects, lists and whole numbers.

It follows the docstrings of `qoslib.port` and `qoslib.traffic` and the RFCs, and shares with the
engine no more than the keys of the draws. Times are whole numbers of 2**-62 ps where they can
have a fraction ("fine"), of picoseconds elsewhere; every comparison is in whole picoseconds, each
term rounded down. Float operations, in this order, in both:

- EWMA ``a + (q - a) * w``; idle decay ``a * power(1 - w, m)``, the power by squaring from the
  lowest bit of m on;
- RED ``u < (seen - min) * (p / (max - min))``;
- drop profile ``below + (fill - low) * ((above - below) / (high - low))``;
- CoDel ``since + int(interval / sqrt(count))``;
- PIE ``(delay - target) * alpha + (delay - old) * beta``, alpha and beta per picosecond;
- bits of a frame beyond a threshold ``int(access * (over / frame))``;
- turns ``int(service * heaviest / weight)``; draws of times ``int(mean * exponential + 0.5)``.
"""

from twin.chain import simulate
from twin.draws import Draws
from twin.traffic import Sender

__all__ = ["Draws", "Sender", "simulate"]
