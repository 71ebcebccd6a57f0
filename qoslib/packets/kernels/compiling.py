"""Which kernels run: those that numba compiles here, or where it is not, those compiled ahead."""

from importlib.util import find_spec

if find_spec("numba"):
    from qoslib.packets.kernels.jit import kernel, rare_kernel
else:
    from qoslib.packets.kernels.ahead import kernel, rare_kernel

__all__ = ["kernel", "rare_kernel"]
