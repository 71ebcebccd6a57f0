"""The M120 paper balances, except for the queue numbers of one listing."""

from itertools import pairwise

from ledgers import Identity, close, complaints, one, pick, read

COUNTERS = read("m120_counters.csv")
SETTINGS = read("m120_configuration.csv")
OFFERED = read("m120_offered.csv")
LATENCIES = read("m120_latency.csv")
ROWS = COUNTERS + SETTINGS + OFFERED + LATENCIES

FRAME = 1464  # B that the router counts for a frame of 1482 B on the link
LINE_FPS = 10e9 / (8 * (1482 + 20))  # such frames fill the link, with preamble and gap
CLASSES = ("BE", "CS1", "CS2", "CS3", "CS4", "NC")
GUARANTEED = ("BE", "CS1", "CS2", "CS3", "NC")  # CS4, strict-high, prints Link
LEVELS = ("low", "medium_low", "medium_high", "high")
READ_APART_S = 1.0  # counters and rates of a listing are readings up to a second apart
KINDS = ("offered", "sent", "dropped")


def cell(rows, quantity, experiment, stream="", place=""):
    return one(rows, quantity=quantity, experiment=experiment, stream=stream, place=place)


def follows(row, others, formula, room=0.0):
    """Identity: a row is a formula of others, within its own rounding and some room."""
    room += row.half_width
    return Identity(f"{row}", (row, *others), lambda v, *o: close(v, formula(*o), room))


def equal(*rows):
    """Identity: all rows have one value, in one unit."""
    return Identity(f"{rows[0]}", rows, lambda first, *rest: all(x == first for x in rest))


def mbps(row):
    """Return the factor that takes a rate of `row` to Mb/s."""
    return {"Mbit/s": 1.0, "Gbit/s": 1e3}[row.text["unit"]]


def added(whole, *parts):
    """Identity: rates in Mb/s or Gb/s add up, within the rounding of all of them."""
    of = [mbps(row) for row in parts]
    room = sum(row.half_width * mbps(row) for row in parts) / mbps(whole)
    summed = lambda *p: sum(x * f for x, f in zip(p, of, strict=True)) / mbps(whole)  # noqa: E731
    return follows(whole, parts, summed, room)


def counter_names():
    """Yield the names of a packet counter, its byte counter, its pps and its bps reading."""
    for kind in KINDS:
        yield f"{kind}_packets", f"{kind}_bytes", kind, f"{kind}_bits"
    for level in LEVELS:
        yield tuple(f"dropped{unit}_{level}" for unit in ("_packets", "_bytes", "", "_bits"))


def frames_and_bytes():
    """Yield packets x frame = bytes and pps x frame x 8 = bps, for each counter.

    Readings in pps are cut, not rounded: 8316 stands for 8316.94.
    """
    for names in counter_names():
        for stream in ("BE", "CS1"):
            packets, octets, pps, bps = (cell(COUNTERS, n, "base", stream) for n in names)
            yield Identity(f"{octets}", (packets, octets), lambda n, b: n * FRAME == b)
            yield Identity(f"{pps}", (pps, bps), lambda r, b: r <= b / (8 * FRAME) < r + 1)


def queues():
    """Yield offered = sent + dropped + what is in the queue, in packets and in packets/s.

    The queue holds no more than comes in within its latency; between two readings of the rates
    it gains or loses no more than it holds.
    """
    for stream in ("BE", "CS1"):
        counts = [cell(COUNTERS, f"{kind}_packets", "base", stream) for kind in KINDS]
        rates = [cell(COUNTERS, kind, "base", stream) for kind in KINDS]
        latency = cell(LATENCIES, "latency", "base", stream)
        yield Identity(
            f"packets in the queue of {stream}",
            (*counts, rates[0], latency),
            lambda o, s, d, rate, ms: 0 <= o - s - d <= rate * ms / 1e3,
        )
        yield Identity(
            f"rates of {stream}",
            (*counts, *rates),
            lambda o, s, d, offered, sent, dropped: abs(offered - sent - dropped) <= o - s - d,
        )
        tail = [cell(COUNTERS, q, "base", stream) for q in ("tail_dropped_packets", "tail_dropped")]
        yield Identity(f"tail drops of {stream}", tuple(tail), lambda n, pps: n == pps == 0)


