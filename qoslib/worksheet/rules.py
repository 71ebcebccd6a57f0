"""Rules for the buffer of a port of one's own, and what each of them is worth."""

import math
from collections.abc import Iterator

from qoslib import tcp, units
from qoslib.packets.progress import Progress
from qoslib.quality import G711, mean_opinion_score, transmission_rating
from qoslib.worksheet.carried import carried, paced, run_s
from qoslib.worksheet.commands import commands
from qoslib.worksheet.path import HEADERS_BYTES, LEAST_FRAMES, PACED_SHARE, Path, readable
from qoslib.worksheet.sheet import Advice, Rule, Worksheet

__all__ = ["MANY_FLOWS", "worksheet"]

#: From so many long-lived flows on their windows are taken not to fall together.
MANY_FLOWS = 100
#: A buffer that carries this share of what line and windows allow is enough.
ENOUGH = 0.9
#: A bucket that lasts longer than this at the line rate polices nothing [s].
LONGEST_BURST_S = 1.0


def worksheet(
    rate_bps: float,
    round_trip_s: float,
    flows: int = 1,
    *,
    buffer_bytes: float | None = None,
    window_bytes: float | None = None,
    background_bps: float = 0.0,
    packet_bytes: int = 1500,
    progress: Progress | None = None,
) -> Worksheet:
    """How large a buffer a port needs, what your buffer carries, and how to test it.

    Parameters
    ----------
    rate_bps : float
        Line rate [bit/s].
    round_trip_s : float
        Round-trip time without any queue [s].
    flows : int
        Long-lived TCP connections.
    buffer_bytes : float or None
        The buffer that the port has [B], at least two packets; None: only the rules.
    window_bytes : float or None
        Largest window of each connection [B], at least one packet; None: no limit. It is what the
        smaller socket buffer allows.
    background_bps : float
        Traffic that does not respond to loss [bit/s].
    packet_bytes : int
        IP packet, the MTU [B].
    progress : callable, optional
        Called with the simulated time so far and in total [s] for each run of the packet model; by
        default a bar appears after two seconds.

    Returns
    -------
    Worksheet
        The buffer by each rule and what it carries, how to pace, and the commands of a test.

    Raises
    ------
    ValueError
        If a number is out of range; the message names it.
    KeyboardInterrupt
        If a run was stopped, since the worksheet would be incomplete.

    Notes
    -----
    Rates are of payload, as iperf3 shows them. Up to 2e7 packets, `qoslib.tcp.simulate` gives them:
    CUBIC flows, each from a host whose link is ten times as fast as the line, for up to 120 s. The
    first 30 s are the test. Where 60 s would take more packets, the long run is that of
    `qoslib.tcp.formulas` for Reno flows that lose together, the worst case. Where 30 s alone take
    more, the test is that of `qoslib.tcp.solve`. The table marks both. A call is scored by the
    E-model (ITU-T G.107).

    Examples
    --------
    A host behind a switch with 200 kB of buffer:

    >>> sheet = worksheet(1e9, 0.020, buffer_bytes=200e3)
    >>> [(rule.name, round(rule.buffer_bytes / 1e6, 1)) for rule in sheet.rules]
    [('yours', 0.2), ('one product', 2.5)]
    >>> sheet.pacing.text
    'Pace each flow at 894 Mb/s.'
    >>> print(sheet.path_commands[-1].text)
    sender$   iperf3 -c receiver -P 1 -t 30 --fq-rate 894M
    """
    path = Path(
        rate_bps,
        round_trip_s,
        flows,
        buffer_bytes,
        window_bytes,
        background_bps,
        packet_bytes,
    )
    rules = tuple(_rule(path, *each, progress) for each in _sizes(path))
    rules += tuple(_rule(path, *each, progress) for each in _for_slow_start(path, rules[-1]))
    policer_bytes, policer = _policer(path)
    path_commands, laboratory_commands = commands(path)
    return Worksheet(
        title=path.title,
        remarks=path.remarks,
        rules=rules,
        policer_bytes=policer_bytes,
        policer=policer,
        simulated_s=run_s(path),
        paced_bps=path.paced_bps,
        pacing=_pacing(path, rules[0], progress),
        path_commands=path_commands,
        laboratory_commands=laboratory_commands,
    )


