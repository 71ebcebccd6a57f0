"""``python -m qoslib score``: the contract of its JSON, and what the M120's rows must show."""

import contextlib
import dataclasses
import io
import json
import math
import re
import subprocess
import sys
from collections import Counter

import pytest

from qoslib import __main__, compare
from qoslib.compare import scoreboard
from qoslib.platforms import PLATFORMS

KEYS = [field.name for field in dataclasses.fields(compare.Row)]
IDENTITY = ("platform", "experiment", "stream", "quantity", "model", "assumptions")
#: Published values of the M120 and how close both models must come.
EXPECTED = [
    *(("base", s, "dropped", "base", 0.02) for s in ("BE", "CS1")),
    *(("scenario1", s, "dropped", "base", 0.01) for s in ("BE", "CS1", "CS2", "NC")),
    *(("scenario1", s, "dropped", "generator", 0.01) for s in ("BE", "CS1", "CS2", "NC")),
    *(("scenario1", s, "latency_average", "base", 0.2) for s in ("CS1", "NC")),
    *((p, s, "latency_average", "base", 0.2) for p in ("profile1", "profile2")
      for s in ("BE", "CS1")),
    ("base", "CS1", "latency_maximum", "base", 0.2),
    ("base_drop_profile", "CS1", "latency_average", "base", 0.2),
    ("scenario1", "BE", "latency_average", "generator", 0.2),
]  # fmt: skip


def refuse(constant):
    raise AssertionError(f"{constant} is not strict JSON")


@pytest.fixture(scope="module")
def run(answered_once):
    """The command in this process, so that its answers serve the other tests too."""
    out, told = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told):
        code = __main__.main(["score", "--fresh", "--json"])
    command = "score --fresh --json"
    return subprocess.CompletedProcess(command, code, out.getvalue(), told.getvalue())


@pytest.fixture(scope="module")
def document(run):
    return json.loads(run.stdout, parse_constant=refuse)


@pytest.fixture(scope="module")
def rows(document):
    return {tuple(row[key] for key in IDENTITY): row for row in document["rows"]}


def found(rows, experiment, stream, quantity, assumptions="base", model="fluid"):
    return rows["m120", experiment, stream, quantity, model, assumptions]


def test_the_command_ends_well_and_reports_progress_beside_the_document(run):
    assert run.returncode == 0, run.stderr
    assert "Scenario 1" in run.stderr


def test_the_stored_scoreboard_is_the_one_just_worked_out(document):
    """The lessons read it; `make store` keeps a new one."""
    fresh = [compare.Row(**row) for row in document["rows"]]
    assert compare.differences(fresh)[:5] == []


def test_the_command_answers_from_the_stored_scoreboard(monkeypatch, capsys, document):
    """Without `--fresh` no model runs, and each count says which rows it is of."""
    with monkeypatch.context() as without_models:
        without_models.setattr(compare, "score", None)
        assert __main__.main(["score", "--json"]) == 0
        stored = json.loads(capsys.readouterr().out, parse_constant=refuse)
        assert __main__.main(["score"]) == 0
        shown = capsys.readouterr().out
    fresh = dict(document["summary"]["verdicts"])
    unscored = fresh.pop("unscored")
    assert stored["summary"]["verdicts"] == fresh
    for part in ("published", "spoken_to", "models", "misfits", "fitted", "sets"):
        assert stored["summary"][part] == document["summary"][part], part
    assert (stored["summary"]["kind"], document["summary"]["kind"]) == ("stored", "short")
    assert f"{fresh['within']} within" in shown
    assert f"{unscored} unscored" not in shown
    assert "+25.16 %" in shown
    assert "--fresh" in shown.splitlines()[-1]


def test_the_command_is_a_module():
    command = [sys.executable, "-m", "qoslib", "score", "--help"]
    asked = subprocess.run(command, capture_output=True, text=True, check=True)
    assert {"--json", "--full"} <= set(re.findall(r"--\w+", asked.stdout))


def test_the_document_has_three_parts(document, rows):
    assert list(document) == ["rows", "predictions", "summary"]
    assert len(rows) == len(document["rows"]), "each row is there once"


def test_the_contract_has_these_keys():
    names = "platform experiment stream quantity unit published half_width status model"
    names += (
        " assumptions modelled low high error error_kind tolerance verdict fitted misfit reason"
    )
    assert names.split() == KEYS


def test_every_row_keeps_the_contract(document):
    for row in document["rows"]:
        assert list(row) == KEYS
        assert row["verdict"] in ("within", "misfit", "unscored")
        assert row["error_kind"] == ("relative" if row["published"] else "absolute")
        assert row["platform"] in PLATFORMS
        assert (row["modelled"] is None) == (row["error"] is None)
        assert (row["verdict"] == "unscored") == bool(row["reason"])
        assert (row["verdict"] == "misfit") == bool(row["misfit"])
        if row["model"] == "fluid" or row["modelled"] is None:
            assert row["low"] is row["high"] is None, "a fluid has no interval"
        else:
            assert row["low"] <= row["modelled"] <= row["high"]


