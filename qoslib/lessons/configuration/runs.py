"""What the models say of the ports that were read, compared with what was published."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from qoslib import config, measurements, run, units
from qoslib.lessons.configuration.scenes import EF_BPS, FRAME_BYTES, loaded
from qoslib.lessons.configuration.texts import office_text
from qoslib.platforms import m120
from qoslib.plots.columns import Columns
from qoslib.port import PacketLimit, Port
from qoslib.results import Result
from qoslib.scenario import Scenario
from qoslib.traffic import Poisson, Stream

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["base_test", "counters", "delays", "first_drop_ms", "rising", "shown"]

#: Code points of the M120's classes that are not their names.
MARKS = {"BE": "CS0", "NC": "CS6"}
MOST_EVENTS = 200_000


def first_drop_ms(port: Port) -> float:
    """How long EF sends 30 Mb/s until the policer drops its first packet, under congestion [ms]."""
    begin_s = 0.5
    streams = (
        Stream("EF", EF_BPS, FRAME_BYTES, mark="EF", start_s=begin_s),
        Stream("unmarked", units.mbps(120), FRAME_BYTES, mark="CS0"),
    )
    result = run(Scenario("burst", port, streams, 2 * begin_s), events=MOST_EVENTS)
    events = result.events
    assert events is not None
    drops = events.time_s[(events.kind == "drop") & (events.stream == 0)]
    return float(units.convert(drops[0] - begin_s, "s", "ms"))


def shown(port: Port) -> "pd.DataFrame":
    """What the router's own listing shows, compared with the port that was read."""
    policer = port.queues[0].policer
    assert policer is not None
    held = [each.limit.packets for each in port.queues if isinstance(each.limit, PacketLimit)]
    modelled = {
        ("EF", "policer_burst"): policer.burst_bytes,
        ("EF", "queue_limit"): held[0],
        ("default", "queue_limit"): held[1],
    }
    table = measurements.rows("isr4331_configuration")
    listed = {
        (row.stream, row.quantity): row.value for row in table if row.experiment == "llq_idle"
    }
    rows = {
        f"{stream}, {quantity.replace('_', ' ')}": _row(int(listed[stream, quantity]), value)
        for (stream, quantity), value in modelled.items()
    }
    return Columns.of_rows(rows).to_frame()


def _row(published, modelled):
    error = units.convert(modelled / published - 1, "1", "%")
    return {"published": published, "modelled": modelled, "error [%]": round(float(error), 1)}


def rising(ports: Mapping[str, Port], offered_mbps: Iterable[float]) -> "pd.DataFrame":
    """How much of EF is sent as it offers more, while the rest offers 100 Mb/s [Mb/s]."""
    offered = list(offered_mbps)
    columns = {}
    for name, port in ports.items():
        results = (run(loaded(port, units.mbps(each), units.mbps(100))) for each in offered)
        sent = [units.convert(result["EF"].sent_bps, "bit/s", "Mbit/s") for result in results]
        columns[name] = sent
    return Columns(columns, offered, "EF offered [Mb/s]").round(1).to_frame()


def base_test(port: Port) -> Result:
    """The source's base test at a port of the M120, with marks that a classifier can read."""
    test = m120.PLATFORM.experiments()["base"].scenario
    marked = [each.replace(mark=MARKS.get(each.name, each.name)) for each in test.streams]
    return run(test.replace(network=port, streams=marked), "fluid")


def delays(text: Port, temporal: Port) -> "pd.DataFrame":
    """Delays of the base test: published, and modelled with two ports read and with ours."""
    tests = m120.PLATFORM.experiments()
    places = {"BE": ("base", "BE", text), "CS1": ("base", "CS1", text)}
    places["CS1, temporal 5k"] = ("base_temporal", "CS1", temporal)
    table = measurements.rows("m120_latency")
    published = {
        (row.experiment, row.stream): row.value for row in table if row.quantity == "latency"
    }
    rows = {}
    for name, (test, stream, port) in places.items():
        ours = run(tests[test].scenario, "fluid")[stream].delay_mean_s
        read = base_test(port)[stream].delay_mean_s
        row = _row(published[test, stream], float(units.convert(read, "s", "ms")))
        rows[name] = {
            "published [ms]": row["published"],
            "modelled from the text [ms]": round(row["modelled"], 1),
            "error [%]": round(row["error [%]"]),
            "m120.port() [ms]": round(float(units.convert(ours, "s", "ms")), 1),
        }
    return Columns.of_rows(rows).to_frame()


def counters() -> "pd.Series[str]":
    """The counters of the office with a fault, for the exercise that asks for its name."""
    line_bps = units.mbps(20)
    port = config.read(office_text(), facts={"line_rate_bps": line_bps}).ports[0].port
    assert port is not None
    streams = (
        Stream("calls", units.mbps(2), 214, Poisson(), mark="EF"),
        Stream("data", units.mbps(22), 1500, Poisson(), mark="CS0"),
    )
    lasts_s = 20.0
    result = run(Scenario("office", port, streams, lasts_s, warmup_s=2.0))
    counted = {name: int(result[name].offered_pps * lasts_s) for name in result.streams}
    dropped = {name: int(result[name].dropped_pps * lasts_s) for name in result.streams}
    voice = sum(counted[each.name] for each in streams if port.queue_of(each) == 0)
    lost = units.convert(dropped["calls"] / counted["calls"], "1", "%")
    waited_ms = units.convert(result["calls"].delay_mean_s, "s", "ms")
    import pandas as pd

    return pd.Series(
        {
            "class VOICE: packets": f"{voice:,}",
            "class VOICE: b/w exceed drops": "0",
            "class-default: packets": f"{sum(counted.values()) - voice:,}",
            "class-default: drops": f"{sum(dropped.values()):,}",
            "class-default: queue limit": "200 packets",
            "calls: packets lost": f"{lost:.0f} %",
            "calls: mean delay": f"{waited_ms:.0f} ms",
        },
        name="20 s at 20 Mb/s",
    )
