"""Junos: class of service and firewall policers, in braces and as `set` lines."""

from qoslib.config.junos.reader import is_junos, read_junos

__all__ = ["is_junos", "read_junos"]
