// Paints a state of TCP: window, queue, link and acknowledgements; nothing moves here but by the time.

import { badge, block, ease, hollow, line, penOf, spread, text, textWidth, word } from "./brush.js";
import { FALL_S, railEnd, roomOf, wallOf } from "./layout.js";
import { drawRow, placesOf } from "./queue.js";
import { upto } from "./scene.js";
import { LEAP_S, phaseOf } from "./tcp_scene.js";
import { carries, words } from "./words.js";

/** Draw the lanes of a view at a state, and note where each packet is. */
export function drawTcp(context, state, view) {
  const pen = penOf(context, view.scene, view.layout, view);
  view.look.spots = [];
  // Slots are as wide as packets, in all lanes, until the widest window has no room for them.
  const widest = Math.max(8, ...state.lanes.flatMap((lane) => lane.senders.map((now) => Math.max(now.usable, now.flight))));
  pen.slots = (view.layout.gate - 6 - view.layout.pad - 30) / (widest + 1);
  view.scene.lanes.forEach((lane, number) => drawLoop(pen, lane, number, state.lanes[number], state.t));
}

function drawLoop(pen, lane, number, state, t) {
  const { layout, theme } = pen, made = layout.lanes[number], [row] = made.rows;
  const parts = [word(pen, lane.title, { size: made.size, weight: 650 })];
  if (pen.scene.badge && !number) parts.push(badge(pen, pen.scene.badge));
  const busy = Number.isNaN(state.busy) ? "" : `, busy ${Math.round(100 * state.busy)} % of the time`;
  const link = word(pen, carries(lane) + busy, { colour: theme.muted });
  spread(made.y + made.title, layout.pad, layout.W - layout.pad, parts, [link]);
  const leap = LEAP_S * layout.pace;
  // A packet of a sender comes from its window, not along the rail.
  lane.leaps = (i, now) => Boolean(lane.sender(i)) && (now < lane.arrival[i] + leap || lane.refused(i));
  mark(pen, lane, number, row);
  drawRow(pen, lane, number, made, row, state, t);
  pipe(pen, lane, number, made, state, t);
  lane.senders.forEach((sender, at) => {
    acks(pen, lane, made, sender, made.senders[at], t);
    slots(pen, lane, made, sender, state.senders[at], made.senders[at]);
  });
  leaps(pen, lane, number, made, state, t, leap);
}

/** Where a wall would stand that has room for just what the path holds. */
function mark(pen, lane, number, row) {
  const { layout, theme, look } = pen, [queue] = lane.shownQueues;
  const held = look.held?.lane === number ? look.held.units : NaN;
  const wall = wallOf(layout, row, lane, queue, held || roomOf(lane, queue));
  const x = wallOf(layout, row, lane, queue, lane.path_packets * queue.largest);
  if (x < 0.1 * layout.W) return;
  // In two parts: what the wall says has the line of words between them.
  const below = row.y + row.high;
  for (const [from, to] of [[row.y - 4, below + 9], [below + 25, below + 34]]) line(pen, x, from, x, to, theme.muted, 1, [3, 3]);
  if (Math.abs(wall - x) > 5) text(pen, "1 BDP", x + 5, below + 34, { size: 11.5, colour: theme.muted });
}

