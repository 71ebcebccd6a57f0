"""A check as a whole: findings by rules and by models, and the report of both."""

from qoslib.findings.assess import Given, offered
from qoslib.findings.check import check
from qoslib.findings.compare_configs import changes
from qoslib.findings.modelled import MODEL_RULES, modelled
from qoslib.findings.report import Cell, Change, ClassRow, ClassRun, PortReport, Report
from qoslib.findings.shadowed_classes import routed
from qoslib.findings.under_load import runs, scenario_of, stand_in

__all__ = [
    "MODEL_RULES",
    "Cell",
    "Change",
    "ClassRow",
    "ClassRun",
    "Given",
    "PortReport",
    "Report",
    "changes",
    "check",
    "modelled",
    "offered",
    "routed",
    "runs",
    "scenario_of",
    "stand_in",
]
