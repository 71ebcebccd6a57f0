"""The MX150 article balances, except for drops that stand in no counter, and PAUSE frames."""

from itertools import pairwise

from ledgers import Identity, complaints, one, pick, read

COUNTERS = read("mx150_counters.csv")
THROUGHPUT = read("mx150_throughput.csv")
SETTINGS = read("mx150_configuration.csv")
ROWS = COUNTERS + THROUGHPUT + SETTINGS

LISTINGS = ("before_fix", "after_fix")
FRAME = 64  # B of the frames sent; the traffic statistics leave out the check sequence
CHECK_SEQUENCE = 4
PREAMBLE_AND_GAP = 20


def cells(listing, *quantities):
    return tuple(one(COUNTERS, experiment=listing, quantity=quantity) for quantity in quantities)


def equal(*rows):
    """Identity: all rows have one value, in one unit."""
    return Identity(f"{rows[0]}", rows, lambda first, *rest: all(x == first for x in rest))


def traffic():
    """Yield bytes = 60 x packets in both directions, and rates of 0 after the test."""
    for listing in LISTINGS:
        for side in ("input", "output"):
            rows = cells(listing, f"{side}_bytes", f"{side}_packets")
            yield Identity(f"{rows[0]}", rows, lambda b, n: b == n * (FRAME - CHECK_SEQUENCE))
            yield equal(*cells(listing, f"{side}_bits", f"{side}_rate"))


def octets():
    """Yield octets = 64 x frames; a PAUSE frame is in the octets, but not in the packets."""
    for listing in LISTINGS:
        for side in ("received", "transmitted"):
            names = ("octets", "packets", "pause_frames")
            rows = cells(listing, *(f"mac_{side}_{name}" for name in names))
            yield Identity(f"{rows[0]}", rows, lambda b, n, pause: b == FRAME * (n + pause))


def kinds_of_packets():
    """Yield packets = unicast + broadcast + multicast, and PAUSE being a control frame."""
    for listing in LISTINGS:
        for side in ("received", "transmitted"):
            names = ("packets", "unicast_packets", "broadcast_packets", "multicast_packets")
            rows = cells(listing, *(f"mac_{side}_{name}" for name in names))
            yield Identity(f"{rows[0]}", rows, lambda n, *parts: n == sum(parts))
            rows = cells(listing, f"mac_{side}_control_frames", f"mac_{side}_pause_frames")
            yield Identity(f"{rows[0]}", rows, lambda control, pause: control >= pause)


def from_mac_to_interface():
    """Yield received = input + dropped, and output - dropped = transmitted."""
    drops = ("drops", "resource_errors", "fifo_errors")
    for listing in LISTINGS:
        names = ["mac_received_packets", "input_packets", *(f"input_{name}" for name in drops)]
        rows = cells(listing, *names, "stp_dropped_input_packets", "input_policed_discards")
        yield Identity(f"{rows[0]}", rows, lambda n, *parts: n == sum(parts))
        names = ["output_packets", "mac_transmitted_packets", *(f"output_{d}" for d in drops)]
        rows = cells(listing, *names, "stp_dropped_output_packets")
        yield Identity(f"{rows[0]}", rows, lambda n, *parts: n == sum(parts))


def errors():
    """Yield that the totals of errors are 0, and so is every single kind."""
    for listing in LISTINGS:
        found = [
            row
            for row in pick(COUNTERS, experiment=listing)
            if "error" in row.text["quantity"] or "violation" in row.text["quantity"]
        ]
        yield Identity(f"errors {listing}", tuple(found), lambda *counts: not any(counts))


def line_rate():
    """Yield that a frame takes its time of a full 10 Gbit/s link: the test fits its listing."""
    for listing in LISTINGS:
        (rate,) = pick(SETTINGS, quantity="line_rate", experiment=listing)
        rows = (*cells(listing, "mac_received_packets", "since_cleared", "since_flapped"), rate)
        bits = 8 * (FRAME + PREAMBLE_AND_GAP)
        yield Identity(
            f"time of {listing}",
            rows,
            lambda n, cleared, flapped, gbps, bits=bits: (
                n * bits / gbps / 1e9 <= cleared <= flapped
            ),
        )


def capacity():
    """Yield what is said of 20 Gb/s: throughput stays below, and at it from 500 B on."""
    claims = pick(SETTINGS, quantity="capacity")
    yield equal(*claims)
    (knee,) = pick(SETTINGS, quantity="full_rate_frame_size")
    sizes = pick(THROUGHPUT, quantity="frame_size")
    rates = pick(THROUGHPUT, quantity="throughput")
    for size, rate in zip(sizes, rates, strict=True):
        yield Identity(
            f"{rate}",
            (size, rate, claims[0], knee),
            lambda b, gbps, most, above: gbps == most if b > above else gbps < most,
        )
    for pair, loads in zip(pairwise(sizes), pairwise(rates), strict=True):
        yield Identity(f"{pair}", (*pair, *loads), lambda b, c, x, y: b < c and x <= y)


def both_listings():
    """Yield that the settings and the traffic received are the same before and after."""
    before = pick(SETTINGS, experiment="before_fix")
    for row in before:
        yield equal(row, *pick(SETTINGS, experiment="after_fix", quantity=row.text["quantity"]))
    for quantity in ("mac_received_octets", "mac_received_packets"):
        yield equal(*(cells(listing, quantity)[0] for listing in LISTINGS))


GROUPS = (
    traffic,
    octets,
    kinds_of_packets,
    from_mac_to_interface,
    errors,
    line_rate,
    capacity,
    both_listings,
)
IDENTITIES = [identity for group in GROUPS for identity in group()]


def test_exactly_the_flagged_rows_break_the_ledger():
    assert complaints(ROWS, IDENTITIES) == []


def test_the_flagged_rows_are_drops_and_control_frames():
    flagged = [(row.text["experiment"], row.text["quantity"]) for row in ROWS if row.flagged]
    assert flagged == [
        ("before_fix", "input_drops"),
        ("before_fix", "mac_transmitted_control_frames"),
        ("after_fix", "input_drops"),
    ]


def test_every_counter_that_counts_takes_part_in_an_identity():
    used = {row for identity in IDENTITIES for row in identity.rows}
    assert [row for row in COUNTERS if row.printed and row not in used] == []


def test_a_rate_for_small_frames_does_not_count_the_frame_alone():
    """With 20 B a frame, the rows up to 300 B lie within the rounding of one packet rate."""
    sizes = [row.printed for row in pick(THROUGHPUT, quantity="frame_size")][:6]
    rates = pick(THROUGHPUT, quantity="throughput")[:6]
    for added, one_rate in ((0, False), (PREAMBLE_AND_GAP, True)):
        times = [8 * (size + added) / 1e3 for size in sizes]
        low = max((r.printed - r.half_width) / t for r, t in zip(rates, times, strict=True))
        high = min((r.printed + r.half_width) / t for r, t in zip(rates, times, strict=True))
        assert (low <= high) == one_rate
