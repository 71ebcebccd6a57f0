"""The ISR4331 lesson balances, except where packets pass the default class's queue by."""

import pytest

from ledgers import Identity, close, complaints, one, pick, read

IPERF = read("isr4331_iperf3.csv")
COUNTERS = read("isr4331_counters.csv")
SETTINGS = read("isr4331_configuration.csv")
ROWS = IPERF + COUNTERS + SETTINGS

FRAME = 1490  # B that the router counts for a datagram: 38585040 B / 25896
HEADERS = 42  # B of it: Ethernet 14, IP 20, UDP 8
PAYLOAD = FRAME - HEADERS
RUNS = (
    ("unmarked_alone", "default"),
    ("ef_alone", "EF"),
    ("default_alone", "default"),
    ("no_llq", "EF"),
    ("no_llq", "default"),
    ("llq_ef_alone", "EF"),
    ("llq", "EF"),
    ("llq", "default"),
)
LISTINGS = ("llq_idle", "llq_ef_alone", "llq_cumulative")
FIVE_MINUTES_S = 300


def cells(rows, experiment, stream, *quantities):
    where = {"experiment": experiment, "stream": stream}
    return [one(rows, quantity=quantity, **where) for quantity in quantities]


def follows(row, others, formula, room=0.0):
    """Identity: a row is a formula of others, within its own rounding and some room."""
    room += row.half_width
    return Identity(f"{row}", (row, *others), lambda v, *o: close(v, formula(*o), room))


def equal(*rows):
    """Identity: all rows have one value, in one unit."""
    return Identity(f"{rows[0]}", rows, lambda first, *rest: all(x == first for x in rest))


def mebibytes(packets):
    return packets * PAYLOAD / 2**20


def rate(row, packets, duration):
    """Identity: Mbit/s = payload bits of the packets / duration, within the print of both."""
    room = duration.half_width / duration.printed * row.printed
    return follows(row, [packets, duration], lambda n, s: n * PAYLOAD * 8 / s / 1e6, room)


def seconds():
    """Yield, for each one-second line, its MBytes and Mbit/s; and the sum of the ten."""
    for run in RUNS:
        columns = [
            pick(IPERF, experiment=run[0], stream=run[1], quantity=f"interval_{unit}")
            for unit in ("packets", "bytes", "bits")
        ]
        for packets, size, bits in zip(*columns, strict=True):
            yield follows(size, [packets], mebibytes)
            yield follows(bits, [packets], lambda n: n * PAYLOAD * 8 / 1e6)
        (whole,) = cells(IPERF, *run, "offered_packets")
        yield Identity(f"{whole}", (whole, *columns[0]), lambda w, *p: w == sum(p) and len(p) == 10)


def senders():
    """Yield, for each sender's line: MBytes, Mbit/s, and that it has seen no loss."""
    quantities = ("offered_packets", "offered_bytes", "offered_bits", "sender_duration")
    for run in RUNS:
        packets, size, bits, duration = cells(IPERF, *run, *quantities)
        yield follows(size, [packets], mebibytes)
        yield rate(bits, packets, duration)
        lost = cells(IPERF, *run, "sender_dropped_packets", "sender_drop_ratio", "sender_jitter")
        yield Identity(f"{lost[0]}", tuple(lost), lambda *v: v == (0, 0, 0))
        target = cells(IPERF, *run, "target_rate", "target_duration")
        yield follows(bits, target[:1], lambda mbps: mbps)
        yield equal(duration, target[1])


def receivers():
    """Yield, for each receiver's line: MBytes and Mbit/s of what arrived, and the loss in %."""
    quantities = ("numbered_packets", "dropped_packets", "drop_ratio", "received_bytes")
    for run in RUNS:
        total, lost, percent, size = cells(IPERF, *run, *quantities)
        mbps, duration = cells(IPERF, *run, "throughput", "duration")
        yield follows(percent, [lost, total], lambda d, n: 100 * d / n)
        yield follows(size, [total, lost], lambda n, d: mebibytes(n - d))
        room = duration.half_width / duration.printed * mbps.printed
        yield follows(
            mbps, [total, lost, duration], lambda n, d, s: (n - d) * PAYLOAD * 8 / s / 1e6, room
        )
        (offered,) = cells(IPERF, *run, "offered_packets")
        yield unseen(offered, total, lost)


def unseen(offered, numbered, lost):
    """Identity: datagrams lost after the last one to arrive are unknown to the receiver.

    They are no more than it misses elsewhere, and fewer than one tick of the sender (1 ms).
    """
    return Identity(
        f"{numbered}",
        (offered, numbered, lost),
        lambda n, seen, missed: 0 <= n - seen <= min(missed, n / 10 / 1e3),
    )


def both_flows():
    """Yield the sum that the text draws: 21.7 + 74.3 Mbit/s are 96."""
    (total,) = cells(IPERF, "no_llq", "", "throughput")
    parts = [
        one(IPERF, experiment="no_llq", stream=s, quantity="throughput") for s in ("EF", "default")
    ]
    yield follows(total, parts, lambda a, b: a + b, sum(part.half_width for part in parts))


