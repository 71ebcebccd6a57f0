// Paints a state; nothing moves here but by the time.

import { THEMES, badge, text, textWidth } from "./brush.js";
import { drawLink } from "./link.js";
import { drawRow } from "./queue.js";

/** Draw the scene at a state; `look` has theme, followed packet, what a hand holds, and so on. */
export function draw(context, scene, layout, state, look) {
  const pen = { context, scene, layout, look, theme: THEMES[look.dark ? "dark" : "light"] };
  pen.colour = (lane, i) => pen.ofClass(lane.streams[lane.stream[i]][0]);
  pen.ofClass = (name) => {
    const found = scene.classes.find((each) => each.name === name);
    return look.dark ? found.dark : found.light;
  };
  look.spots = [];
  scene.lanes.forEach((lane, number) => drawLane(pen, lane, number, state.lanes[number], state.t));
}

function drawLane(pen, lane, number, state, t) {
  const { layout, theme, look } = pen, made = layout.lanes[number];
  const wide = layout.k * Math.max(...lane.shown.map((q) => lane.shownQueues[q].largest));
  pen.every = wide >= 18 && lane.flows.length === 1 ? 8 : 0;
  const used = text(pen, lane.title, layout.pad, made.y + 18, { size: 15.5, weight: 650 });
  let beside = layout.pad + used + 10;
  if (pen.scene.badge && !number) beside += badge(pen, pen.scene.badge, beside, made.y + 18) + 10;
  const note = { size: 12.5, colour: theme.muted }, free = layout.gate - beside - 4;
  if (textWidth(pen, lane.note, note) < free) text(pen, lane.note, beside, made.y + 18, note);
  made.rows.forEach((row) => drawRow(pen, lane, number, made, row, state, t));
  drawLink(pen, lane, number, made, state, t);
}
