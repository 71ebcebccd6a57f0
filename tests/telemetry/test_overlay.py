"""Each measured value stands next to the models' value of the same statistic."""

import copy
import json
import math

import numpy as np
import pandas as pd
import pytest

from outputs import IOS, IOS_BEFORE, tcp, udp
from qoslib import compare, measurements, plots, run, telemetry
from qoslib.flows import Flow, Host
from qoslib.port import ByteLimit, Codel, PacketLimit, Port, Queue, StrictPriority
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

PORT = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
OFFICE = Scenario("office", PORT, (Stream("data", 90e6, 1500, "poisson"),), 2.0)
QUEUES = (
    Queue("VOICE", PacketLimit(512)),
    Queue("VIDEO", ByteLimit(49_152), priority=1),
    Queue("class-default", PacketLimit(64), priority=2),
)
BRANCH = Scenario(
    "branch",
    Port("wan", 50e6, QUEUES, StrictPriority()),
    (
        Stream("voice", 8e6, 214, mark="VOICE"),
        Stream("VIDEO", 22e6, 1300, "poisson"),
        Stream("class-default", 30e6, 1135, "poisson"),
    ),
    2.0,
)
DOWNLOAD = Scenario(
    "download",
    Port("access", 100e6, (Queue("all", PacketLimit(100)),)),
    (Stream("noise", 1e6),),
    3.0,
    hosts=(Host("server", 1e9, (Flow("data", 0.02, mss_bytes=1448, frame_bytes=1514),)),),
)


def seen(*values, stream="data", unit="ms", quantity="latency"):
    """A table of (statistic, value)."""
    rows = [{"statistic": s, "value": v} for s, v in values]
    return measurements.load(pd.DataFrame(rows).assign(stream=stream, unit=unit, quantity=quantity))


def lines(overlay):
    """The table of an overlay by stream and quantity."""
    return overlay.to_frame().set_index(["stream", "quantity"])


def test_a_percentile_is_the_packets_percentile_and_the_fluid_has_none():
    table = seen(("average", 0.5), ("p50", 0.4), ("p95", 1.5), ("p99", 2.2), ("maximum", 4.0))
    overlay = compare.overlay(OFFICE, table)
    data = run(OFFICE)["data"]
    expected = {
        "latency_average": data.delay_mean_s,
        "latency_p50": data.delay_p50_s,
        "latency_p95": data.delay_p95_s,
        "latency_p99": data.delay_p99_s,
        "latency_maximum": data.delay_max_s,
    }
    found = lines(overlay).loc["data"]
    assert found["packets"].to_dict() == pytest.approx({q: 1e3 * s for q, s in expected.items()})
    assert np.isfinite(found.loc["latency_average", "fluid"])
    assert found.drop("latency_average")["fluid"].isna().all()
    assert "and no percentiles" in found.loc["latency_p99", "why"]
    assert "no extremes of single packets" in found.loc["latency_maximum", "why"]
    assert set(found["packets_verdict"]) <= {"within", "misfit"}


def test_a_percentile_of_all_streams_is_that_of_their_packets_together():
    two = OFFICE.replace(streams=(Stream("a", 60e6), Stream("b", 39e6, arrivals="poisson")))
    result = run(two)
    (row,) = compare.score_measurements(seen(("p99", 1.0), stream=""), two, [result])
    apart = sorted([result["a"].delay_p99_s, result["b"].delay_p99_s])
    assert apart[0] <= row.modelled * 1e-3 <= apart[1]


def test_counters_are_compared_as_shares_of_their_own_load():
    overlay = compare.overlay(BRANCH, telemetry.read(IOS, streams={"VOICE": "voice"}))
    table = lines(overlay)
    voice, video = (
        table.loc[("voice", "output_packets")],
        table.loc[("VIDEO", "tail_dropped_packets")],
    )
    assert voice["fluid"] == pytest.approx(400_000)
    assert video["packets"] == pytest.approx(
        300_000 * overlay.result("packets")["VIDEO"].drop_ratio, rel=1e-6
    )
    assert math.isnan(table.loc[("voice", "queue_depth")]["packets"])
    assert "at one moment" in table.loc[("voice", "queue_depth")]["why"]
    assert "line 24" in set(overlay.to_frame()["place"])
    # A mark is as good as a name.
    again = compare.overlay(BRANCH, telemetry.read(IOS), overlay.results)
    assert lines(again).loc[("VOICE", "output_packets")]["fluid"] == voice["fluid"]


