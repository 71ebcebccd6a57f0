"""IEEE 802.3 PAUSE and priority-based flow control: what fills asks its senders to stop."""

import math
from typing import Annotated

from qoslib import units
from qoslib.record import (
    AtLeastOne,
    Count,
    NotNegative,
    Positive,
    Record,
    Within,
    checked,
    fail,
    record,
)

__all__ = ["Pause", "PriorityPause", "headroom_bytes", "pause_response_s"]

#: Preamble, start delimiter and gap of a frame, and a control frame with them [B].
GAP_BYTES, CONTROL_BYTES = 20, 84
#: A signal takes 5 ns per metre of cable.
CABLE_S_PER_M = 5e-9
#: Line rate [bit/s] -> how long a sender may take to stop (IEEE 802.3, 31B.3.7), in bit times.
REACTION_BITS = {
    10e9: 30_720,
    25e9: 40_960,
    40e9: 60_416,
    50e9: 75_264,
    100e9: 201_728,
    200e9: 231_936,
    400e9: 463_360,
}
#: Line rate [bit/s] -> one interface's delay (clauses 49 to 83), in bit times; and at other rates
#: what SONiC reckons for MAC and PHY of Nvidia's Spectrum, 0.8 KiB.
INTERFACE_BITS = {10e9: 8_192, 25e9: 6_144, 40e9: 24_576, 100e9: 122_880}
OTHER_INTERFACE_BITS = 6_554
#: The smallest Ethernet frame [B].
SMALLEST_BYTES = 64


@record
class Pause(Record):
    """MAC control PAUSE (IEEE 802.3, annex 31B) from a port or forwarder to its senders.

    When the packets in its queues reach `high_packets`, each sender is told to stop for `quanta`,
    and again with the first arrival after that; when they have fallen to `low_packets` it is told
    to go on. A sender finishes the packet it is at, keeps what falls due, and sends it back to
    back at its access rate afterwards. All senders are told at once, which counts as one frame.

    Parameters
    ----------
    quanta : int
        Pause time in units of 512 bit times of the sender's link, 1 to 65,535.
    obeyed : bool
        Whether the senders obey.
    """

    high_packets: AtLeastOne
    low_packets: Count = 0
    quanta: Annotated[int, Within(1, 65_535)] = 65_535
    obeyed: bool = True

    def check(self) -> None:
        if self.low_packets >= self.high_packets:
            fail("Pause.low_packets", self.low_packets, f"below high, {self.high_packets}")


@record
class PriorityPause(Record):
    """Priority-based flow control (PFC, IEEE 802.1Qbb) from one queue to its senders.

    The last part of the queue's limit is headroom. With the bit that first fills some of it, the
    queue's senders are told to stop, and as it has drained to `resume_bytes` to go on. Either
    takes effect `response_s` later: until then frames arrive, and the one that has begun as well. A
    sender keeps what falls due, and sends it back to back at its access rate afterwards. The stop
    is renewed before its quanta run out, which is not counted. Other queues' senders go on.

    Parameters
    ----------
    headroom_bytes : int
        What the queue holds beyond the threshold (xoff) [B]: see `headroom_bytes`.
    resume_bytes : int
        At or below which the senders go on (xon) [B].
    response_s : float
        From the bit that crosses the threshold to the last one that a sender may begin a frame
        with: see `pause_response_s` [s].
    """

    headroom_bytes: AtLeastOne
    resume_bytes: Count
    response_s: NotNegative


