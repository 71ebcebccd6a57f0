"""Figures: one look per kind of thing, each with a paragraph and a table that say the same.

Only this room knows plotly; `live` hands out the widget that explorers update in place.
"""

from qoslib.plots.bucket import bucket_over_time
from qoslib.plots.buffer_size import Band, SizeSweep, buffer_size
from qoslib.plots.classes import classes, growing
from qoslib.plots.figure import CONFIG, Figure, LiveFigure, live, page, refresh
from qoslib.plots.frame_size import Forwarded, Row, frame_size, rows
from qoslib.plots.goodput_over_burst import goodput_over_burst
from qoslib.plots.knife_edge import knife_edge
from qoslib.plots.latency_histogram import latency_histogram
from qoslib.plots.loss_over_load import loss_over_load
from qoslib.plots.lottery import lottery
from qoslib.plots.one_queue import Seen, one_queue
from qoslib.plots.over_load import latency_over_load
from qoslib.plots.over_time import queue_over_time
from qoslib.plots.own_port import own_port
from qoslib.plots.pacing import PacedSweep, pacing
from qoslib.plots.policing import Counted, policing
from qoslib.plots.published import Point, published
from qoslib.plots.same_traffic import same_traffic
from qoslib.plots.scores import lanes_of, scores
from qoslib.plots.service_order import service_order
from qoslib.plots.shares import shares
from qoslib.plots.tcp_over_time import moments, tcp_over_time
from qoslib.plots.tcp_tests import TcpTest, buffer_bytes, tcp_tests

__all__ = [
    "CONFIG",
    "Band",
    "Counted",
    "Figure",
    "Forwarded",
    "LiveFigure",
    "PacedSweep",
    "Point",
    "Row",
    "Seen",
    "SizeSweep",
    "TcpTest",
    "bucket_over_time",
    "buffer_bytes",
    "buffer_size",
    "classes",
    "frame_size",
    "goodput_over_burst",
    "growing",
    "knife_edge",
    "lanes_of",
    "latency_histogram",
    "latency_over_load",
    "live",
    "loss_over_load",
    "lottery",
    "moments",
    "one_queue",
    "own_port",
    "pacing",
    "page",
    "policing",
    "published",
    "queue_over_time",
    "refresh",
    "rows",
    "same_traffic",
    "scores",
    "service_order",
    "shares",
    "tcp_over_time",
    "tcp_tests",
]
