"""The MX150: one packet rate, ten rows; and what PAUSE cannot explain."""

import numpy as np
import pytest

from qoslib import compare, fluid, packets, units
from qoslib.compare.run import MODELS
from qoslib.packets import throughput
from qoslib.platforms import mx150
from qoslib.platforms.mx150 import FACTS, FRAMES, PLATFORM, router, streams
from qoslib.traffic import imix

#: Published: frame size [B] to throughput in whole Gb/s.
PRINTED = dict(zip(FRAMES, (5, 7, 9, 13, 17, 19, 20, 20, 20, 20), strict=True))
FITTED_ON = (256, 300)
LINES_BPS = 20e9
GAP = 20


@pytest.fixture(scope="module")
def board(answered_once):
    return compare.score(platforms=["mx150"])


@pytest.fixture(scope="module")
def rows(board):
    return {(r.experiment, r.quantity, r.model, r.assumptions): r for r in board.rows}


def printed_gbps(cap_pps, size, byte_s=0.0):
    """What the fluid says of both directions together, in whole Gb/s as the table prints."""
    result = fluid.solve(router(1 / cap_pps, byte_s), streams(size))
    return round(float(units.rate_bps(result.sent_pps, size + GAP).sum()) / 1e9)


def caps_pps(size):
    """The packet rates that print as a row does."""
    return (np.array([-0.5, 0.5]) + PRINTED[size]) * 1e9 / (8 * (size + GAP))


@pytest.mark.parametrize("model", ["fluid", "packets"])
@pytest.mark.parametrize("size", FRAMES)
def test_all_ten_rows_exactly_as_printed(rows, size, model):
    row = rows[f"frame_{size}", "throughput", model, "base"]
    assert row.published == PRINTED[size]
    assert round(row.modelled) == PRINTED[size]
    assert (row.verdict, row.within_rounding) == ("within", True)


def test_two_rows_fix_the_cap_and_predict_the_other_eight(rows):
    low, high = (f(caps) for f, caps in zip((max, min), zip(*map(caps_pps, FITTED_ON))))  # noqa: B905
    assert low < FACTS.cap_pps < high
    assert FACTS.cap_pps == pytest.approx((low + high) / 2, rel=1e-4)
    fitted = {key[0] for key, row in rows.items() if row.fitted and key[1] == "throughput"}
    assert fitted == {f"frame_{size}" for size in FITTED_ON}
    for cap in (low * 1.0001, FACTS.cap_pps, high * 0.9999):
        mine = [size for size in FRAMES if printed_gbps(cap, size) == PRINTED[size]]
        assert len(mine) >= 9, "only the last whole Gb/s of one row depends on where in the range"


def test_one_parameter_has_a_range_that_gives_every_row():
    low = max(caps_pps(size)[0] for size in FRAMES if PRINTED[size] < 20)
    high = min(caps_pps(size)[1] for size in FRAMES if PRINTED[size] < 20)
    assert (low, high) == pytest.approx((7.473e6, 7.617e6), rel=1e-3)
    assert low < FACTS.cap_pps < high


def test_the_frame_alone_is_no_packet_rate():
    """Counted without the 20 B of the line, no cap gives the rows of 64 and 300 B."""
    alone = {size: caps_pps(size) * (size + GAP) / size for size in FRAMES if PRINTED[size] < 20}
    assert max(low for low, _ in alone.values()) > min(high for _, high in alone.values())


def test_the_knee_lies_between_the_rows_and_below_what_the_source_says():
    forwarder = router().hops[0].at
    knee = fluid.knee_bytes(forwarder, LINES_BPS, GAP)
    assert knee == pytest.approx(311, abs=1)
    assert 300 < knee < 500


def test_a_byte_may_cost_something_but_little():
    """The general cost: which times a packet and a byte of it give all ten rows."""
    possible = []
    for byte_s in np.linspace(0, 60e-12, 13):
        for packet_s in np.linspace(120e-9, 136e-9, 65):
            times = [(size, packet_s + byte_s * size) for size in FRAMES]
            told = [min(8 * (n + GAP) / t, LINES_BPS) / 1e9 for n, t in times]
            if [round(gbps) for gbps in told] == list(PRINTED.values()):
                possible.append(byte_s)
    assert min(possible) == 0
    assert 10e-12 < max(possible) < 50e-12, "below a tenth of what the lines take for a byte"


