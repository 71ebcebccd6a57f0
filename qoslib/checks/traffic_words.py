"""The words of ``traffic.toml``: a phrase as streams and flows, and how its rate follows."""

import re
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from qoslib import units
from qoslib.config.amounts import NO_COMMA, parse_amount, rate_text, time_text
from qoslib.flows import Flow
from qoslib.record import fail
from qoslib.traffic import Cbr, FrameMix, Poisson, Stream, TickedBursts, imix

__all__ = ["ALLOWED", "MANY", "MOST", "Sent", "phrase"]

ALLOWED = (
    "'40 calls G.711', '40 calls Opus', '10 Teams calls', '10 Teams video calls', '200 web users',"
    " '6 Mb/s video', '6 Mb/s', '6 Mb/s of 200 B', '6 Mb/s of IMIX',"
    " '3 bulk TCP, 20 ms', 'its minimum', '80 % of its minimum', 'nothing',"
    " 'what the counters say', or a list of these"
)
#: One class has at most so many parts or flows.
MOST = 1000
#: A rate of which no more is said is that of so many flows, where queues keep flows apart.
MANY = 100
#: Payload of a full frame of TCP over IPv4 with time stamps [B], and the frame with its headers.
SEGMENT_BYTES, FRAME_BYTES = 1448, 1518
#: The shortest and the longest round trip that anybody means [s].
TRIPS_S = units.us(10), 10.0


class Sent(NamedTuple):
    """What one phrase says.

    Attributes
    ----------
    parts : list of Stream or Flow
    arithmetic : str
        How the rate follows from the words; empty where it is the rate itself.
    origin : str
        As `Load.origin`.
    """

    parts: list[Stream | Flow]
    arithmetic: str
    origin: Literal["given", "computed", "counters"]


def phrase(
    words: str,
    name: str,
    mark: str,
    least: float | None,
    counted: float | None,
    frame_bytes: float | None = None,
) -> Sent:
    """What a phrase says of a class."""
    if re.match(r"\d[\d.,]*\s*[kKmMgG]?B(/s|ps)\b", words):
        fail(f"traffic of {name}", words, "bits per second: with a small b, as in 6 Mb/s")
    if re.search(r"\d,\d", words):
        fail(f"traffic of {name}", words, NO_COMMA)
    for pattern, make in _PHRASES:
        if found := re.fullmatch(pattern, words, re.IGNORECASE):
            sent = make(found, name, mark, least, counted)
            sized = make not in _SIZELESS or found.groupdict().get("size")
            return sent if sized or frame_bytes is None else _of_size(sent, round(frame_bytes))
    fail(f"traffic of {name}", words, ALLOWED)


def _of_size(sent: Sent, frame_bytes: int) -> Sent:
    """The same with the packets that the device counted."""
    parts = [part.replace(frame_bytes=frame_bytes) for part in sent.parts]
    why = f"packets of {frame_bytes:,} B on average, as the device counted"
    return sent._replace(parts=parts, arithmetic="; ".join(filter(None, [sent.arithmetic, why])))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        fail("number", text, "digits, as in 40 or 2.5")


def _rate(number: str, prefix: str) -> float:
    return parse_amount(f"{_number(number)} {prefix}b/s", "bit/s")


def _calls(found: re.Match[str], name: str, mark: str, *_: object) -> Sent:
    codec = found["codec"].upper().replace("G.", "G").replace("G", "G.")
    table = _words()["codec"]
    if codec not in table:
        fail(f"codec of {name}", found["codec"], ", ".join(table))
    calls, row = _number(found["calls"]), table[codec]
    each = units.bits(row["frame_bytes"]) / row["packet_s"]
    flows = max(round(calls), 1)
    stream = Stream(name, calls * each, row["frame_bytes"], Poisson(), mark, flows=flows)
    every = f"{row['frame_bytes']} B every {time_text(row['packet_s'])}"
    return Sent([stream], f"{calls:g} calls x {rate_text(each)} ({every})", "computed")


def _video(found: re.Match[str], name: str, mark: str, *_: object) -> Sent:
    row, rate_bps = _words()["video"], _rate(found["rate"], found["prefix"])
    per_second = _number(found["pictures"]) if found["pictures"] else 1 / row["packet_s"]
    if per_second <= 0:
        fail(f"pictures of {name}", found["pictures"], "above 0")
    size = units.octets(rate_bps / per_second)
    bursts = TickedBursts(1 / per_second)
    why = f"{per_second:.3g} pictures per second of {size:,.0f} B, each back to back"
    return Sent([Stream(name, rate_bps, row["frame_bytes"], bursts, mark)], why, "given")


def _teams_video(found: re.Match[str], name: str, mark: str, *_: object) -> Sent:
    row, each = _words()["video"], _words()["teams_video"]["rate_bps"]
    calls = _number(found["calls"])
    bursts = TickedBursts(row["packet_s"])
    why = f"{calls:g} calls x {rate_text(each)}, {1 / row['packet_s']:.3g} pictures per second"
    flows = max(round(calls), 1)
    stream = Stream(name, calls * each, row["frame_bytes"], bursts, mark, flows=flows)
    return Sent([stream], why, "computed")


