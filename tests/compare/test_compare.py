"""A row's verdict, a misfit's band, and what counts as a result."""

import dataclasses
from collections import Counter

import pytest

from qoslib import compare, fluid, measurements
from qoslib.compare import TOLERANCES, store
from qoslib.compare.observe import READINGS, UNREAD, NotModelledError, View, reading
from qoslib.compare.rows import TIMED, ZERO, row_of, tolerance
from qoslib.compare.values import INPUTS, Published
from qoslib.platforms import PLATFORMS, m120, platform
from qoslib.platforms.provenance import Facts, fitted

EXPERIMENT = m120.PLATFORM.experiments()["base"]
RESULT = fluid.solve(EXPERIMENT.port, EXPERIMENT.streams)
GIVEN = {("base", "BE", "offered_packets"): 1000.0}


def value(number=199_734.0, quantity="dropped", unit="packets/s", **changes):
    made = Published(
        table="m120_counters",
        experiment="base",
        stream="BE",
        quantity=quantity,
        table_quantity=quantity,
        value=number,
        half_width=0.5,
        unit=unit,
        status="ok",
        reason="",
    )
    return dataclasses.replace(made, **changes)


def views(*factors):
    """The model's drops times each factor; more than one as if they were runs of a random model."""
    results = [
        dataclasses.replace(
            RESULT,
            dropped_pps=RESULT.dropped_pps * factor,
            seed=None if len(factors) == 1 else seed,
        )
        for seed, factor in enumerate(factors)
    ]
    return [View(m120.PLATFORM, EXPERIMENT, result, GIVEN) for result in results]


def row(published, *factors):
    return row_of(published, views(*factors or (1.0,)))


def misfit(*band, **changes):
    made = store.Misfit(
        key="too_many_drops",
        platform="m120",
        experiments=("base",),
        streams=("BE", "CS1"),
        quantity="dropped",
        models=("fluid",),
        assumptions=("base",),
        band=band,
        why="",
        tried="",
    )
    return dataclasses.replace(made, **changes)


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [(1.0, "within"), (1.019, "within"), (0.981, "within"), (1.021, "misfit"), (0.979, "misfit")],
)
def test_the_tolerance_decides(factor, verdict):
    scored = row(value(199_733.6884), factor)
    assert scored.verdict == verdict
    assert scored.error == pytest.approx(factor - 1, abs=1e-6)
    assert (scored.tolerance, scored.error_kind) == (TOLERANCES["dropped"].relative, "relative")
    assert (scored.low, scored.high, scored.reason) == (None, None, None)


@pytest.mark.parametrize(
    ("factors", "verdict"),
    [((0.5, 1.5), "within"), ((1.01, 1.2), "within"), ((1.03, 1.2), "misfit")],
)
def test_a_random_model_fails_only_with_its_whole_interval(factors, verdict):
    scored = row(value(), *factors)
    assert scored.verdict == verdict
    assert scored.low == pytest.approx(min(factors) * 199_734, rel=1e-5)
    assert scored.high == pytest.approx(max(factors) * 199_734, rel=1e-5)
    assert scored.modelled == pytest.approx(sum(factors) / 2 * 199_734, rel=1e-5)


def test_where_nothing_was_published_to_be_lost_nothing_may_be_lost():
    none = value(0.0, stream="CS4", half_width=0.0)
    scored = row(none)
    assert (scored.verdict, scored.error, scored.error_kind) == ("within", 0.0, "absolute")
    assert scored.tolerance == ZERO
    assert row(dataclasses.replace(none, stream="BE")).verdict == "misfit"


def test_no_tolerance_is_finer_than_the_published_digits():
    assert tolerance(value(8.0, "drop_rate_ratio", "1"), "dropped") == 0.5 / 8
    assert tolerance(value(0.0), "dropped") == 0.5


def test_a_short_latency_is_a_transit_time():
    short, long = value(75.28, unit="us", half_width=0), value(45, unit="ms", half_width=0)
    assert tolerance(short, "latency") == TOLERANCES["transit"].relative
    assert tolerance(long, "latency") == TOLERANCES["latency"].relative


def test_an_inconsistent_value_is_not_scored():
    scored = row(value(status="inconsistent", reason="digits exchanged"))
    assert (scored.verdict, scored.misfit) == ("unscored", None)
    assert "digits exchanged" in scored.reason
    assert scored.modelled == pytest.approx(199_734, rel=1e-5)


def test_a_count_is_a_share_of_the_published_offered_count():
    counted = row(value(960.0, "dropped_packets", "packets"))
    assert counted.modelled == pytest.approx(1000 * 24 / 25)
    silent = row(value(960.0, "dropped_packets", "packets", stream="CS1"))
    assert (silent.verdict, silent.modelled) == ("unscored", None)
    assert "offered count" in silent.reason


def test_a_quantity_that_no_model_gives_has_its_reason():
    assert row(value(1.0, "colour", "1")).reason == "no model gives this quantity"
    assert "loss priority" in row(value(1.0, "dropped_packets_medium_low", "packets")).reason


def test_a_value_used_in_a_fit_says_so():
    assert not row(value()).fitted
    facts = Facts(transit_s=fitted(71e-6, "m120_counters/base/BE/dropped"))
    seen = dataclasses.replace(
        views(1.0)[0], platform=dataclasses.replace(m120.PLATFORM, facts=facts)
    )
    assert row_of(value(), [seen]).fitted