def losses_by_priority():
    """Yield the sums of the drops over the loss priorities that a listing prints."""
    for quantity in ("dropped", "dropped_packets", "dropped_bytes", "dropped_bits"):
        for whole in pick(COUNTERS, quantity=quantity):
            where = {k: whole.text[k] for k in ("experiment", "stream")}
            parts = [p for x in LEVELS for p in pick(COUNTERS, quantity=f"{quantity}_{x}", **where)]
            yield Identity(f"{whole}", (whole, *parts), lambda w, *p: w == sum(p))


def run_times():
    """Yield that the counters of a listing, each over its rate, give one time of the run."""
    for experiment in ("base", "base_temporal", "scenario1"):
        counts = [r for k in KINDS for r in pick(COUNTERS, quantity=f"{k}_packets")]
        counts = [r for r in counts if r.text["experiment"] == experiment and r.printed]
        for a, b in pairwise(counts):
            rates = [
                cell(COUNTERS, row.text["quantity"][:-8], experiment, row.text["stream"])
                for row in (a, b)
            ]
            yield Identity(
                f"time of {a}",
                (a, b, *rates),
                lambda n, m, r, s: close(n / r, m / s, READ_APART_S),
            )


def prose_on_drops():
    """Yield 200 and 25 kpps, and eight times."""
    for stream in ("BE", "CS1"):
        drops = cell(COUNTERS, "dropped", "base", stream)
        yield follows(cell(COUNTERS, "drop_rate", "base", stream), [drops], lambda r: r / 1e3)
    for experiment in ("base", "base_temporal"):
        drops = [cell(COUNTERS, "dropped", experiment, stream) for stream in ("BE", "CS1")]
        yield follows(cell(COUNTERS, "drop_rate_ratio", experiment), drops, lambda a, b: a / b)


def shares():
    """Yield the shares of the testers: 100 %, the same in both tables, and as counted."""
    tables = [
        [cell(OFFERED, "offered_share", x, s, "table of Agilent 302") for s in GUARANTEED]
        for x in ("base", "scenario1")
    ]
    for table in tables:
        yield Identity("shares", tuple(table), lambda *p: sum(p) == 100)
    yield from (equal(*pair) for pair in zip(*tables, strict=True))
    for share in tables[0][:2]:
        stream = share.text["stream"]
        counted = cell(COUNTERS, "offered", "base", stream)
        yield equal(share, cell(OFFERED, "offered_share", "base", stream, "paragraph"))
        yield follows(share, [counted], lambda r: 100 * r / LINE_FPS)


def loads():
    """Yield the loads of the testers, their sums, and what the port lets through of them."""
    full, more = (cell(OFFERED, "offered_bits", "scenario1", f"Agilent {n}") for n in (302, 303))
    both = cell(OFFERED, "offered_bits", "scenario1")
    yield follows(full, [], lambda: LINE_FPS * 8 * FRAME / 1e6)
    yield added(both, full, more)
    shares = [cell(OFFERED, "offered_share", x, "CS4") for x in ("base", "scenario1")]
    heading = [cell(OFFERED, "offered_bits", "base", f"Agilent {n}", "heading") for n in (302, 303)]
    for rate, share in zip((heading[1], more), shares, strict=True):
        room = share.half_width / 100 * full.printed / mbps(rate)
        of = mbps(rate)
        yield follows(rate, [share, full], lambda pc, m, of=of: pc / 100 * m / of, room)
    total = cell(OFFERED, "offered_bits", "base", place="paragraph")
    yield Identity("12.6", (total, *heading), lambda w, a, b: close(w, a + b))
    for row in heading:
        yield equal(row, cell(OFFERED, "offered_bits", "base", row.text["stream"], "diagram"))
    line = cell(OFFERED, "line_rate", "base")
    ratio = cell(OFFERED, "oversubscription", "base")
    yield follows(ratio, [total, line], lambda w, rate: w / rate)
    drops = pick(COUNTERS, experiment="scenario1", quantity="dropped")
    carried = lambda m, *r: m - sum(r) * 8 * FRAME / 1e6  # noqa: E731
    yield follows(full, [both, *drops], carried, both.half_width + len(drops) * 8 * FRAME / 1e6)
    counts = [cell(OFFERED, "stream_count", "base", f"Agilent {n}") for n in (302, 303)]
    yield Identity("streams", tuple(counts), lambda a, b: (a, b) == (5, 1))