function pipe(pen, lane, number, made, state, t) {
  const { context, layout, theme } = pen, { gate, k } = layout;
  const { line: y, lineHigh: h, receiver } = made, pixels = k * lane.speed;
  context.fillStyle = theme.tray;
  context.fillRect(gate, y - 4, receiver - gate, h + 8);
  line(pen, gate, y + h + 4, receiver, y + h + 4, theme.rule, 1.5);
  line(pen, gate, y - 4, receiver, y - 4, theme.rule, 1.5);
  context.save();
  context.beginPath();
  context.rect(gate - 60, y - 8, receiver - gate + 60, h + 16);
  context.clip();
  for (let c = state.chosen - 1; c >= 0; c--) {
    const i = lane.sent[c], x = gate + (t - lane.departure[i]) * pixels;
    if (x > receiver) break;
    if (lane.start[i] > t || lane.leaps(i, t)) continue;
    block(pen, lane, number, i, x, y, k * lane.size[i], h);
  }
  context.restore();
  line(pen, gate, y - 7, gate, y + h + 8, theme.ink, 2.5);
  const way = made.senders[made.senders.length - 1] + made.slot / 2, middle = y + h / 2;
  // The receiver, and the way back.
  context.fillStyle = theme.ground;
  context.strokeStyle = theme.muted;
  context.lineWidth = 1.5;
  context.beginPath();
  context.roundRect(receiver, y - 7, 22, way - y + 18, 5);
  context.fill();
  context.stroke();
  context.save();
  context.translate(receiver + 15, (middle + way) / 2);
  context.rotate(-Math.PI / 2);
  text(pen, "receiver", 0, 0, { size: 11.5, colour: theme.muted, align: "center" });
  context.restore();
  const holds = `path there and back: ${words(Math.round(lane.path_packets), "packet")}`;
  text(pen, holds, gate + 8, y - 10, { size: 12, colour: theme.muted });
}

/** Acknowledgements on their way back: full if they acknowledge something new. */
function acks(pen, lane, made, sender, top, t) {
  const { context, layout, theme } = pen, { told, back_s: back } = sender, { receiver } = made;
  const from = layout.gate + 2, middle = top + made.slot / 2, colour = pen.ofClass(sender.name);
  line(pen, from, middle, receiver, middle, theme.rule, 1.2);
  line(pen, from, middle, from + 6, middle - 4, theme.rule, 1.2);
  line(pen, from, middle, from + 6, middle + 4, theme.rule, 1.2);
  for (let row = upto(told.at, t); row < told.at.length; row++) {
    const share = 1 - (told.at[row] - t) / back;
    if (share < 0) break;
    if (told.kind[row]) continue;
    const x = receiver - share * (receiver - from), news = !row || told.una[row] > told.una[row - 1];
    context.fillStyle = context.strokeStyle = colour;
    context.lineWidth = 1.2;
    if (news) context.fillRect(x - 1.5, middle - 6, 3, 12);
    else context.strokeRect(x - 1.5, middle - 5, 3, 10);
  }
  if (made.senders[0] === top) {
    text(pen, "ACKs", receiver - 8, top - 5, { size: 11.5, colour: theme.muted, align: "right" });
  }
}

function pitchOf(pen, lane) {
  return Math.min(pen.layout.k * lane.shownQueues[0].largest, pen.slots);
}

