// A queue: its rail, its wall, the packets that come, wait and fall, and what is written beside it.

import { block, classOf, ease, hollow, line, spread, text, textWidth, word } from "./brush.js";
import {
  CLOSING_S, FALL_S, LANDING_S, ON_RAIL, SHAFT, railEnd, roomOf, shaftOf, wallOf,
} from "./layout.js";
import { drawPolicer, marks, maySay, meters, policerSays } from "./meters.js";
import { upto } from "./scene.js";
import { between } from "./state.js";
import { arrives, rate, room } from "./words.js";

/** How opaque a packet is between the rail and its place. */
const ARRIVING = 0.4;

export function drawRow(pen, lane, number, made, row, state, t) {
  const { context, layout, theme, look } = pen;
  const queue = lane.shownQueues[row.queue], here = state.queues[row.queue];
  const held = look.held?.lane === number && look.held.queue === row.queue ? look.held : null;
  const most = Number.isNaN(here.limit) ? queue.limit?.most : here.limit;
  const units = held?.units ?? (queue.limit ? roomOf(lane, queue, most) : NaN);
  const wall = wallOf(layout, row, lane, queue, units), rail = railEnd(layout, wall);
  const { y, high, head } = row, below = y + high;
  // The tray, its floor and its wall; the rail on which packets arrive.
  const may = here.may * queue.perTaken < units ? Math.max(wallOf(layout, { ...row, torn: false }, lane, queue, here.may * queue.perTaken), wall) : wall;
  context.fillStyle = theme.tray;
  context.fillRect(may, y - 4, head - may, high + 8);
  // What the memory lets it hold: a wall that moves with what is free.
  if (may > wall) line(pen, may, y - 7, may, below + 4, theme.ink, 3);
  line(pen, wall, below + 4, head, below + 4, theme.rule, 1.5);
  line(pen, row.from, below + 4, rail, below + 4, theme.rule, 1.5);
  const drops = queue.drops;
  flaps(pen, queue, rail, head, below + 4, row.drop > 20 ? 13 : 5);
  const last = servedNow(pen, lane, state), serves = last >= 0 && lane.queueOf(last) === queue.number;
  const served = serves ? state.served : "";
  const at = { wall, rail, held, most, served, chosen: state.chosen, gone: state.gone, shaft: shaftOf(row, queue, rail, wall) };
  const place = placesOf(pen, lane, made, queue, here, state, t);
  const seconds = layout.pace, k = layout.k;
  // Packets that wait.
  for (let p = here.first; p < here.end; p++) {
    const i = queue.packets[p];
    if (lane.leave[i] <= t || lane.leaps?.(i, t)) continue;
    const w = k * lane.size[i];
    block(pen, lane, number, i, head - place(p) - w, y, w, high);
  }
  if (row.inline) drawPolicer(pen, row, here, rail);
  // Packets to come: along the rail at the speed of the link, then a leap to their place.
  const landing = LANDING_S * seconds, pixels = k * lane.speed;
  const horizon = t + landing + (rail + 40) / pixels;
  for (let a = upto(queue.offeredAt, t); a < queue.arrivals.length; a++) {
    const i = queue.arrivals[a], ahead = lane.arrival[i] - t - landing;
    if (lane.arrival[i] > horizon) break;
    if (lane.leaps?.(i, t)) continue;
    const full = k * lane.size[i], narrow = Math.max(full * ON_RAIL, 1.2);
    const factor = look.moved?.names.includes(lane.streams[lane.stream[i]][0]) ? look.moved.factor : 1;
    let x = rail - narrow - (ahead * pixels) / factor, w = narrow;
    if (ahead <= 0) {
      const share = 1 + ahead / landing;
      const wait = lane.refused(i) ? rail + 6 + 8 * share : null;
      if (wait === null) {
        const p = upto(queue.enqueuedAt, lane.arrival[i] - 1e-15);
        const at = queue.packets.indexOf(i, Math.max(p - 1, 0));
        const to = head - place(at) - full;
        x = rail - narrow + ease(share) * (to - rail + narrow);
        w = narrow + ease(share) * (full - narrow);
      } else x = rail - narrow + ease(share) * (wait - rail + narrow);
    }
    if (x + w < row.from - 8) continue;
    // One that is still to arrive is pale over those that wait.
    const most = x > rail ? ARRIVING : 1;
    block(pen, lane, number, i, x, y, w, high, Math.max(0, Math.min(most, (x + w - row.from) / 46)));
  }
  // Packets that fall: within their shaft.
  const fall = FALL_S * seconds, [left, top, right, bottom] = at.shaft;
  context.save();
  context.beginPath();
  context.rect(left, top, right - left, bottom - top);
  context.clip();
  for (let d = upto(queue.droppedAt, t - fall); d < queue.lost.length; d++) {
    const i = queue.lost[d], since = (t - lane.leave[i]) / seconds;
    if (since < 0) break;
    if (lane.leaps?.(i, t)) continue;
    const full = Math.max(k * lane.size[i], 3.5), refused = lane.refused(i);
    const w = refused ? Math.max(full * ON_RAIL, Math.min(9, full)) : full;
    const x = refused ? rail + 14 + 16 * since : head - placeAtHead(pen, lane, made, state, t) - w;
    const down = made.fall * (44 * since + 30 * since * since);
    const turn = (refused ? 1 : -0.8) * 1.15 * since;
    const from = refused || row.inline ? y : y + 0.5 * high;
    hollow(pen, lane, number, i, x - (refused ? 0 : 26 * since), from + down, w, Math.min(high, 30), turn, 1 - (since / FALL_S) ** 2);
  }
  context.restore();
  // Nothing covers the wall's grip and the words.
  drawWall(pen, row, wall, held);
  if (row.inline) named(pen, row, queue, here);
  else labels(pen, lane, number, made, row, queue, here, at);
  if (row.under) under(pen, lane, row, queue, here, at);
  drawBefore(pen, number, row, queue, at);
  marks(pen, lane, made, row, queue, here, at);
}

