// The whole window below the ports: the delay of every packet, a tick for every drop.

import { line, spread, word } from "./brush.js";
import { round } from "./link.js";

const MANY = 4000;

/** What a packet is in each lane, and its sign in words. */
const SIGNS = ["■", "□", "△", "+"];

/** Paint all but the playhead; it stays as it is until the scene, the width or the theme change. */
export function chart(pen) {
  const { context, theme, colour, scene, layout } = pen, { x, y, w } = layout.chart;
  const top = y + 16, floor = y + 50, most = scene.scale || 1, tall = scene.lanes.length > 2 ? 3 : 6;
  const muted = { size: 12, colour: theme.muted }, keys = scene.lanes.map((lane, n) => `${SIGNS[n]} ${lane.title}`);
  const only = scene.lanes.some((lane) => lane.others) ? ` of ${scene.classes.map((each) => each.name).join(" and ")}` : "";
  const caption = `Delay of each packet${only}; ticks are drops${scene.before ? "; pale: before the change" : ""}`;
  const right = [word(pen, round(most), muted)];
  if (keys.length > 1) right.push(word(pen, keys.join("   "), muted));
  spread(y + 9, x, x + w, [word(pen, caption, muted)], right);
  line(pen, x, floor, x + w, floor, theme.rule);
  const places = (lane) => [
    lane.sent.filter((i) => lane.seen(i) && lane.departure[i] >= 0 && lane.departure[i] <= scene.end_s),
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
    else for (const i of all) sign(context, number, at(i), high(i), colour(lane, i));
    const ticks = floor + 2 + number * tall;
    for (let i = 0; i < lane.count; i++) {
      if (!lane.fate[i] || !lane.seen(i) || lane.leave[i] < 0 || lane.leave[i] > scene.end_s) continue;
      const place = x + (w * lane.leave[i]) / scene.end_s;
      line(pen, place, ticks, place, ticks + tall - 1, theme.red);
    }
  });
}

function sign(context, number, x, y, colour) {
  context.fillStyle = context.strokeStyle = colour;
  context.lineWidth = 0.9;
  if (number === 0) return context.fillRect(x - 1.2, y - 1.2, 2.4, 2.4);
  if (number === 1) return context.strokeRect(x - 1.6, y - 1.6, 3.2, 3.2);
  context.beginPath();
  const lines = number === 2 ? [[-2, 1.6], [0, -2], [2, 1.6], [-2, 1.6]] : [[-2, 0], [2, 0], [0, -2], [0, 2]];
  lines.forEach(([dx, dy], at) => (at && (number === 2 || at % 2) ? context.lineTo(x + dx, y + dy) : context.moveTo(x + dx, y + dy)));
  context.stroke();
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
