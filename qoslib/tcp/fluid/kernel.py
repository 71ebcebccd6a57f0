"""Kernels of the fluid are compiled and kept as those of the packet engine are."""

from qoslib.packets.kernel import kernel

__all__ = ["kernel"]
