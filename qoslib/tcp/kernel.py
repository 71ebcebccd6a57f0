"""Kernels of TCP are compiled and kept as those of the packet engine are."""

from qoslib.packets.kernel import kernel, rare_kernel

__all__ = ["kernel", "rare_kernel"]
