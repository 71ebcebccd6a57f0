"""Lesson 12: its stored runs, what it shows where there are no rights, and what its text says."""

import json
import re

import nbformat
import pandas as pd
import pytest

from livelab import lesson
from livelab.probe import Found
from livelab.record import Tried
from places import ROOT
from qoslib import compare
from qoslib.lessons import check, reveal, your_network

STORED = sorted((ROOT / "data" / "live").glob("*.json"))
EACH = pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)

FLUID, PACKETS = (f"{model}, modelled (error vs kernel)" for model in ("fluid", "packets"))


def percents(cells):
    """The error in brackets of each cell, which has to have one."""
    return [float(re.fullmatch(r"\S+ \((\S+)%\)", cell)[1]) for cell in cells]


@pytest.fixture(scope="module")
def one_queue():
    return lesson.measured("head_tail")


@pytest.fixture(scope="module")
def six_classes():
    return lesson.measured("six_classes")


@EACH
def test_a_passport_names_the_kernel_and_no_machine(path):
    on = json.loads(path.read_text())["on"]
    assert {"system", "kernel", "tc", "date", "load_average", "root"} <= on.keys()
    assert on["kernel"].replace(".", "").isdigit()


def test_without_rights_the_stored_runs_are_shown_and_why(monkeypatch, capsys, one_queue):
    missing = [Found("right", "namespaces", False, "run as root")]
    monkeypatch.setattr(lesson, "probe", lambda: missing)
    runs = lesson.measured("head_tail", fresh=True)
    assert runs.passport == one_queue.passport
    assert "This machine has no namespaces: run as root." in repr(runs)
    lesson.kernel()
    assert capsys.readouterr().out == "works: nothing.\nno namespaces: run as root.\n"


class _Busy:
    """A run that failed a gate."""

    inconclusive = "the sender was up to 33.7 ms late; it has to be below 5 ms"


def _stopped(*_):
    raise KeyboardInterrupt


def _too_busy(experiment, say):
    return [Tried(point, (_Busy(),) * 7) for point in experiment.points]


@pytest.mark.parametrize(
    ("perform", "why"),
    [
        (_stopped, "you stopped the fresh runs"),
        (_too_busy, "none of 14 fresh runs passed every gate; the first: the sender was up to"),
    ],
)
def test_runs_that_end_without_a_value_leave_the_stored_ones(monkeypatch, perform, why):
    monkeypatch.setattr(lesson, "probe", lambda: [Found("right", "namespaces", True, "")])
    monkeypatch.setattr(lesson, "perform", perform)
    runs = lesson.measured("six_classes", True)
    assert why in runs.why_stored
    assert "six_classes, stored" in repr(runs)
    assert lesson.table(runs).equals(lesson.table(lesson.measured("six_classes")))


def test_an_experiment_or_a_switch_that_there_is_not_is_named(one_queue):
    with pytest.raises(ValueError, match=r"six_clases.*allowed: head_tail, six_classes"):
        lesson.measured("six_clases")
    with pytest.raises(ValueError, match="fresh"):
        lesson.measured("head_tail", "yes")


def test_a_reset_keeps_what_was_measured(one_queue):
    """The circles and the score are the explorer's own; a file that was loaded is forgotten."""
    app = your_network.explorer(
        lesson.scenario(one_queue, "head_200"), lesson.taken(one_queue, "head_200")
    )
    said = app.summary
    assert "within tolerance" in said
    app.move(all=150)
    assert "within tolerance" not in app.summary
    assert "not scored: they were made at another load" in app.summary
    assert not any("error" in name for name in app.table)
    app.widget.children[0].children[1].click()
    assert app.summary == said


def test_an_inconclusive_point_has_no_value_and_no_error(one_queue):
    changed = json.loads(json.dumps(one_queue.passport))
    for each in changed["points"]:
        each["runs"] = [run | {"inconclusive": "too busy"} for run in each["runs"]]
    points = [(point, {}) for point, _ in one_queue.points]
    runs = one_queue._replace(points=points, passport=changed)
    row = lesson.table(runs).iloc[0]
    assert row["measured here"] == "inconclusive"
    assert "%" not in row[FLUID]
    assert pd.isna(lesson.value(runs, "tail_120", "all"))
    assert "gives no value" in reveal("12.a", lesson.value(runs, "tail_120", "all")).text
    assert "gives no value" in reveal("12.b", lesson.about(float("nan"), 4, 20, 90)).text
    assert not check("12.4", runs).ok


def test_both_models_are_within_a_per_cent_of_the_one_queue(one_queue):
    shown = lesson.table(one_queue)
    assert max(map(abs, percents([*shown[FLUID], *shown[PACKETS]]))) < 1


def test_what_the_lesson_says_of_the_six_classes(six_classes):
    """CS1 and BE as published, and with tail drop alike; the packet model within 3 %."""
    value = {
        (point, name): lesson.value(six_classes, point, name)
        for point in ("head", "tail")
        for name in ("CS1", "BE")
    }
    assert round(value["head", "CS1"]) == 88
    assert 3 < value["head", "BE"] < 4
    assert 90 < value["tail", "BE"] < value["tail", "CS1"] < 101
    limits = {
        q.name: q.limit.packets for q in lesson.scenario(six_classes, "head").only_port.queues
    }
    assert (limits["CS1"], limits["BE"]) == (92, 4)
    found = lesson.table(six_classes, streams=["CS1", "BE"])
    assert found.published.tolist() == ["up to 84", "4", "-", "-"]
    assert max(map(abs, percents(found[PACKETS]))) < 3


