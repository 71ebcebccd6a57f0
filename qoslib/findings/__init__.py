"""What is wrong with a configuration: rules, those that run a model, and the report of both."""

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