/** How far the oldest waiting packet of a lane with one queue stands from the gate, in pixels. */
function placeAtHead(pen, lane, made, state, t) {
  if (!made.single) return 0;
  let units = 0;
  for (let c = state.chosen - 1; c >= state.gone; c--) units += restOf(lane, lane.sent[c], t);
  return units * pen.layout.k;
}

export function restOf(lane, i, t) {
  const whole = lane.departure[i] - lane.start[i];
  if (t <= lane.start[i] || !(whole > 0)) return lane.size[i];
  return Math.max(0, Math.min(1, (lane.departure[i] - t) / whole)) * lane.size[i];
}

/** The packet that was chosen last, while it is on its way or has just been; else -1. */
export function servedNow(pen, lane, state) {
  const i = state.chosen ? lane.sent[state.chosen - 1] : -1;
  return i >= 0 && (lane.departure[i] > pen.t || pen.t - lane.leave[i] < 0.15 * pen.layout.pace) ? i : -1;
}

/** From a packet's place in its queue to its distance from the head, in pixels. */
export function placesOf(pen, lane, made, queue, here, state, t) {
  const { layout } = pen, closing = CLOSING_S * layout.pace;
  let before = 0;
  if (made.single) {
    before = placeAtHead(pen, lane, made, state, t) / layout.k;
  } else if (!lane.ring && state.chosen > state.gone) {
    const i = lane.sent[state.chosen - 1];
    if (lane.queueOf(i) === queue.number) before = restOf(lane, i, t);
  }
  // Those behind a packet that was dropped, or taken by the ring, close up.
  for (let p = here.first - 1; p >= 0; p--) {
    const i = queue.packets[p], since = t - lane.leave[i];
    if (since >= closing) break;
    const jumps = lane.fate[i] > 0 || (lane.ring && !made.single);
    if (jumps) before += lane.size[i] * (1 - ease(since / closing));
  }
  const from = queue.units[here.first];
  return (p) => layout.k * (before + queue.units[p] - from);
}

/** Where the wall was before it was moved: a wall may stand at one place for two limits, at two scales. */
function drawBefore(pen, number, row, queue, { wall, held }) {
  const { layout, scene, theme } = pen, lane = scene.before?.[number];
  const most = held ? held.was : lane?.shownQueues[row.queue].limit?.most;
  if (row.torn || most === undefined) return;
  const now = scene.lanes[number], x = wallOf(layout, row, now, queue, roomOf(now, queue, most));
  if (Math.abs(x - wall) < 4 || x < row.from) return;
  line(pen, x, row.y - 7, x, row.y + row.high + 4, theme.ink, 1.5, [4, 3]);
  const style = { size: 12, colour: theme.muted, align: "center" }, said = `before: ${room(queue, most)}`;
  const half = textWidth(pen, said, style) / 2, y = row.y + row.high + 20;
  const inRow = pen.written.filter(([, top, , bottom]) => y - 9 <= bottom && y + 3 >= top);
  const free = (at) => at - half >= layout.pad && at + half < row.head - SHAFT && inRow.every(([left, , right]) => at - half > right + 8 || at + half < left - 8);
  // Below it, or as near to that as other words let it be.
  const at = [x, ...inRow.map(([, , right]) => right + 10 + half)].filter(free).sort((a, b) => Math.abs(a - x) - Math.abs(b - x))[0];
  if (row.under && Math.abs(at - x) < 2 * half) text(pen, said, at, y, style);
}

