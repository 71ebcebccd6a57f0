"""Cisco 12000: a share of 1 % that carries 3.6 %, and six lost packets in a million.

Source gsr12000: Cisco Advanced Services, UCL / UKERNA QoS testing, 2003.
"""

from functools import partial
from typing import Any

from qoslib.platforms.gsr12000.facts import CLASSES, FACTS, PORTS, START_ORDER
from qoslib.platforms.gsr12000.load import GROUPS, streams
from qoslib.platforms.gsr12000.ports import (
    RUNNING,
    TEMPLATE,
    averaging,
    engine2,
    engine3,
    policer,
    shared_memory,
    to_fabric,
)
from qoslib.platforms.platform import Experiment, Platform, Ramp
from qoslib.port import Policer, Port
from qoslib.traffic import Stream

__all__ = [
    "CLASSES",
    "FACTS",
    "GROUPS",
    "PLATFORM",
    "PORTS",
    "RUNNING",
    "START_ORDER",
    "TEMPLATE",
    "averaging",
    "engine2",
    "engine3",
    "policer",
    "shared_memory",
    "streams",
    "to_fabric",
]

_TITLES = {
    "test_a": "Test A: two engine 2 inputs, engine 2 output",
    "test_b": "Test B: two engine 2 inputs, engine 3 output",
    "test_c": "Test C, never run: engine 2 and engine 3 inputs, engine 2 output",
    "test_d": "Test D, never run: police and drop on engine 3",
    "conclusion_90min": "Premium for 90 minutes through the policer of test B",
    "conclusion_lbe_limit": "Less Than BE raised until it loses packets",
}


def _experiment(
    name: str, port: Port, load: tuple[Stream, ...], assumptions: str, **more: Any
) -> Experiment:
    """The tester stamps each packet, and its ports begin in order.

    The start is not left out, since the least latencies are those of the first packets.
    """
    return Experiment(
        *(name, _TITLES[name], port, load, assumptions),
        models=() if assumptions == "base" else ("packets",),
        groups=GROUPS,
        phased=True,
        timed=True,
        warmup_s=0.0,
        **more,
    )


def _tests(assumptions: str, deep: Policer | None) -> list[Experiment]:
    """The two tests, replayed whole with --full where `base` or the policer is at stake."""
    whole_s = FACTS.whole_s if assumptions in ("base", "deep_bucket") else None
    queue_map = TEMPLATE if assumptions == "template" else RUNNING
    ports = {"test_a": engine2(assumptions, queue_map), "test_b": engine3(assumptions, deep)}
    return [
        _experiment(
            *(name, port, streams(name), assumptions),
            also=(f"conclusion_{name}",),
            whole_s=whole_s,
        )
        for name, port in ports.items()
    ]


def _limit(assumptions: str) -> Experiment:
    ramp = Ramp(
        streams_at=partial(streams, "test_b"),
        low_bps=FACTS.ramp_step_bps,
        high_bps=FACTS.ramp_high_bps,
        step_bps=FACTS.ramp_step_bps,
        watched=GROUPS["1A+1B/prec0"],
    )
    return _experiment(
        "conclusion_lbe_limit",
        engine3(assumptions),
        streams("test_b"),
        assumptions,
        ramp=ramp,
        duration_s=FACTS.ramp_short_s,
        whole_s=FACTS.ramp_whole_s if assumptions == "base" else None,
    )


def _long(assumptions: str, deep: Policer | None) -> Experiment:
    """Only Premium meets its policer, whatever the other classes do."""
    premium = tuple(s for s in streams("test_b") if s.mark == "prec5")
    port, whole_s = engine3(police=deep), FACTS.whole_long_s
    return _experiment("conclusion_90min", port, premium, assumptions, whole_s=whole_s)


def _predicted() -> list[Experiment]:
    """Tests C and D: the same output port, and a policer that has something to do."""
    slow = policer(0, FACTS.policer_bucket_bytes).replace(rate_bps=FACTS.test_d_policer_bps)
    one_port = streams("test_b", ports=PORTS[:1])
    return [
        _experiment("test_c", engine2(), streams("test_a"), "base"),
        _experiment("test_d", engine3(police=slow), one_port, "base"),
    ]


def _described(assumptions: str) -> list[Experiment]:
    """The published experiments, or those that a declared set of assumptions speaks of."""
    deep = None
    if assumptions == "deep_bucket":
        deep = policer(FACTS.policer_slower_ppm, FACTS.policer_deep_bucket_bytes)
    test_a, test_b = _tests(assumptions, deep)
    match assumptions:
        case "template":
            return [test_a]
        case "deep_bucket":
            return [test_b, _long(assumptions, deep)]
        case "base":
            return [test_a, test_b, _limit("base"), _long("base", None), *_predicted()]
    return [test_a, test_b, _limit(assumptions)]


#: Fitted parameters of WRED: of its look from time to time, at each line card.
_E2, _E3 = (
    tuple(f"relay_{engine}_{part}" for part in ("packets", "s", "jitter", "release"))
    for engine in ("e2", "e3")
)

PLATFORM = Platform(
    "gsr12000",
    FACTS,
    {
        "base": "Queues as in the running configuration (in test A all but Premium in one). WRED"
        " looks at its queue from time to time and drops Best Effort until it is empty; the policer"
        " is 6.8 ppm slow.",
        "asymmetric": "As base, but WRED's average rises slowly, is renewed from time to time, and"
        " falls at once.",
        "truncating": "As base, but WRED's average is a whole number, cut off at each arrival, with"
        " the transmit ring counted.",
        "textbook": "As base, but WRED's average as in textbooks. Excluded by the latencies.",
        "template": "Test A with the queues of the template. Excluded by the latencies.",
        "deep_bucket": "Test B and the 90 minutes with a policer 10 ppm slow and a bucket of 96"
        " KiB: one offset for both losses. The data cannot tell it from base.",
    },
    _described,
    {"engine2": engine2, "engine3": engine3},
    not_described={
        "document": "how many tests were planned is no measurement",
        "conclusion_fabric": "the speed of the fabric is said to be about that of the line, and"
        " higher: no latency depends on it (`to_fabric` shows which speeds the tests exclude)",
    },
    parameters={
        "base": (*_E2, *_E3),
        "asymmetric": (
            *("asymmetric_e2_s", "asymmetric_e3_s"),
            *("relay_e2_release", "relay_e3_release"),
        ),
        "truncating": (),
        "textbook": (),
        "template": _E2,
        "deep_bucket": _E3,
    },
)
