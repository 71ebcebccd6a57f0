"""The live lab without a lab: commands, refusals, gates, values and files need no rights."""

import io
import json
from statistics import median

import numpy as np
import pytest

from livelab import record
from livelab.__main__ import main
from livelab.commands import Refused, commands, kernel_port
from livelab.comparison import compared, markdown, text
from livelab.counters import Sample
from livelab.experiments import EXPERIMENTS
from livelab.figure import draw
from livelab.gates import LATENESS_S, gates
from livelab.probe import Found, lacking, probe
from livelab.record import Tried
from livelab.run import Run, Seen, router
from livelab.session import plan
from livelab.values import measured, modelled
from places import ROOT
from qoslib import PacketLimit, Policer, Port, Queue, Scenario, Stream, TimeLimit, measurements
from qoslib.compare import overlay
from qoslib.config import read
from qoslib.port import Classifier, DeficitRoundRobin, HierarchicalTokenBucket, PriorityLevels

LIVE = ROOT / "data" / "live"
POINTS = [point for each in EXPERIMENTS.values() for point in each.points]


def seen(scenario, delay_s=0.05, lost=0.5, served=1.0):
    """What a kernel would show that serves so much of the line rate and loses so much."""
    found = {}
    for stream in scenario.streams:
        pps = stream.rate_bps / 8 / stream.frame_bytes
        total = round(pps * scenario.duration_s)
        arrived = round(total * (1 - lost))
        delays = np.full(arrived, delay_s)
        found[stream.name] = Seen(total, arrived, total, arrived, pps * (1 - lost) * served, delays)
    return found


def a_run(scenario, lateness_s=0.001, vanished=0, **more):
    found = seen(scenario, **more)
    dropped = sum(each.total_packets - each.arrived_packets for each in found.values())
    last = Sample(5.0, {}, {"all": dropped - vanished}, {"all": 0})
    sent = {"sent": [each.total_packets for each in found.values()], "refused": 0}
    judged = gates(scenario, found, last, sent | {"lateness_s": lateness_s})
    return Run(found, [last], judged, commands(scenario.only_port, scenario.streams))


@pytest.mark.parametrize("point", POINTS, ids=lambda point: point.name)
def test_every_router_reads_back_as_its_port(point):
    """What a reader would type is what the models run: guarantees, ceilings, limits, marks."""
    described, streams = point.scenario.only_port, point.scenario.streams
    # A policer is a program in front of the port, which tc only names.
    bare = described.replace(queues=tuple(q.replace(policer=None) for q in described.queues))
    port = kernel_port(bare, streams)
    made = commands(described, streams)
    in_front = [line for line in made.lines if "clsact" in line or "bpf da" in line]
    assert len(in_front) == (2 if made.policed else 0)
    script = "\n".join(line for line in made.lines if line not in in_front)
    (back,) = read(script, facts={"line_rate_bps": port.rate_bps}).ports
    queues = back.port.queues
    assert [(q.limit, q.dropper, q.priority, q.guaranteed_bps, q.shaper) for q in queues] == [
        (q.limit, q.dropper, q.priority, q.guaranteed_bps, q.shaper) for q in port.queues
    ]
    assert isinstance(back.port.scheduler, HierarchicalTokenBucket)
    assert back.port.overhead_bytes == port.overhead_bytes


def a_port(*queues, scheduler=None, **more):
    return Port("port", 10e6, queues, scheduler or PriorityLevels(), 24, **more)


def test_tcp_meets_a_line_that_spreads_clumps_out():
    point = next(point for point in POINTS if point.name == "cubic_15_kB")
    assert "burst 2000 " in router(point.scenario).lines[1]
    alone = point.scenario.replace(hosts=())
    assert "burst 7500 " in router(alone).lines[1]
    assert router(HEAD.scenario) == commands(HEAD.scenario.only_port, HEAD.scenario.streams)


