"""How far two numbers may be apart and still count as equal: the rounding of a float's sums."""

__all__ = ["ROUNDING"]

#: A share of a rate, a line or a queue that is smaller is the rounding of a sum [ratio].
ROUNDING = 1e-12
