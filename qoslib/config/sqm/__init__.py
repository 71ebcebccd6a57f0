"""OpenWrt's SQM: `/etc/config/sqm`, whose scripts make queues of Linux."""

from qoslib.config.sqm.reader import OPTIONS, is_sqm, read_sqm

__all__ = ["OPTIONS", "is_sqm", "read_sqm"]
