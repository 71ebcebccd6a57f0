"""The scoreboard: published values, modelled values, and the error of each model."""

from qoslib.compare.own_measurements import Overlay, overlay
from qoslib.compare.remarks import model_differences, remark
from qoslib.compare.rows import TOLERANCES, Row, score_measurements, unknown_class
from qoslib.compare.run import MODELS
from qoslib.compare.scoreboard import Scoreboard, is_tick, score, stored_scoreboard, ticks
from qoslib.compare.store import differences, stored
from qoslib.compare.tables import compare_experiment, explained, misfit_summary, text, to_frame
from qoslib.compare.values import Data, Point, Published, published, published_points

__all__ = [
    "MODELS",
    "TOLERANCES",
    "Data",
    "Overlay",
    "Point",
    "Published",
    "Row",
    "Scoreboard",
    "compare_experiment",
    "differences",
    "explained",
    "is_tick",
    "misfit_summary",
    "model_differences",
    "overlay",
    "published",
    "published_points",
    "remark",
    "score",
    "score_measurements",
    "stored",
    "stored_scoreboard",
    "text",
    "ticks",
    "to_frame",
    "unknown_class",
]
