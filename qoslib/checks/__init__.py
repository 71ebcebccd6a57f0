"""The promises of a configuration, its load, and the rules that find mistakes in it.

No rule runs a model: each finding is arithmetic with the configuration's own numbers.
"""

from qoslib.checks.loads import Load, loads
from qoslib.checks.promises import Promise, promises
from qoslib.checks.rule import SEVERITIES, Finding
from qoslib.checks.runner import RULES, Silenced, findings, silenced

__all__ = [
    "RULES",
    "SEVERITIES",
    "Finding",
    "Load",
    "Promise",
    "Silenced",
    "findings",
    "loads",
    "promises",
    "silenced",
]
