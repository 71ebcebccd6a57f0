// The view on a page: its parts, what they tell each other and Python.

import { clockOf } from "./clock.js";
import { controlsOf } from "./controls.js";
import { copied } from "./copy.js";
import { hands, handlesOf } from "./hands.js";
import { CSS, make, save } from "./page.js";
import { PICTURE } from "./picture.js";
import { projector } from "./projector.js";
import { mean, slidersOf } from "./sliders.js";
import { stageOf } from "./stage.js";
import { storiesOf } from "./stories.js";
import { time } from "./words.js";

const PATIENCE_MS = 8000;
const ROOT = { class: "qoslib-packets", role: "group", tabindex: -1 };

/**
 * Show a scene in an element. `live` has `ask(change)` where the model can run again. It is `patient`
 * where an answer may take long, its `stops(handle)` are the values that can be had, if not all,
 * where it `loops` the window is played again and again, and the picture is so many times `enlarged`.
 */
export function mount(el, spec, bytes, live = null) {
  const scene = PICTURE.load(spec, bytes), root = make("div", ROOT, make("style", {}, CSS));
  const view = {
    root, live, scene, layout: PICTURE.layoutOf(scene, 820), dark: false,
    t: 0, speed: 1, playing: false, pair: 0,
    look: { spots: [], followed: null, held: null, moved: null },
    stats: { frames: 0, asks: 0, drawing_ms: [], answers_ms: [] },
  };
  let asked = 0, unanswered = 0, base = null, changed = spec.turn > 0;
  el.append(root);

  const tip = make("div", { class: "story", hidden: "" }), place = make("div", { class: "stage" });
  const sliders = make("div", { class: "buttons moves" }), memory = {};
  const said = make("p", { class: "said", role: "status" }), table = make("table");
  const fold = make("details", { class: "qoslib-not-projected" }, make("summary", {}, "Counters"), table);
  const stories = storiesOf(view, tip);
  const stage = (view.stage = stageOf(view, place, painted));
  const clock = clockOf(view, stage.paint, say);
  const pick = (choose) => { choose(); say(stage.paint()); };
  const controls = controlsOf(view, {
    ...clock, reset, copy: (button) => copied(view, button), follow: (way) => pick(() => stories.next(way)),
  });
  const large = projector(root, stage.again);
  if (large) controls.clock.before(large);
  const pairs = make("button", { type: "button", title: "Show the other ports", onclick: () => { view.pair += 1; stage.again(); } });
  controls.clock.before(pairs);
  place.append(tip);
  const signs = make("p", { class: "signs qoslib-not-projected" });
  root.append(place, controls.scrub, controls.bar, sliders, said, signs, fold);

  function painted(state) {
    controls.follow();
    pairs.hidden = !view.layout.said;
    if (view.layout.said) pairs.textContent = view.layout.said;
    root.dataset.timeMs = 1000 * view.t;
    root.dataset.playing = view.playing;
    stories.show();
    if (fold.open && (!view.playing || view.stats.frames % 15 === 0)) table.replaceChildren(...PICTURE.counters(view.scene, state));
    if (view.playing && said.textContent) said.textContent = "";
  }

  /** Say a state that stays. */
  function say(state) {
    const { lanes } = view.scene, each = lanes.map((lane, n) => {
      const now = state.lanes[n], name = lanes.length > 1 ? `${lane.title}: ` : "";
      return name + PICTURE.counted(now);
    });
    if (view.playing) return;
    said.textContent = `At ${time(view.t, view.scene.end_s)}: ${each.join("; ")}.${stories.followed()}`;
    const held = PICTURE.held?.(view.scene, state).map(([name, words]) => `${name}: ${words}.`) ?? [];
    stage.canvas.setAttribute("aria-label", [view.scene.summary, said.textContent, ...held].join(" "));
    live?.moved?.(1000 * view.t, view.playing);
  }

  function reset() {
    view.look.followed = null;
    if (view.playing) clock.pause();
    clock.seek(0);
    if (changed && live?.alive) ask({ reset: true });
    changed = false;
  }

  function ask(change) {
    // What is drawn pale: the scene before a move began.
    if (change.reset) base = null;
    else if (!view.look.held) base = view.scene;
    changed = true;
    asked = performance.now();
    view.stats.asks += 1;
    clearTimeout(unanswered);
    if (!live.patient) unanswered = setTimeout(silent, PATIENCE_MS);
    live.ask(change);
  }

  /** Python does not answer: nothing offers to be moved any more. */
  function silent() {
    live.alive = false;
    arm();
    clock.repaint();
    said.textContent = "Python does not answer. Run the cell again to move the wall or the arrivals.";
  }

  function arm() {
    signs.textContent = PICTURE.signs?.(view.scene, view.layout, live).join(" · ") ?? "";
    const controlled = "input, button, select", held = document.activeElement;
    const focus = [...sliders.querySelectorAll(controlled)].indexOf(held);
    sliders.replaceChildren(...(live?.alive ? slidersOf(view.scene, memory, ask, arm, stops) : []));
    if (focus >= 0) sliders.querySelectorAll(controlled)[focus]?.focus();
  }

  const stops = (handle) => live?.stops?.(handle) ?? null;
  const handles = () => handlesOf(view.scene, view.layout, PICTURE.stateAt(view.scene, view.t));
  hands(stage.canvas, {
    get scene() { return view.scene; },
    get layout() { return view.layout; },
    live: () => Boolean(live?.alive),
    handles, stops, ask, seek: clock.seek,
    /** The sliders are those of the queue that is in a hand. */
    take: (lane, queue) => { if (mean(view.scene, memory, lane, queue)) arm(); },
    hold(what) {
      if (what && !view.look.held) base = view.scene;
      // Packets kept their size while a wall was held.
      const again = view.look.held && !what;
      view.look.held = what;
      if (again) stage.prepare();
      clock.repaint();
    },
    /** Arrivals in a hand: those of the streams of these names, so many times as fast. */
    stretch(moved) {
      view.look.moved = moved;
      clock.repaint();
    },
    pick: (x, y) => pick(() => stories.pick(x, y)),
    point: stories.point,
  });
  fold.addEventListener("toggle", () => table.replaceChildren(...PICTURE.counters(view.scene, PICTURE.stateAt(view.scene, view.t))));

  root.setAttribute("aria-label", scene.title);
  stage.prepare();
  arm();
  say(stage.paint());
  clock.begin();

  root.qos = {
    ...clock, stats: view.stats, handles, spots: () => view.look.spots,
    follow: (way) => pick(() => stories.next(way)),
    state: (at = view.t) => PICTURE.stateAt(view.scene, at),
    get scene() { return view.scene; },
    get layout() { return view.layout; },
    /** A delay in words, in the unit of the picture. */
    delay: (seconds) => time(seconds, view.scene.like),
    update(newSpec, newBytes) {
      view.scene = PICTURE.load(newSpec, newBytes, base);
      view.t = Math.min(view.t, view.scene.end_s);
      stories.point();
      stage.prepare();
      arm();
      say(stage.paint());
      clearTimeout(unanswered);
      if (asked) view.stats.answers_ms.push(performance.now() - asked);
      asked = 0;
    },
    fail(message) {
      clearTimeout(unanswered);
      said.textContent = message;
      arm();
    },
    close() {
      clearTimeout(unanswered);
      clock.close();
      stage.close();
      root.remove();
    },
  };
  return root.qos;
}

function render({ model, el }) {
  let guessed = () => {};
  const live = {
    alive: model.get("live"),
    ask: (change) => { model.set("change", { ...change, turn_id: performance.now() }); model.save_changes(); },
    page: () => model.send({ page: true }),
    guess: () => new Promise((done) => { guessed = done; model.send({ guess: true }); }),
    moved: (ms, playing) => { model.set({ time_ms: ms, playing }); model.save_changes(); },
  };
  const shown = mount(el, model.get("spec"), model.get("data"), live);
  const update = () => shown.update(model.get("spec"), model.get("data"));
  const fail = () => model.get("error") && shown.fail(model.get("error"));
  const sent = (message) => {
    if ("guess" in message) guessed(message.guess);
    else save(new Blob([message.text], { type: "text/html" }), message.name);
  };
  const heard = [["change:spec", update], ["change:error", fail], ["msg:custom", sent]];
  heard.forEach(([name, does]) => model.on(name, does));
  return () => {
    heard.forEach(([name, does]) => model.off(name, does));
    shown.close();
  };
}

export default { render };