REFUSED = {
    "limit in time": a_port(Queue("a", TimeLimit(0.1, at="line"))),
    "policer": a_port(Queue("a", PacketLimit(9), policer=Policer(1e6, 9000))),
    "DeficitRoundRobin": a_port(
        *(Queue(name, PacketLimit(9), quantum_bytes=1500) for name in "ab"),
        scheduler=DeficitRoundRobin(),
    ),
    "more than the line carries": a_port(
        *(Queue(name, PacketLimit(9), guaranteed_bps=8e6) for name in "ab")
    ),
    "base_delay_s": a_port(Queue("a", PacketLimit(9)), base_delay_s=0.001),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_a_port_that_the_kernel_would_not_be_is_refused(reason):
    with pytest.raises(Refused, match=reason):
        commands(REFUSED[reason])


def test_a_policer_that_the_program_is_not_is_refused():
    pipe = Policer(1e6, 9000, exceed="pass")
    queues = Queue("EF", PacketLimit(9), policer=pipe), Queue("default", PacketLimit(9))
    classes = Classifier((("EF", "EF"),), "default")
    with pytest.raises(Refused, match="told by one DSCP"):
        commands(a_port(*queues, classifier=classes))
    slow = Policer(1e3, 9_000_000)
    queues = queues[0].replace(policer=slow), queues[1]
    with pytest.raises(Refused, match="two seconds"):
        commands(a_port(*queues, classifier=classes))


def test_a_guarantee_that_nobody_uses_takes_nothing_from_the_others():
    port = REFUSED["more than the line carries"]
    assert commands(port, (Stream("a", 9e6, 1018), Stream("b", 1e6, 1018))).lines


HEAD = next(point for point in POINTS if point.name == "head_200")


def test_a_run_passes_every_gate_or_says_which_it_failed():
    scenario = HEAD.scenario
    assert a_run(scenario).inconclusive == ""
    slow = a_run(scenario, served=0.99).inconclusive
    assert slow == "the line served 99.00% of its rate; it has to be within 0.5%"
    assert "5.0 ms late" in a_run(scenario, lateness_s=LATENESS_S).inconclusive
    assert "dropped" in a_run(scenario, vanished=1).inconclusive
    both = a_run(scenario, served=1.01, lateness_s=0.1).inconclusive
    assert both.count(";") == 3


def test_a_port_below_its_rate_has_no_gate_of_served_rate():
    port = HEAD.scenario.only_port
    half = Scenario("half", port, (Stream("all", 5e6, 1018),), 4.0, 1.0)
    assert "served rate" not in {gate.name for gate in a_run(half, lost=0.0).gates}


def test_a_result_is_the_median_and_loads_as_a_measurement(tmp_path):
    runs = [a_run(HEAD.scenario, delay_s=delay_s) for delay_s in (0.0412, 0.0417, 0.0414)]
    runs.append(a_run(HEAD.scenario, delay_s=0.9, lateness_s=1.0))
    tried = [Tried(HEAD, tuple(runs))]
    assert tried[0].spread()["all", "latency"] == pytest.approx((41.4, 41.2, 41.7))
    experiment = EXPERIMENTS["head_tail"]
    table, passport = record.save(experiment, tried, tmp_path)
    loaded = measurements.load(table)
    latency = loaded[loaded.quantity == "latency"].iloc[0]
    assert (latency.value, latency.low, latency.high, latency.unit) == (41.4, 41.2, 41.7, "ms")
    assert latency.place.startswith("3 runs of 4 s; Linux")
    known = json.loads(passport.read_text())
    (point,) = known["points"]
    assert point["commands"] == list(runs[0].commands.lines)
    assert Scenario.from_json(json.dumps(point["scenario"])) == HEAD.scenario
    assert [bool(run["inconclusive"]) for run in point["runs"]] == [False] * 3 + [True]
    lines = compared([(HEAD, tried[0].spread())])
    assert "head_200" in text(lines)
    figure = draw(experiment, lines)
    assert {trace["uid"] for trace in figure.data} == {
        f"head drop-{kind}-{place}" for kind in ("fluid", "packets", "measured") for place in (0, 1)
    }


def test_the_overlay_takes_a_stored_run():
    frame = measurements.load(LIVE / "head_tail.csv")
    laid = overlay(HEAD.scenario, frame[frame.experiment == HEAD.name])
    compared_values = {(row.stream, row.quantity) for row in laid.rows if row.modelled is not None}
    assert ("all", "latency_average") in compared_values
    assert ("all", "drop_ratio") in compared_values


def test_a_point_without_a_conclusive_run_has_no_value():
    tried = Tried(HEAD, (a_run(HEAD.scenario, lateness_s=1.0),))
    assert tried.spread() == {}
    lines = compared([(HEAD, tried.spread())])
    assert "inconclusive" in text(lines)
    assert all(line.error("fluid") is None for line in lines)
    assert draw(EXPERIMENTS["head_tail"], lines).table["measured"].isna().all()


def test_counts_are_of_the_whole_run():
    point = next(each for each in POINTS if each.counts)
    found = measured(point, a_run(point.scenario, lost=0.25))
    stream = point.scenario.streams[0].name
    assert found[stream, "drop_ratio"] == pytest.approx(25, rel=1e-3)


def test_one_service_time_less_is_what_the_notes_measured():
    """At twice the line rate 100 packets wait 83.4 ms under tail drop, and half under head drop."""
    tail = next(point for point in POINTS if point.name == "tail_200")
    said = [modelled(point, "fluid")["all", "latency"] for point in (tail, HEAD)]
    assert said == pytest.approx([83.36, 41.68], rel=1e-9)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_stored_run_is_of_the_experiment_as_it_is_and_the_guide_shows_it(name):
    experiment = EXPERIMENTS[name]
    points, passport, _ = record.stored(experiment)
    guide = (ROOT / "docs" / "live_lab.md").read_text()
    for (point, spread), kept in zip(points, passport["points"], strict=True):
        assert kept["point"] == point.name
        assert Scenario.from_json(json.dumps(kept["scenario"])) == point.scenario
        made = router(point.scenario)
        assert tuple(kept["commands"]) == made.lines
        runs = [run["values"] for run in kept["runs"] if not run["inconclusive"]]
        assert runs
        for (stream, quantity), values in spread.items():
            mine = [run[f"{stream}/{quantity}"] for run in runs]
            rounding = 0.51 * 10.0 ** -record.DIGITS[record.UNITS[quantity][0]]
            shown = median(mine), min(mine), max(mine)
            assert values == pytest.approx(shown, abs=rounding)
        for quantity in {"latency", "throughput"} & {quantity for _, quantity in spread}:
            shown = [v for (_, q), v in spread.items() if q == quantity and v[0] >= 1]
            assert all(record.written(each, quantity) in guide for each in shown)
    if not experiment.points[0].scenario.hosts:
        assert markdown(compared(points)) in guide


def test_what_is_missing_is_one_sentence():
    there = [Found("right", "namespaces", True, ""), Found("queue", "htb", False, "use tbf")]
    assert lacking(there, ("htb",)) == "This machine has no htb: use tbf."
    assert lacking(there[:1], ()) == ""
    nothing = [Found("program", "live lab", False, "The live lab needs Linux")]
    assert "Linux" in lacking(nothing, ())


def test_a_machine_without_rights_hears_why_and_what_to_do(tmp_path, monkeypatch):
    """Many containers, and some distributions, forbid user namespaces."""
    refusing = tmp_path / "unshare"
    refusing.write_text("#!/bin/sh\necho 'unshare: unshare failed: Operation not permitted' >&2\n")
    refusing.chmod(0o755)
    for name in ("nsenter", "ip", "tc"):
        (tmp_path / name).symlink_to(refusing)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    (found,) = probe()
    assert not found.works
    assert found.remedy.startswith("unshare: unshare failed: Operation not permitted. Run it as")
    assert "user namespaces" in lacking([found], ())


@pytest.mark.parametrize(("platform", "said"), [("darwin", "Linux"), ("linux", "install iproute2")])
def test_a_machine_without_the_tools_hears_which(platform, said, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert main(["run", "six_classes"]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "`python -m livelab show six_classes` shows a stored run." in error
    assert main(["show", "six_classes"]) == 0
    assert "Stored run of" in capsys.readouterr().out


def test_the_list_and_the_commands_need_no_rights(capsys):
    assert main(["list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in EXPERIMENTS)
    assert main(["run", "six_classes", "--dry"]) == 0
    said = capsys.readouterr().out
    assert "tc qdisc add dev out0" in said
    assert f"{plan(EXPERIMENTS['six_classes']).least_s:.0f} s" in said
    with pytest.raises(SystemExit):
        main(["run", "nothing"])
    assert "there are head_tail" in capsys.readouterr().err


@pytest.mark.parametrize("said", ["0", "-1", "21", "few"])
def test_only_a_number_of_runs_is_taken(said, capsys):
    with pytest.raises(SystemExit):
        main(["run", "six_classes", f"--repeats={said}"])
    assert f"'{said}' is no number from 1 to 20" in capsys.readouterr().err


def test_nothing_runs_where_its_results_cannot_be_written(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("livelab.__main__.lacking", lambda *_: "")
    (tmp_path / "file").touch()
    assert main(["run", "six_classes", "--into", str(tmp_path / "file" / "below")]) == 2
    assert "cannot be written to (Not a directory); nothing was run." in capsys.readouterr().err


def test_the_table_is_a_csv_of_the_published_form():
    rows = record.rows([Tried(HEAD, (a_run(HEAD.scenario),))], record.machine())
    frame = measurements.load(io.StringIO(record.table(rows)))
    assert list(frame.columns) == list(measurements.COLUMNS)


class _Busy:
    """A run that failed a gate."""

    inconclusive = "too busy"


def test_nothing_is_concluded_or_written_where_every_run_is_inconclusive(
    monkeypatch, capsys, tmp_path
):
    def too_busy(experiment, say, repeats):
        return [Tried(point, (_Busy(),)) for point in experiment.points]

    monkeypatch.setattr("livelab.session.perform", too_busy)
    found = [Found("right", "namespaces", True, "")]
    monkeypatch.setattr("livelab.__main__.probe", lambda: found)
    assert main(["run", "six_classes", "--into", str(tmp_path)]) == 1
    shown = capsys.readouterr().out
    assert EXPERIMENTS["six_classes"].explanation not in shown
    assert f"Nothing is written to {tmp_path}: no run is conclusive." in shown
    assert "All points are inconclusive" in shown
    assert not list(tmp_path.iterdir())