def test_the_counters_after_the_fix_bracket_the_cap(rows):
    low = rows["after_fix", "output_packets", "fluid", "base"]
    high = rows["after_fix", "input_packets", "fluid", "base"]
    assert low.published < low.modelled < high.published
    assert {low.verdict, high.verdict} == {"within"}
    spread = high.published / low.published - 1
    assert low.tolerance == pytest.approx(spread)


def test_a_pair_is_within_only_if_the_model_lies_between():
    data = compare.published("mx150")
    pair = {v.quantity: v for v in data.results if v.experiment == "after_fix"}
    entered, left = pair["input_packets"], pair["output_packets"]
    for modelled, holds in ((230e6, False), (240e6, True), (290e6, True), (300e6, False)):
        off = [abs(modelled / v.value - 1) <= data.spread(v) for v in (entered, left)]
        assert all(off) == holds
    assert data.spread(pair["input_errors"]) == 0


def test_obeyed_pause_forwards_more_than_the_counters_show(rows):
    """The wrong sign: the sender takes longer, so an unchanged cap forwards everything."""
    before = rows["before_fix", "input_packets", "packets", "base"]
    after = rows["after_fix", "input_packets", "packets", "base"]
    assert before.published < after.published
    assert before.modelled > after.modelled
    assert before.modelled == pytest.approx(999_999_999, rel=0.002)
    assert before.verdict == "misfit"


def test_rivals_of_the_obeyed_pause(rows):
    ignored = rows["before_fix", "output_packets", "fluid", "ignored"]
    slower = rows["before_fix", "output_packets", "fluid", "slower"]
    assert ignored.verdict == "misfit"
    assert (slower.verdict, slower.fitted) == ("within", False)
    assert rows["before_fix", "input_packets", "fluid", "slower"].fitted
    assert not rows["before_fix", "input_packets", "fluid", "ignored"].fitted


def test_the_unknown_duration_allows_a_range():
    assert mx150.before_fix_pps(67.2) == pytest.approx(2.47e6, rel=0.002)
    assert mx150.before_fix_pps(166) == pytest.approx(1.00e6, rel=0.002)
    for beyond_s in (60.0, 167.0):
        with pytest.raises(ValueError, match=r"allowed: 67\.2 to 166 s"):
            mx150.before_fix_pps(beyond_s)


def test_pause_is_sent_and_obeyed_in_the_packet_model():
    results = MODELS["packets"](PLATFORM.experiments()["before_fix"])
    for result in results:
        assert result.pause_frames > 10
        assert result.packets.lost.sum() == 0
        assert result.sent_pps.sum() == pytest.approx(FACTS.cap_pps, rel=0.001)


def test_a_direction_may_use_what_the_other_leaves():
    """A cap on each port would hold it to half."""
    left, right = streams(64)
    uneven = fluid.solve(router(), [left, right.replace(rate_bps=right.rate_bps / 100)])
    assert uneven.sent_pps[0] > 0.95 * FACTS.cap_pps


def test_imix_is_predicted_at_full_rate(board):
    told = [
        p
        for p in board.predictions
        if p["experiment"] == "imix" and p["quantity"] == "throughput" and p["model"] == "fluid"
    ]
    assert sum(p["modelled"] for p in told) == pytest.approx(LINES_BPS, rel=1e-3)
    assert not [row for row in board.rows if row.experiment == "imix"]


def test_throughput_without_loss_of_small_frames():
    found = throughput(router(), lambda bps: streams(64, bps / LINES_BPS), LINES_BPS,
                       resolution=0.005, duration_s=0.01)  # fmt: skip
    assert found.rate_bps == pytest.approx(FACTS.cap_pps * 8 * (64 + GAP), rel=0.03)


def test_throughput_of_imix_is_bounded_by_the_lines_alone():
    def at(bps):
        return streams(imix(), bps / LINES_BPS)

    found = throughput(router(), at, LINES_BPS, resolution=0.02, duration_s=0.01)
    assert found.rate_bps > 0.9 * LINES_BPS
    assert packets.simulate(router(), at(LINES_BPS), 0.01).hops[0].packets.lost.sum() == 0


def test_received_frames_vanish_in_no_counter(rows):
    """834 million frames are neither input nor dropped: where drops belong, 0 is printed."""
    row = rows["before_fix", "input_drops", "fluid", "slower"]
    assert (row.published, row.status, row.verdict) == (0, "inconsistent", "unscored")
    assert row.modelled == pytest.approx(834_182_524, rel=1e-4)
