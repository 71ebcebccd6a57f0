"""The experiments, by name."""

from livelab.experiment import Experiment
from livelab.experiments.head_tail import HEAD_TAIL
from livelab.experiments.in_step import IN_STEP
from livelab.experiments.priority import POLICED, PRIORITY
from livelab.experiments.six_classes import SIX_CLASSES
from livelab.experiments.small_share import SMALL_SHARE
from livelab.experiments.tcp import PACING, TCP_BUFFERS

__all__ = ["EXPERIMENTS"]

_ALL = (HEAD_TAIL, SIX_CLASSES, IN_STEP, POLICED, PRIORITY, SMALL_SHARE, TCP_BUFFERS, PACING)
EXPERIMENTS: dict[str, Experiment] = {each.name: each for each in _ALL}
