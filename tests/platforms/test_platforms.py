"""Every router is data: each printed fact is its row of the published tables, each load too."""

import inspect
from importlib import resources
from pathlib import Path

import pytest

from offenders import hold
from qoslib import measurements, units
from qoslib.compare import MODELS, published
from qoslib.flows import Host
from qoslib.platforms import PLATFORMS, Experiment, m120, platform
from qoslib.platforms.provenance import Facts, fitted, sourced
from qoslib.record import from_json
from qoslib.traffic import Stream

#: Each router below its name.
NAMED = [(name, platform(name)) for name in PLATFORMS]
#: Keys may carry the statistic of a latency.
LATENCIES = ("latency_average", "latency_maximum", "latency_minimum")


def rows(key):
    """The unflagged rows that a key names, as numbers in base units."""
    table, experiment, *stream, quantity = key.split("/")
    frame = measurements.load(table)
    if quantity in LATENCIES:
        quantity, statistic = quantity.split("_")
        frame = frame[frame["statistic"] == statistic]
    frame = frame[(frame["experiment"] == experiment) & (frame["quantity"] == quantity)]
    frame = frame[(frame["stream"] == "/".join(stream)) & (frame["status"] == "ok")]
    return [units.convert(v, u, base_unit(u)) for v, u in zip(frame["value"], frame["unit"])]  # noqa: B905


def base_unit(unit):
    kind = units.UNITS[unit][0]
    return next(name for name, (k, size) in units.UNITS.items() if k == kind and size == 1)


def printed(quantity, experiment, unit):
    """Stream to value of a quantity in the table of offered loads; all prints must agree."""
    frame = measurements.load("m120_offered")
    frame = frame[(frame["quantity"] == quantity) & (frame["experiment"] == experiment)]
    found = {}
    for row in frame[frame["stream"].isin(m120.CLASSES)].to_dict("records"):
        value = units.convert(row["value"], row["unit"], unit)
        assert found.setdefault(row["stream"], value) == pytest.approx(value)
    return found


def test_every_platform_file_is_in_the_registry():
    folder = Path(str(resources.files("qoslib.platforms")))
    files = {path.stem for path in folder.glob("*.py")} - {"__init__", "platform", "provenance"}
    files -= {"hosts", "trees"}  # senders that three of them share; schedulers by vendors' words
    files |= {path.parent.name for path in folder.glob("*/__init__.py")}
    assert files == set(PLATFORMS)


def test_an_unknown_platform_is_refused():
    with pytest.raises(ValueError, match=r"allowed: .*m120"):
        platform("m130")


def test_a_number_without_its_origin_is_no_fact():
    said = r"fact 'line_bps' is 200000000.0; allowed: sourced\(value, key\), assumed"
    with pytest.raises(ValueError, match=said):
        Facts(line_bps=0.2e9)


@pytest.mark.parametrize("made", [sourced, fitted])
def test_a_key_has_four_parts(made):
    assert made(1e9, "toy_results/base//line_rate") == 1e9
    said = "key is 'toy_results/base/line_rate'; allowed: file/experiment/stream/quantity"
    with pytest.raises(ValueError, match=said):
        made(1e9, "toy_results/base/line_rate")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"port": "port"},
            "Experiment 'e' port is 'port'; allowed: Port, Forwarder, Chain or Switch",
        ),
        ({"streams": "s"}, "Experiment 'e' streams is 's'; allowed: a sequence of Stream"),
        ({"hosts": (Stream("s"),)}, r"Experiment 'e' hosts\[0\] is Stream.*; allowed: a Host"),
        ({"name": 3}, "Experiment.name is 3; allowed: a text"),
    ],
)
def test_an_experiment_of_a_wrong_kind_is_refused(changes, said):
    fields = {"name": "e", "title": "E", "port": m120.port(), "streams": (Stream("s"),)}
    with pytest.raises(ValueError, match=said):
        Experiment(**fields | changes)


def test_a_sourced_fact_is_its_row():
    def printed_so(value):
        found = rows(value.origin)
        assert any(value == pytest.approx(row) for row in found), f"{value}, not {found}"

    hold(
        printed_so,
        [
            (f"{name} {fact}", value)
            for name, router in NAMED
            for fact, value in router.facts.items()
            if value.kind == "sourced"
        ],
    )


