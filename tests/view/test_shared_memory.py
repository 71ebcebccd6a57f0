"""The explorer of a switch's memory: who starves whom, by the closed form and packet by packet."""

import pytest

from qoslib import lessons, units
from qoslib.lessons.your_network.shared_memory import (
    MEMORY_BYTES,
    POWERS,
    burst_lost_bytes,
    described,
)
from qoslib.packets import simulate

CASES = [(10, 1.2, 0.0), (20, 2.0, 0.0), (4, 3.0, 0.0), (10, 1.2, 0.3), (2, 3.0, 0.0)]


@pytest.mark.parametrize(("speed", "size", "reserved"), CASES)
def test_the_closed_form_is_what_packets_lose(speed, size, reserved):
    for power in POWERS.tolist():
        values = {"power": power, "speed": speed, "size": size, "reserved": reserved}
        shared = MEMORY_BYTES - units.megabytes(reserved)
        sizes = units.megabytes(size), units.megabytes(reserved)
        law = burst_lost_bytes(shared, 2.0**power, speed, *sizes) / sizes[0]
        asked = described(values)
        found = simulate(asked.network, asked.streams, asked.duration_s, bins=1)["burst"].drop_ratio
        assert found == pytest.approx(law, abs=0.006), values


def test_it_says_who_starves_whom():
    app = lessons.your_network.shared_memory()
    assert "The burst fits" in app.summary
    app.move(power=3)
    assert "It starves the burst, which loses 44 %" in app.summary
    app.move(power=-3)
    assert "would lose" in app.summary
    assert "1/8 of what is free" in app.summary
    app.move(power=3, reserved=1.5)
    assert "The burst fits" in app.summary
    assert app.python.startswith(
        "from qoslib import lessons\napp = lessons.your_network.shared_memory()"
    )
