"""The packet view for every reader: it fits a screen, is moved by keys, and fills a wall."""

import base64
import json
import re
from importlib import import_module

import nbformat
import pytest
from nbconvert import HTMLExporter

from packet_scenarios import METERS, TREES, pauses, switch
from qoslib import PacketLimit, Port, Queue, Scenario, Stream, explore, lessons
from qoslib.explore.packet_view import module
from qoslib.port import Codel, HeadDrop, Red, RedProfile
from qoslib.traffic import Poisson

ROOT = ".qoslib-packets"
#: JupyterLab leaves a view this much of a screen of 1280 x 720 [px].
WIDE, HIGH = 850, 600
#: Mount a scene as a notebook does, with a Python that notes what it is asked and never answers;
#: it is waited for however long a busy machine takes.
MOUNT = """([code, spec, data, width]) => {
    const place = document.createElement("div");
    place.style.width = `${width}px`;
    document.body.replaceChildren(place);
    window.asked = [];
    const live = {
        alive: true, patient: true, page() {}, moved() {}, guess: async () => "",
        ask: (what) => asked.push(what),
    };
    const bytes = Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
    window.qos = new Function(code)()(place, spec, bytes, live);
    return place.firstChild.offsetHeight;
}"""
#: Where letters of the canvas stand at so many times; those that overlap others or an open flap, or
#: are cut off.
OVERLAPS = """(times) => {
    const proto = CanvasRenderingContext2D.prototype, found = new Set();
    const { fillText: real, moveTo, lineTo, stroke } = proto;
    let boxes = [], from = [0, 0], to = [0, 0];
    proto.moveTo = function (...at) { from = at; return moveTo.apply(this, at); };
    proto.lineTo = function (...at) { to = at; return lineTo.apply(this, at); };
    proto.stroke = function () {
        const open = this.lineWidth === 2.5 && ["#b3261e", "#ff8a80"].includes(this.strokeStyle);
        const [[x0, y0], [x1, y1]] = [from, to];
        if (open) boxes.push(["a flap", Math.min(x0, x1), y0, Math.max(x0, x1), y1]);
        return stroke.call(this);
    };
    proto.fillText = function (said, x, y, most = Infinity) {
        const w = Math.min(this.measureText(said).width, most);
        const size = parseFloat(/[\\d.]+(?=px)/.exec(this.font));
        const left = x - ({ right: w, center: w / 2 }[this.textAlign] ?? 0);
        const box = [said, left, y - 0.7 * size, left + w, y + 0.2 * size];
        // Numbers in packets are centred; delays over stems are, too.
        if (this.textAlign !== "center" || / (µs|ms|s)$/.test(said)) boxes.push(box);
        return real.call(this, said, x, y);
    };
    const { W, H } = qos.layout;
    for (let n = 0; n <= times; n++) {
        boxes = [];
        qos.seek((n / times) * qos.scene.end_s);
        boxes.forEach(([said, left, top, right, bottom], at) => {
            if (left < 0 || right > W || top < 0 || bottom > H) found.add(`${said} is cut`);
            for (const other of boxes.slice(at + 1)) {
                const beside = left >= other[3] || other[1] >= right;
                const crossed = !beside && top < other[4] && other[2] < bottom;
                if (crossed) found.add(`${said} | ${other[0]}`);
            }
        });
    }
    Object.assign(proto, { fillText: real, moveTo, lineTo, stroke });
    return [...found];
}"""

#: What Python answers.
UPDATE = """([spec, data]) =>
    qos.update(spec, Uint8Array.from(atob(data), (each) => each.charCodeAt(0)))"""
#: All that is written on the canvas.
WRITTEN = """() => {
    const proto = CanvasRenderingContext2D.prototype, real = proto.fillText, found = [];
    proto.fillText = function (said, ...more) {
        found.push(said);
        return real.call(this, said, ...more);
    };
    qos.seek(0);
    proto.fillText = real;
    return found;
}"""


def scenes():
    """Every packet view of the lessons: its name, and the function that makes it."""
    for topic in lessons.LESSONS.values():
        try:
            room = import_module(f"qoslib.lessons.{topic}.scenes")
        except ModuleNotFoundError:
            continue
        for name in dir(room):
            made = getattr(room, name)
            if name.endswith("scene") and made.__module__ == room.__name__:
                yield pytest.param(made, id=f"{topic}.{name}")


