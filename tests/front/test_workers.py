"""Without threads, as in a web page, runs follow each other and answer the same."""

import sys

import pytest

from qoslib import Scenario, Stream, sweep
from qoslib.front.workers import AtOnce, threads
from qoslib.port import PacketLimit, Port, Queue

LINE = Port("line", 1e6, (Queue("all", PacketLimit(20)),))
OFFICE = Scenario("office", LINE, streams=[Stream("all", 1.1e6, 1000)], duration_s=1.0)


def test_a_page_has_no_threads(monkeypatch):
    axes = {"streams['all'].rate_bps": [0.5e6, 1.5e6], "seed": [0, 1]}
    with_threads = sweep(OFFICE, axes)
    monkeypatch.setattr(sys, "platform", "emscripten")
    assert isinstance(threads(2), AtOnce)
    at_once = sweep(OFFICE, axes)
    assert at_once.sent_pps.tolist() == with_threads.sent_pps.tolist()


def test_an_error_comes_with_the_answer():
    future = AtOnce().submit(int, "three")
    with pytest.raises(ValueError, match="three"):
        future.result()
