"""Packets of lesson 08, one by one."""

from qoslib import units
from qoslib.explore import PacketView, packet_view
from qoslib.lessons.aqm.sliders import START, described

__all__ = ["scene"]


def scene() -> PacketView:
    """RED from 1 packet on, under a constant stream and under TCP, for one round trip."""
    blast, tcp = described(START)
    lanes = {"constant stream": blast, f"{START['flows']:.0f} TCP flows": tcp}
    return packet_view(lanes, start_s=4, duration_s=units.ms(START["trip"]))
