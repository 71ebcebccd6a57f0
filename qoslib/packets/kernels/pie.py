"""PIE, RFC 8033: drop on arrival with a probability that follows the queueing delay."""

from qoslib.packets.kernels.compiling import kernel
from qoslib.packets.kernels.draws import uniform


@kernel
def _scaled(probability, change):
    """Smaller steps while the probability is small (RFC 8033, section 4.2)."""
    if probability < 0.000001:
        return change / 2048.0
    if probability < 0.00001:
        return change / 512.0
    if probability < 0.0001:
        return change / 128.0
    if probability < 0.001:
        return change / 32.0
    if probability < 0.01:
        return change / 8.0
    if probability < 0.1:
        return change / 2.0
    return change


@kernel
def pie_update(queue):
    """What the timer does: a new probability from the delay and its change."""
    delay, old, target = queue.delay_ps, queue.old_delay_ps, queue.target_ps
    change = (delay - target) * queue.alpha + (delay - old) * queue.beta
    change = _scaled(queue.probability, change)
    if queue.probability >= 0.1 and change > 0.02:
        change = 0.02
    queue.probability += change
    if delay == 0 and old == 0:
        queue.probability *= 0.98
    queue.probability = min(max(queue.probability, 0.0), 1.0)
    queue.burst_left_ps = max(queue.burst_left_ps - queue.update_ps, 0)
    if queue.probability == 0.0 and 2 * delay < target and 2 * old < target:
        queue.burst_left_ps = queue.burst_ps
    queue.old_delay_ps = delay
    queue.timer_ps += queue.update_ps


@kernel
def pie_drops(queue):
    """Whether an arriving packet is dropped (or marked) early (RFC 8033, sections 4.1 and 5.4)."""
    if queue.burst_left_ps > 0:
        return False
    if 2 * queue.old_delay_ps < queue.target_ps and queue.probability < 0.2:
        return False
    if queue.held_bytes <= 2 * queue.largest_bytes:
        return False
    if queue.probability == 0.0:
        queue.accumulated = 0.0
    queue.accumulated += queue.probability
    if queue.accumulated < 0.85:
        return False
    if queue.accumulated >= 8.5 or uniform(queue) < queue.probability:
        queue.accumulated = 0.0
        return True
    return False
