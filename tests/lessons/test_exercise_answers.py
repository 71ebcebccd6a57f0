"""Whatever is answered, in earnest or by mistake, the check gives a hint and never a traceback."""

import math

import numpy as np
import pandas as pd

from offenders import hold
from qoslib import lessons
from qoslib.flows import Cubic, Flow, Host
from qoslib.platforms import m120
from qoslib.port import PacketLimit, Port, Queue
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

LINE = Port("line", 1e8, (Queue("all", PacketLimit(200)),))
LOAD = Stream("a", 1e8, 1000)
SENDER = Host("pc", 1e9, (Flow("tcp", 0.02, Cubic(), mss_bytes=1448, frame_bytes=1500),))
ODD = {
    "nothing": None,
    "dots": ...,
    "quoted": "67.2",
    "with a unit": "5 ms",
    "list": [1, 2],
    "true": True,
    "complex": 1j,
    "array": np.array([1.0, 2.0]),
    "function": len,
    "frame": pd.DataFrame({"value": [1]}),
    "negative": -1,
    "not a number": math.nan,
    "infinite": math.inf,
    "huge": 1e300,
    "huge whole": 10**400,
    "no streams": (LINE, None),
    "number of streams": (LINE, 5),
    "the same stream twice": (LINE, [LOAD, LOAD]),
    "no queue for it": (m120.port(), [LOAD]),
    "wrong way round": ([LOAD], LINE),
    "one queue without TCP": Scenario("mine", LINE, (LOAD,), 1),
    "packets, not bytes": Scenario("mine", LINE, (), 1, hosts=(SENDER,)),
}


def test_an_odd_answer_gets_a_hint():
    def hinted(name, answer, student):
        verdict = lessons.check(name, answer, student=student)
        assert not verdict.ok
        assert verdict.text.endswith(".")
        assert len(verdict.text) < 600

    hold(
        hinted,
        [
            (f"{name}, {odd}, student {student}", name, answer, student)
            for name in lessons.exercises()
            for odd, answer in ODD.items()
            for student in (0, 4711)
        ],
    )


def test_a_quoted_number_is_told_to_lose_its_quotes():
    assert "without quotes" in lessons.check("00.1", "67.2").text


def test_what_no_model_runs_is_said_in_its_own_words():
    verdict = lessons.check("00.5", (LINE, [LOAD, LOAD]))
    assert "no model runs that" in verdict.text
    assert "each name once" in verdict.text
