// Paints a state; nothing moves here but by the time.

import { badge, classOf, drawLabels, penOf, spread, word } from "./brush.js";
import { drawLink } from "./link.js";
import { memoryBar } from "./meters.js";
import { drawRow } from "./queue.js";

/** Of a lane with one stream so many packets have their number, where it can be read. */
export const EVERY = 8;
export function numbered(lane, layout) {
  const wide = layout.k * Math.max(...lane.shown.map((q) => lane.shownQueues[q].largest));
  return wide >= 18 && lane.flows.length === 1 && !lane.colour;
}

/** Draw the lanes of a view at a state, and note where each packet is. */
export function draw(context, state, view) {
  const pen = penOf(context, view.scene, view.layout, view);
  view.look.spots = [];
  view.scene.lanes.forEach((lane, number) => drawLane(pen, lane, number, state.lanes[number], state.t));
  drawLabels(pen);
}

function drawLane(pen, lane, number, state, t) {
  const { layout, theme } = pen, made = layout.lanes[number];
  if (made.hidden) return;
  const first = layout.lanes.every((each, at) => at >= number || each.hidden);
  pen.every = numbered(lane, layout) ? EVERY : 0;
  const title = word(pen, lane.title, { size: made.size, weight: 650 }), parts = [title];
  if (first && !made.total && pen.scene.classes.length > 1) {
    parts.push(...pen.scene.classes.map((each) => classOf(pen, each.name)));
  }
  parts.push(...lane.memories.map((memory) => memoryBar(pen, lane, memory, state)));
  const sign = pen.scene.badge && !pen.signed && badge(pen, pen.scene.badge);
  if (sign) parts.push(sign);
  parts.push(...lane.note.split("; ").map((each) => word(pen, each, { size: 12, colour: theme.muted })));
  // A badge that has no room in the first lane is in the next.
  const drawn = spread(made.y + made.title, layout.pad, layout.gate - 4, parts);
  pen.signed ||= drawn.includes(sign);
  made.rows.forEach((row) => drawRow(pen, lane, number, made, row, state, t));
  drawLink(pen, lane, number, made, state, t);
}
