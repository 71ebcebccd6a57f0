"""Voice quality: jitter (RFC 3550) and the E-model of telephone calls (ITU-T G.107)."""

from qoslib.quality.emodel import (
    G711,
    G729,
    Codec,
    mean_opinion_score,
    transmission_rating,
)
from qoslib.quality.playout import Call, interarrival_jitter_s, played

__all__ = [
    "G711",
    "G729",
    "Call",
    "Codec",
    "interarrival_jitter_s",
    "mean_opinion_score",
    "played",
    "transmission_rating",
]