def classes():
    """Yield matched = output + dropped of each class in each listing, in packets and bytes."""
    quantities = (
        "class_packets",
        "output_packets",
        "queue_dropped_packets",
        "no_buffer_dropped_packets",
    )
    for listing in LISTINGS:
        for stream in ("EF", "default"):
            rows = cells(COUNTERS, listing, stream, *quantities, "queue_depth")
            yield Identity(f"{rows[0]}", tuple(rows), lambda n, *parts: n == sum(parts))
            octets = cells(COUNTERS, listing, stream, "class_bytes", "output_bytes")
            # A dropped packet has at most the bytes of a full frame, and exactly those in EF.
            yield Identity(
                f"{octets[0]}",
                (*octets, rows[2]),
                lambda b, out, drops: 0 <= b - out <= drops * FRAME,
            )
        dropped, exceeded = cells(
            COUNTERS, listing, "EF", "queue_dropped_packets", "exceed_dropped_packets"
        )
        yield equal(dropped, exceeded)
        for kind in ("class", "output"):
            pair = cells(COUNTERS, listing, "EF", f"{kind}_packets", f"{kind}_bytes")
            yield Identity(f"{pair[0]}", tuple(pair), lambda n, b: n * FRAME == b)


def averages():
    """Yield that a decaying average over five minutes is at most all bits over five minutes."""
    for listing in LISTINGS:
        for stream in ("EF", "default"):
            octets, drops = cells(COUNTERS, listing, stream, "class_bytes", "queue_dropped_packets")
            kinds = ("offered_bits_5_minutes", "dropped_bits_5_minutes")
            offered, dropped = cells(COUNTERS, listing, stream, *kinds)
            yield at_most(offered, octets, 8 / FIVE_MINUTES_S)
            yield at_most(dropped, drops, FRAME * 8 / FIVE_MINUTES_S)


def at_most(row, of, factor):
    """Identity: a reading is at most a factor times a counter, and 0 if and only if that is 0.

    Below 500 bit/s a reading is printed as 0.
    """
    room = row.half_width
    return Identity(
        f"{row}",
        (row, of),
        lambda bps, n: bps <= n * factor + room and (bps > 0) == (n * factor > room),
    )


def runs_and_counters():
    """Yield that the listing after a run counts it: alone, and with an earlier, stopped run."""
    run = cells(IPERF, "llq_ef_alone", "EF", "offered_packets", "numbered_packets")
    listed = cells(COUNTERS, "llq_ef_alone", "EF", "class_packets", "output_packets")
    yield equal(*run, *listed)
    for stream in ("EF", "default"):
        run = cells(IPERF, "llq", stream, "offered_packets", "dropped_packets")
        listed = cells(COUNTERS, "llq_cumulative", stream, "class_packets", "queue_dropped_packets")
        yield Identity(
            f"{listed[0]}",
            (*run, *listed),
            lambda n, lost, matched, dropped: 0 <= dropped - lost <= matched - n,
        )


def settings():
    """Yield what commands, listings and text repeat."""
    for stream in ("EF", "default"):
        yield equal(*pick(SETTINGS, quantity="queue_limit", stream=stream))
    yield equal(*pick(SETTINGS, quantity="line_rate"))
    yield equal(*pick(SETTINGS, quantity="policer_burst"))
    rates = pick(SETTINGS, quantity="priority_rate")
    kilo = [row for row in rates if row.text["unit"] == "kbit/s"]
    yield equal(*kilo)
    for row in set(rates) - set(kilo):
        yield follows(row, kilo[:1], lambda kbps: kbps / 1e3)
    marks = pick(ROWS, quantity="tos_byte")
    yield equal(*marks)
    for row in pick(SETTINGS, quantity="dscp"):
        yield follows(row, marks[:1], lambda tos: int(tos) >> 2)
    yield equal(*pick(ROWS, quantity="target_rate", unit="Mbit/s", value="80"))


GROUPS = (
    seconds,
    senders,
    receivers,
    both_flows,
    classes,
    averages,
    runs_and_counters,
    settings,
)
IDENTITIES = [identity for group in GROUPS for identity in group()]


def test_exactly_the_flagged_rows_break_the_ledger():
    assert complaints(ROWS, IDENTITIES) == []


def test_the_flagged_rows_are_outputs_of_the_default_class():
    flagged = [row.text for row in ROWS if row.flagged]
    assert {(row["stream"], row["quantity"]) for row in flagged} == {
        ("default", "output_packets"),
        ("default", "output_bytes"),
    }


def test_every_result_takes_part_in_an_identity():
    used = {row for identity in IDENTITIES for row in identity.rows}
    free = {row.text["quantity"] for row in IPERF + COUNTERS if row not in used}
    assert free == {"jitter"}


@pytest.mark.parametrize(
    ("stream", "packets", "lost"), [("EF", 7717, 1998), ("default", 33939, 723)]
)
def test_an_earlier_stopped_run_is_in_the_last_listing(stream, packets, lost):
    offered, dropped = cells(IPERF, "llq", stream, "offered_packets", "dropped_packets")
    listed = cells(COUNTERS, "llq_cumulative", stream, "class_packets", "queue_dropped_packets")
    assert [row.printed for row in listed] == [offered.printed + packets, dropped.printed + lost]
