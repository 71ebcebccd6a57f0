"""Senders that answer to loss and delay: TCP through a port, packet by packet."""

from qoslib.tcp.simulate import simulate

__all__ = ["simulate"]
