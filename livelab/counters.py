"""The router's counters while a run lasts: what each queue sent, dropped and holds."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from livelab.lab import DEVICE, ROUTER, Lab

__all__ = ["SHOW", "Sample", "sample"]

#: The command behind every sample; HTB's classes have no JSON, but each has a qdisc that has.
SHOW = ("tc", "-s", "-j", "qdisc", "show", "dev", DEVICE)


class Sample(NamedTuple):
    """The counters of all queues at one time, each a dict by queue.

    Attributes
    ----------
    time_s : float
        Since the run began [s].
    sent_packets, dropped_packets, queue_packets : dict of str to int
    """

    time_s: float
    sent_packets: dict[str, int]
    dropped_packets: dict[str, int]
    queue_packets: dict[str, int]


def sample(lab: Lab, classes: Mapping[str, str], time_s: float) -> Sample:
    """Read the counters once.

    Parameters
    ----------
    lab : Lab
    classes : mapping of str to str
        Queue to its class.
    time_s : float
        What time it is in the run [s].

    Returns
    -------
    Sample
    """
    found = {each.get("parent"): each for each in json.loads(lab.run(SHOW, ROUTER).out)}
    leaves = {queue: found[classid] for queue, classid in classes.items()}
    return Sample(
        time_s,
        {queue: int(leaf["packets"]) for queue, leaf in leaves.items()},
        {queue: int(leaf["drops"]) for queue, leaf in leaves.items()},
        {queue: int(leaf["qlen"]) for queue, leaf in leaves.items()},
    )
