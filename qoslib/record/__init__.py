"""The base of every description: a frozen record, validated when made, which JSON can hold.

`values` says what single values may be, `document` reads JSON, `base` has the records themselves.
"""

from qoslib.record.base import Record, checked, from_json, record
from qoslib.record.document import SCHEMA, read_document
from qoslib.record.values import (
    ECN_WORDS,
    AtLeastOne,
    Count,
    Ecn,
    NotNegative,
    Positive,
    Share,
    Within,
    ecn_word,
    fail,
    rule_of,
)

__all__ = [
    "ECN_WORDS",
    "SCHEMA",
    "AtLeastOne",
    "Count",
    "Ecn",
    "NotNegative",
    "Positive",
    "Record",
    "Share",
    "Within",
    "checked",
    "ecn_word",
    "fail",
    "from_json",
    "read_document",
    "record",
    "rule_of",
]