def test_all_streams_together_are_their_sum():
    both = row(value(224_700.0, stream=""))
    assert both.modelled == pytest.approx(RESULT.dropped_pps.sum())


@pytest.mark.parametrize(
    ("factors", "known", "complaint"),
    [
        ((1.0,), (), None),
        ((1.1,), (), "no known misfit"),
        ((1.1,), (misfit(0.09, 0.11),), None),
        ((1.1,), (misfit(0.11, 0.2),), "not 0.11 to 0.2"),
        ((1.05,), (misfit(0.09, 0.11),), "not 0.09 to 0.11"),
        ((1.0,), (misfit(0.09, 0.11),), "no misfit any more"),
        ((1.1, 1.2), (misfit(0.09, 0.21),), None),
        ((1.1, 1.3), (misfit(0.09, 0.21),), "not 0.09 to 0.21"),
        ((1.0,), (misfit(0.09, 0.11, models=("packets",)),), "names no row"),
    ],
)
def test_a_misfit_stays_in_its_band(factors, known, complaint):
    scored = row(value(199_733.6884), *factors)
    if scored.verdict == "misfit":
        scored = dataclasses.replace(scored, misfit=store.misfit_of(scored, known))
    found = store.failures([scored], known)
    assert len(found) == (complaint is not None)
    assert all(complaint in line for line in found)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('platform = "m120"', "missing: experiments, streams, quantity, models, assumptions, band"),
        ('colour = "red"', "a key is 'colour'; allowed: platform, experiments"),
    ],
)
def test_a_misfit_with_a_key_too_few_or_too_many_is_named(entry, said, monkeypatch, tmp_path):
    whole = """
        experiments = []\nstreams = []\nquantity = "sent"\nmodels = []\nassumptions = []
        band = [0, 1]\nwhy = ""\ntried = ""\nplatform = "m120"
    """
    text = entry if "missing" in said else whole + entry
    (tmp_path / "known_misfits.toml").write_text(f"[toy_off]\n{text}\n")
    monkeypatch.setattr(store.measurements, "folder", lambda: tmp_path / "measurements")
    with pytest.raises(ValueError, match=rf"known_misfits.toml, \[toy_off\]: {said}"):
        store.known_misfits()


def test_every_known_misfit_is_explained():
    known = store.known_misfits()
    assert known
    for each in known:
        assert each.why.strip()
        assert each.tried.strip()
        assert each.band[0] <= each.band[1]
        assert each.key.startswith(each.platform)


def test_every_value_is_told_once():
    data = compare.published()
    assert max(Counter(each.name for each in data.results).values()) == 1
    rows = sum(len(measurements.load(t).dropna(subset="value")) for t in tables())
    assert rows == len(data.results) + len(data.inputs) + data.repeated


def tables():
    return measurements.catalogue()["name"]


def test_no_load_and_no_setting_counts_as_a_result():
    data = compare.published()
    results = {each.table_quantity for each in data.results}
    assert not any(name.startswith(("offered", "transmit_rate")) for name in results)
    assert {"dropped", "in_service", "latency", "throughput"} <= results
    assert not {each.table for each in data.results if each.table.endswith("_configuration")}
    assert all(INPUTS.values())


@pytest.mark.parametrize("name", PLATFORMS)
def test_a_platform_with_models_has_a_reading_or_a_reason_for_each_quantity(name):
    router = platform(name)
    described = {n for e in router.experiments().values() for n in (e.name, *e.also)}
    for each in compare.published(name).results:
        said = row_of(each, views(1.0)) if each.experiment == "base" else None
        assert said is None or said.reason != "no model gives this quantity"
        assert each.experiment in described | set(router.not_described)


def test_readings_and_tolerances_fit_together():
    kinds = {how.kind for how in READINGS.values()} | set(TIMED.values())
    kinds |= {"carried_in_run", "dropped_in_run", "transit", "replayed", "rare"}
    kinds |= {"carried_by_tcp", "dropped_by_tcp"}
    assert kinds == set(TOLERANCES)
    assert all(kind.because for kind in TOLERANCES.values())
    assert all(UNREAD.values())
    assert reading("sent").unit == "packets/s"


def test_rates_of_a_whole_replay_are_over_the_time_of_sending():
    """The router empties for a second after 1200; testers take rates while they send."""
    whole = dataclasses.replace(EXPERIMENT, whole_s=1200.0)
    drained = dataclasses.replace(RESULT, duration_s=1201.0)
    short, replay = (
        View(m120.PLATFORM, whole, drained, GIVEN, "BE", flag) for flag in (False, True)
    )
    assert short.total("sent_pps") == RESULT["BE"].sent_pps
    assert replay.total("sent_pps") == pytest.approx(short.total("sent_pps") * 1201 / 1200)
    assert replay.dropped_by("head") == pytest.approx(short.dropped_by("head") * 1201 / 1200)
    assert replay.total("delay_mean_s") == short.total("delay_mean_s")


def test_a_ratio_to_nothing_is_no_number():
    assert views(1.0)[0].ratio("drop_rate_ratio") > 1
    (view,) = views(0.0)
    with pytest.raises(NotModelledError, match="no dropped_pps of CS1 to divide by"):
        view.ratio("drop_rate_ratio")
