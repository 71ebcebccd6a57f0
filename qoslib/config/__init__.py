"""Configurations of routers, read as ports and written from ports.

A dialect has a reader and perhaps a writer; both only translate between a vendor's words and the
vocabulary. Every number of a port that comes back knows its line, its default or the fact that the
reader gave; what is missing is asked for by name, and what is not modelled is listed.
"""

from qoslib.config.defaults import Default, default, defaults
from qoslib.config.facts import Facts
from qoslib.config.read import DIALECTS, read, recognise
from qoslib.config.records import (
    Configuration,
    ConfiguredClass,
    ConfiguredPort,
    MissingFact,
    Origin,
    Remark,
    Statement,
)
from qoslib.config.source import ConfigurationError
from qoslib.config.write import WRITERS, Written, write

__all__ = [
    "DIALECTS",
    "WRITERS",
    "Configuration",
    "ConfigurationError",
    "ConfiguredClass",
    "ConfiguredPort",
    "Default",
    "Facts",
    "MissingFact",
    "Origin",
    "Remark",
    "Statement",
    "Written",
    "default",
    "defaults",
    "read",
    "recognise",
    "write",
]
