"""The SimPy model with ns.py's rule for an empty queue, to show what the rule alone does."""

import json
import sys

from simpy_model import Line, simulate


class LateLine(Line):
    """A queue is empty when its last packet is sent, not when it is taken (ns.py's DRRServer).

    A packet that comes meanwhile continues the queue's visit instead of waiting for a round.
    """

    def taken(self, index, queue):
        pass

    def gone(self, event):
        super().gone(event)
        index = event.value[0]
        super().taken(index, self.queues[index])


if __name__ == "__main__":
    print(json.dumps(simulate(json.load(sys.stdin), line_class=LateLine)))
