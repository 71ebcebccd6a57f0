"""How wide an interval of a mean is: against scipy, for few values and for many."""

import pytest
from scipy.special import stdtrit

from qoslib.front.student_t import standard_errors

COUNTS = (*range(2, 40), 100, 501, 2000)
SHARES = (0.5, 0.9, 0.95, 0.999)


@pytest.mark.parametrize("share", SHARES)
def test_standard_errors_are_those_of_student(share):
    for count in COUNTS:
        expected = stdtrit(count - 1, (1 + share) / 2)
        assert standard_errors(count, share) == pytest.approx(expected, rel=1e-11)