/** The window of a sender: a slot per packet, filled from the right, where acknowledgements come. */
function slots(pen, lane, made, sender, now, top) {
  const { context, layout, theme } = pen, right = layout.gate - 6, colour = pen.ofClass(sender.name);
  const pitch = pitchOf(pen, lane);
  const gap = pitch > 5 ? 1.5 : pitch > 2.5 ? 0.5 : 0, whole = Math.floor(now.usable);
  const count = Math.max(whole, Math.min(now.flight, Math.ceil(sender.widest)));
  for (let at = 0; at < count; at++) {
    const x = right - (at + 1) * pitch, filled = at < now.flight;
    context.globalAlpha = at < whole ? 1 : 0.45;
    if (filled) {
      context.fillStyle = colour;
      context.fillRect(x + gap / 2, top, pitch - gap, made.slot);
    } else if (pitch > 3) {
      context.strokeStyle = theme.muted;
      context.lineWidth = 1;
      context.strokeRect(x + gap / 2 + 0.5, top + 0.5, pitch - gap - 1, made.slot - 1);
    }
  }
  context.globalAlpha = 1;
  const edge = right - whole * pitch, more = (now.usable - whole) * pitch;
  if (more > 0.5) {
    context.fillStyle = theme.rule;
    context.fillRect(edge - more + gap / 2, top, Math.max(more - gap, 0.5), made.slot);
  }
  line(pen, edge - more, top - 4, edge - more, top + made.slot + 4, theme.ink, 2);
  line(pen, right, top - 4, right, top + made.slot + 4, theme.rule, 1.5);
  const below = top + made.slot + 16, x = right - now.ssthresh * pitch;
  const bound = now.window > now.usable ? ", the receive window" : "";
  const name = lane.senders.length > 1 ? `${sender.name}: ` : "";
  const again = now.again ? `, ${now.again} retransmitted` : "";
  const limit = x >= layout.pad && now.ssthresh >= 1 ? `ssthresh ${now.ssthresh.toFixed(0)}` : "";
  const inWords = limit && made.slot < 16 ? `, ${limit}` : "";
  const said = `${name}${phaseOf(now)}${inWords}, ${now.flight} in flight${again}`, muted = { colour: theme.muted, align: "right" };
  text(pen, said, right, below, muted);
  const used = textWidth(pen, said, { size: 12 });
  text(pen, `window ${now.usable.toFixed(1)}${bound}`, right - used - 10, below, { size: 12.5, weight: 650, align: "right" });
  if (!limit) return;
  line(pen, x, top - 5, x, top + made.slot + 3, theme.ink, 1.2, [2, 2]);
  if (!inWords) text(pen, limit, Math.min(x, right - 34), top - 8, { size: 11.5, colour: theme.muted, align: x < 80 ? "left" : "center" });
}

/** Packets between their sender and their place, and those for which there was none. */
function leaps(pen, lane, number, made, state, t, leap) {
  const { layout } = pen, { gate, k } = layout, [row] = made.rows, [queue] = lane.shownQueues;
  const held = pen.look.held?.lane === number ? pen.look.held : null;
  const wall = wallOf(layout, row, lane, queue, held?.units ?? roomOf(lane, queue));
  const rail = railEnd(layout, wall), seconds = layout.pace, place = placesOf(pen, lane, made, queue, state.queues[0], state, t);
  // From the open end of the window in an arc to the tail of the queue.
  const from = lane.senders.map((sender, at) => {
    const now = state.senders[at], pitch = pitchOf(pen, lane);
    return [layout.gate - 6 - Math.max(now.usable, now.flight) * pitch, made.senders[at]];
  });
  const bend = Math.max(rail - 24, layout.pad);
  const arc = (share, a, b, c) => (1 - share) ** 2 * a + 2 * share * (1 - share) * b + share ** 2 * c;
  const last = upto(queue.offeredAt, t), fall = (FALL_S + LEAP_S) * seconds;
  for (let a = last - 1; a >= 0; a--) {
    const i = queue.arrivals[a], since = t - lane.arrival[i];
    if (since > fall) break;
    if (!lane.sender(i)) continue;
    const w = k * lane.size[i], [x0, y0] = from[lane.stream[i]], share = ease(since / leap);
    if (lane.refused(i)) {
      const narrow = Math.min(w, 14), after = Math.max(since / seconds - LEAP_S, 0);
      const x = arc(share, x0 - narrow, bend, wall - narrow - 8), y = arc(share, y0, y0 - 14, row.y);
      const down = after ? 30 * after + 34 * after * after : 0;
      hollow(pen, lane, number, i, x - 8 * after, y + down, narrow, Math.min(row.high, 26), -1.1 * after, 1 - (after / FALL_S) ** 2);
    } else if (since < leap) {
      const on = lane.start[i] <= t, to = on ? gate + (t - lane.departure[i]) * k * lane.speed : gate - place(queue.packets.indexOf(i)) - w;
      const narrow = Math.min(w, 12), wide = narrow + share * (w - narrow);
      const x = arc(share, x0 - narrow, bend, to), y = arc(share, y0, y0 - 14, row.y);
      block(pen, lane, number, i, x, y, wide, row.high * (0.6 + 0.4 * share));
    }
  }
}
