// Buttons, speeds and the slider of time below the canvas, and keys.

import { keep_keys } from "./keys.js";
import { make } from "./page.js";
import { time } from "./words.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];

/** The controls of a view, and what each does: `reset`, `copy`, `follow` and the clock's own. */
export function controlsOf(view, does) {
  const button = (said, given, click) => {
    const made = make("button", { type: "button", ...given }, said);
    made.addEventListener("click", () => click(made));
    return made;
  };
  const scrub = make("input", { class: "scrub", type: "range", min: 0, max: 1000, step: 1, value: 0, "aria-label": "Time in the window" });
  const play = button("▶ Play", { class: "play", title: "Space", "aria-label": "Play" }, does.turn);
  const back = button("◂|", { "aria-label": "Previous event", title: "Previous event (←)" }, () => does.step(-1));
  const forth = button("|▸", { "aria-label": "Next event", title: "Next event (→)" }, () => does.step(1));
  const options = SPEEDS.map((each) => make("option", { value: each, ...(each === 1 ? { selected: "" } : {}) }, `${each} ×`));
  const speeds = make("select", { "aria-label": "Speed" }, ...options);
  const reset = button("Reset", { title: "Back to the start and the first settings" }, () => {
    speeds.value = view.speed = 1;
    does.reset();
  });
  const copy = button("Copy picture", { class: "qoslib-not-projected" }, does.copy);
  const page = button("Save page", { class: "qoslib-not-projected", title: "A page that plays without Python" }, () => view.live.page());
  const clock = make("span", { class: "clock" });
  const bar = make("div", { class: "buttons" }, play, back, forth, speeds, reset, copy, page, clock);
  page.hidden = !view.live?.page;
  speeds.addEventListener("change", () => { view.speed = Number(speeds.value); does.repaint(); });
  scrub.addEventListener("input", () => does.seek((view.scene.end_s * scrub.value) / 1000));
  keep_keys(view.root);
  view.root.addEventListener("keydown", (event) => {
    const typing = event.target.matches("select, input:not(.scrub), summary");
    const pressed = event.target.matches("button") && event.key === " ";
    if (typing || pressed || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = {
      " ": does.turn, ArrowLeft: () => does.step(-1), ArrowRight: () => does.step(1),
      Home: () => does.seek(0), End: () => does.seek(view.scene.end_s),
      ArrowUp: () => does.follow(-1), ArrowDown: () => does.follow(1),
    }[event.key];
    if (!key) return;
    event.preventDefault();
    key();
  });

  /** Say where the clock stands. */
  function follow() {
    const { t, scene, layout, playing } = view, slowed = Math.round(1 / (layout.pace * view.speed));
    clock.textContent = `${time(t, scene.end_s).split(" ")[0]} of ${time(scene.end_s)}, slowed ${slowed.toLocaleString("en")} ×`;
    scrub.setAttribute("aria-valuetext", clock.textContent);
    if (document.activeElement !== scrub || playing) scrub.value = (1000 * t) / scene.end_s;
    const said = playing ? "❚❚ Pause" : "▶ Play";
    if (play.textContent !== said) {
      play.textContent = said;
      play.setAttribute("aria-label", playing ? "Pause" : "Play");
    }
  }
  return { scrub, bar, clock, follow };
}