def pause_response_s(
    rate_bps: float,
    *,
    cable_m: float = 100.0,
    largest_bytes: int = 9216,
    interfaces: int = 2,
    reaction_s: float | None = None,
    interface_s: float | None = None,
) -> float:
    """How long frames go on beginning after a queue has asked for a pause [s].

    ``F(largest) + 672 + I + R`` bit times and twice the cable: a frame just begun delays the pause
    frame, which goes through interfaces and cable, the sender takes a while to obey, and what it
    sent last comes over the cable.

    Parameters
    ----------
    rate_bps : float
        Line rate [bit/s].
    cable_m : float
        Length of the cable [m].
    largest_bytes : int
        The largest frame of any priority [B].
    interfaces : int
        How many interface delays count: texts differ between 2 and 4.
    reaction_s, interface_s : float, optional
        A sender's reaction, and one interface's delay [s]. By default the most that IEEE 802.3
        allows a sender at 10 to 400 Gb/s, and an interface at 10, 25, 40 or 100 Gb/s; at 50, 200
        and 400 Gb/s the 0.8 KiB of MAC and PHY that SONiC reckons for a Spectrum. A switch's own
        profile may reckon otherwise, with more or less: give its times, and name where they stand.

    Returns
    -------
    float
        Time [s].

    Raises
    ------
    ValueError
        If a number is not allowed, or a rate is not in the table and its times are not given.

    References
    ----------
    IEEE 802.1Qbb, annex O; IEEE 802.3, annex 31B.3.7 and the delay constraints of clauses 49 to 83.
    SONiC, sonic-swss, cfgmgr/buffer_headroom_barefoot.lua (times to stop at 50, 200 and 400 Gb/s)
    and the ASIC_TABLE of its dynamic headroom design (mac_phy_delay).

    Examples
    --------
    >>> round(pause_response_s(10e9) * 1e6, 2)  # microseconds
    13.17

    At 400 Gb/s SONiC reckons with twice the time that IEEE 802.3 allows a sender:

    >>> reaction_s = 2 * 463_360 / 400e9
    >>> round(pause_response_s(400e9, reaction_s=reaction_s) / pause_response_s(400e9), 2)
    1.49
    """
    rate: float = checked(Positive, rate_bps, "rate_bps")
    cable_s: float = CABLE_S_PER_M * checked(NotNegative, cable_m, "cable_m")
    largest: int = checked(AtLeastOne, largest_bytes, "largest_bytes")
    count: int = checked(Count, interfaces, "interfaces")
    reacts_s: float | None = checked(NotNegative | None, reaction_s, "reaction_s")
    passes_s: float | None = checked(NotNegative | None, interface_s, "interface_s")
    if rate in REACTION_BITS:
        interface_bits = INTERFACE_BITS.get(rate, OTHER_INTERFACE_BITS)
        reacts_s = REACTION_BITS[rate] / rate if reacts_s is None else reacts_s
        passes_s = interface_bits / rate if passes_s is None else passes_s
    if reacts_s is None or passes_s is None:
        known = ", ".join(f"{each:g}" for each in REACTION_BITS)
        fail("rate_bps", rate, f"{known}, or one with reaction_s and interface_s")
    sent_s: float = units.serialisation_s(largest + CONTROL_BYTES, rate, GAP_BYTES)
    return sent_s + count * passes_s + reacts_s + 2 * cable_s


def headroom_bytes(
    rate_bps: float,
    frame_bytes: int,
    response_s: float,
    *,
    cell_bytes: int = 1,
    header_bytes: int = 0,
    smallest_bytes: int = SMALLEST_BYTES,
) -> int:
    """The headroom with which a queue that pauses one sender loses nothing [B].

    ``H = w * rate * response + F(frame)``: what arrives until the sender begins no more frames, and
    the frame that it has just begun, with its preamble and gap. In a memory of cells a frame takes
    whole ones, so ``w = max(cells(s) * cell / (s + gap))`` over the sender's frame sizes s, at
    least 1: frames that just need one cell more fill it fastest.

    Parameters
    ----------
    rate_bps : float
        Line rate [bit/s].
    frame_bytes : int
        The largest frame of the priority that is paused [B].
    response_s : float
        As of `pause_response_s` [s].
    cell_bytes, header_bytes : int
        Of the memory, as of a `MemoryPool` [B].
    smallest_bytes : int
        The smallest frame of the priority that is paused [B].

    Returns
    -------
    int
        Bytes of memory, in whole cells [B].

    Raises
    ------
    ValueError
        If a number is not allowed.

    References
    ----------
    IEEE 802.1Qbb, annex O.

    Examples
    --------
    100 m of cable, lossless frames of 2,300 B among jumbo frames of 9,216 B:

    >>> [headroom_bytes(rate, 2300, pause_response_s(rate)) for rate in (10e9, 40e9, 100e9)]
    [18778, 30336, 80076]

    In cells of 144 B, where frames of 145 B take two each:

    >>> headroom_bytes(100e9, 2300, pause_response_s(100e9), cell_bytes=144)
    138096
    """
    rate: float = checked(Positive, rate_bps, "rate_bps")
    frame: int = checked(AtLeastOne, frame_bytes, "frame_bytes")
    time_s: float = checked(NotNegative, response_s, "response_s")
    cell: int = checked(AtLeastOne, cell_bytes, "cell_bytes")
    header: int = checked(Count, header_bytes, "header_bytes")
    smallest: int = checked(AtLeastOne, smallest_bytes, "smallest_bytes")
    if smallest > frame:
        fail("smallest_bytes", smallest, f"at most {frame}, the largest frame")

    def taken_bytes(frame_bytes: int) -> int:
        return -(-(frame_bytes + header) // cell) * cell

    # The next size that needs one cell more; beyond that the part of a cell that is empty shrinks.
    next_bytes = taken_bytes(smallest) - header + 1
    sizes = [smallest, *([next_bytes] if next_bytes <= frame else [])]
    most = max(1.0, *(taken_bytes(each) / (each + GAP_BYTES) for each in sizes))
    # Rounded first: a whole number may come out a little above itself.
    needed = round(most * units.octets(rate * time_s) + taken_bytes(frame) + GAP_BYTES, 3)
    return -(-math.ceil(needed) // cell) * cell
