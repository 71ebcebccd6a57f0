"""Exercises of lesson 07: the same traffic at three routers and a plain queue."""

from typing import Any

from qoslib import fluid, packets, units
from qoslib.lessons.exercise import (
    Exercise,
    Number,
    Verdict,
    close,
    described,
    number,
    right,
    wrong,
)
from qoslib.platforms import same_line
from qoslib.port import Port

__all__ = ["EXERCISES"]

BURSTS = "in bursts of 1 ms"
#: What a packet model leaves out, and its end [s].
WARMUP_S, END_S = 0.2, 0.6
#: Lost by chance, and the most that counts as nothing [%].
NOTHING = 0.1
#: The longest that 99 % of voice may take in the last exercise [ms].
VOICE_MS = 0.5


def _mix(**percent):
    """The mix with some loads changed [% of the line]."""
    changed = {name: units.convert(value, "%", "1") for name, value in percent.items()}
    return same_line.streams(same_line.LOADS | changed)


def _lost(result, name):
    """Share of a class that is lost [%]."""
    at = result.streams.index(name)
    offered = max(float(result.offered_pps[at]), 1.0)
    return float(units.convert(float(result.dropped_pps[at]) / offered, "1", "%"))


def _solved(router, **percent):
    return fluid.solve(same_line.ports()[router], _mix(**percent))


def _plain(answer: Any, business: float) -> Verdict:
    """Share of voice that one plain queue loses with so much business, in per cent."""
    answer = number(answer, "%")
    expected = _lost(_solved("one queue", business=business), "voice")
    over = float(business + 69 - 100)
    slips = [(over, "when what is too much is not set beside what is offered")]
    hint = "Add up what all four offer. The line carries 100 %, whoever's packets these are."
    shows = "One queue knows no classes: voice loses as large a share as all the others."
    return close(answer, expected, "%", hint, shows, slips)


def _starving(answer: Any, starved: float) -> Verdict:
    """The most business at which best effort loses no more than so much at the M120, both in %."""
    answer = number(answer, "% of the line")
    if answer > 120:
        return wrong(f"{answer:g} % is more than the slider goes to; best effort is long gone.")
    lost, more = (
        _lost(_solved("M120", business=answer + step), "best effort") for step in (0.0, 1.0)
    )
    said = f"with business at {answer:g} % best effort loses {lost:.3g} %"
    if lost > starved + NOTHING:
        return wrong(f"{said}, more than {starved:g}. It gets what the others leave.")
    if more <= starved:
        return wrong(f"{said}, and there is room for more business.")
    return right(f"{said}. A priority above it is paid for by best effort, packet by packet.")


def _policed(answer: Any, lost: float) -> Verdict:
    """Load of voice, in % of the line, of which the ISR4331 loses so many per cent for good."""
    answer = number(answer, "% of the line")
    if not 0 < answer <= 120:
        return wrong(f"{answer:g} % is no load to try; stay between 1 and 120.")
    found = _lost(_solved("ISR4331", voice=answer), "voice")
    said = f"at {answer:.4g} % of the line voice loses {found:.3g} %"
    if abs(found - lost) > 0.5:
        more = "less" if found > lost else "more"
        return wrong(
            f"{said}, not {lost:g}. Offer {more}; the policer counts frames, the line 20 B more."
        )
    return right(f"{said}. All that its policer lets pass is a fifth of the line, in frames.")


def _bucket(answer: Any, most: float) -> Verdict:
    """The least bucket with which voice in bursts loses at most so many % at the 12000, in kB."""
    answer = number(answer, "kB")
    if answer < 1:
        return wrong(f"{answer:g} kB does not hold many packets of 200 B. Try some kB.")
    lost, less = (_with_bucket(answer * part) for part in (1.0, 0.8))
    said = f"with {answer:g} kB voice loses {lost:.2g} %"
    if lost > most:
        return wrong(f"{said}, more than {most:g}. What comes in a burst must fit into the bucket.")
    if less <= most:
        return wrong(f"{said}, but a bucket smaller by a fifth would do too.")
    return right(f"{said}. A policer's burst is sized by how the traffic comes, not by its rate.")


def _with_bucket(bucket):
    port = same_line.ports()["Cisco 12000"]
    bucket_bytes = round(units.convert(bucket, "kB", "B"))
    queues = tuple(
        q.replace(policer=q.policer.replace(burst_bytes=bucket_bytes)) if q.policer else q
        for q in port.queues
    )
    streams = same_line.streams(spacing=BURSTS)
    return _lost(_simulated(port.replace(queues=queues), streams), "voice")


def _simulated(port, streams):
    return packets.simulate(port, streams, END_S, warmup_s=WARMUP_S, seed=1, bins=1)


def _own(answer: Any) -> Verdict:
    """A port of one's own for the mix: voice in time, and nobody but best effort loses."""
    port, streams = described(answer)
    if tuple(s.name for s in streams) != tuple(same_line.MIX):
        return wrong("take the mix as it is: (port, same_line.streams()).")
    if port.rate_bps > same_line.LINE_BPS:
        return wrong("your line is faster than the others'. Use same_line.LINE_BPS.")
    result = _simulated(_on_the_line(port), streams)
    losers = [n for n in ("voice", "control", "business") if _lost(result, n) > NOTHING]
    if losers:
        return wrong(f"{losers[0]} loses {_lost(result, losers[0]):.3g} %. Serve it earlier.")
    late = units.convert(float(result.histogram.quantile_s(0.99)[0]), "s", "ms")
    if late > VOICE_MS:
        return wrong(f"99 % of voice takes {late:.3g} ms; aim below {VOICE_MS:g}.")
    rest = _lost(result, "best effort")
    return right(f"99 % of voice takes {late:.2g} ms, and best effort alone pays, {rest:.3g} %.")


def _on_the_line(port: Port) -> Port:
    """With what Ethernet adds to each frame, if the port was described without."""
    return port.replace(overhead_bytes=max(port.overhead_bytes, same_line.OVERHEAD_BYTES))


EXERCISES = {
    "07.1": Exercise(
        _plain,
        "if 119 % are offered, 100 of every 119 get through.",
        "Business rises to {business} % of the line, the others stay as they are (8, 1 and 60 %)."
        " Which share of voice (in %) does the plain queue lose?",
        {"business": Number(70, 45, 115, 1)},
    ),
    "07.2": Exercise(
        _starving,
        "voice and control take 9 %. Best effort offers 60 % and must get the rest of it.",
        "At the M120: what is the most that business may offer (in % of the line, in the fluid"
        " model) so that best effort loses no more than {starved} %?",
        {"starved": Number(50, 20, 90, 1)},
    ),
    "07.3": Exercise(
        _policed,
        "a fifth of the line in frames of 200 B is 22 % with their 20 B on the line. That passes.",
        "At the ISR4331: at which load of voice (in % of the line) is {lost} % of it lost in the"
        " long run?",
        {"lost": Number(20, 5, 60, 1)},
    ),
    "07.4": Exercise(
        _bucket,
        "try 10, 100 and 1000 kB and close in; a fifth too much is still right.",
        "At the Cisco 12000, voice in bursts of 1 ms: which bucket of the policer (in kB) is about"
        " the least with which voice loses no more than {most} %? Run it packet by packet, for 0.6"
        " s with 0.2 s of warm-up and seed 1.",
        {"most": Number(5, 2.5, 15, 0.1)},
    ),
    "07.5": Exercise(
        _own,
        "three priorities are enough: voice, then control and business, then best effort.",
    ),
}
