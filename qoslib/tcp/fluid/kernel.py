"""Where the machine code of the fluid is kept: by a hash of its own files."""

from qoslib.packets.kernel import folder_of, kept_in

__all__ = ["kernel"]

kernel = kept_in(folder_of("tcp/fluid"))
