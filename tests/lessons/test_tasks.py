"""What a lesson's tasks ask to be seen can be seen: each is done with the package, as a student."""

import re

import nbformat
import pytest

from places import ROOT
from qoslib import Scenario, explore, lessons, run, units
from qoslib.port import HeadDrop, PacketLimit, Port, Queue, TailDrop
from qoslib.traffic import Stream

AXES = ("yaxis", "yaxis2", "yaxis3")
NOTEBOOKS = ROOT / "notebooks"


@pytest.fixture(scope="module")
def one_queue():
    """The explorer of lesson 00."""
    port = Port("slow", units.mbps(100), (Queue("all", PacketLimit(512)),), overhead_bytes=24)
    stream = Stream("iperf3", units.mbps(150) * 1490 / 1448, frame_bytes=1490)
    seen = lessons.one_queue.Published(
        stream.rate_bps, units.mbps(98), lost=0.36, lost_half_width=0.005
    )
    return lessons.one_queue.explorer(Scenario("slow", port, (stream,)), seen)


def moved(app, **values):
    """The explorer from its start, with some controls moved."""
    app.move(**app.start)
    app.move(**values)
    return app


def marks(app, kind):
    """Carried [Mb/s], lost [%] and delay [ms] of the mark at the sliders."""
    traces = {trace.uid: trace for trace in app.figure.data}
    return [traces[f"{kind}-{panel}"].y[-1] for panel in range(3)]


def asked(lesson):
    """The text of a lesson, without its line breaks and the marks of numbers that move a slider."""
    cells = nbformat.read(NOTEBOOKS / f"{lesson}.ipynb", as_version=4).cells
    text = " ".join("\n".join(c.source for c in cells if c.cell_type == "markdown").split())
    return re.sub("</?data[^>]*>", "", text)


def ranges(app):
    return [tuple(app.figure.layout[axis].range) for axis in AXES]


def test_lesson_00_task_1_shows_loss_and_delay_fall(one_queue):
    assert "down to 110, 101 and 99 %" in asked("00_one_queue")
    seen = [marks(moved(one_queue, load=load), "now") for load in (157, 110, 101, 99)]
    assert [lost for _, lost, _ in seen] == pytest.approx([36.3, 9.09, 0.99, 0], abs=0.1)
    assert [delay for *_, delay in seen] == pytest.approx([62.1, 62.1, 62.1, 0.121], rel=0.01)


@pytest.mark.parametrize("buffer", [512, 1024])
def test_lesson_00_a_queue_that_one_per_cent_overloads_is_full_when_packets_are_counted(
    one_queue, buffer
):
    app = moved(one_queue, load=101, buffer=buffer)
    assert marks(app, "packets") == pytest.approx(marks(app, "now"), rel=0.01)
    assert "Packet model (CBR): 0.99 % is lost, and a packet takes" in app.summary
    assert app.remark == ""


def test_lesson_00_a_mark_stands_on_its_line_just_above_the_line_rate(one_queue):
    moved(one_queue, load=101)
    line = next(trace for trace in one_queue.figure.data if trace.uid == "line-2")
    above = [y for x, y in zip(line.x, line.y, strict=True) if 100 < x <= 101]
    assert above == pytest.approx([marks(one_queue, "now")[2]])


def test_lesson_00_task_3_shows_what_a_small_buffer_gives_and_takes(one_queue):
    assert "At 90 % and at random, set the buffer to 64, 16 and 8 packets" in asked("00_one_queue")
    at = {"load": 90, "spacing": "at random (Poisson)"}
    axes, seen = set(), []
    for room in (512, 64, 16, 8):
        app = moved(one_queue, **at, buffer=room)
        axes.add(tuple(ranges(app)))
        seen.append(marks(app, "packets")[1:])
        assert marks(app, "now")[1:] == pytest.approx([0, 0.121], abs=0.001)
        assert app.summary.count(" % is lost") == 2, "each model says what it loses"
    assert len(axes) == 1
    lost, delay = zip(*seen, strict=True)
    # As a run of four million packets gives them; M/D/1 has 0.67 ms in an endless buffer.
    assert lost == pytest.approx([0, 0, 0.34, 2.08], abs=0.1)
    assert delay == pytest.approx([0.67, 0.67, 0.59, 0.45], abs=0.03)