def mounted(page, view, width=WIDE):
    code = module(view.layers).replace("export default { render };\n", "return mount;\n")
    data = base64.b64encode(view.data).decode()
    return page.evaluate(MOUNT, [code, json.loads(json.dumps(view.spec)), data, width])


def four():
    queue = Queue("all", PacketLimit(16))
    droppers = {
        "tail": {},
        "head": {"dropper": HeadDrop()},
        "RED": {"dropper": Red(RedProfile(3, 12, 0.3))},
        "CoDel": {"dropper": Codel(1e-3, 2e-3), "limit": PacketLimit(60)},
    }
    streams = (Stream("data", 150e6, arrivals=Poisson()),)
    return explore.packet_view(
        {
            name: Scenario("office", Port("access", 1e8, (queue.replace(**more),)), streams, seed=3)
            for name, more in droppers.items()
        }
    )


def mechanisms():
    """Views of what no scene of a lesson has: colours, trees, a switch, pauses."""
    more = {"colours": METERS["RFC 2698"], "switch": switch(), "pause": pauses()}
    for name, made in {**TREES, **more}.items():
        yield pytest.param(lambda made=made: explore.packet_view(made), id=name)


@pytest.mark.parametrize("make", [*scenes(), *mechanisms()])
def test_a_scene_fits_a_screen_and_no_words_overlap(page, make):
    view = make()
    assert len(view.to_html()) < 60_000
    assert len(view.still()) <= 12_000
    page.goto("about:blank")
    assert mounted(page, view) <= HIGH
    assert page.evaluate(OVERLAPS, 8) == []
    titles = {lane["title"] for lane in view.spec["lanes"]}
    assert titles | {view.spec.get("badge", min(titles))} <= set(page.evaluate(WRITTEN))
    # At 1 x nobody waits longer than this for its end.
    if not isinstance(view, explore.TcpView):
        assert page.evaluate("qos.scene.end_s / qos.layout.pace") < 30


def test_every_control_has_a_role_and_a_name_and_the_picture_words(page):
    page.goto("about:blank")
    view = four()
    mounted(page, view)
    tree = page.locator(ROOT).aria_snapshot()
    for named in (
        'group "Packets: tail, head, RED, CoDel"',
        'slider "Time in the window"',
        'button "Play"',
        'button "Previous event"',
        'button "Next event"',
        'combobox "Speed"',
        'button "Reset"',
        'button "Copy picture"',
        'button "Save page"',
        'button "Projector"',
        'combobox "Queue"',
        'slider "Queue limit"',
        'slider "Offered load"',
        'button "Drop the oldest"',
        "- status:",
        "Counters",
    ):
        assert named in tree
    assert not re.findall(r"- (?:button|slider|combobox|img)(?::| *$)", tree, re.MULTILINE)
    limit = page.get_by_role("slider", name="Queue limit")
    assert limit.get_attribute("aria-valuetext") == "16 packets"
    # What the canvas shows is in words, and these follow it.
    picture = page.locator(f"{ROOT} canvas")
    assert picture.get_attribute("aria-label").startswith(view.spec["summary"])
    page.evaluate("qos.seek(0.01)")
    waiting = page.evaluate("qos.state().lanes[3].waiting")
    assert f"CoDel: {waiting} waiting" in picture.get_attribute("aria-label")


def test_keys_alone_reach_every_control_and_focus_is_seen(page):
    page.goto("about:blank")
    mounted(page, four())
    reached = []
    for _ in range(20):
        page.keyboard.press("Tab")
        name, outline = page.evaluate(
            """() => {
                const { activeElement: at } = document;
                return [at.getAttribute("aria-label") ?? at.closest("label")?.firstChild.data ??
                    at.textContent, parseFloat(getComputedStyle(at).outlineWidth)];
            }"""
        )
        if name in reached or not page.evaluate(
            f"document.activeElement.closest('{ROOT}') !== null"
        ):
            break
        assert outline >= 2, name
        reached.append(name)
    expected = ["Time in the window", "Play", "Previous event", "Next event", "Speed", "Reset"]
    expected += ["Copy picture", "Save page", "Projector", "Queue", "Queue limit", "Offered load"]
    assert reached == [*expected, "Drop the oldest", "Counters"]


