// Controls on the thing itself: a queue's wall, the arrivals, the end at which packets are dropped.

import { railEnd, roomOf, wallOf } from "./layout.js";

const REST_MS = 140;
/** Pixels by which the arrivals are dragged to make their rate 2.7 times as high. */
const GENTLE = 280;
/** By how much a handle is wider for a finger, on either side. */
const FINGER = 18;

/** Where each handle is, for a lane with one queue or several. */
export function handlesOf(scene, layout, state) {
  const found = [];
  scene.lanes.forEach((lane, number) => layout.lanes[number].rows.forEach((row) => {
    const queue = lane.shownQueues[row.queue], here = state.lanes[number].queues[row.queue];
    if (!queue.limit) return;
    const most = Number.isNaN(here.limit) ? queue.limit.most : here.limit;
    const wall = wallOf(layout, row, lane, queue, roomOf(lane, queue, most));
    const rail = railEnd(layout, wall), at = { lane: number, queue: row.queue, row };
    const floor = row.y + row.high;
    const handle = (kind, x, y, w, h) => found.push({ kind, x, y, w, h, wall, rail, most, ...at });
    if (!row.torn) handle("limit", wall - 10, row.y - 8, 20, row.high + 14);
    if (queue.dropper === "TailDrop" || queue.dropper === "HeadDrop") {
      const head = queue.dropper === "TailDrop";
      const x = head ? row.head - 46 : rail;
      handle("exit", x, floor - 2, 44, row.drop);
    }
    if (queue.times) handle("rate", row.from - 10, row.y - 4, rail - row.from + 10, row.high + 10);
  }));
  return found;
}

/**
 * Listen to the pointer on the canvas; `view` gives what is shown and takes what is asked. Its `stops`
 * are the values that a handle can have, where there are only some.
 */
export function hands(canvas, view) {
  let held = null, resting = 0;
  const at = (event) => {
    const box = canvas.getBoundingClientRect(), scale = view.layout.W / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  };
  const under = (event, slack = 0) => {
    const [x, y] = at(event);
    return view.handles().find((h) => x >= h.x - slack && x <= h.x + h.w + slack && y >= h.y && y <= h.y + h.h);
  };
  /** What a finger takes: it is wider than a wall. */
  const taken = (event) => view.live() && (under(event) ?? (event.pointerType === "mouse" ? null : under(event, FINGER)));
  /** The value itself, or the nearest of those that can be had; that changes at once. */
  const had = (value) => {
    const stops = view.stops(held);
    return stops ? stops.reduce((best, each) => (Math.abs(each - value) < Math.abs(best - value) ? each : best)) : value;
  };
  const ask = () => {
    clearTimeout(resting);
    if (!held?.change || held.change === held.asked) return;
    held.asked = held.change;
    view.ask(held.change);
  };
  const limitAt = (x) => {
    const { row } = held, lane = view.scene.lanes[held.lane], queue = lane.shownQueues[held.queue];
    const free = Math.max((row.head - x - held.grab) / view.layout.k - row.ahead * queue.largest, 0);
    const unit = queue.limit.unit;
    let most = unit === "packets" ? Math.round(free / queue.perPacket) : free / queue.perByte;
    if (unit === "s") most = free / lane.speed;
    const least = unit === "packets" ? 1 : unit === "bytes" ? Math.max(...lane.bytes) : queue.largest / lane.speed;
    most = Math.max(most, least);
    if (unit === "bytes") most = Math.round(most);
    most = had(most);
    const { lane: number, queue: place } = held;
    view.hold({ lane: number, queue: place, most, was: held.most, units: roomOf(lane, queue, most) });
    // A limit in time may count at another rate than that of the link.
    const limit = unit === "s" ? (queue.limit.time_s * most) / held.most : most;
    if (held.change?.limit !== limit) held.change = { limit, lane: number, queue: place };
  };
  const rateAt = (x) => {
    // In the steps and between the ends of the slider below.
    const lane = view.scene.lanes[held.lane], { times, number } = lane.shownQueues[held.queue];
    const rate = had(Math.max(0.25, Math.min(3, Math.round(20 * times * Math.exp((x - held.from) / GENTLE)) / 20)));
    const names = lane.flows.filter((flow) => flow.queue === number).map((flow) => flow.name);
    view.stretch({ names, factor: rate / times });
    if (held.change?.rate !== rate) held.change = { rate, lane: held.lane, queue: held.queue };
  };
  /** The chart below is a slider of time. */
  const seek = (event) => {
    const { chart } = view.layout;
    view.seek((view.scene.end_s * (at(event)[0] - chart.x)) / chart.w);
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (at(event)[1] >= view.layout.chart.y + 8) {
      canvas.setPointerCapture(event.pointerId);
      canvas.addEventListener("pointermove", seek);
      canvas.addEventListener("pointerup", () => canvas.removeEventListener("pointermove", seek), { once: true });
      return seek(event);
    }
    const handle = taken(event);
    if (!handle) return view.pick(...at(event));
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    view.take(handle.lane, handle.queue);
    const [x] = at(event);
    held = { ...handle, from: x, grab: handle.wall - x, change: null };
    if (handle.kind === "exit") {
      view.ask({ turn: true, lane: handle.lane, queue: handle.queue });
      held = null;
    }
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) {
      const handle = view.live() && under(event);
      const cursors = { limit: "ew-resize", rate: "grab", exit: "pointer" };
      const [x, y] = at(event), below = y > view.layout.chart.y;
      canvas.style.cursor = handle ? cursors[handle.kind] : below ? "pointer" : "default";
      return handle ? view.point() : view.point(x, y);
    }
    const [x] = at(event);
    if (held.kind === "limit") limitAt(x); else rateAt(x);
    clearTimeout(resting);
    // The arrivals under a hand stay as they are until it lets go: their gaps are what it holds.
    if (held.kind === "limit") resting = setTimeout(ask, view.stops(held) ? 0 : REST_MS);
  });
  const release = () => {
    ask();
    held = null;
    view.hold(null);
    view.stretch(null);
  };
  // What is held must not scroll the page as well.
  canvas.addEventListener("touchstart", (event) => { if (taken(event.touches[0])) event.preventDefault(); }, { passive: false });
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => held || view.point());
}
