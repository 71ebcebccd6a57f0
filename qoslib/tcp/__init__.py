"""Senders that answer to loss and delay: TCP through a port, packet by packet."""