def test_reset_leads_back_to_the_start_and_the_first_settings(page):
    page.goto("about:blank")
    mounted(page, four())
    page.evaluate("qos.seek(0.01)")
    page.get_by_label("Speed").select_option("4")
    page.get_by_role("button", name="Reset").click()
    assert page.evaluate("[qos.state().t, asked.length]") == [0, 0]
    assert page.get_by_label("Speed").input_value() == "1"
    page.get_by_role("button", name="Drop the oldest").click()
    page.get_by_role("button", name="Reset").click()
    assert page.evaluate("asked") == [{"turn": True, "lane": 0, "queue": 0}, {"reset": True}]
    view = four()
    before = view.data
    view.widget.change = {"turn": True, "lane": 0, "queue": 0}
    view.widget.change = {"rate": 0.5, "lane": 0, "queue": 0}
    view.widget.change = {"reset": True}
    assert view.data == before


def test_a_wall_at_the_served_rate_is_dragged_in_time(page):
    view = lessons.head_drop.scene()
    page.goto("about:blank")
    mounted(page, view)
    walls = page.evaluate("qos.handles().filter((each) => each.kind === 'limit')")
    assert [each["queue"] for each in walls] == view.spec["lanes"][0]["shown"]
    (x, y, scale) = page.evaluate(
        f"""() => {{
            const box = document.querySelector('{ROOT} canvas').getBoundingClientRect();
            const {{ x, y, w, h }} = qos.handles().find((each) => each.kind === "limit");
            const scale = box.width / qos.layout.W;
            return [box.left + (x + w / 2) * scale, box.top + (y + h / 2) * scale, scale];
        }}"""
    )
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 80 * scale, y, steps=4)
    page.mouse.up()
    # A page that is slow to follow has asked on the way, too.
    asked = page.evaluate("asked.at(-1)")
    assert 0.05 < asked["limit"] < 0.095
    view.widget.change = asked
    queue = view.scenarios[0].network.queues[asked["queue"]]
    assert queue.limit.time_s == pytest.approx(asked["limit"])


def test_delays_keep_their_scale_and_stems_grow_only_where_all_get_short(page):
    view = lessons.one_queue.scene()
    page.goto("about:blank")
    mounted(page, view)
    scales = [page.evaluate("[qos.scene.scale, qos.scene.stems]")]
    for limit in (14, 56, 8):
        view.widget.change = {"limit": limit, "lane": 0, "queue": 0}
        data = base64.b64encode(view.data).decode()
        page.locator("input[type=range]:not(.scrub)").first.dispatch_event("change")
        page.evaluate(UPDATE, [json.loads(json.dumps(view.spec)), data])
        scales.append(page.evaluate("[qos.scene.scale, qos.scene.stems]"))
    # The chart has the state before as a pale trace: its scale does not come down.
    assert [scale for scale, _ in scales] == pytest.approx([2e-3, 2e-3, 1e-2, 1e-2])
    assert [stems for _, stems in scales] == pytest.approx([2e-3, 2e-3, 1e-2, 2e-3])


#: The middle of the last handle of a kind, on the page.
HANDLE = f"""(kind) => {{
    const box = document.querySelector('{ROOT} canvas').getBoundingClientRect();
    const {{ x, y, w, h }} = qos.handles().filter((each) => each.kind === kind).at(-1);
    const scale = box.width / qos.layout.W;
    return [box.left + (x + w / 2) * scale, box.top + (y + h / 2) * scale];
}}"""


def test_arrivals_are_dragged_gently_and_in_steps_and_the_sliders_are_those_of_their_queue(page):
    page.goto("about:blank")
    mounted(page, lessons.llq_policing.scene())
    assert page.get_by_role("slider", name="Offered load, EF").is_visible()
    x, y = page.evaluate(HANDLE, "rate")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=4)
    page.mouse.up()
    assert page.evaluate("asked") == [{"rate": 1.25, "lane": 0, "queue": 1}]
    assert page.get_by_role("slider", name="Offered load, default").is_visible()
    assert page.get_by_label("Queue", exact=True).input_value() == "1"


#: The smallest letters of the canvas have 12 of its pixels; it grows after its frame does.
LETTERS = "12 * document.querySelector('canvas').clientWidth / qos.layout.W"


