// The whole window below the lanes: each sender's window and the queue against time, drops, idle link.

import { FONT, line, text } from "./brush.js";

/** Paint all but the playhead; it stays as it is until the scene, the width or the theme change. */
export function chartOfTcp(pen) {
  const { scene, layout, theme } = pen, { x, y, w, strip } = layout.chart, small = { size: 11.5, colour: theme.muted };
  const pale = scene.before ? "; pale: before the change" : "";
  const what = beyond(scene) ? "Window (line) and queue (grey)" : "Queue";
  text(pen, `${what} in packets; below, drops (red) and the idle link (grey)${pale}`, x, y + 9, small);
  scene.lanes.forEach((lane, number) => drawStrip(pen, lane, scene.before?.[number], x, y + 16 + number * strip, w, strip));
}

/** Whether a window ever exceeds what the path holds; where none does, the queue says more. */
function beyond(scene) {
  return scene.lanes.some((lane) => lane.senders.some((sender) => sender.widest > lane.path_packets));
}

function roomIn(queue) {
  return queue.limit.unit === "packets" ? queue.limit.most : queue.peak / queue.largest;
}

function mostOf(lane, windows) {
  const room = roomIn(lane.shownQueues[0]);
  if (!windows) return Math.max(room, 1);
  return Math.max(lane.path_packets + room, ...lane.senders.map((sender) => sender.widest));
}

function drawStrip(pen, lane, before, x, y, w, strip) {
  const { context, scene, theme } = pen, small = { size: 11.5, colour: theme.muted };
  // One scale for all lanes, and for the state before.
  const windows = beyond(scene), all = [...scene.lanes, ...(scene.before ?? [])];
  const most = 1.08 * Math.max(...all.map((each) => mostOf(each, windows))), floor = y + strip - 16, top = y + 8;
  const high = (packets) => floor - ((floor - top) * packets) / most;
  const at = (t) => x + (w * Math.max(0, Math.min(t, scene.end_s))) / scene.end_s;
  const [queue] = lane.shownQueues;
  // The queue as an area.
  context.fillStyle = theme.muted;
  context.globalAlpha = 0.36;
  context.beginPath();
  context.moveTo(x, floor);
  let come = 0, go = 0;
  while (come < queue.enqueuedAt.length || go < queue.leftAt.length) {
    const comes = queue.enqueuedAt[come] ?? Infinity, goes = queue.leftAt[go] ?? Infinity, now = Math.min(comes, goes);
    if (now > scene.end_s) break;
    context.lineTo(at(now), high(come - go));
    if (goes <= comes) go += 1; else come += 1;
    context.lineTo(at(now), high(come - go));
  }
  context.lineTo(x + w, high(come - go));
  context.lineTo(x + w, floor);
  context.fill();
  context.globalAlpha = 1;
  // What the path holds, and what path and queue hold together.
  const marks = marksOf(lane, queue, windows, strip);
  for (const [packets] of marks) {
    line(pen, x, high(packets), x + w, high(packets), theme.muted, 1, [2, 4]);
  }
  for (const sender of (windows && before?.senders) || []) steps(pen, sender, at, high, theme.rule, 1.5);
  for (const sender of windows ? lane.senders : []) {
    steps(pen, sender, at, high, pen.ofClass(sender.name), 2);
  }
  line(pen, x, floor, x + w, floor, theme.rule);
  context.fillStyle = theme.red;
  for (const each of queue.droppedAt) if (each >= 0 && each <= scene.end_s) context.fillRect(at(each) - 0.6, floor + 1, 1.2, 7);
  context.fillStyle = theme.muted;
  let free = 0;
  for (const i of lane.sent) {
    if (lane.start[i] > free + 1e-9 && free < scene.end_s) context.fillRect(at(free), floor + 10, Math.max(at(lane.start[i]) - at(free), 0.3), 4);
    free = Math.max(free, lane.departure[i]);
  }
  let above = Infinity;
  for (const [packets, said] of marks.reverse()) {
    const place = high(packets) - 3;
    if (Math.abs(above - place) > 11) label(pen, said, x + w, place, small);
    above = place;
  }
  const head = scene.lanes.length > 1 ? lane.title : "";
  label(pen, head, x + 2, y + 12, { ...small, weight: 600, align: "left" });
}

/** Words that curves may cross. */
function label(pen, said, x, y, look) {
  const { context, theme } = pen;
  context.font = `${look.weight ?? 400} ${look.size}px ${FONT}`;
  context.textAlign = look.align ?? "right";
  context.strokeStyle = theme.ground;
  context.lineWidth = 3.5;
  context.strokeText(said, x, y);
  text(pen, said, x, y, { align: "right", ...look });
}

function marksOf(lane, queue, windows, strip) {
  const path = Math.round(lane.path_packets), room = roomIn(queue), found = [];
  if (queue.limit.unit !== "packets") return windows ? [[path, `path ${path}`]] : [];
  if (!windows) return [[room, `room for ${room}`]];
  if (room > 0.2 * path || strip > 80) found.push([lane.path_packets, `path ${path}`]);
  return [...found, [lane.path_packets + room, `path + queue ${path + room}`]];
}

function steps(pen, sender, at, high, colour, width) {
  const { context, scene } = pen, { told, began } = sender, usable = (n) => Math.min(n, sender.limit ?? n);
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.lineJoin = "round";
  context.beginPath();
  let now = usable(began);
  context.moveTo(at(0), high(now));
  for (let row = 0; row < told.at.length && told.at[row] <= scene.end_s; row++) {
    const next = usable(told.window[row]);
    if (next === now) continue;
    context.lineTo(at(told.at[row]), high(now));
    context.lineTo(at(told.at[row]), high((now = next)));
  }
  context.lineTo(at(scene.end_s), high(now));
  context.stroke();
}
