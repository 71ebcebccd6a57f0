// The whole window below the ports: the delay of every packet, a tick for every drop.

import { line, text } from "./brush.js";
import { time } from "./words.js";

const MANY = 4000;

/** Paint all but the playhead; it stays as it is until the scene, the width or the theme change. */
export function chart(pen) {
  const { context, theme, colour, scene, layout } = pen, { x, y, w } = layout.chart;
  const top = y + 16, floor = y + 50, most = scene.scale || 1;
  const lanes = scene.lanes.length, muted = { size: 11.5, colour: theme.muted };
  const pale = scene.before ? "; pale: before the change" : "";
  text(pen, `Delay of each packet; ticks are drops${pale}`, x, y + 9, muted);
  text(pen, time(most), x + w, y + 9, { ...muted, align: "right" });
  line(pen, x, floor, x + w, floor, theme.rule);
  const places = (lane) => [
    lane.sent.filter((i) => lane.departure[i] >= 0 && lane.departure[i] <= scene.end_s),
    (i) => x + (w * lane.departure[i]) / scene.end_s,
    (i) => floor - ((floor - top) * (lane.departure[i] - lane.arrival[i])) / most,
  ];
  // The state before the last change, pale.
  context.fillStyle = theme.rule;
  for (const lane of scene.before ?? []) {
    const [all, at, high] = places(lane);
    for (const i of all) context.fillRect(at(i) - 1, high(i) - 1, 2, 2);
  }
  scene.lanes.forEach((lane, number) => {
    const [all, at, high] = places(lane);
    if (all.length > MANY) band(context, lane, all, at, high, colour);
    else {
      for (const i of all) {
        if (number === 0) {
          context.fillStyle = colour(lane, i);
          context.fillRect(at(i) - 1.2, high(i) - 1.2, 2.4, 2.4);
        } else {
          context.strokeStyle = colour(lane, i);
          context.lineWidth = 0.9;
          context.strokeRect(at(i) - 1.6, high(i) - 1.6, 3.2, 3.2);
        }
      }
    }
    const ticks = floor + 2 + number * 6;
    for (let i = 0; i < lane.count; i++) {
      if (!lane.fate[i] || lane.leave[i] < 0 || lane.leave[i] > scene.end_s) continue;
      const place = x + (w * lane.leave[i]) / scene.end_s;
      line(pen, place, ticks, place, ticks + 5, theme.red);
    }
  });
  if (lanes > 1) {
    const said = scene.lanes.map((lane, n) => `${n ? "□" : "■"} ${lane.title}`).join("   ");
    text(pen, said, x + w - 76, y + 9, { ...muted, align: "right" });
  }
}

/** Too many dots to be told apart: from the least to the largest delay in each column. */
function band(context, lane, all, at, high, colour) {
  const ends = new Map();
  for (const i of all) {
    const key = Math.round(at(i)) * 256 + lane.stream[i], y = high(i), known = ends.get(key);
    if (known) { known[0] = Math.min(known[0], y); known[1] = Math.max(known[1], y); }
    else ends.set(key, [y, y, i]);
  }
  for (const [key, [low, up, i]] of ends) {
    context.fillStyle = colour(lane, i);
    context.fillRect(Math.floor(key / 256), low - 1, 1, up - low + 2);
  }
}