def test_a_projector_has_large_letters_and_keys(page):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto("about:blank")
    two = lessons.head_drop.ends_scene()
    mounted(page, two)
    page.locator(f"{ROOT} .play").focus()
    page.keyboard.press("p")
    page.wait_for_selector(".qoslib-projected")
    assert page.evaluate("document.fullscreenElement?.className").startswith("qoslib-packets")
    sizes = page.evaluate(
        f"""() => [...document.querySelectorAll('{ROOT} button, {ROOT} label, {ROOT} .said')]
            .filter((each) => each.offsetParent)
            .map((each) => parseFloat(getComputedStyle(each).fontSize))"""
    )
    assert min(sizes) >= 23
    root = f"document.querySelector('{ROOT}')"
    page.wait_for_function(f"{LETTERS} > 20")
    assert page.evaluate(f"{root}.scrollHeight <= innerHeight && {root}.scrollWidth <= innerWidth")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("qos.state().t") == pytest.approx(page.evaluate("qos.scene.events[0]"))
    page.keyboard.press("Space")
    page.wait_for_function(f"{root}.dataset.playing === 'true'")
    page.keyboard.press("Space")
    page.keyboard.press("p")
    page.wait_for_function("document.fullscreenElement === null")
    page.wait_for_selector(".qoslib-projected", state="detached")
    page.keyboard.press("p")
    page.wait_for_selector(".qoslib-projected")
    page.keyboard.press("Escape")
    page.wait_for_function("document.fullscreenElement === null")


def test_four_ports_are_projected_two_by_two_where_letters_would_be_small(page):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto("about:blank")
    mounted(page, lessons.same_traffic.scene())
    assert page.get_by_title("Show the other ports").is_hidden()
    page.locator(f"{ROOT} .play").focus()
    page.keyboard.press("p")
    page.wait_for_selector(".qoslib-projected")
    hidden = "qos.layout.lanes.map((each) => Boolean(each.hidden))"
    others = page.get_by_title("Show the other ports")
    for said, away in (
        ("Ports 1 and 2 of 4 ⇄", [False, False, True, True]),
        ("Ports 3 and 4 of 4 ⇄", [True, True, False, False]),
    ):
        page.wait_for_function(f"document.querySelector('{ROOT}').innerText.includes('{said}')")
        assert page.evaluate(hidden) == away
        page.wait_for_function(f"{LETTERS} > 21")
        assert page.evaluate(OVERLAPS, 3) == []
        others.click()
    page.keyboard.press("p")
    page.wait_for_function("document.fullscreenElement === null")
    page.wait_for_function("qos.layout.lanes.every((each) => !each.hidden)")
    assert others.is_hidden()


def test_a_notebook_that_is_exported_as_html_plays(page, tmp_path):
    view = four()
    bundle = view._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    output = nbformat.v4.new_output("display_data", data=data)
    cell = nbformat.v4.new_code_cell("view", outputs=[output])
    body, _ = HTMLExporter().from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    (tmp_path / "lesson.html").write_text(body)
    page.route(re.compile("^https?://"), lambda route: route.abort())
    page.goto(f"file://{tmp_path}/lesson.html", wait_until="domcontentloaded")
    page.wait_for_selector(f"{ROOT} canvas")
    page.locator(f"{ROOT} .play").click()
    page.wait_for_function(f"document.querySelector('{ROOT}').qos.state().lanes[3].sent > 0")
    # Where scripts do not run, the picture stands in their place.
    assert "<div><img alt=" in data["text/html"]


def test_the_wall_of_the_first_scene_can_be_dragged_both_ways(page):
    page.goto("about:blank")
    view = lessons.one_queue.scene()
    mounted(page, view)
    places = "(({ wall, rail }) => [wall / qos.layout.W, rail / qos.layout.W])(qos.handles()[0])"
    wall, _ = page.evaluate(places)
    assert 0.35 < wall < 0.6
    # As far to the left as there is room: nothing covers anything else, and all can still be seen.
    x, y = page.evaluate(HANDLE, "limit")
    page.mouse.move(x, y)
    page.mouse.down()
    # In one move: a page that is slow to follow would ask on the way, too.
    page.mouse.move(page.locator(f"{ROOT} canvas").bounding_box()["x"] + 36, y)
    assert page.evaluate(OVERLAPS, 8) == []
    page.wait_for_function("asked.length")
    view.widget.change = page.evaluate("asked.at(-1)")
    spec, data = json.loads(json.dumps(view.spec)), base64.b64encode(view.data).decode()
    page.evaluate(UPDATE, [spec, data])
    wall, rail = page.evaluate(places)
    assert rail < wall < 0.1
    # Once the hand lets go there is room again for the arrivals, and for the next move.
    page.mouse.up()
    wall, rail = page.evaluate(places)
    assert wall > rail > 0.15