def test_what_a_parameter_was_fitted_on_is_published():
    def unpublished(router):
        keys = [key for keys in router.facts.fitted_on.values() for key in keys]
        return [key for key in keys if not rows(key)]

    hold(unpublished, NAMED)


def test_a_platform_prints_where_its_numbers_come_from():
    def told(line, fact, value):
        assert value.origin
        assert value.kind in ("sourced", "assumed", "fitted")
        assert line.startswith(fact)
        assert line.endswith(value.origin)

    hold(
        told,
        [
            (f"{name} {fact}", line, fact, value)
            for name, router in NAMED
            for line, (fact, value) in zip(
                str(router.facts).splitlines(), router.facts.items(), strict=True
            )
        ],
    )


def declares_what_the_scoreboard_needs(name, router):
    assert router.name == name
    assert next(iter(router.assumptions)) == "base"
    assert set(router.models) <= set(MODELS)
    there = {value.experiment for value in published(name).results}
    described = {n for e in router.experiments().values() for n in (e.name, *e.also)}
    assert there - described == set(router.not_described)
    assert set(router.parameters) <= set(router.assumptions)
    for names in router.parameters.values():
        assert all(router.facts[each].kind == "fitted" for each in names)
    with pytest.raises(ValueError, match="allowed: base"):
        router.experiments("wishful")


def test_a_platform_declares_what_the_scoreboard_needs():
    hold(declares_what_the_scoreboard_needs, [(name, name, router) for name, router in NAMED])


def test_a_platforms_ports_are_those_of_its_experiments():
    def described(made, router):
        arguments = inspect.signature(made).parameters.values()
        needed = [each for each in arguments if each.default is each.empty]
        sizes = {each.name: 1e6 for each in needed if each.kind is not each.VAR_KEYWORD}
        experiments = router.experiments().values()
        assert made(**sizes).name in {each.port.name for each in experiments} | {
            hop.at.name for each in experiments for hop in getattr(each.port, "hops", ())
        }

    hold(
        described,
        [(f"{name} {port}", m, r) for name, r in NAMED for port, m in r.ports.items()],
    )


def test_an_experiment_survives_json():
    def survives(experiment):
        assert from_json(experiment.port.to_json()) == experiment.port
        for stream in experiment.streams:
            assert Stream.from_json(stream.to_json()) == stream
        for host in experiment.hosts:
            assert Host.from_json(host.to_json()) == host

    hold(
        survives,
        [
            (f"{name}, {assumptions}, {title}", experiment)
            for name, router in NAMED
            for assumptions in router.assumptions
            for title, experiment in router.experiments(assumptions).items()
        ],
    )


@pytest.mark.parametrize("experiment", ["base", "scenario1"])
def test_m120_offers_the_printed_shares(experiment):
    shares = m120.SHARES[experiment]
    assert printed("offered_share", experiment, "1") == pytest.approx(shares)


@pytest.mark.parametrize("experiment", ["profile1", "profile2"])
def test_m120_offers_the_printed_rates(experiment):
    rates_mbps = m120.RATES_MBPS[experiment]
    assert printed("offered_bits", experiment, "Mbit/s") == pytest.approx(rates_mbps)


def test_m120_counts_the_frames_of_a_full_line_as_the_source_does():
    """Scenario 1 prints 9747 layer-3 Mb/s for the whole line."""
    streams = m120.PLATFORM.experiments()["scenario1"].streams
    share = sum(s.rate_bps for s in streams if s.name != "CS4")
    assert units.convert(share, "bit/s", "Mbit/s") == pytest.approx(9747, abs=0.5)


def test_m120_transit_is_what_the_fastest_class_leaves():
    """The fit: the printed latency of CS4 less the time its frame takes on the line."""
    facts = m120.FACTS
    wire_s = units.serialisation_s(facts.frame_scenario2_bytes, facts.line_bps, facts.gap_bytes)
    for key in facts.fitted_on["transit_s"]:
        assert rows(key) == pytest.approx([facts.transit_s + wire_s], abs=units.us(0.0005))
