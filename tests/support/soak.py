"""How many scenes an engine and its twin are tried on."""

import os

from hypothesis import HealthCheck, Phase, settings

#: How many runs `make soak` asks for; otherwise none.
SOAK = int(os.environ.get("QOSLIB_SOAK", 0))


def many(scenes):
    """So many scenes, the same ones every time; under `make soak` as many as it asks for.

    Soaking looks at the scenes of the seed that pytest is given. A second Python asks for a part:
    `QOSLIB_PART=10` makes it a tenth.
    """
    scenes //= int(os.environ.get("QOSLIB_PART", 1))
    return settings(
        max_examples=int(os.environ.get("QOSLIB_SOAK", scenes)),
        derandomize="QOSLIB_SOAK" not in os.environ,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
