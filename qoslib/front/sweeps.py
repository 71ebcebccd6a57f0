"""A scenario over a grid of values of its fields, one run for each point, as one record."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, Literal

import numpy as np

from qoslib.front.grid import Sweep
from qoslib.front.paths import changed, parsed
from qoslib.front.runs import run_each
from qoslib.packets.progress import Progress
from qoslib.record import checked, fail
from qoslib.results import Result
from qoslib.scenario import Scenario

__all__ = ["sweep"]

#: The axis of a list of scenarios.
SCENARIO = "scenario"


def sweep(
    scenario: Scenario | Sequence[Scenario],
    axes: Mapping[str, Iterable[Any]] | None = None,
    model: str = "packets",
    *,
    seeds: Literal["common", "one per point"] = "common",
    executor: Executor | None = None,
    on_result: Callable[[tuple[int, ...], Result], object] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Sweep:
    """Run a scenario at each point of a grid of values, on all cores or on many machines.

    Parameters
    ----------
    scenario : Scenario or sequence of Scenario
        Several are an axis of their own, before all others.
    axes : mapping of str to iterable, optional
        Path to a field -> its values. A path is written as in Python, and items of a tuple are
        called by their name or number: ``"duration_s"``, ``"streams['data'].rate_bps"``,
        ``"network.queues['voice'].limit.packets"``, ``"hosts['dtn'].flows[0].congestion"``. Of a
        chain, ``"network.hops['access'].at.rate_bps"``. Several axes make a grid.
    model : str
        As for `run`.
    seeds : str
        ``common``: each point has its scenario's own seed, so that points differ by what the
        axes change alone (common random numbers). ``one per point``: point number k of the grid
        (from 0, the last axis fastest) has its scenario's seed plus k. For replications make the
        seed an axis: ``{"seed": range(20)}``, and ask for `Sweep.interval`.
    executor : concurrent.futures.Executor, optional
        Whose workers run the points; by default a thread per core. It is not shut down. With
        dask it is ``Client(...).get_executor()``. Neither seeds nor results depend on it.
    on_result : callable, optional
        Called with the numbers of a point along the axes, and its result, as soon as it is there.
    progress : callable, optional
        Called with the number of points done and in total; by default a bar after two seconds.
    **options
        Of the engine, as for `run`. ``bins=1`` makes results smaller.

    Returns
    -------
    Sweep

    Raises
    ------
    ValueError
        If there is no point, a path leads nowhere (the message lists what there is), or as `run`
        does; all points are described before the first one runs.
    KeyboardInterrupt
        If it is stopped. What waits is cancelled; points under way on workers of an executor may
        finish.

    Examples
    --------
    >>> from qoslib import PacketLimit, Port, Queue, Scenario, Stream, sweep
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> office = Scenario("office", port, (Stream("data"),))
    >>> swept = sweep(office, {"streams['data'].rate_bps": [80e6, 125e6]})
    >>> swept.sent_bps
    array([[8.e+07],
           [1.e+08]])
    >>> swept[1]["data"].dropped_packets
    3025
    """
    many = not isinstance(scenario, Scenario)
    given = scenario if many else [scenario]
    scenarios: tuple[Scenario, ...] = checked(tuple[Scenario, ...], given, "scenario")
    values = _values(axes or {})
    if seeds not in ("common", "one per point"):
        fail("seeds", seeds, "'common', 'one per point'")
    if seeds != "common" and "seed" in values:
        fail("seeds", seeds, "'common' where the seed is an axis")
    grid = {SCENARIO: tuple(each.name for each in scenarios), **values} if many else values
    points = list(np.ndindex(*map(len, grid.values())))
    if not points:
        fail("the number of points", 0, "at least one value on each axis")
    described = _described(scenarios, values, points)
    if seeds != "common":
        described = [made.replace(seed=made.seed + k) for k, made in enumerate(described)]
    checked(Callable | None, on_result, "on_result")

    def heard(index: int, result: Result) -> None:
        if on_result:
            on_result(points[index], result)

    results = run_each(
        described, model, options, executor=executor, on_result=heard, progress=progress
    )
    return Sweep(grid, tuple(results))


def _described(
    scenarios: Sequence[Scenario],
    values: Mapping[str, Sequence[Any]],
    points: Sequence[tuple[int, ...]],
) -> list[Scenario]:
    """The scenario at each point; where the axes are fewer than its indices, the first is whose."""
    changes, described = [(parsed(path), each) for path, each in values.items()], []
    for point in points:
        many = len(point) > len(changes)
        here = zip(changes, point[many:], strict=True)
        begun = scenarios[point[0] if many else 0]
        described.append(changed(begun, [(path, each[at]) for (path, each), at in here]))
    return described


def _values(axes: Mapping[str, Iterable[Any]]) -> dict[str, tuple[Any, ...]]:
    """The values of each axis, those of NumPy as plain ones."""
    if not isinstance(axes, Mapping):
        fail("axes", axes, "a mapping of paths to values")
    values = {}
    for path, given in axes.items():
        if isinstance(given, str) or not isinstance(given, Iterable):
            fail(f"the axis {path}", given, "a sequence of values")
        values[path] = tuple(v.item() if isinstance(v, np.generic) else v for v in given)
    return values