function drawWall(pen, row, wall, held) {
  const { context, theme, live } = pen, top = row.y - 7, bottom = row.y + row.high + 4;
  if (row.torn) {
    line(pen, wall, row.y - 4, wall, bottom, theme.rule, 1.5, [3, 3]);
    return;
  }
  line(pen, wall, top, wall, bottom, theme.ink, held ? 4.5 : 3);
  if (!live) return;
  // A grip: it can be moved.
  const middle = row.y + row.high / 2, half = Math.min(11, row.high / 2);
  context.fillStyle = theme.ground;
  context.strokeStyle = theme.ink;
  context.lineWidth = 1.5;
  context.beginPath();
  context.roundRect(wall - 6, middle - half, 12, 2 * half, 6);
  context.fill();
  context.stroke();
  line(pen, wall - 1.8, middle - 4, wall - 1.8, middle + 4, theme.ink, 1.2);
  line(pen, wall + 1.8, middle - 4, wall + 1.8, middle + 4, theme.ink, 1.2);
}

/** The flap through which dropped packets fall, open; and the one at the other end, to be opened. */
function flaps(pen, queue, rail, head, y, down) {
  const { live, theme } = pen, atHead = queue.drops === "head";
  if (atHead) line(pen, head - 10, y, head - 19, y + down, theme.red, 2.5);
  else line(pen, rail, y, rail + 9, y + down, theme.red, 2.5);
  if (!live || down < 13 || !(queue.dropper === "TailDrop" || queue.dropper === "HeadDrop")) return;
  if (atHead) line(pen, rail + 4, y + 5, rail + 30, y + 5, theme.red, 1.5, [3, 3]);
  else line(pen, head - 40, y + 5, head - 14, y + 5, theme.red, 1.5, [3, 3]);
}

/** The name of a queue in front of its row, with what it dropped. */
function named(pen, row, queue, here) {
  const { layout, theme } = pen, y = row.y + row.high / 2 + 4.5, dropped = here.dropped.toLocaleString("en");
  const red = { size: 12, weight: 600, colour: theme.red }, name = nameOf(pen, queue);
  const room = row.from - layout.pad - 12, said = [`${dropped} dropped`, dropped].map((each) => word(pen, each, red));
  const fits = said.find((each) => name.wide + 10 + each.wide <= room);
  spread(y, layout.pad, row.from - 10, [name], here.dropped && fits ? [fits] : []);
}

function nameOf(pen, queue) {
  const style = { size: 12.5, weight: 650 };
  const known = pen.scene.classes.some((each) => each.name === queue.name);
  return known ? classOf(pen, queue.name, style) : word(pen, queue.name, style);
}

/** What is written over a queue: its name or what arrives, what it drops by, and what waits. */
function labels(pen, lane, number, made, row, queue, here, at) {
  const { layout, theme, look } = pen, muted = { size: 12, colour: theme.muted };
  const many = lane.queues.length > 1, left = [], right = [], last = [];
  const movable = pen.live && queue.times;
  if (many) {
    const { served } = at, level = levelOf(lane, queue);
    left.push(nameOf(pen, queue));
    if (movable) left.push(word(pen, `↔ ${offered(pen, lane, queue)}`, muted));
    if (level || served) left.push(word(pen, [level, served].filter(Boolean).join(" · "), muted));
  } else {
    const said = look.moved ? offered(pen, lane, queue) : !number || made.total ? arrives(lane) : "";
    left.push(word(pen, `${said}${movable ? "  ↔" : ""}`.trim(), muted));
  }
  right.push(word(pen, `${here.waiting.toLocaleString("en")} waiting${onTheWay(lane, made, at)}`, { size: 12.5, weight: 500 }));
  if (!row.under && queue.limit) last.push(roomSaid(pen, lane, queue, at, here));
  const lost = !row.under && here.dropped ? [droppedOf(pen, lane, queue, here)] : [];
  const held = meters(pen, lane, made, row, queue, here, at), y = row.y - (row.under ? 10 : 8);
  if (Number.isNaN(here.policer)) return void spread(y, layout.pad, row.head, [...left, ...lost, ...held], right, last);
  // Nothing moves its bucket: what was dropped stands before it, or beside what waits where there is no room.
  const [from, to] = drawPolicer(pen, row, here, at.rail), before = layout.pad + left[0].wide + 20 + (lost[0]?.wide ?? 0) <= from;
  spread(y, layout.pad, from - 8, left, before ? lost : []);
  spread(y, to + 2, row.head, [word(pen, policerSays(queue, here), muted), ...held], [...right, ...(before ? [] : lost)], last);
}

