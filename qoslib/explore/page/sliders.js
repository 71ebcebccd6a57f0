// The same moves as by hand, for the keyboard.

import { make } from "./page.js";
import { rate, room, time } from "./words.js";

const TURNED = { TailDrop: ["newest", "oldest"], HeadDrop: ["oldest", "newest"] };

/** With room for more packets each is drawn narrower than two pixels, and all together as a smear. */
const MOST_ROOM = 210;

/** Values in steps of about 6 %, whole where they count something; `now` is one of them. */
function ladder(low, high, now, whole) {
  const found = [now];
  for (let value = low; value < high; value = whole ? Math.max(value + 1, Math.round(1.06 * value)) : 1.06 * value) {
    if (value !== now) found.push(value);
  }
  return found.sort((a, b) => a - b);
}

function slider(label, value, low, high, step, said, moved) {
  const out = make("span", { "aria-hidden": true }), input = make("input", { type: "range", min: low, max: high, step, value });
  const say = (now) => {
    out.textContent = said(now);
    input.setAttribute("aria-valuetext", out.textContent);
  };
  say(value);
  input.addEventListener("input", () => say(Number(input.value)));
  input.addEventListener("change", () => moved(Number(input.value)));
  return make("label", {}, label, input, out);
}

/** Of several queues, which one is meant: [number of its lane, its number there]. */
function chooser(scene, meant, memory, again) {
  const { lanes } = scene;
  const options = meant.map(([lane, queue], at) => {
    const { title, queues, shown } = lanes[lane], { name } = queues[queue];
    const said = lanes.length < 2 ? name : shown.length < 2 ? title : `${title}: ${name}`;
    return make("option", { value: at, ...(at === memory.meant ? { selected: "" } : {}) }, said);
  });
  const choose = make("select", { "aria-label": "Queue" }, ...options);
  choose.addEventListener("change", () => { memory.meant = Number(choose.value); again(); });
  return choose;
}

/** Of which streams the load is that of a queue. */
function loadOf(lane, queue) {
  const mine = lane.flows.filter((flow) => flow.queue === queue.number);
  if (lane.queues.length === 1) return mine.length > 1 ? ", all" : "";
  return `, ${mine.length > 1 ? queue.name : mine[0].name}`;
}

/** The queues that can be meant: [number of its lane, its number there]. */
function queuesOf(scene) {
  return scene.lanes.flatMap((lane, n) => lane.shown.map((queue) => [n, queue]));
}

/** Mean another queue from now on; whether that is a change. */
export function mean(scene, memory, lane, queue) {
  const before = memory.meant ?? 0;
  memory.meant = queuesOf(scene).findIndex(([n, q]) => n === lane && q === queue);
  return memory.meant !== before;
}

/**
 * Sliders and a button for a scene; `memory` keeps the queue that is meant, and where limits began.
 * `stops` are the values that a handle can have, where there are only some.
 */
export function slidersOf(scene, memory, ask, again, stops) {
  const found = [], meant = queuesOf(scene);
  memory.meant = Math.min(memory.meant ?? 0, meant.length - 1);
  const [number, place] = meant[memory.meant], lane = scene.lanes[number], queue = lane.shownQueues[place];
  if (meant.length > 1) found.push(chooser(scene, meant, memory, again));
  if (queue.limit) {
    const { unit, most } = queue.limit, now = queue.limit.time_s ?? most;
    const began = (memory[`${number} ${place}`] ??= now);
    const low = unit === "packets" ? 1 : unit === "bytes" ? Math.max(...lane.bytes) : began / 8;
    const high = unit === "packets" ? Math.max(Math.min(64 * began, MOST_ROOM), 2 * began) : 64 * began;
    const steps = stops({ kind: "limit", lane: number, queue: place }) ?? ladder(low, Math.max(high, now), now, unit !== "s");
    const limit = (at) => ask({ limit: steps[at], lane: number, queue: place });
    const said = (at) => (unit === "s" ? time(steps[at]) : room(queue, steps[at]));
    const label = scene.same_limit ? "Queue limit, all lanes" : "Queue limit";
    found.push(slider(label, steps.indexOf(now), 0, steps.length - 1, 1, said, limit));
  }
  if (queue.times) {
    const steps = stops({ kind: "rate", lane: number, queue: place }), { times } = queue;
    const of = (value) => (steps ? steps[value] : value), scale = steps ? [steps.indexOf(times), 0, steps.length - 1, 1] : [times, 0.25, 3, 0.05];
    const said = (value) => rate((queue.offered * of(value)) / times);
    const move = (value) => ask({ rate: of(value), lane: number, queue: place });
    found.push(slider(`Offered load${loadOf(lane, queue)}`, ...scale, said, move));
  }
  const ends = TURNED[queue.dropper];
  if (ends) {
    const hint = `A full queue now drops its ${ends[0]} packet. Press to drop its ${ends[1]} instead.`;
    const turn = make("button", { type: "button", "data-hint": hint, "aria-description": hint }, `Drop the ${ends[1]}`);
    turn.addEventListener("click", () => ask({ turn: true, lane: number, queue: place }));
    found.push(turn);
  }
  return found;
}