def test_lesson_00_the_packet_model_has_a_large_mark_at_the_sliders(one_queue):
    moved(one_queue, load=90, spacing="at random (Poisson)", buffer=8)
    dots = next(trace for trace in one_queue.figure.data if trace.uid == "packets-1")
    *along, here = dots.marker.size
    assert here > max(along)
    assert len(dots.marker.size) == len(dots.y)
    assert dots.x[-1] == pytest.approx(90, rel=0.01)


def test_lesson_00_task_4_shows_where_the_carried_bits_went(one_queue):
    large = moved(one_queue, load=100)
    axes, carried = ranges(large), marks(large, "now")[0]
    small = moved(one_queue, load=100, frame=60)
    assert ranges(small) == axes
    assert (carried, marks(small, "now")[0]) == pytest.approx((98.4, 71.4), abs=0.1)


@pytest.mark.parametrize("rate", [1e7, 1e10])
def test_lesson_00_every_setting_of_a_line_is_within_its_axes(one_queue, rate):
    for buffer, frame in ((1, 60), (1024, 1514)):
        app = moved(one_queue, rate=rate, buffer=buffer, frame=frame, load=200)
        (_, most), (_, most_lost), (_, longest) = ranges(app)
        carried, lost, delay = marks(app, "packets")
        assert carried <= most
        assert lost <= most_lost
        assert delay <= 10**longest


@pytest.mark.parametrize(
    ("dropper", "delays_ms"), [(HeadDrop(), (87.8, 4.06)), (TailDrop(), (99.8, 100.2))]
)
def test_lesson_01_the_scale_model_has_the_delays_of_the_base_test(dropper, delays_ms):
    (shown,) = lessons.head_drop.scene().scenarios
    queues = tuple(queue.replace(dropper=dropper) for queue in shown.network.queues)
    small = shown.replace(network=shown.network.replace(queues=queues), duration_s=3, warmup_s=1.2)
    result = run(small, bins=1)
    found = [units.convert(result[name].delay_mean_s, "s", "ms") for name in ("CS1", "BE")]
    assert found == pytest.approx(delays_ms, rel=0.01)


def test_lesson_01_the_two_ends_drop_as_much_and_delay_differently():
    tail, head = (run(each, bins=1)["data"] for each in lessons.head_drop.ends_scene().scenarios)
    assert tail.drop_ratio == pytest.approx(head.drop_ratio, abs=0.01)
    assert tail.delay_mean_s == pytest.approx(1.9 * head.delay_mean_s, rel=0.05)


@pytest.mark.parametrize("room", [8, 60, 300])
def test_lesson_00_the_wall_saves_no_packet(room):
    view = lessons.one_queue.scene()
    view.widget.change = {"limit": room, "lane": 0, "queue": 0}
    assert view.widget.error == ""
    assert "160 arrive, 53 are dropped, 107 are sent" in view.spec["summary"]


def test_lesson_13_tasks_show_what_the_change_costs():
    said = asked("13_your_network")
    assert "Change the 50000000 to 19400000" in said
    assert "a `queue-limit` of 20 packets" in said
    assert "Set the priority to 3000" in said
    branch = lessons.your_network
    app = explore.configuration(
        branch.configuration(), facts=branch.FACTS, traffic=branch.traffic()
    )
    seen = [figures(app)]
    for old, new in (("50000000", "19400000"), ("limit 50", "limit 20"), ("4000", "3000")):
        app.sheet.text = app.sheet.text.replace(old, new)
        seen.append(figures(app))
    today, shaped, shorter, policed = seen
    assert today == ({"shaper-over-contract"}, 0, 0, pytest.approx(0.19, abs=0.05))
    assert shaped == (set(), 0, pytest.approx(29, abs=1), pytest.approx(58, abs=3))
    assert shorter == (set(), 0, pytest.approx(29, abs=1), pytest.approx(21, abs=2))
    assert policed[:2] == ({"priority-below-load"}, pytest.approx(14, abs=1))
    app.close()


def figures(app):
    """The findings, the losses of the first and the last class [%], and the last one's delay."""
    found = {note["name"] for note in app.sheet.notes}
    table = app.figure.table
    lost = table["lost after [%]"]
    return found, lost["VOICE"], lost["class-default"], table["delay mean after [ms]"].iloc[-1]
