"""The scoreboard: what was published beside what the models say, and how far apart they are."""

from qoslib.compare.beside import beside
from qoslib.compare.models import MODELS
from qoslib.compare.own import own, unknown_class
from qoslib.compare.part import part
from qoslib.compare.parted import parted, remark
from qoslib.compare.rows import Row
from qoslib.compare.scoreboard import Scoreboard, score, score_platform
from qoslib.compare.stored import differences, stored
from qoslib.compare.text import text
from qoslib.compare.ticks import is_tick, ticks
from qoslib.compare.told import explained, told
from qoslib.compare.tolerances import TOLERANCES
from qoslib.compare.values import Published, published

__all__ = [
    "MODELS",
    "TOLERANCES",
    "Published",
    "Row",
    "Scoreboard",
    "beside",
    "differences",
    "explained",
    "is_tick",
    "own",
    "part",
    "parted",
    "published",
    "remark",
    "score",
    "score_platform",
    "stored",
    "text",
    "ticks",
    "told",
    "unknown_class",
]
