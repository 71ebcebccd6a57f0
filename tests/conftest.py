"""For all tests: the same drawn examples every time, and each model's answer worked out once."""

import pytest
from hypothesis import settings

settings.register_profile("qoslib", deadline=None, derandomize=True)
settings.load_profile("qoslib")

#: What a model said of a published experiment, for all files of tests that one process runs.
ANSWERS: dict = {}


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
        key = (name, *named, bool(asked.get("full")))
        if key not in ANSWERS:
            ANSWERS[key] = model(experiment, **asked)
        return ANSWERS[key]

    return answer
