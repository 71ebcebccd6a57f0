// The view on a page: canvas, clock, controls, and what assistive technology reads.

import { FONT, THEMES } from "./brush.js";
import { chart } from "./chart.js";
import { draw } from "./draw.js";
import { hands, handlesOf } from "./hands.js";
import { layoutOf } from "./layout.js";
import { CSS, brightness, counters, make, save } from "./page.js";
import { load, upto } from "./scene.js";
import { slidersOf } from "./sliders.js";
import { stateAt, storyOf } from "./state.js";
import { rate, time, told, words } from "./words.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8], STEP_MS = 500, PATIENCE_MS = 8000;
/** Show a scene in an element. `live` has `ask(change)` where a kernel can run the model again. */
export function mount(el, spec, bytes, live = null) {
  let scene = load(spec, bytes), layout = layoutOf(scene, 820), dark = false;
  let t = 0, playing = false, seen = true, frame = 0, before = 0, stepping = 0, speed = 1;
  let followed = null, held = null, stretch = 1, rateSaid = null, hovered = null, asked = 0, unanswered = 0, base = null;
  let still = null, width = 0;
  const look = { spots: [] }, memory = {};
  const stats = { frames: 0, asks: 0, drawing_ms: [], answers_ms: [] };
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  const canvas = make("canvas", { role: "img" }), context = canvas.getContext("2d");
  const tip = make("div", { class: "story", hidden: "" });
  const stage = make("div", { class: "stage" }, canvas, tip);
  const scrub = make("input", { class: "scrub", type: "range", min: 0, max: 1000, step: 1, value: 0, "aria-label": "Time in the window" });
  const play = make("button", { class: "play", type: "button" }, "▶ Play");
  const back = make("button", { type: "button", "aria-label": "Event before", title: "Event before (←)" }, "◂|");
  const forth = make("button", { type: "button", "aria-label": "Next event", title: "Next event (→)" }, "|▸");
  const speeds = make("select", { "aria-label": "Speed" }, ...SPEEDS.map((each) => make("option", { value: each, ...(each === 1 ? { selected: "" } : {}) }, `${each} ×`)));
  const copy = make("button", { type: "button" }, "Copy picture");
  const clock = make("span", { class: "clock" });
  const page = make("button", { type: "button", title: "A page that plays without Python" }, "Save page");
  const bar = make("div", { class: "row" }, play, back, forth, speeds, copy, page, clock);
  page.hidden = !live?.page;
  page.addEventListener("click", () => live.page());
  const sliders = make("div", { class: "row" });
  const said = make("p", { class: "said", role: "status" });
  const table = make("table"), fold = make("details", {}, make("summary", {}, "Counters"), table);
  const root = make("div", { class: "qoslib-packets", role: "group", tabindex: -1, "data-lm-suppress-shortcuts": "true" }, make("style", {}, CSS), stage, scrub, bar, sliders, said, fold);
  el.append(root);

  const pen = (context) => ({
    context, theme: THEMES[dark ? "dark" : "light"],
    colour: (lane, i) => {
      const found = scene.classes.find((each) => each.name === lane.streams[lane.stream[i]][0]);
      return dark ? found.dark : found.light;
    },
    text(words, x, y, colour, align = "left") {
      context.font = `11.5px ${FONT}`;
      context.textAlign = align;
      context.fillStyle = colour;
      context.fillText(words, x, y);
    },
    line(x0, y0, x1, y1, colour) {
      context.strokeStyle = colour;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
      context.stroke();
    },
  });

  function prepare() {
    width = root.clientWidth || 820;
    dark = brightness(getComputedStyle(root).color) > 128;
    stage.classList.toggle("dark", dark);
    root.style.colorScheme = dark ? "dark" : "light";
    layout = layoutOf(scene, width, layout);
    const sharp = Math.max(devicePixelRatio || 1, 1) * Math.min(1, layout.scale) || 1;
    canvas.width = Math.round(layout.W * sharp);
    canvas.height = Math.round(layout.H * sharp);
    canvas.style.maxWidth = `${layout.W}px`;
    canvas.style.aspectRatio = `${layout.W} / ${layout.H}`;
    scrub.style.maxWidth = `${layout.W}px`;
    context.setTransform(sharp, 0, 0, sharp, 0, 0);
    context.clearRect(0, 0, layout.W, layout.H);
    chart(pen(context), scene, layout);
    const { x, y, w, h } = layout.chart, below = Math.floor(y * sharp);
    still = new OffscreenCanvas(canvas.width, Math.max(canvas.height - below, 1));
    still.getContext("2d").drawImage(canvas, 0, -below);
    still.at = below / sharp;
    still.sharp = sharp;
  }

  function paint() {
    const began = performance.now(), state = stateAt(scene, t);
    context.clearRect(0, 0, layout.W, layout.H);
    Object.assign(look, { dark, followed, held, stretch, rateSaid, live: Boolean(live?.alive), t });
    draw(context, scene, layout, state, look);
    context.drawImage(still, 0, still.at, still.width / still.sharp, still.height / still.sharp);
    const { x, y, w } = layout.chart, at = x + (w * t) / scene.end_s;
    context.fillStyle = THEMES[dark ? "dark" : "light"].ink;
    context.fillRect(at - 0.75, y + 14, 1.5, 48);
    clock.textContent = `${time(t)} of ${time(scene.end_s)}, slowed ${words(Math.round(1 / (layout.pace * speed)), "time")}`;
    if (document.activeElement !== scrub || playing) scrub.value = (1000 * t) / scene.end_s;
    root.dataset.timeMs = 1000 * t;
    root.dataset.playing = playing;
    if (hovered) showTip();
    if (fold.open && (!playing || stats.frames % 15 === 0)) table.replaceChildren(...counters(scene, state));
    stats.frames += 1;
    stats.drawing_ms.push(performance.now() - began);
    if (stats.drawing_ms.length > 600) stats.drawing_ms.shift();
    return state;
  }

  function tick(now) {
    frame = 0;
    if (!playing || !seen) return;
    t += Math.min((now - before) / 1000, 0.1) * layout.pace * speed;
    before = now;
    if (t >= scene.end_s) {
      t = scene.end_s;
      pause();
      return;
    }
    paint();
    frame = requestAnimationFrame(tick);
  }

  function wake() {
    if (!playing || !seen || frame || calm.matches) return;
    before = performance.now();
    frame = requestAnimationFrame(tick);
  }

  function start() {
    if (t >= scene.end_s) t = 0;
    playing = true;
    play.textContent = "❚❚ Pause";
    said.textContent = "";
    if (calm.matches) stepping = setInterval(() => (t >= scene.end_s ? pause() : seek(after(1), true)), STEP_MS);
    wake();
    paint();
  }

  function pause() {
    playing = false;
    cancelAnimationFrame(frame);
    clearInterval(stepping);
    frame = 0;
    play.textContent = "▶ Play";
    say(paint());
  }

  function say(state) {
    const each = scene.lanes.map((lane, n) => {
      const now = state.lanes[n], name = scene.lanes.length > 1 ? `${lane.title}: ` : "";
      return `${name}${now.waiting} waiting, ${now.sent} sent, ${now.dropped} dropped`;
    });
    said.textContent = `At ${time(t)}: ${each.join("; ")}.${storyOfFollowed()}`;
    live?.moved?.(1000 * t, playing);
  }

  /** What happened to the packet that is followed, in each lane. */
  function storyOfFollowed() {
    if (followed === null) return "";
    const stories = scene.lanes.map((lane, n) => {
      const i = lane.number.indexOf(followed), name = scene.lanes.length > 1 ? `${lane.title}: ` : "";
      return i < 0 ? "" : name + told(storyOf(scene, n, i, t)).slice(n ? 1 : 0).join(" ");
    });
    return ` Packet ${followed}: ${stories.join(" ")}`;
  }

  function after(direction) {
    const place = upto(scene.events, t);
    if (direction > 0) return scene.events[place] ?? scene.end_s;
    let at = place - 1;
    while (at >= 0 && scene.events[at] >= t) at -= 1;
    return at >= 0 ? scene.events[at] : 0;
  }

  function seek(to, quiet = false) {
    t = Math.max(0, Math.min(scene.end_s, to));
    const state = paint();
    if (!quiet && !playing) say(state);
  }

  function step(direction) {
    if (playing) pause();
    seek(after(direction));
  }

  function spotAt(x, y) {
    for (let s = look.spots.length - 1; s >= 0; s--) {
      const [, , left, top, w, h] = look.spots[s];
      if (x >= left - 1 && x <= left + Math.max(w, 3) + 1 && y >= top - 3 && y <= top + h + 3) return look.spots[s];
    }
    return null;
  }

  function showTip() {
    const { number, i } = hovered, spot = look.spots.find((s) => s[0] === number && s[1] === i);
    tip.hidden = !spot;
    if (!spot) return;
    const story = storyOf(scene, number, i, t), scale = canvas.clientWidth / layout.W;
    tip.replaceChildren(make("b", {}, `Packet ${story.number}`), told(story).join(" "));
    const x = Math.min(Math.max((spot[2] + spot[4] / 2) * scale - 130, 0), canvas.clientWidth - 270);
    tip.style.left = `${x}px`;
    tip.style.top = `${(spot[3] + spot[5] + 12) * scale}px`;
  }

  const view = {
    get scene() { return scene; },
    get layout() { return layout; },
    live: () => Boolean(live?.alive),
    handles: () => handlesOf(scene, layout, stateAt(scene, t)),
    ask(change) {
      // What is drawn pale: the scene before a move began.
      if (!held) base = scene;
      asked = performance.now();
      stats.asks += 1;
      clearTimeout(unanswered);
      unanswered = setTimeout(silent, PATIENCE_MS);
      live.ask(change);
    },
    hold(what) {
      if (what && !held) base = scene;
      held = what;
      repaint();
    },
    stretch(factor, to) {
      stretch = factor;
      const now = scene.offered_bps;
      rateSaid = to === null ? null : `${rate(now)} → ${rate((now * to) / scene.rates)}`;
      repaint();
    },
    pick(x, y) {
      const spot = spotAt(x, y);
      followed = spot ? scene.lanes[spot[0]].number[spot[1]] : null;
      const state = paint();
      if (!playing) say(state);
    },
    point(x, y, kind) {
      const spot = kind ? null : spotAt(x, y);
      hovered = spot ? { number: spot[0], i: spot[1] } : null;
      tip.hidden = !hovered;
      if (hovered) showTip();
      const chart = layout.chart;
      if (y > chart.y) canvas.style.cursor = "pointer";
    },
  };
  /** Python does not answer: nothing offers to be moved any more. */
  function silent() {
    live.alive = false;
    arm();
    repaint();
    said.textContent = "Python does not answer. Run the cell again to move the wall or the arrivals.";
  }
  const repaint = () => { if (!playing || !frame) paint(); };

  hands(canvas, view);
  canvas.addEventListener("pointerdown", (event) => {
    const box = canvas.getBoundingClientRect(), s = layout.W / box.width;
    const y = (event.clientY - box.top) * s, { chart: c } = layout;
    if (y < c.y + 8) return;
    const to = (e) => seek(scene.end_s * (((e.clientX - box.left) * s - c.x) / c.w));
    to(event);
    canvas.setPointerCapture(event.pointerId);
    canvas.addEventListener("pointermove", to);
    canvas.addEventListener("pointerup", () => canvas.removeEventListener("pointermove", to), { once: true });
  });
  play.addEventListener("click", () => (playing ? pause() : start()));
  back.addEventListener("click", () => step(-1));
  forth.addEventListener("click", () => step(1));
  speeds.addEventListener("change", () => { speed = Number(speeds.value); paint(); });
  scrub.addEventListener("input", () => seek((scene.end_s * scrub.value) / 1000));
  fold.addEventListener("toggle", () => table.replaceChildren(...counters(scene, stateAt(scene, t))));
  copy.addEventListener("click", copied);
  root.addEventListener("keydown", (event) => {
    event.stopPropagation();
    const typing = event.target.matches("select, input:not(.scrub), summary");
    const pressed = event.target.matches("button") && event.key === " ";
    if (typing || pressed || event.ctrlKey || event.metaKey || event.altKey) return;
    const does = {
      " ": () => (playing ? pause() : start()), ArrowLeft: () => step(-1), ArrowRight: () => step(1),
      Home: () => seek(0), End: () => seek(scene.end_s),
      ArrowUp: () => follow(-1), ArrowDown: () => follow(1),
    }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  });

  /** Follow the next or the previous packet of a lane; its story is in the status line. */
  function follow(direction) {
    const [lane] = scene.lanes, known = followed === null ? -1 : lane.number.indexOf(followed);
    const now = known < 0 ? upto(lane.arrival, t) - 1 - direction : known;
    followed = lane.number[Math.max(0, Math.min(lane.count - 1, now + direction))];
    const state = paint();
    say(state);
  }

  async function copied() {
    const extra = scene.guess ? 26 : 0, { ground, ink } = THEMES[dark ? "dark" : "light"];
    const whole = make("canvas");
    whole.width = 2 * layout.W;
    whole.height = 2 * (layout.H + extra + 8);
    const brush = whole.getContext("2d");
    brush.fillStyle = ground;
    brush.fillRect(0, 0, whole.width, whole.height);
    brush.scale(2, 2);
    draw(brush, scene, layout, stateAt(scene, t), { ...look, live: false, spots: [] });
    chart(pen(brush), scene, layout);
    if (extra) {
      brush.font = `600 14px ${FONT}`;
      brush.textAlign = "left";
      brush.fillStyle = ink;
      brush.fillText(scene.guess, layout.pad, layout.H + 20);
    }
    const blob = await new Promise((done) => whole.toBlob(done));
    try {
      // A page that waits for a permission nobody gives would wait for ever.
      const late = new Promise((_, stop) => setTimeout(stop, 1500));
      const item = new ClipboardItem({ "image/png": blob });
      await Promise.race([navigator.clipboard.write([item]), late]);
      copy.textContent = "Copied";
    } catch {
      save(blob, "packets.png");
      copy.textContent = "Saved";
    }
    setTimeout(() => (copy.textContent = "Copy picture"), 1500);
  }

  function arm() {
    sliders.replaceChildren(...(live?.alive ? slidersOf(scene, memory, view.ask, arm) : []));
  }

  function fresh() {
    root.setAttribute("aria-label", scene.title);
    canvas.setAttribute("aria-label", scene.summary);
    prepare();
    say(paint());
  }

  const sizer = new ResizeObserver(() => {
    if (root.clientWidth && root.clientWidth !== width) { prepare(); paint(); }
  });
  const watcher = new IntersectionObserver((all) => {
    const shown = all[all.length - 1].isIntersecting;
    if (shown && !seen && brightness(getComputedStyle(root).color) > 128 !== dark) { prepare(); paint(); }
    seen = shown;
    if (seen) wake(); else { cancelAnimationFrame(frame); frame = 0; }
  });
  const theme = new MutationObserver(() => { prepare(); paint(); });
  sizer.observe(root);
  watcher.observe(root);
  for (const each of [document.documentElement, document.body]) {
    theme.observe(each, { attributes: true, attributeFilter: ["class", "style", "data-theme", "data-jp-theme-light"] });
  }
  arm();
  fresh();
  if (scene.playing && !calm.matches) start();

  const shown = {
    seek, step, play: start, pause, stats, follow,
    state: (at = t) => stateAt(scene, at),
    get scene() { return scene; },
    get layout() { return layout; },
    handles: view.handles,
    update(newSpec, newBytes) {
      scene = load(newSpec, newBytes, base);
      t = Math.min(t, scene.end_s);
      hovered = null;
      tip.hidden = true;
      const focus = sliders.contains(document.activeElement) ? [...sliders.querySelectorAll("input, button, select")].indexOf(document.activeElement) : -1;
      arm();
      if (focus >= 0) sliders.querySelectorAll("input, button, select")[focus]?.focus();
      canvas.setAttribute("aria-label", scene.summary);
      prepare();
      const state = paint();
      if (!playing) say(state);
      clearTimeout(unanswered);
      if (asked) stats.answers_ms.push(performance.now() - asked);
      asked = 0;
    },
    fail(message) {
      clearTimeout(unanswered);
      said.textContent = message;
      arm();
    },
    close() {
      clearTimeout(unanswered);
      pause();
      sizer.disconnect();
      watcher.disconnect();
      theme.disconnect();
      root.remove();
    },
  };
  root.qos = shown;
  return shown;
}

function saved(file) {
  save(new Blob([file.text], { type: "text/html" }), file.name);
}

function render({ model, el }) {
  const live = {
    alive: model.get("live"),
    ask: (change) => { model.set("change", { ...change, turn_id: performance.now() }); model.save_changes(); },
    page: () => model.send({ page: true }),
    moved: (ms, playing) => { model.set({ time_ms: ms, playing }); model.save_changes(); },
  };
  const shown = mount(el, model.get("spec"), model.get("data"), live);
  const update = () => shown.update(model.get("spec"), model.get("data"));
  const fail = () => model.get("error") && shown.fail(model.get("error"));
  model.on("change:spec", update);
  model.on("change:error", fail);
  model.on("msg:custom", saved);
  return () => {
    model.off("change:spec", update);
    model.off("change:error", fail);
    model.off("msg:custom", saved);
    shown.close();
  };
}

export default { render };