def _web(found: re.Match[str], name: str, mark: str, *_: object) -> Sent:
    users, each = _number(found["users"]), _words()["web"]["rate_bps"]
    flows = max(round(users), 1)
    stream = Stream(
        name, users * each, _words()["data"]["frame_bytes"], Poisson(), mark, flows=flows
    )
    return Sent([stream], f"{users:g} users x {rate_text(each)}, which is assumed", "computed")


def _plain(found: re.Match[str], name: str, mark: str, *_: object) -> Sent:
    rate_bps, size = _rate(found["rate"], found["prefix"]), found["size"]
    frames: int | FrameMix = _words()["data"]["frame_bytes"]
    if size:
        frames = imix() if size.lower() == "imix" else int(_number(size))
    smooth = (found["spacing"] or "").lower() == "cbr"
    spacing = Cbr() if smooth else Poisson()
    return Sent([Stream(name, rate_bps, frames, spacing, mark, flows=MANY)], "", "given")


def _tcp(found: re.Match[str], name: str, mark: str, *_: object) -> Sent:
    flows = int(_number(found["flows"])) if found["flows"] else 1
    if not 1 <= flows <= MOST:
        fail(f"TCP flows of {name}", flows, f"1 to {MOST}")
    trip = _trip(found["trip"], found["unit"], name)
    return Sent(
        [
            Flow(
                f"{name} TCP {number}" if flows > 1 else f"{name} TCP",
                trip,
                mss_bytes=SEGMENT_BYTES,
                frame_bytes=FRAME_BYTES,
                mark=mark,
            )
            for number in range(1, flows + 1)
        ],
        "",
        "given",
    )


def _trip(number: str, unit: str, name: str) -> float:
    """A round trip [s], which has a unit and is one that a network has."""
    if not unit:
        fail(f"round trip of {name}", number, "a time with its unit, as in '30 ms'")
    trip_s = parse_amount(number + unit, "s")
    if not TRIPS_S[0] <= trip_s <= TRIPS_S[1]:
        fail(f"round trip of {name}", f"{number} {unit}", " to ".join(map(time_text, TRIPS_S)))
    return trip_s


def _share(found: re.Match[str], name: str, mark: str, least: float | None, _: object) -> Sent:
    if least is None:
        fail(f"traffic of {name}", found[0], "a rate: other classes wait in its queue")
    percent = _number(found["percent"]) if found["percent"] else 100.0
    rate_bps = units.convert(percent, "%", "1") * least
    why = f"{percent:g} % of its minimum, {rate_text(least)}" if percent != 100 else "its minimum"
    return Sent([_data(name, rate_bps, mark)], why, "computed")


def _nothing(found: re.Match[str], name: str, *_: object) -> Sent:
    return Sent([], "", "given")


def _counted(
    found: re.Match[str], name: str, mark: str, least: float | None, counted: float | None
) -> Sent:
    if counted is None:
        fail(
            f"traffic of {name}", found[0], "a rate: --measured FILE has no counters of this class"
        )
    return Sent([_data(name, counted, mark)], "counted by the device", "counters")


def _data(name: str, rate_bps: float, mark: str) -> Stream:
    """Full frames of many flows."""
    return Stream(name, rate_bps, _words()["data"]["frame_bytes"], Poisson(), mark, flows=MANY)


@cache
def _words() -> dict[str, Any]:
    text = Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


_CODEC = r"(?P<codec>G\.?\d+|Opus)"
_OFFERED = r"(?P<rate>\d[\d.]*)\s*(?P<prefix>[kmg]?)(?:b/s|bit/s|bps|bit)"
_TRIP = r"(?P<trip>\d[\d.]*)\s*(?P<unit>[^\W\d]*)"
_SPACING = r"(?:,\s*(?P<spacing>poisson|cbr))?"
#: What a phrase looks like, and what makes streams and flows of it.
_PHRASES: tuple[tuple[str, Callable[..., Sent]], ...] = (
    (rf"(?P<calls>\d+)\s*(?:calls?|x|×)\s*(?:of\s+)?{_CODEC}", _calls),
    (rf"(?P<calls>\d+)\s*{_CODEC}\s*calls?", _calls),
    (r"(?P<calls>\d+)\s*(?P<codec>Teams)\s*(?:audio\s*)?calls?", _calls),
    (r"(?P<calls>\d+)\s*Teams\s*video\s*calls?", _teams_video),
    (r"(?P<users>\d+)\s*web\s*users?", _web),
    (rf"{_OFFERED}\s*(?:of\s+)?video(?:\s*at\s*(?P<pictures>\d[\d.]*)\s*(?:/s|fps))?", _video),
    (rf"{_OFFERED}(?:\s*of\s*(?P<size>\d+|imix)\s*(?:B|bytes)?)?{_SPACING}", _plain),
    (rf"(?:(?P<flows>\d+)\s*)?(?:bulk\s+)?TCP(?:\s+flows?)?\s*,\s*{_TRIP}", _tcp),
    (r"(?:(?P<percent>\d[\d.]*)\s*%\s*of\s*)?its\s*(?:minimum|guarantee)", _share),
    (r"nothing|0", _nothing),
    (r"what the counters say", _counted),
)
#: Of these the size of a packet may be left out.
_SIZELESS = (_plain, _share, _counted)