def test_loads_that_differ_are_said():
    overlay = compare.overlay(BRANCH, telemetry.read(IOS))
    assert not any("of VIDEO" in said for said in overlay.loads)
    rates = telemetry.rates(telemetry.read(IOS_BEFORE), telemetry.read(IOS))
    overlay = compare.overlay(BRANCH, rates, overlay.results)
    assert (
        "The scenario offers 4.673 kpackets/s of VOICE, and 1 kpackets/s were measured."
        in overlay.loads
    )


def test_payload_of_udp_is_compared_with_payload():
    stream = Stream("data", 1_490 * 8 * 1_000, 1_490)
    port = Port("access", units_of_payload(975), (Queue("all", PacketLimit(20)),))
    table = telemetry.read(json.dumps(udp()), streams="data")
    found = lines(compare.overlay(Scenario("test", port, (stream,), 5.0), table)).loc["data"]
    assert found.loc["throughput", "fluid"] == pytest.approx(1448 * 8 * 975)
    assert found.loc["drop_ratio", "fluid"] == pytest.approx(2.5)
    assert found.loc["dropped_packets", "fluid"] == pytest.approx(250)
    assert "RFC 3550" in found.loc["jitter", "why"]


def units_of_payload(packets_per_s):
    """The rate of a line that carries so many of these frames."""
    return 1_490 * 8.0 * packets_per_s


def test_fragmented_datagrams_are_not_compared_with_packets():
    table = telemetry.read(json.dumps(udp(size=8192)), streams="data")
    overlay = compare.overlay(OFFICE, table)
    assert {row.verdict for row in overlay.rows} == {"unscored"}
    assert "one lost fragment loses all of it" in str(overlay)


def test_tcp_is_compared_with_tcp():
    overlay = compare.overlay(DOWNLOAD, telemetry.read(json.dumps(tcp()), streams="data"))
    found = lines(overlay).loc["data"]
    result = overlay.result("packets")
    assert found.loc["throughput", "packets"] == result["data"].goodput_bps
    again = result["data"].retransmitted / result.duration_s * 10.04
    assert found.loc["retransmits", "packets"] == pytest.approx(again)
    wait = 1e6 * (0.02 + result["data"].delay_mean_s)
    assert found.loc["smoothed_round_trip_average", "packets"] == pytest.approx(wait)
    assert "running mean" in found.loc["smoothed_round_trip_maximum", "why"]
    pings = seen(("p99", 30.0), quantity="round_trip")
    (row,) = compare.overlay(DOWNLOAD, pings, [result]).rows
    assert row.modelled == pytest.approx(1e3 * (0.02 + result["data"].delay_p99_s))
    (row,) = compare.overlay(OFFICE, pings, [run(OFFICE)]).rows
    assert "only a TCP flow has a round trip" in row.reason


def test_a_model_that_cannot_run_says_why():
    codel = OFFICE.replace(network=Port("p", 1e8, (Queue("all", PacketLimit(100), Codel()),)))
    overlay = compare.overlay(codel, seen(("average", 0.5)))
    assert list(overlay.silent) == ["fluid"]
    assert overlay.result("fluid") is None
    assert "The fluid model: " in str(overlay)
    assert list(overlay.to_frame().filter(like="fluid")) == []


def test_an_overlay_prints_shows_and_can_be_copied():
    overlay = compare.overlay(OFFICE, seen(("average", 0.5), ("p99", 2.2)))
    said = str(overlay)
    assert said.startswith("Overlay on 'office': ")
    assert "latency_p99" in said
    assert "<table>" in overlay._repr_html_()
    assert copy.copy(overlay).rows == overlay.rows
    assert compare.Overlay(OFFICE).to_frame().empty