def test_what_the_lesson_says_of_the_small_class():
    runs = lesson.measured("small_share")
    shown = lesson.table(runs, "sent", ["AF11"])
    assert shown[FLUID].str.split(" ").str[0].nunique() == 1
    assert max(map(abs, percents(shown[PACKETS]))) < 6
    assert lesson.share(runs, "limit_2", "AF11") > 8 * lesson.share(runs, "limit_400", "AF11")


def test_a_model_has_the_time_of_one_packet_more(one_queue):
    """In the explorer nothing is subtracted: 0.6 ms, of which one packet's time is 0.83."""
    scenario = lesson.scenario(one_queue, "head_200")
    laid = compare.overlay(scenario, lesson.taken(one_queue, "head_200")).to_frame()
    delay = laid[laid.quantity.str.startswith("latency")].iloc[0]
    assert delay.packets - delay.measured == pytest.approx(0.6, abs=0.05)


def test_the_commands_to_type_are_those_of_the_run(one_queue, capsys):
    lesson.to_type(one_queue, "head_200")
    shown = capsys.readouterr().out.splitlines()
    assert set(one_queue.passport["points"][6]["commands"]) <= set(shown)
    # One command: if no namespace is opened, nothing of it runs.
    assert shown[0] == "unshare --user --map-root-user --net bash --rcfile <(cat <<'ROUTER'"
    assert shown[-2:] == ["ROUTER", ")"]


def test_the_lesson_takes_no_fresh_runs_by_itself():
    cells = nbformat.read(ROOT / "notebooks" / "12_live_lab.ipynb", as_version=4).cells
    sources = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    assert "fresh = False" in sources
    assert "True" not in sources


def test_your_kernel_is_a_column_apart_from_what_was_published(six_classes):
    """No other column of the scoreboard changes by it, and rows not repeated are empty."""
    rows = [row for row in compare.stored() if row.platform == "m120"]
    plain = compare.to_frame(rows)
    own = {"platform": "m120", "experiment": "base", "stream": "BE"}
    own |= {"quantity": "latency_average"}
    kernel = pd.DataFrame([own | {"value": 3.26, "low": 3.2, "high": 3.34}])
    with_kernel = compare.to_frame(rows, kernel=kernel)
    pd.testing.assert_frame_equal(plain, with_kernel.drop(columns="your kernel"))
    told = with_kernel[with_kernel["your kernel"] != ""]
    assert set(told["your kernel"]) == {"3.26 (3.2 - 3.34)"}
    assert set(zip(told.experiment, told.stream, strict=True)) == {("base", "BE")}
    shown = lesson.scored(six_classes)
    assert shown.published.tolist() == ["84 ms", "4 ms"]
    # The kernel's delays are means, and what was published of CS1 is a maximum.
    assert shown["your kernel"].tolist() == ["only its mean is known", "3.26 (3.26 - 3.34)"]
    busy = six_classes._replace(points=[(point, {}) for point, _ in six_classes.points])
    assert set(lesson.scored(busy)["your kernel"]) == {"inconclusive"}


def test_counts_at_a_fifth_of_the_rates_are_brought_back(one_queue):
    shown = lesson.scored(lesson.measured("priority"))
    values = {float(text.split()[0].replace(",", "")) for text in shown["your kernel"]}
    assert shown.published.tolist().count("8,406 packets") == 1
    assert any(8000 < value < 9000 for value in values)


def test_the_solution_of_the_worksheet_is_that_of_the_fluid_model(one_queue):
    text = (ROOT / "course" / "live_lab.md").read_text()
    solution = " ".join(text.split("The solution of part 1")[1].split("\n\n")[0].split())
    said = [float(each) for each in re.findall(r"\d+\.\d", solution)]
    fluid = [float(each.split()[0]) for each in lesson.table(one_queue)[FLUID]]
    assert said == pytest.approx([fluid[0], *fluid[4:]], abs=0.051)
    assert len(set(fluid[:4])) == 1


def test_each_mark_of_a_figure_says_all_that_is_known_of_its_value(six_classes):
    """Marks lie on one another, so the nearest would say a model's value for a measured one."""
    drawn = {trace["uid"]: trace for trace in lesson.picture(six_classes, ["CS1", "BE"]).data}
    for kind in ("fluid", "packets", "measured", "published"):
        said = drawn[f"{kind}-0"]["customdata"][0]
        assert said[1] == "measured here: 87.92 ms (87.87 - 87.97)"
        assert said[3] == "published: up to 84 milliseconds"
    assert "<br>" in drawn["fluid-0"]["hovertemplate"]
    assert "&lt;" not in drawn["fluid-0"]["hovertemplate"]


def test_stored_runs_are_an_answer_only_where_there_are_no_fresh_ones(one_queue):
    assert "these are stored runs" in check("12.4", one_queue).text
    lacking = one_queue._replace(why_stored="This machine has no namespaces: run as root.")
    verdict = check("12.4", lacking)
    assert verdict.ok
    assert "This machine has no namespaces" in verdict.text
