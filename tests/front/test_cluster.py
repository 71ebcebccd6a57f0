"""A sweep on dask's workers, in processes of their own, which listen on loopback alone."""

import os
import re
import signal
import time

import pytest
from distributed import Client, LocalCluster

from outcomes import same
from places import ROOT
from qoslib import (
    Flow,
    Host,
    PacketLimit,
    Poisson,
    Port,
    Queue,
    Scenario,
    Stream,
    run,
    sweep,
)

PORT = Port("port", 10e6, (Queue("all", PacketLimit(20)),))
STREAMS = (Stream("a", 6e6, arrivals=Poisson()), Stream("b", 6e6))
OFFICE = Scenario("office", PORT, STREAMS, 0.2)
HOSTS = (Host("h", 1e8, (Flow("f", 0.01, mss_bytes=1448, frame_bytes=1500),)),)
KINDS = [OFFICE, OFFICE.replace(hosts=HOSTS)]
#: About a fifth of a second each.
LONG = OFFICE.replace(duration_s=1000.0)


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_workers_give_the_same_numbers_bit_for_bit(client):
    there = sweep(KINDS, {"seed": [1, 2]}, executor=client.get_executor())
    for one, other in zip(there.results, sweep(KINDS, {"seed": [1, 2]}).results, strict=True):
        same(one, other)


def test_seeds_run_on_workers_and_the_executor_stays_open(client):
    executor, seen = client.get_executor(), []
    many = run(OFFICE, seeds=range(4), executor=executor, progress=lambda *n: seen.append(n))
    assert [result.seed for result in many.results] == [0, 1, 2, 3]
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert executor.submit(int, "5").result() == 5


def test_the_points_of_a_lost_worker_are_done_again(client):
    victims = list(client.run(os.getpid).values())
    done = {}

    def lose(point, result):
        if not done:
            os.kill(victims[0], signal.SIGKILL)
        done[point] = result

    swept = sweep(LONG, {"seed": range(6)}, executor=client.get_executor(), on_result=lose, bins=1)
    assert sorted(done) == [(seed,) for seed in range(6)]
    assert [result.seed for result in swept.results] == list(range(6))
    same(swept[5], run(LONG.replace(seed=5), bins=1))
    client.wait_for_workers(2)


def test_an_interrupt_cancels_what_waits(client):
    def interrupt(done, total):
        raise KeyboardInterrupt

    def left(dask_scheduler):
        return len(dask_scheduler.tasks)

    def finished(dask_scheduler):
        return sum(finish == "memory" for _, _, finish, *_ in dask_scheduler.transition_log)

    before, executor = client.run_on_scheduler(finished), client.get_executor()
    with pytest.raises(KeyboardInterrupt):
        sweep(LONG, {"seed": range(40)}, executor=executor, progress=interrupt, bins=1)
    began = time.monotonic()
    while client.run_on_scheduler(left):
        assert time.monotonic() < began + 60
        time.sleep(0.05)
    assert client.run_on_scheduler(finished) < before + 40


def test_the_programs_of_the_guide_are_python():
    guide = ROOT / "docs" / "many_machines.md"
    programs = re.findall(r"```python\n(.*?)```", guide.read_text(), re.DOTALL)
    assert len(programs) == 5
    for program in programs:
        compile(program, guide.name, "exec")
