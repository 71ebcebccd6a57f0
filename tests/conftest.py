"""For all tests: the same drawn examples every time, and each model's answer worked out once."""

import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

# An assertion of what tests share says its values too, as one of a test does.
SHARED = Path(__file__).with_name("support")
pytest.register_assert_rewrite(*(path.stem for path in SHARED.iterdir()))

# jsonschema, which reads notebooks, builds a grammar of web addresses for a second where it can.
sys.modules["rfc3987_syntax"] = None

# A second Python tries a part of the examples, as of the scenes in `soak.py`.
examples = 100 // int(os.environ.get("QOSLIB_PART", 1))
settings.register_profile("qoslib", max_examples=examples, deadline=None, derandomize=True)
settings.load_profile("qoslib")

#: What a model said of a published experiment, for all files of tests that one process runs.
ANSWERS: dict = {}


#: Files that ask for the models' answers to the published experiments: one worker takes them all.
SCOREBOARD = {
    "tests/compare/test_score.py",
    "tests/compare/test_whole_score.py",
    "tests/lessons/test_frame_size.py",
    "tests/lessons/test_policing.py",
    "tests/platforms/test_isr4331.py",
    "tests/platforms/test_mx150.py",
    "tests/platforms/test_tcp_platforms.py",
}


#: Files of few long tests that share nothing: they even out what the workers have left at the end.
APART = {
    "tests/checks/test_verdicts.py",
    "tests/config/test_time.py",
    "tests/packets/test_twin.py",
    "tests/tcp/test_twin.py",
}


class ByFile(LoadScopeScheduling):
    """Send the tests of a file to one worker, so that what they share is worked out once.

    A mark for that (`xdist_group`) has no effect with pytest 9.2, which keeps node ids as they are.
    """

    def _split_scope(self, nodeid):
        file = nodeid.split("::")[0]
        if file in SCOREBOARD:
            return "scoreboard"
        return nodeid if file in APART else file


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """The search for garbage spares what the tests have loaded: a million objects that stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_xdist_make_scheduler(config, log):
    """Schedule tests as above."""
    return ByFile(config, log)


@pytest.fixture(scope="module")
def answered_once():
    """What a model says of a published experiment is worked out once in this process.

    Only for tests that ask for published experiments as they are described: the names tell them.
    """
    from qoslib.compare import MODELS

    with pytest.MonkeyPatch.context() as patch:
        for name, model in list(MODELS.items()):
            patch.setitem(MODELS, name, _remembering(name, model))
        yield


def _remembering(name, model):
    def answer(experiment, **asked):
        named = (experiment.port.name, experiment.name, experiment.assumptions)
        named += (experiment.duration_s,)
        # What is not replayed whole is the same on both scoreboards, but for more seeds of TCP.
        full = asked.get("full") and (name == "tcp" or experiment.whole_s is not None)
        key = (name, *named, bool(full))
        if key not in ANSWERS:
            ANSWERS[key] = model(experiment, **asked)
        return ANSWERS[key]

    return answer