def profiles():
    """Yield the rows and columns of the traffic profiles, and the formula of the latency."""
    columns = ("offered_bits", "in_profile", "in_service", "out_of_profile", "dropped_bits")
    for experiment in ("profile1", "profile2"):
        table = [[cell(OFFERED, c, experiment, s, "row") for c in columns] for s in CLASSES]
        for offered, within, served, beyond, dropped in table:
            yield added(offered, within, beyond)
            yield added(offered, served, dropped)
            yield added(within, served)
            yield added(beyond, dropped)
        for column, parts in zip(columns, zip(*table, strict=True), strict=True):
            yield added(cell(OFFERED, column, experiment, "", "heading"), *parts)
        for stream in GUARANTEED:
            rate = cell(OFFERED, "bandwidth", experiment, stream)
            share = cell(OFFERED, "transmit_rate", experiment, stream)
            of = mbps(rate)
            yield follows(rate, [share], lambda pc, of=of: pc / 100 * 1e4 / of)
            yield equal(share, cell(SETTINGS, "transmit_rate", "configuration", stream))
        yield from repeated_loads(experiment)


def repeated_loads(experiment):
    """Yield the loads and rates of a profile that the text repeats, in Mb/s or Gb/s."""
    for stream in ("CS1", "BE"):
        first, *rest = pick(OFFERED, quantity="offered_bits", experiment=experiment, stream=stream)
        yield from (added(first, again) for again in rest)
        share = cell(OFFERED, "transmit_rate", experiment, stream)
        yield equal(share, *pick(SETTINGS, experiment=experiment, stream=stream))


def expected_latencies():
    """Yield Tc / E x 100 ms, as the answer computes it."""
    buffer = cell(SETTINGS, "delay_buffer", "configuration")
    for stream in ("CS1", "BE"):
        rate = cell(OFFERED, "transmit_rate_bits", "profile1", stream)
        load = cell(OFFERED, "offered_bits", "profile1", stream, "row")
        of = mbps(load)
        row = cell(LATENCIES, "expected_latency", "profile1", stream)
        yield follows(row, [rate, load, buffer], lambda c, e, ms, of=of: c / (e * of) * ms)
        yield added(cell(OFFERED, "bandwidth", "profile1", stream), rate)


def settings():
    """Yield what tables and listings repeat: queues, priorities, schedulers, code points."""
    for stream in CLASSES:
        yield equal(*pick(SETTINGS, quantity="queue_number", stream=stream))
        yield equal(*pick(SETTINGS, quantity="dequeue_priority", stream=stream))
        codes = [f"{x}_code_point_loss_low" for x in ("classifier", "rewrite")]
        yield equal(*(cell(SETTINGS, code, "configuration", stream) for code in codes))
    for stream in ("CS1", "BE"):
        yield equal(*pick(SETTINGS, quantity="transmit_rate", stream=stream))
    rates = pick(SETTINGS, quantity="transmit_rate", experiment="configuration")
    yield Identity("transmit rates", tuple(rates), lambda *p: sum(p) == 100)
    buffers = pick(SETTINGS, quantity="buffer_size", experiment="configuration")
    yield Identity("buffer sizes", tuple(buffers), lambda *p: sum(p) <= 100)
    yield equal(*pick(SETTINGS, quantity="buffer_size", statistic="configured", stream="CS1"))
    text, listing = pick(SETTINGS, quantity="temporal_buffer")
    yield follows(text, [listing], lambda us: us / 1e3)
    for what in ("forwarding_classes", "egress_queues"):
        for state in ("supported", "in_use"):
            yield equal(*pick(SETTINGS, quantity=f"{what}_{state}"))


GROUPS = (
    frames_and_bytes,
    queues,
    losses_by_priority,
    run_times,
    prose_on_drops,
    shares,
    loads,
    profiles,
    expected_latencies,
    settings,
)
IDENTITIES = [identity for group in GROUPS for identity in group()]


def test_exactly_the_flagged_rows_break_the_ledger():
    assert complaints(ROWS, IDENTITIES) == []


def test_the_flagged_rows_are_the_queue_numbers_of_one_listing():
    flagged = [row for row in ROWS if row.flagged]
    assert {row.text["stream"] for row in flagged} == set(CLASSES) - {"BE"}
    assert {row.text["quantity"] for row in flagged} == {"queue_number"}


def seen(row, change):
    """Whether some identity would fail if this row were off by `change`."""
    around = [identity for identity in IDENTITIES if row in identity.rows]
    values = [[r.consistent + change * (r is row) for r in each.rows] for each in around]
    return any(not each.holds(*v) for each, v in zip(around, values, strict=True))


def test_a_counter_off_by_one_per_mille_would_be_seen():
    assert [row for row in COUNTERS if not seen(row, max(1, row.printed // 1000))] == []