def test_arguments_are_checked():
    for arguments in ((OFFICE, 3), (3, seen(("p99", 1))), (OFFICE, seen(("p99", 1)), 3)):
        with pytest.raises(ValueError, match="; allowed: "):
            compare.overlay(*arguments)
    with pytest.raises(
        ValueError, match="the unit of latency_p99 of data is 'Mbit/s'; allowed: s,"
    ):
        compare.overlay(OFFICE, seen(("p99", 1), unit="Mbit/s"))


# The figure


def trace(figure, uid):
    return next(each for each in figure.data if each["uid"] == uid)


def test_each_statistic_has_a_panel_of_its_own():
    table = seen(("average", 0.5), ("p99", 2.2), ("maximum", 4.0))
    figure = plots.overlay(compare.overlay(OFFICE, table))
    titles = [figure.layout[f"yaxis{n}"]["title"]["text"] for n in ("", "2", "3")]
    assert titles == ["mean delay [ms]", "99 % delay [ms]", "largest delay [ms]"]
    assert [trace(figure, f"measured-{n}")["y"] for n in range(3)] == [[0.5], [2.2], [4.0]]
    data = run(OFFICE)["data"]
    drawn = [trace(figure, f"packets-{n}")["y"][0] for n in range(3)]
    expected = [1e3 * s for s in (data.delay_mean_s, data.delay_p99_s, data.delay_max_s)]
    assert drawn == pytest.approx(expected)
    assert [trace(figure, f"fluid-{n}")["y"][0] for n in (1, 2)] == [None, None]


def test_payload_is_not_drawn_among_frames():
    laid = compare.overlay(DOWNLOAD, telemetry.read(json.dumps(tcp()), streams="data"))
    figure = plots.overlay(laid)
    titles = [figure.layout[f"yaxis{n}"]["title"]["text"] for n in ("", "2")]
    assert titles == ["throughput [Mb/s of payload]", "mean round trip [ms]"]
    assert trace(figure, "measured-0")["y"] == [94.1]
    assert trace(figure, "packets-0")["y"][0] == pytest.approx(
        laid.result("packets")["data"].goodput_bps / 1e6
    )
    assert "Not drawn: retransmits of data, smoothed_round_trip_maximum" in figure.summary


def test_the_table_of_a_figure_has_the_error_of_each_model():
    laid = compare.overlay(OFFICE, seen(("average", 0.5), ("p99", 2.0)))
    shown = plots.overlay(laid).table.loc["data"]
    known = lines(laid).xs("data")
    for statistic, measured in (("average", 0.5), ("p99", 2.0)):
        name = f"latency_{statistic}"
        assert shown[f"{name} measured [ms]"] == measured
        error = known.loc[name, "packets_error"]
        assert shown[f"{name} error, packets"] == f"{100 * error:+.1f} %"
    # 0.12 ms are the packet's own time on the line.
    assert shown["latency_average error, fluid"] == "-76.0 %"
    assert shown["latency_p99 error, fluid"] == "not scored"


def test_panels_may_be_chosen():
    laid = compare.overlay(OFFICE, seen(("p99", 2.2)))
    figure = plots.overlay(laid, plots.USUAL)
    assert figure.layout["yaxis3"]["title"]["text"] == "mean delay [ms]"
    assert trace(figure, "measured-2")["y"] == []
    assert "Not drawn: latency_p99 of data." in figure.summary
    for panels in (("mean",) * 5, ("late",)):
        with pytest.raises(ValueError, match="allowed: at most 4 of sent, throughput, lost"):
            plots.overlay(laid, panels)
    with pytest.raises(ValueError, match=r"the results of laid are .*; allowed: what at least one"):
        plots.overlay(compare.Overlay(OFFICE))


def test_a_measured_mark_has_the_look_of_its_class():
    laid = compare.overlay(BRANCH, seen(("p99", 9.0), stream="class-default"))
    figure = plots.overlay(laid)
    measured, packets = trace(figure, "measured-0"), trace(figure, "packets-0")
    assert measured["x"] == ["class-default"]
    fluid = plots.overlay(laid, ("mean",)).data[0]
    assert measured["marker"]["color"][0] == fluid["marker"]["color"][2]
    assert len(packets["y"]) == 3
