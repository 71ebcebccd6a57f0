"""The published experiments again, on your own Linux kernel.

Three network namespaces, sender, router and receiver, are joined by virtual cables; the router's
outgoing device has the queues. Nothing leaves the machine and nothing is left behind::

    python -m livelab probe
    python -m livelab list
    python -m livelab run head_tail
"""
