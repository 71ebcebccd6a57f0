"""Exercises: right answers pass, wrong ones get a hint, and no answer is given away."""

import ast
import inspect
from pathlib import Path

import nbformat
import pytest

from qoslib import exercises, units
from qoslib.platforms import m120
from qoslib.port import (
    DeficitRoundRobin,
    Forwarder,
    PacketLimit,
    Policer,
    Port,
    Queue,
    StrictPriority,
)
from qoslib.traffic import Stream

LESSONS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))
LINE = Port("line", units.mbps(100), (Queue("all", PacketLimit(200)),))


def robin(first_mbps, second_mbps, quantum_bytes=3000):
    """A round robin of two queues and what it is offered."""
    queues = tuple(Queue(n, PacketLimit(100), quantum_bytes=quantum_bytes) for n in "ab")
    port = Port("robin", units.mbps(100), queues, DeficitRoundRobin())
    loads = (("a", first_mbps, 200), ("b", second_mbps, 1500))
    return port, [Stream(name, units.mbps(rate), size) for name, rate, size in loads]


FIRST = Queue("voice", PacketLimit(64), policer=Policer(units.mbps(10), 50_000), priority=0)
POLICED = Port(
    "uplink",
    units.mbps(50),
    (FIRST, Queue("data", PacketLimit(200), priority=1)),
    scheduler=StrictPriority(),
)
VOICE = (
    POLICED,
    [Stream("voice", units.mbps(80), 200), Stream("data", units.mbps(60), 1500)],
)
ENGINE = Forwarder("cpu", Queue("in", PacketLimit(100)), packet_s=1e-6)

RIGHT = {
    "00.1": 67.2,
    "00.2": 164,
    "00.3": 93.5,
    "00.4": 513,
    "00.5": (LINE, [Stream("a", units.mbps(120), 1000)]),
    "01.1": 20,
    "01.2": 11.25,
    "01.3": 25,
    "01.4": 111,
    "01.5": (m120.port(), m120.experiments()["base"].streams),
    "02.1": 1.526,
    "02.2": 6150,
    "02.3": 6,
    "02.4": 918,
    "02.5": robin(10, 150),
    "03.1": 95.64,
    "03.2": 61.1,
    "03.3": 368,
    "03.4": 31,
    "03.5": VOICE,
    "04.1": 8.446,
    "04.2": 7.5,
    "04.3": 145.7,
    "04.4": 83,
    "04.5": (ENGINE, [Stream("calls", units.gbps(1), 64)]),
}
WRONG = [
    ("00.1", 51.2, "without the 20 B"),
    ("00.1", 8.4, "bytes are taken for bits"),
    ("00.1", 1e6, "too large"),
    ("00.2", 165, "too late"),
    ("00.2", 100, "room for more"),
    ("00.2", 1.5, "whole number"),
    ("00.3", 96, "too late"),
    ("00.3", 80, "may be higher"),
    ("00.3", 0, "may be higher"),
    ("00.3", 150, "stands full"),
    ("00.4", 46396, "never in the queue"),
    ("00.5", (LINE, [Stream("a", units.mbps(20), 1000)]), "keeps up"),
    ("00.5", (LINE, [Stream("a", units.mbps(120), 10)]), "More buffer"),
    ("00.5", (m120.port(), m120.experiments()["base"].streams), "6 queues"),
    ("01.1", 100, "tail drop"),
    ("01.2", 20, "too long"),
    ("01.2", 5, "less than asked for"),
    ("01.3", 10, "still loses"),
    ("01.3", 60, "a little less would do"),
    ("01.4", 200, "Less load"),
    ("01.4", 105, "not 90"),
    ("01.4", 50, "keeps up"),
    ("01.5", (LINE, [Stream("a", units.mbps(20), 1000)]), "drops nothing"),
    ("01.5", (m120.port(), tuple(reversed(m120.experiments()["base"].streams))), "BE loses"),
    ("02.1", 1.397, "Premium is forgotten"),
    ("02.1", 1.22, "quanta of engine 3"),
    ("02.2", 0, "never served"),
    ("02.2", 3686, "loses 4"),
    ("02.2", 9000, "less would do"),
    ("02.3", 18, "too long"),
    ("02.3", 2, "room for more"),
    ("02.3", 0, "no ring"),
    ("02.4", 204, "for 20 minutes"),
    ("02.4", 1255, "6.8 is not 9.3"),
    ("02.5", (LINE, [Stream("a", units.mbps(20), 1000)]), "no round robin"),
    ("02.5", robin(10, 20), "drops nothing"),
    ("02.5", robin(90, 150), "a loses packets"),
    ("02.5", robin(10, 150, 30_000), "smaller quanta"),
    ("02.5", robin(0, 0), "offer nothing"),
]


def test_every_exercise_is_tried_here():
    assert set(RIGHT) == set(exercises.JUDGES)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_answer_is_right(name):
    verdict = exercises.check(name, RIGHT[name])
    assert verdict.ok, verdict
    assert str(verdict).startswith("Right: ")


@pytest.mark.parametrize(("name", "answer", "hint"), WRONG)
def test_a_wrong_answer_gets_a_hint(name, answer, hint):
    verdict = exercises.check(name, answer)
    assert not verdict.ok
    assert hint in verdict.text
    assert verdict._repr_markdown_().startswith("**Not yet:** ")


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("answer", [None, ..., "ten", float("nan"), -1, True, [], (1, 2)])
def test_what_is_no_answer_is_told_so(name, answer):
    verdict = exercises.check(name, answer)
    assert not verdict.ok
    assert verdict.text.endswith(".")


def test_an_unknown_exercise_is_told_with_the_known_ones():
    with pytest.raises(ValueError, match=r"exercise is '99\.1'; allowed: 00\.1"):
        exercises.check("99.1", 1)


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_solutions_of_a_lesson_are_right(path):
    """All cells of a lesson run in another group of tests; here, those that a solution needs."""
    scope: dict = {}
    verdicts = []
    for cell in needed(nbformat.read(path, as_version=4).cells):
        if is_solution(cell):
            scope["exercises"] = Recorder(verdicts)
        exec(cell.source, scope)
    assert len(verdicts) == len([n for n in exercises.JUDGES if path.stem.startswith(n[:2])])
    assert all(verdict.ok for verdict in verdicts), verdicts


def is_solution(cell):
    return "solution" in cell.metadata.get("tags", [])


def needed(cells):
    """The solutions of a lesson, and the cells that make what they or such cells name."""
    chosen, wanted = [], set()
    for cell in reversed([cell for cell in cells if cell.cell_type == "code"]):
        asked = "exercises.check(" in cell.source and not is_solution(cell)
        made, used = names(cell.source)
        if is_solution(cell) or (made & wanted and not asked):
            chosen.append(cell)
            wanted = (wanted - made) | used
    return reversed(chosen)


def names(source):
    """What a cell makes, and what it names."""
    made, used = set(), set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.alias):
            made.add(node.asname or node.name)
        elif isinstance(node, ast.FunctionDef):
            made.add(node.name)
        elif isinstance(node, ast.Name):
            (made if isinstance(node.ctx, ast.Store) else used).add(node.id)
    return made, used


class Recorder:
    """Stands in for the module, to see what each check says."""

    def __init__(self, verdicts):
        self.verdicts = verdicts

    def check(self, *answer):
        self.verdicts.append(exercises.check(*answer))


def test_each_judge_says_what_it_asks():
    assert all(inspect.getdoc(judge) for judge in exercises.JUDGES.values())
