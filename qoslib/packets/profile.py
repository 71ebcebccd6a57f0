"""Junos drop profile: a probability for each fill level of the buffer."""

from qoslib.packets.draws import uniform
from qoslib.packets.kernel import kernel

__all__ = ["profile_drops"]


@kernel
def _probability(queue, points, fill):
    last = queue.first_point + queue.points - 1
    at = queue.first_point - 1
    while at < last and points[at + 1, 0] <= fill:
        at += 1
    below = points[at, 1] if at >= queue.first_point else 0.0
    if not queue.interpolated or at == last:
        return below
    low = points[at, 0] if at >= queue.first_point else 0.0
    rise = (points[at + 1, 1] - below) / (points[at + 1, 0] - low)
    return below + (fill - low) * rise


@kernel
def profile_drops(queue, points):
    """Whether the profile takes a packet at the queue's present fill level.

    `points` has a row of fill level and probability for each point of each queue.
    """
    probability = _probability(queue, points, queue.fill / queue.limit)
    if probability <= 0.0:
        return False
    return probability >= 1.0 or uniform(queue) < probability