def test_errors_are_what_they_say(document):
    for row in document["rows"]:
        if row["error"] is not None:
            off = row["modelled"] - row["published"]
            relative = row["error_kind"] == "relative"
            expected = off / row["published"] if relative else off
            assert math.isclose(row["error"], expected, abs_tol=1e-12)


def test_inconsistent_values_are_not_scored(document):
    flagged = [row for row in document["rows"] if row["status"] == "inconsistent"]
    assert all(row["verdict"] == "unscored" for row in flagged)


@pytest.mark.parametrize("model", ["fluid", "packets"])
@pytest.mark.parametrize(("experiment", "stream", "quantity", "assumptions", "within"), EXPECTED)
def test_m120(rows, experiment, stream, quantity, assumptions, within, model):
    row = found(rows, experiment, stream, quantity, assumptions, model)
    assert row["verdict"] == "within"
    assert abs(row["error"]) <= within


def test_m120_latencies_that_need_a_trickle_say_so(rows):
    for stream in ("CS2", "BE"):
        row = found(rows, "scenario1", stream, "latency_average")
        assert (row["modelled"], row["verdict"]) == (None, "unscored")
        assert "sends nothing" in row["reason"]


def test_m120_misfits_are_named(document, rows):
    assert found(rows, "scenario1", "CS2", "latency_average", "generator")["misfit"]
    assert found(rows, "base_temporal", "CS1", "latency_average")["misfit"]
    assert found(rows, "profile1", "NC", "latency_average")["misfit"]
    assert set(document["summary"]["misfits"]) == {r["misfit"] for r in rows.values()} - {None}


def test_m120_rates_of_scenario_2_are_no_rates_of_frames(rows):
    """Counted without preamble and gap they would overflow CS2, which is printed as never late."""
    for profile in ("profile1", "profile2"):
        row = found(rows, profile, "CS2", "latency_average", "frames")
        assert row["modelled"] > 1000 * row["published"]
        assert found(rows, profile, "CS2", "latency_average")["verdict"] == "within"


def test_m120_case_of_the_customer_is_not_scored(rows):
    row = found(rows, "customer", "strict-high", "latency_average")
    assert row["published"] == 90
    assert "no test of the source reproduces it" in row["reason"]


def test_m120_transit_time_is_the_only_fit(document, rows):
    (fit,) = (fit for fit in document["summary"]["fitted"] if fit["platform"] == "m120")
    assert (fit["parameter"], fit["values"]) == ("transit_s", 2)
    mine = [r for r in rows.values() if r["platform"] == "m120"]
    marked = {(r["experiment"], r["stream"]) for r in mine if r["fitted"]}
    assert marked == {("profile1", "CS4"), ("profile2", "CS4")}


def test_predictions_are_not_rows(document, rows):
    measured = {(key[1], key[2], key[3]) for key in rows}
    assert document["predictions"]
    for entry in document["predictions"]:
        assert (entry["experiment"], entry["stream"], entry["quantity"]) not in measured
        assert (entry["modelled"] is None) == bool(entry["reason"])


def test_the_summary_adds_up(document):
    counts = document["summary"]
    printed, spoken, silent = (counts[k] for k in ("published", "spoken_to", "not_spoken_to"))
    assert printed["values"] == printed["ok"] + printed["inconsistent"]
    assert printed["ok"] == spoken["values"] + silent["values"]
    assert silent["values"] == sum(entry["values"] for entry in silent["reasons"])
    for part in (spoken, *counts["models"].values()):
        assert part["values"] == sum(part[name] for name in scoreboard.CLOSENESS)
    verdicts = Counter(row["verdict"] for row in document["rows"])
    assert counts["verdicts"] == dict(verdicts)


def test_every_router_with_published_values_has_a_model():
    assert {value.platform for value in compare.published().results} <= set(PLATFORMS)


def test_the_table_shows_what_the_document_says(capsys, document):
    assert __main__.main(["score", "--fresh"]) == 0
    shown = capsys.readouterr().out
    assert "m120_cs2_trickle_earlier_than_modelled" in shown
    assert "+25.16 %" in shown
    assert f"Published results: {document['summary']['published']['values']}" in shown
    assert re.search(r"llq_300 EF packets base: 19\.\d+ Mbit/s, 93\.\d+% lost", shown)
    assert "test_d 1A/prec5 fluid base: 50 Mbit/s, 50.00% lost" in shown
    assert max(map(len, shown.splitlines())) < 200


@pytest.mark.parametrize("known", [False, True])
def test_a_misfit_without_a_name_or_outside_its_band_fails(run, monkeypatch, capsys, known):
    read = compare.store.known_misfits

    def changed(run):
        return [dataclasses.replace(m, band=(9, 10)) for m in read(run) if known]

    monkeypatch.setattr(compare.store, "known_misfits", changed)
    assert __main__.main(["score", "--fresh", "--json"]) == 1
    printed = capsys.readouterr()
    assert ("not 9 to 10" if known else "no known misfit names it") in printed.err
    assert json.loads(printed.out, parse_constant=refuse)["rows"]


def test_a_wrong_command_is_refused(capsys):
    with pytest.raises(SystemExit, match="2"):
        __main__.main(["scare"])
    assert "score" in capsys.readouterr().err
