"""Compile the packet model's kernels, so that no lesson or test waits for it.

python tools/compile_kernels.py

It takes about 15 s once, and nothing where they are compiled already.
"""

from qoslib import packets
from qoslib.port import PacketLimit, Port, Queue
from qoslib.traffic import Stream


def main():
    port = Port("line", 1e6, (Queue("all", PacketLimit(1)),))
    packets.simulate(port, [Stream("all", 1e5)], 1e-3, progress=lambda done_s, total_s: None)


if __name__ == "__main__":
    main()
