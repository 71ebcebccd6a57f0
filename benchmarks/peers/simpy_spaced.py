"""The SimPy model with ns-3's rule for RED, to show what the rule alone does."""

import json
import sys

from simpy_model import Queue, simulate


class SpacedQueue(Queue):
    """No drop before 1 / p packets have come since the last one (ns-3's RedQueueDisc, `Wait`)."""

    count, was_above = 0, False

    def drops_early(self, size, now_s, draws):
        low, high = self.red
        super().drops_early(size, now_s, draws)
        self.count += 1
        share = (self.average - low) / (high - low)
        above, self.was_above = self.was_above, share >= 0
        if share >= 1:
            return True
        if not (above and self.was_above):
            self.count = 1
            return False
        if draws.random() > self.spaced(share):
            return False
        self.count = 0
        return True

    def spaced(self, share):
        if self.count * share < 1:
            return 0.0
        return share / (2 - self.count * share) if self.count * share < 2 else 1.0


if __name__ == "__main__":
    print(json.dumps(simulate(json.load(sys.stdin), SpacedQueue)))
