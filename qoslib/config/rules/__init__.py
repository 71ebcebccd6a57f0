"""Rules on configurations that need no model: each finding is arithmetic with its own numbers."""

from qoslib.config.rules.find import RULES, Silenced, findings, silenced
from qoslib.config.rules.rule import SEVERITIES, Case, Finding, Found, Member, Rule, rule

__all__ = [
    "RULES",
    "SEVERITIES",
    "Case",
    "Finding",
    "Found",
    "Member",
    "Rule",
    "Silenced",
    "findings",
    "rule",
    "silenced",
]
