"""Arista EOS: transmit queues by number, and maps from marks to traffic classes to queues."""
