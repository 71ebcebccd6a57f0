"""A worksheet for your own port: its buffer size, and how to test it on a real switch."""

from qoslib.worksheet.path import Path
from qoslib.worksheet.rules import MANY_FLOWS, worksheet
from qoslib.worksheet.sheet import Advice, Rule, Worksheet

__all__ = ["MANY_FLOWS", "Advice", "Path", "Rule", "Worksheet", "worksheet"]
