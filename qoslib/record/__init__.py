"""The base of every description: a frozen record, validated when made, which JSON can hold.

`values` says what single values may be, `document` reads JSON, `base` has the records themselves.
"""

from qoslib.record.base import Record, checked, from_json, record
from qoslib.record.document import SCHEMA, read_document
from qoslib.record.values import (
    AtLeastOne,
    Count,
    NotNegative,
    Positive,
    Share,
    Within,
    fail,
    rule_of,
)

__all__ = [
    "SCHEMA",
    "AtLeastOne",
    "Count",
    "NotNegative",
    "Positive",
    "Record",
    "Share",
    "Within",
    "checked",
    "fail",
    "from_json",
    "read_document",
    "record",
    "rule_of",
]
