"""What every model says of every experiment, side by side on all cores."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from qoslib.compare.models import DRAINED_S, MODELS, is_whole
from qoslib.packets.progress import Progress
from qoslib.platforms import Experiment, Platform, platform
from qoslib.results import Result

__all__ = ["Answer", "answers"]


class Answer(NamedTuple):
    """A model's results for an experiment."""

    model: str
    experiment: Experiment
    results: Sequence[Result]


def answers(
    names: Sequence[str], full: bool, progress: Callable[[str], object], replayed: Progress
) -> dict[str, list[Answer]]:
    """Run every model of some platforms; whole replays first, since they take the longest.

    Parameters
    ----------
    names : sequence of str
        Of the platforms.
    full : bool
        Whether to replay whole what can be replayed whole.
    progress : callable
        Is told what runs next.
    replayed : callable
        Is told how far the whole replays are, and how long they are together [s simulated].

    Returns
    -------
    dict
        By platform, in the order of its assumptions, experiments and models.
    """
    asked = [(name, *task) for name in names for task in _tasks(platform(name), full)]
    whole = {at for at, (_, model, e) in enumerate(asked) if _is_replay(model, e, full)}
    bar = _Together(replayed, sum((asked[at][2].whole_s or 0) + DRAINED_S for at in whole))

    def answer(at):
        _, model, experiment = asked[at]
        progress(f"{experiment.title} ({model}, {experiment.assumptions})")
        tell = bar.part() if at in whole else bar.listen
        return Answer(model, experiment, MODELS[model](experiment, full=full, tell=tell))

    order = sorted(range(len(asked)), key=lambda at: at not in whole)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = {at: pool.submit(answer, at) for at in order}
        try:
            said = [futures[at].result() for at in range(len(asked))]
        except BaseException:
            bar.stopped = True
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return {
        name: [each for (n, *_), each in zip(asked, said, strict=True) if n == name]
        for name in names
    }


def _tasks(router: Platform, full: bool) -> Iterator[tuple[str, Experiment]]:
    left_out = () if full else router.full_only
    for assumptions in router.assumptions:
        if assumptions in left_out:
            continue
        for experiment in router.experiments(assumptions).values():
            for model in experiment.models or router.models:
                yield model, experiment


def _is_replay(model, experiment, full):
    """Whether a task is one long run; a ramp is many of unknown number."""
    return model == "packets" and is_whole(experiment, full) and experiment.ramp is None


class _Together:
    """One progress of runs side by side, and one stop button."""

    def __init__(self, tell: Progress, total_s: float):
        self.tell, self.total_s = tell, total_s
        self.done_s: list[float] = []
        self.lock = threading.Lock()
        self.stopped = False

    def listen(self, done_s: float, total_s: float) -> None:
        """End a run, as the stop button does, once the others have ended."""
        if self.stopped:
            raise KeyboardInterrupt

    def part(self) -> Progress:
        """Whom one of the runs tells."""
        with self.lock:
            index = len(self.done_s)
            self.done_s.append(0.0)

        def tell(done_s, total_s):
            self.listen(done_s, total_s)
            with self.lock:
                self.done_s[index] = done_s
                self.tell(sum(self.done_s), self.total_s)

        return tell
