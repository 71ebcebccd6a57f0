"""The E-model (ITU-T G.107, 06/2015): how good a telephone call is, from its delay and losses."""

from typing import Annotated

import numpy as np

from qoslib import units
from qoslib.record import NotNegative, Positive, Record, Within, checked, fail, record
from qoslib.units import Floats

__all__ = ["G711", "G729", "Codec", "mean_opinion_score", "transmission_rating"]

Score = Annotated[float, Within(0, 95)]

# Defaults of G.107, table 2: loudness ratings, noise and echo of an ordinary telephone.
_SLR, _RLR, _STMR, _LSTR, _DS = 8.0, 2.0, 15.0, 18.0, 3.0
_TELR, _WEPL, _QDU = 65.0, 110.0, 1.0
_NC, _NFOR, _PS, _PR = -70.0, -64.0, 35.0, 35.0
#: The shortest delay that a listener hears [ms], and how sharply they hear it (G.107, table 1).
_MT_MS, _SENSITIVITY = 100.0, 1.0


@record
class Codec(Record):
    """A codec, as the E-model sees it (ITU-T G.113, appendix I).

    Parameters
    ----------
    name : str
    impairment : float
        Equipment impairment factor Ie, without losses.
    robustness : float
        Packet-loss robustness factor Bpl.
    packet_s : float
        Speech in a packet [s].
    lookahead_s : float
        What the encoder hears beyond that before it sends [s].
    payload_bytes : int
        Of a packet, without headers [B].

    Examples
    --------
    >>> Codec("G.711 without concealment", 0, 4.3, 0.02, 0.0, 160).robustness
    4.3
    """

    name: str
    impairment: Score
    robustness: Positive
    packet_s: Positive
    lookahead_s: NotNegative
    payload_bytes: Positive


#: 64 kb/s with packet loss concealment (G.711 appendix I), 20 ms a packet.
G711 = Codec("G.711", 0.0, 25.1, 0.02, 0.0, 160)
#: 8 kb/s, annexes A and B (voice activity detection), two frames of 10 ms a packet.
G729 = Codec("G.729A", 11.0, 19.0, 0.02, 0.005, 20)


def transmission_rating(
    delay_s: float | Floats,
    loss_ratio: float | Floats,
    codec: Codec = G711,
    run_ratio: float | Floats = 1.0,
) -> Floats:
    """The transmission rating factor R of a call (ITU-T G.107, equation 7-1).

    All but delay and losses has the defaults of G.107. Echo takes as long as the delay.

    Parameters
    ----------
    delay_s : float or array_like
        From mouth to ear, one way [s].
    loss_ratio : float or array_like
        Share of the packets that are lost or come too late, from 0 to 1 [ratio].
    codec : Codec
    run_ratio : float or array_like
        Mean run of losses over that of losses by chance, BurstR of G.107; at least 1 [ratio].

    Returns
    -------
    ndarray
        R, of the shape that the arguments broadcast to; 93.2 without delay and losses.

    Raises
    ------
    ValueError
        If a delay is negative, a loss is not from 0 to 1, or a burst ratio is below 1.

    Examples
    --------
    >>> transmission_rating([0.0, 0.15, 0.4], 0.0).round(1)
    array([93.2, 89.5, 62.2])
    >>> float(transmission_rating(0.15, 0.01, G729).round(1))
    74.3
    """
    delay, loss, burst = (np.asarray(each, float) for each in (delay_s, loss_ratio, run_ratio))
    codec = checked(Codec, codec, "codec")
    if not (delay >= 0).all():
        fail("delay_s", delay_s, "0 or more")
    if not ((loss >= 0) & (loss <= 1)).all():
        fail("loss_ratio", loss_ratio, "0 to 1")
    if not (burst >= 1).all():
        fail("run_ratio", run_ratio, "1 or more")
    percent = units.convert(loss, "1", "%")
    equipment = codec.impairment + (95 - codec.impairment) * percent / (
        percent / burst + codec.robustness
    )
    milliseconds = units.convert(delay, "s", "ms")
    rating: Floats = _RO - _simultaneous(milliseconds) - _delay_impairment(milliseconds) - equipment
    return rating


