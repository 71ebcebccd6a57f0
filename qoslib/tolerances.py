"""The differences at which two numbers still count as equal: rounding in sums of floats."""

__all__ = ["EQUAL", "LOSSLESS", "ROUNDING"]

#: A share of a rate, a line or a queue that is smaller is the rounding of a sum [ratio].
ROUNDING = 1e-12
#: Two results of a model that differ by less are equal on every machine [ratio].
EQUAL = 1e-9
#: A share of lost packets that is smaller is the rounding of a fluid model, and no loss [ratio].
LOSSLESS = 1e-9
