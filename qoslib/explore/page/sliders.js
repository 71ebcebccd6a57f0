// The same moves as by hand, for the keyboard.

import { make } from "./page.js";
import { rate, room, time } from "./words.js";

const TURNED = { TailDrop: ["newest", "oldest"], HeadDrop: ["oldest", "newest"] };

/** Values in steps of about 6 %, whole where they count something; `now` is one of them. */
function ladder(low, high, now, whole) {
  const found = [now];
  for (let value = low; value < high; value = whole ? Math.max(value + 1, Math.round(1.06 * value)) : 1.06 * value) {
    if (value !== now) found.push(value);
  }
  return found.sort((a, b) => a - b);
}

function slider(label, value, low, high, step, said, moved) {
  const out = make("output", {}, said(value));
  const input = make("input", { type: "range", min: low, max: high, step, value });
  input.addEventListener("input", () => (out.textContent = said(Number(input.value))));
  input.addEventListener("change", () => moved(Number(input.value)));
  return make("label", {}, label, input, out);
}

/** Of several queues, which one is meant. */
function chooser(lane, memory, again) {
  const options = lane.shown.map((number) => {
    const chosen = number === memory.queue ? { selected: "" } : {};
    return make("option", { value: number, ...chosen }, lane.queues[number].name);
  });
  const choose = make("select", { "aria-label": "Queue" }, ...options);
  choose.addEventListener("change", () => { memory.queue = Number(choose.value); again(); });
  return choose;
}

/** Sliders and buttons of a scene; `memory` keeps the queue that is meant, and where limits began. */
export function slidersOf(scene, memory, ask, again) {
  const found = [], lane = scene.lanes.reduce((a, b) => (b.shown.length > a.shown.length ? b : a));
  const number = scene.lanes.indexOf(lane);
  if (!lane.shown.includes(memory.queue)) memory.queue = lane.shown[0];
  const queue = lane.shownQueues[memory.queue];
  if (lane.shown.length > 1) found.push(chooser(lane, memory, again));
  if (queue.limit) {
    const { unit } = queue.limit, now = queue.limit.time_s ?? queue.limit.most, began = (memory[queue.name] ??= now);
    const low = unit === "packets" ? 1 : unit === "bytes" ? Math.max(...lane.bytes) : began / 8;
    const steps = ladder(low, Math.max(64 * began, now), now, unit !== "s"), last = steps.length - 1;
    const limit = (at) => ask({ limit: steps[at], lane: number, queue: queue.number });
    const said = (at) => (unit === "s" ? time(steps[at]) : room(queue, steps[at]));
    found.push(slider("Queue limit", steps.indexOf(now), 0, last, 1, said, limit));
  }
  if (scene.rates) {
    const said = (value) => rate((scene.offered_bps * value) / scene.rates);
    const moved = (value) => ask({ rate: value });
    found.push(slider("Offered load", scene.rates, 0.25, 3, 0.05, said, moved));
  }
  scene.lanes.forEach((each, n) => {
    const place = each.shown.length > 1 ? memory.queue : each.shown[0];
    const ends = TURNED[each.queues[place]?.dropper];
    if (!ends) return;
    const name = scene.lanes.length > 1 ? `${each.title}: drops` : "A full queue drops";
    const title = `Press to drop the ${ends[1]} packet of a full queue`;
    const turn = make("button", { type: "button", title }, `${name} the ${ends[0]} ⇄`);
    turn.addEventListener("click", () => ask({ turn: true, lane: n, queue: place }));
    found.push(turn);
  });
  return found;
}