def mean_opinion_score(rating: float | Floats) -> Floats:
    """The mean opinion score (MOS) that listeners would give (ITU-T G.107, annex B).

    Parameters
    ----------
    rating : float or array_like
        Transmission rating factor R.

    Returns
    -------
    ndarray
        From 1, bad, to 4.5, of the same shape.

    Notes
    -----
    The cubic of annex B falls below 1 where R is below 6.5; 1 is the least score there is.

    Examples
    --------
    >>> mean_opinion_score([-5.0, 50.0, 70.0, 93.2, 120.0]).round(2)
    array([1.  , 2.58, 3.6 , 4.41, 4.5 ])
    """
    r = np.clip(np.asarray(rating, float), 0.0, 100.0)
    score: Floats = np.maximum(1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6, 1.0)
    return score


def _decibel_sum(*levels: float) -> float:
    return float(10 * np.log10(sum(10 ** (level / 10) for level in levels)))


def _noise() -> float:
    """All noise at the 0 dBr point, No (7-3 to 7-7)."""
    olr = _SLR + _RLR
    sender = _PS - _SLR - _DS - 100 + 0.004 * (_PS - olr - _DS - 14) ** 2
    room = _PR + 10 * np.log10(1 + 10 ** ((10 - _LSTR) / 10))
    receiver = _RLR - 121 + room + 0.008 * (room - 35) ** 2
    return _decibel_sum(_NC, sender, receiver, _NFOR + _RLR)


def _simultaneous(milliseconds: Floats) -> Floats:
    """What is heard together with the voice, Is: loudness, sidetone, quantizing (7-8 to 7-17)."""
    x = _SLR + _RLR + 0.2 * (64 + _NO - _RLR)
    loudness = 20 * ((1 + (x / 8) ** 8) ** (1 / 8) - x / 8)
    q = 37 - 15 * np.log10(_QDU)
    g = 1.07 + 0.258 * q + 0.0602 * q**2
    y = (_RO - 100) / 15 + 46 / 8.4 - g / 9
    z = 46 / 30 - g / 40
    return np.asarray(loudness + _sidetone(milliseconds) + 15 * np.log10(1 + 10**y + 10**z))


def _sidetone(milliseconds: Floats) -> Floats:
    """Ist, of the talker's own voice and its echo (7-10, 7-11)."""
    s = -10 * np.log10(10 ** (-_STMR / 10) + np.exp(-milliseconds / 4) * 10 ** (-_TELR / 10))
    return np.asarray(
        12 * (1 + ((s - 13) / 6) ** 8) ** (1 / 8)
        - 28 * (1 + ((s + 1) / 19.4) ** 35) ** (1 / 35)
        - 13 * (1 + ((s - 3) / 33) ** 13) ** (1 / 13)
        + 29
    )


def _delay_impairment(milliseconds: Floats) -> Floats:
    """Id: the talker's echo, the listener's, and the delay itself (7-18 to 7-28)."""
    level = _TELR - 40 * np.log10((1 + milliseconds / 10) / (1 + milliseconds / 150))
    level = level + 6 * np.exp(-0.3 * milliseconds**2)
    back = -1.5 * (_NO - _RLR) - (80 + 2.5 * (level - 14))
    talker = (back / 2 + np.sqrt(back**2 / 4 + 100) - 1) * (1 - np.exp(-milliseconds))
    listened = _RO - 10.5 * (_WEPL + 7) * (2 * milliseconds + 1) ** -0.25
    listener = listened / 2 + np.sqrt(listened**2 / 4 + 169)
    return np.asarray(talker + listener + _absolute(milliseconds))


def _absolute(milliseconds: Floats) -> Floats:
    """Idd: delay without echo, heard from 100 ms on (7-27, 7-28)."""
    x = np.log2(np.maximum(milliseconds / _MT_MS, 1.0))
    power = 6 * _SENSITIVITY
    return np.asarray(
        25 * ((1 + x**power) ** (1 / power) - 3 * (1 + (x / 3) ** power) ** (1 / power) + 2)
    )


_NO = _noise()
#: Signal over noise.
_RO = 15 - 1.5 * (_SLR + _NO)