def _sizes(path: Path) -> Iterator[tuple[str, float, str]]:
    """Each rule's name, buffer and reason."""
    fits = path.loss_free_bytes
    product = tcp.bandwidth_delay_bytes(path.left_bps, path.round_trip_s)
    if path.buffer_bytes is not None:
        yield "yours", path.buffer_bytes, f"{path.buffer_bytes / product:.2g} of one product"
    if fits != 0:
        yield "one product", product, "rate x round trip: busy when a window halves"
    if path.flows >= MANY_FLOWS:
        small = tcp.desynchronised_buffer_bytes(path.left_bps, path.round_trip_s, path.flows)
        yield "product / sqrt(n)", small, "enough if the flows do not lose together"
    if fits is not None:
        whole = "windows minus rate x round trip: no loss"
        yield "windows fit", fits, whole if fits else "the path alone holds the windows"


def _for_slow_start(path: Path, fits: Rule) -> Iterator[tuple[str, float, str]]:
    """A rule more where bursts of slow start do not fit into a buffer that holds the windows."""
    least = path.slow_start_bytes
    if least is None or fits.buffer_bytes >= least:
        return
    if fits.test is None or fits.test.by != "packets" or fits.test.bps < ENOUGH * path.most_bps:
        yield "slow start", least, "half of the windows: slow start sends at twice the line rate"


def _rule(path: Path, name: str, size: float, why: str, progress: Progress | None) -> Rule:
    least = LEAST_FRAMES * path.packet_bytes
    if size < least:
        size, why = least, f"{LEAST_FRAMES} packets, the least a queue needs; {why}"
    packets = max(round(size / path.packet_bytes), 1)
    wait = units.serialisation_s(size, path.rate_bps)
    shown = carried(path, size, progress)
    return Rule(name, float(size), wait, packets, *shown, why, _mos(path, wait))


def _mos(path: Path, wait_s: float) -> float:
    """Score of a call that shares the path, and waits so long at its port."""
    delay_s = G711.packet_s + G711.lookahead_s + path.round_trip_s / 2 + wait_s
    return float(mean_opinion_score(transmission_rating(delay_s, 0.0)))


def _burst_bytes(path: Path) -> float:
    """The burst that a policer needs [B]: for a saw-tooth, or for windows that the line carries."""
    if path.windows_bps is None or path.window_bytes is None:
        given = (path.left_bps, path.round_trip_s, path.packet_bytes, path.flows)
        return tcp.policer_burst_bytes(*given)
    packets = path.flows * math.ceil(path.window_bytes / (path.packet_bytes - HEADERS_BYTES))
    return float(packets * path.packet_bytes)


def _policer(path: Path) -> tuple[float | None, Advice]:
    """The burst that a policer needs [B], or None where no policer can have it; and why."""
    burst = _burst_bytes(path)
    why = "A policer stores no packets, so its bucket must last for a whole saw-tooth of Reno."
    if path.windows_bps is not None:
        why = "A policer stores no packets, so its bucket must hold all windows at once."
    seconds = units.serialisation_s(burst, path.rate_bps)
    if seconds > LONGEST_BURST_S:
        least = f"It would take a burst of {seconds:,.3g} s of the line; use a shaper."
        return None, Advice("No policer can replace the buffer.", f"{why} {least}")
    size = units.convert(burst, "B", "MB")
    return burst, Advice(f"A policer in its place needs a burst of {size:,.3g} MB.", why)


def _pacing(path: Path, rule: Rule, progress: Progress | None) -> Advice:
    if path.paced_bps is None:
        return Advice("The flows cannot be paced.", "A flow's share of the line is below 1 kb/s.")
    shown, lost = paced(path, rule.buffer_bytes, path.paced_bps, progress)
    percent = f"{units.convert(PACED_SHARE, '1', '%'):.0f} %"
    share = f"{percent} of the payload in a flow's share of the line, so that a queue drains again."
    if path.windows_bps is not None and path.windows_bps <= path.flows * (path.paced_bps + 1):
        share = "What a flow's window allows, without its bursts."
    if lost is None:
        carry = f"Without loss the flows carry {readable(shown.bps)} of payload, by arithmetic."
    else:
        lost_percent = units.convert(lost, "1", "%")
        loses = f"lose {lost_percent:.2g} % of their packets" if lost else "lose nothing"
        carry = f"In the packet model with the buffer “{rule.name}” they carry"
        carry += f" {readable(shown.bps)} in the first 30 s and {loses}."
    return Advice(f"Pace each flow at {readable(path.paced_bps)}.", f"{share} {carry}")