/** What stands in the box of a lane with one queue besides what waits. */
function onTheWay(lane, made, { chosen, gone }) {
  if (!made.single || chosen === gone) return "";
  return lane.ring ? ` + ${chosen - gone} in the ring` : " + 1 being sent";
}

/** What is offered to a queue, and while it is in a hand, what will be. */
function offered(pen, lane, queue) {
  const { moved } = pen.look, loads = lane.loads.filter((_, at) => lane.flows[at].queue === queue.number);
  const names = lane.flows.filter((flow) => flow.queue === queue.number).map((flow) => flow.name);
  const factor = (at) => (moved?.names.includes(names[at]) ? moved.factor : 1);
  const then = loads.reduce((sum, [bps], at) => sum + bps * factor(at), 0);
  return moved && then !== queue.offered ? `${rate(queue.offered)} → ${rate(then)}` : rate(queue.offered);
}

function roomSaid(pen, lane, queue, { held, most }, here) {
  if (!held && here.may * queue.perTaken < roomOf(lane, queue, most)) return word(pen, maySay(queue, here), { size: 12, colour: pen.theme.muted });
  const look = { size: 12, colour: held ? pen.theme.ink : pen.theme.muted, weight: held ? 650 : 400 };
  return word(pen, `room for ${room(queue, held?.most ?? most, lane)}`, look);
}

/** How many were dropped; where several streams share a queue, of which. */
function droppedOf(pen, lane, queue, here) {
  const just = upto(queue.droppedAt, pen.t) - upto(queue.droppedAt, pen.t - 0.5 * pen.layout.pace);
  const look = { size: 12.5, weight: just ? 700 : 500, colour: pen.theme.red };
  const shared = lane.flows.filter((flow) => flow.queue === queue.number);
  if (shared.length < 2 || shared.length > 3) return word(pen, `${here.dropped.toLocaleString("en")} dropped`, look);
  const parts = shared.map((flow) => classOf(pen, flow.name, look, between(flow.droppedAt, pen.t)));
  parts.push(word(pen, "dropped", look));
  return { wide: parts.reduce((sum, part) => sum + part.wide + 7, -7), draw(x, y) {
    for (const part of parts) { part.draw(x, y); x += part.wide + 7; }
  } };
}

/** What is written under a queue, on both sides of where its drops fall: their number, and its limit. */
function under(pen, lane, row, queue, here, at) {
  const { layout } = pen, y = row.y + row.high + 20, [shaft, , behind] = at.shaft;
  const atHead = queue.drops === "head";
  let to = shaft - 6, from = atHead ? layout.pad : behind;
  if (here.dropped) {
    const said = droppedOf(pen, lane, queue, here), before = to - said.wide >= layout.pad;
    const x = before ? to - said.wide : behind + 6;
    said.draw(x, y);
    if (before) to = x - 12; else from = x + said.wide + 12;
  }
  if (!queue.limit) return;
  const said = roomSaid(pen, lane, queue, at, here), shaped = queue.shaper ?? queue.port_shaper;
  const ends = shaped ? row.head - 150 : atHead ? to : row.head;
  const begin = Math.max(at.wall + 2, from);
  if (ends - begin >= said.wide) said.draw(begin, y);
  else if (to - said.wide >= layout.pad) said.draw(Math.min(to, atHead ? at.wall - 12 : to) - said.wide, y);
}

function levelOf(lane, queue) {
  if (lane.level) return `${lane.level} ${queue.priority}`;
  return queue.name === lane.low_latency ? "low latency" : "";
}
