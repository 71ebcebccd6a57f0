"""The buffer tests of the MX80 and the 6506 hold together, except where flagged rows do not."""

from ledgers import Identity, close, complaints, one, pick, read, total

MX80 = read("mx80_results.csv", "mx80_configuration.csv")
CATALYST = read("catalyst6506_results.csv", "catalyst6506_configuration.csv")
ROWS = MX80 + CATALYST

LINK_GBPS = 10  # assumed: the slides do not print it
MSS, HEADERS, ETHERNET = 8948, 52, 14  # TCP over IPv4 with time stamps in packets of 9000 B
SEGMENTS = range(1, 8)  # that segmentation offload (64 kB) may hand to the shaper as one


def legacy_rate_gbps(rate_gbps, size_bytes):
    """Rate at which an old htb class passes packets of one size [Gbit/s].

    Before Linux 3.8 a class looked its delays up in a table of 256 entries, 8 B apart (the
    cell for an MTU of 1600 B), which `tc` had cut to whole microseconds; longer packets added
    the last entry as often as they contained it.
    """
    table = [int(8 * 8 * (entry + 1) / (rate_gbps * 1e3)) for entry in range(256)]
    cell = (size_bytes - 1) >> 3
    delay_us = table[255] * (cell >> 8) + table[cell & 255]
    return 8 * size_bytes / (delay_us * 1e3)


def most_of_a_class_gbps(rate_gbps):
    """Most that one class lets through: exact pacing, or the old table at its most generous."""
    sizes = [n * MSS + HEADERS + ETHERNET for n in SEGMENTS]
    return max(rate_gbps, *(legacy_rate_gbps(rate_gbps, size) for size in sizes))


def paced():
    """Yield: the class that all TCP of a subnet shares bounds its throughput."""
    for rate in pick(ROWS, quantity="paced_rate"):
        for throughput in pick(paired(rate), quantity="throughput"):
            yield Identity(
                f"{throughput}",
                (rate, throughput),
                lambda r, g, half=throughput.half_width: g - half <= most_of_a_class_gbps(r),
            )


def paired(row):
    """Return the rows of the same file and experiment."""
    return [r for r in pick(ROWS, experiment=row.text["experiment"]) if r.file == row.file]


def background(throughput):
    """Return the UDP rate beside a throughput: of its table's caption, or of the set-up."""
    if throughput.file.startswith("catalyst"):
        return one(CATALYST, quantity="background_rate")
    group = "pace_bg_" + throughput.text["experiment"][-2:]
    found = pick(MX80, quantity="background_rate", experiment=group)
    return found[0] if found else one(MX80, quantity="background_rate", experiment="configuration")


def loads():
    """Yield: throughput and background fit the link, at the edge of the print's rounding."""
    for throughput in pick(ROWS, quantity="throughput"):
        udp = background(throughput)
        room = LINK_GBPS + throughput.half_width + udp.half_width
        rows = (throughput, udp)
        yield Identity(f"load: {rows}", rows, lambda g, u, room=room: g + u <= room)


def buffers():
    """Yield: no buffer exceeds the maximum, and a hold queue is its packets of 9000 B."""
    for rows in (MX80, CATALYST):
        limit = one(rows, quantity="maximum_buffer")
        for buffer in pick(rows, quantity="buffer"):
            yield Identity(f"{buffer} fits", (buffer, limit), lambda mb, most: mb <= most)
    mtu = one(CATALYST, quantity="mtu")
    tested = [r for r in pick(CATALYST, quantity="queue_limit") if "hold" in r.text["experiment"]]
    for queue in tested:
        buffer = one(paired(queue), quantity="buffer")
        yield memory(buffer, queue, mtu)
    caption = one(CATALYST, quantity="queue_limit", experiment="pacing")
    rows = (caption, *tested)
    yield Identity("paced at the largest", rows, lambda n, *of: n == max(of))
    yield memory(one(CATALYST, quantity="buffer", experiment="conclusion"), caption, mtu)
    title = one(MX80, quantity="buffer", experiment="pacing")
    yield total("12 MB in both", title, [one(MX80, quantity="buffer", experiment="buffer_12MB")])


def memory(buffer, queue, mtu):
    return Identity(
        f"{buffer} is {queue}",
        (buffer, queue, mtu),
        lambda mb, n, size, half=buffer.half_width: close(mb, n * size / 1e6, half),
    )


def delays():
    """Yield: the delays of the commands add up to the delay of the text."""
    for rows, hosts in ((MX80, 1), (CATALYST, 2)):
        whole = one(rows, quantity="delay_added", experiment="configuration")
        for name in ("netem_command", "htb_command"):
            part = one(rows, quantity="delay_added", experiment=name)
            yield total(f"{hosts} hosts: {part}", whole, [part] * hosts)


def labels():
    """Yield: rates and sizes that name an experiment are those of its rows; ranges are in order."""
    for row in pick(ROWS, quantity="paced_rate", unit="Gbit/s"):
        name = row.text["experiment"]
        if name.startswith("pace_"):
            nominal = int(name.split("_")[1].rstrip("G"))
            yield Identity(f"{row}", (row,), lambda value, n=nominal: value == n)
    for row in pick(ROWS, statistic="range"):
        low, high = float(row.text["low"]), float(row.text["high"])
        holds = low < high and close(float(row.text["value"]), (low + high) / 2)
        yield Identity(f"{row}", (row,), lambda value, holds=holds: holds)


GROUPS = (paced, loads, buffers, delays, labels)
IDENTITIES = [identity for group in GROUPS for identity in group()]


def test_exactly_the_flagged_rows_break_the_ledger():
    assert complaints(ROWS, IDENTITIES) == []


def test_six_of_twenty_throughputs_are_impossible_as_described():
    throughputs = pick(ROWS, quantity="throughput")
    flagged = [row.text["experiment"] for row in throughputs if row.flagged]
    first = ["pace_3G_bg_2G", "pace_4G_bg_2G", "pace_5G_bg_2G"]
    assert len(throughputs) == len(pick(ROWS, quantity="dropped_packets")) == 20
    assert flagged == [*first, "pace_3G_bg_3G", "pace_4G_bg_3G", "pace_5G"]


def test_old_rate_table_turns_6_into_8_2_gbps():
    size = 7 * MSS + HEADERS + ETHERNET
    rates = [round(legacy_rate_gbps(rate, size), 2) for rate in (3, 4, 5, 6, 7, 8)]
    assert rates == [3.28, 4.11, 5.45, 8.22, 8.22, 8.22]
    size = MSS + HEADERS + ETHERNET
    rates = [round(legacy_rate_gbps(rate, size), 2) for rate in (3, 4, 5, 6, 7, 8)]
    assert rates == [3.28, 4.24, 5.55, 8.01, 9.01, 9.01]


def test_without_the_rounding_of_old_tables_two_more_would_be_impossible():
    rows = pick(CATALYST, quantity="paced_rate", place="table 2")
    cells = [(row.printed, one(paired(row), quantity="throughput")) for row in rows]
    beyond = [rate for rate, cell in cells if cell.printed - cell.half_width > rate]
    assert beyond == [5, 6, 7]
