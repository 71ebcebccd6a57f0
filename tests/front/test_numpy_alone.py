"""The engines and the checker run where there is only numpy: in a web page."""

import alone
import numpy_alone


def test_all_rooms_say_the_same_with_numpy_alone():
    there, here = alone.answers_of("numpy_alone.py"), numpy_alone.answers()
    assert [name for name in here if there[name] != here[name]] == []
