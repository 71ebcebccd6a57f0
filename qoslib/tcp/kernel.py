"""Kernels of TCP are kept by a hash of these source files and of the packet engine's."""

from qoslib.packets.kernel import folder_of, kept_in

__all__ = ["FOLDER", "kernel"]

FOLDER = folder_of("packets", "tcp")
kernel = kept_in(FOLDER)
