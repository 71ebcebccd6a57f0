"""Test B with other quanta, or with another policer."""

from qoslib import run, units
from qoslib.platforms import gsr12000

__all__ = ["premium_lost", "updates_delay_ms"]

#: Simulated time [s]: long enough for a bucket that loses a few packets in a million to be empty.
SIMULATED_S = 60.0


def premium_lost(slow_ppm: float = 0.0, header_bytes: int = 0, bucket_bytes: int = 4000) -> float:
    """Share of Premium that a policer drops in a minute.

    Parameters
    ----------
    slow_ppm : float
        By how much its clock is slow.
    header_bytes : int
        What it counts of each packet beyond the bytes that the tester counts [B].
    bucket_bytes : int
        Size of its bucket [B].

    Returns
    -------
    float
        Of all packets of Premium [ratio].
    """
    test = gsr12000.PLATFORM.experiments()["conclusion_90min"]
    police = gsr12000.policer(slow_ppm, bucket_bytes)
    frame_bytes = float(gsr12000.FACTS.frame_bytes)
    # To count more of each packet is to let fewer packets pass.
    passed = frame_bytes / (frame_bytes + header_bytes)
    police = police.replace(rate_bps=police.rate_bps * passed)
    queues = tuple(
        queue.replace(policer=police) if queue.policer else queue for queue in test.only_port.queues
    )
    port = test.only_port.replace(queues=queues)
    result = run(test.scenario.replace(network=port, duration_s=SIMULATED_S))
    return float(result.dropped_pps.sum() / result.offered_pps.sum())


def updates_delay_ms(percent: float) -> float:
    """Mean delay of Updates with all quanta at so many per cent of those of test B, in ms."""
    test = gsr12000.PLATFORM.experiments()["test_b"]
    queues = tuple(
        queue.replace(quantum_bytes=round(queue.quantum_bytes * percent / 100))
        for queue in test.only_port.queues
    )
    port = test.only_port.replace(queues=queues)
    answer = run(test.scenario.replace(network=port, duration_s=0.3))["1A/prec6"]
    return float(units.convert(answer.delay_mean_s, "s", "ms"))
