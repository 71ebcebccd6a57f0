// Paints a state; nothing moves here but by the time. Hue is the class; dropped is red and hollow.

import { upto } from "./scene.js";
import {
  CLOSING_S, FALL_S, LANDING_S, ON_RAIL, railEnd, roomOf, wallOf,
} from "./layout.js";

export const THEMES = {
  light: {
    ink: "#1F2328", muted: "#59636E", rule: "#B4BBC4", tray: "#1F23280D", red: "#B3261E",
    ground: "#FFFFFF", on: "#FFFFFF",
  },
  dark: {
    ink: "#E6EDF3", muted: "#9DA7B3", rule: "#565F6A", tray: "#E6EDF314", red: "#FF8A80",
    ground: "#111318", on: "#10151A",
  },
};
export const FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
const ease = (x) => (x <= 0 ? 0 : x >= 1 ? 1 : x * x * (3 - 2 * x));

export function words(count, one, many = one + "s") {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** A time with three digits, in the unit that suits another time. */
export function time(seconds, like = seconds) {
  if (!Number.isFinite(seconds)) return "–";
  const [size, unit] = like < 1e-3 ? [1e6, "µs"] : like < 1 ? [1e3, "ms"] : [1, "s"];
  const value = seconds * size;
  return `${value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2)} ${unit}`;
}

export function rate(bps) {
  const [size, unit] = bps >= 1e9 ? [1e9, "Gb/s"] : bps >= 1e6 ? [1e6, "Mb/s"] : [1e3, "kb/s"];
  return `${Number((bps / size).toPrecision(3))} ${unit}`;
}

export function room(queue, most = queue.limit.most, lane = null) {
  const unit = queue.limit.unit;
  if (lane && queue.limit.at !== "line" && unit === "s") {
    return words(Math.floor((most * lane.speed) / queue.largest + 1e-6), "packet");
  }
  if (unit === "packets") return words(Math.round(most), "packet");
  if (unit === "bytes") return most >= 9999.5 ? `${(most / 1000).toFixed(1)} kB` : `${Math.round(most)} B`;
  return time(most);
}

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

function text(pen, said, x, y, { size = 12, weight = 400, colour, align = "left", most } = {}) {
  const { context, theme } = pen;
  context.font = `${weight} ${size}px ${FONT}`;
  context.textAlign = align;
  context.fillStyle = colour ?? theme.ink;
  context.fillText(said, x, y, most);
  return context.measureText(said).width;
}

function textWidth(pen, said, { size, weight = 400 }) {
  pen.context.font = `${weight} ${size}px ${FONT}`;
  return pen.context.measureText(said).width;
}

function line(pen, x0, y0, x1, y1, colour, width = 1, dash = []) {
  const { context } = pen;
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
  context.setLineDash([]);
}

/** The colour of a class in front of its name. */
function square(pen, name, x, y) {
  pen.context.fillStyle = pen.ofClass(name);
  pen.context.beginPath();
  pen.context.roundRect(x, y - 9.5, 10, 10, 2);
  pen.context.fill();
}

/** A note in a frame, behind the title; how wide it is. */
function badge(pen, said, x, y) {
  const { context, theme } = pen;
  context.font = `600 11.5px ${FONT}`;
  const w = context.measureText(said).width + 18;
  context.strokeStyle = theme.muted;
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(x, y - 14, w, 20, 10);
  context.stroke();
  text(pen, said, x + 9, y, { size: 11.5, weight: 600, colour: theme.muted });
  return w;
}

/** Dark or light letters, whichever is read better on a colour. */
function lettersOn(colour) {
  const part = (at) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2;
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5) > 0.24 ? "#10151A" : "#FFFFFF";
}

function block(pen, lane, number, i, x, y, w, h, alpha = 1) {
  const { context, theme, look } = pen;
  const colour = pen.colour(lane, i), gap = w > 5 ? 1 : w > 2.5 ? 0.5 : 0;
  context.globalAlpha = alpha;
  context.fillStyle = colour;
  if (w < 5) {
    context.fillRect(x, y, Math.max(w - gap, 0.5), h);
  } else {
    context.beginPath();
    context.roundRect(x + gap / 2, y, w - gap, h, Math.min(3.5, w / 4));
    context.fill();
  }
  const followed = look.followed === lane.number[i];
  const named = pen.every && lane.number[i] % pen.every === 0;
  if (followed || (named && w > 7)) {
    context.strokeStyle = theme.ink;
    context.lineWidth = followed ? 3 : 2;
    context.beginPath();
    context.roundRect(x + gap / 2 + 0.5, y + 0.5, Math.max(w - gap - 1, 1), h - 1, 3);
    context.stroke();
    if (w >= 17) {
      const said = String(lane.number[i]), size = Math.min(12, (w - 4) / (0.62 * said.length));
      const colours = { colour: lettersOn(colour), align: "center" };
      if (size > 6.5) text(pen, said, x + w / 2, y + h / 2 + 0.36 * size, { size, weight: 700, ...colours });
    }
  }
  context.globalAlpha = 1;
  look.spots.push([number, i, x, y, w, h]);
}

function hollow(pen, lane, number, i, x, y, w, h, turn, alpha) {
  const { context, theme, look } = pen;
  context.save();
  context.globalAlpha = alpha;
  context.translate(x + w / 2, y + h / 2);
  context.rotate(turn);
  context.beginPath();
  context.roundRect(-w / 2, -h / 2, w, h, 3);
  context.fillStyle = pen.colour(lane, i) + "2E";
  context.fill();
  context.strokeStyle = theme.red;
  context.lineWidth = look.followed === lane.number[i] ? 3 : w < 5 ? 1 : 1.75;
  context.stroke();
  context.restore();
  look.spots.push([number, i, x, y, w, h]);
}

function drawLane(pen, lane, number, state, t) {
  const { layout, theme, look } = pen, made = layout.lanes[number];
  const wide = layout.k * Math.max(...lane.shown.map((q) => lane.shownQueues[q].largest));
  pen.every = wide >= 15 && lane.flows.length === 1 ? 8 : 0;
  const used = text(pen, lane.title, layout.pad, made.y + 18, { size: 15.5, weight: 650 });
  let beside = layout.pad + used + 10;
  if (pen.scene.badge && !number) beside += badge(pen, pen.scene.badge, beside, made.y + 18) + 10;
  const note = { size: 12.5, colour: theme.muted }, free = layout.gate - beside - 4;
  if (textWidth(pen, lane.note, note) < free) text(pen, lane.note, beside, made.y + 18, note);
  made.rows.forEach((row) => drawRow(pen, lane, number, made, row, state, t));
  drawLink(pen, lane, number, made, state, t);
}

function drawRow(pen, lane, number, made, row, state, t) {
  const { context, layout, theme, look } = pen;
  const queue = lane.shownQueues[row.queue], here = state.queues[row.queue];
  const held = look.held?.lane === number && look.held.queue === row.queue ? look.held : null;
  const most = Number.isNaN(here.limit) ? queue.limit?.most : here.limit;
  const units = held?.units ?? (queue.limit ? roomOf(lane, queue, most) : NaN);
  const wall = wallOf(layout, row, lane, queue, units), rail = railEnd(layout, wall);
  const { y, high, head } = row, below = y + high;
  // The tray, its floor and its wall; the rail on which packets arrive.
  context.fillStyle = theme.tray;
  context.fillRect(wall, y - 4, head - wall, high + 8);
  line(pen, wall, below + 4, head, below + 4, theme.rule, 1.5);
  line(pen, layout.pad, below + 4, rail, below + 4, theme.rule, 1.5);
  drawWall(pen, row, wall, held);
  const drops = queue.drops;
  flaps(pen, queue, rail, head, below + 4);
  const last = state.chosen ? lane.sent[state.chosen - 1] : -1;
  const serves = last >= 0 && lane.departure[last] > t && lane.queueOf(last) === queue.number;
  const served = serves ? (state.guaranteed ? "guaranteed" : "excess") : "";
  labels(pen, lane, number, row, queue, here, { wall, rail, units, held, drops, most, served });
  meters(pen, lane, made, row, queue, here, { wall, rail });
  const place = placesOf(pen, lane, made, queue, here, state, t);
  const seconds = layout.pace, k = layout.k;
  // Packets that wait.
  for (let p = here.first; p < here.end; p++) {
    const i = queue.packets[p];
    if (lane.leave[i] <= t) continue;
    const w = k * lane.size[i];
    block(pen, lane, number, i, head - place(p) - w, y, w, high);
  }
  // Packets to come: along the rail at the speed of the link, then a leap to their place.
  const landing = LANDING_S * seconds, pixels = k * lane.speed;
  const horizon = t + landing + (rail + 40) / pixels;
  for (let a = upto(queue.offeredAt, t); a < queue.arrivals.length; a++) {
    const i = queue.arrivals[a], ahead = lane.arrival[i] - t - landing;
    if (lane.arrival[i] > horizon) break;
    const full = k * lane.size[i], narrow = Math.max(full * ON_RAIL, 1.2);
    const stretch = look.stretch ?? 1;
    let x = rail - narrow - ahead * pixels * stretch, w = narrow;
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
    if (x + w < layout.pad - 8) continue;
    block(pen, lane, number, i, x, y, w, high, Math.max(0, Math.min(1, (x + w - layout.pad) / 46)));
  }
  // Packets that fall.
  const fall = FALL_S * seconds;
  for (let d = upto(queue.droppedAt, t - fall); d < queue.lost.length; d++) {
    const i = queue.lost[d], since = (t - lane.leave[i]) / seconds;
    if (since < 0) break;
    const full = Math.max(k * lane.size[i], 3.5), refused = lane.refused(i);
    const w = refused ? Math.max(full * ON_RAIL, Math.min(9, full)) : full;
    const x = refused ? rail + 14 + 16 * since : head - placeAtHead(pen, lane, made, state, t) - w;
    const down = 44 * since + 30 * since * since;
    const turn = (refused ? 1 : -0.8) * 1.15 * since;
    hollow(pen, lane, number, i, x - (refused ? 0 : 26 * since), y + down, w, Math.min(high, 30), turn, 1 - (since / FALL_S) ** 2);
  }
}

/** How far the oldest waiting packet of a lane with one queue stands from the gate, in pixels. */
function placeAtHead(pen, lane, made, state, t) {
  if (!made.single) return 0;
  let units = 0;
  for (let c = state.chosen - 1; c >= state.gone; c--) units += restOf(lane, lane.sent[c], t);
  return units * pen.layout.k;
}

function restOf(lane, i, t) {
  const whole = lane.departure[i] - lane.start[i];
  if (t <= lane.start[i] || !(whole > 0)) return lane.size[i];
  return Math.max(0, Math.min(1, (lane.departure[i] - t) / whole)) * lane.size[i];
}

/** From a packet's place in its queue to its distance from the head, in pixels. */
function placesOf(pen, lane, made, queue, here, state, t) {
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

function drawWall(pen, row, wall, held) {
  const { context, theme, look } = pen, top = row.y - 7, bottom = row.y + row.high + 4;
  if (row.torn) {
    line(pen, wall, row.y - 4, wall, bottom, theme.rule, 1.5, [3, 3]);
    return;
  }
  line(pen, wall, top, wall, bottom, held ? theme.ink : theme.ink, held ? 4.5 : 3);
  if (!look.live) return;
  // A grip: it can be moved.
  const middle = row.y + row.high / 2;
  context.fillStyle = theme.ground;
  context.strokeStyle = theme.ink;
  context.lineWidth = 1.5;
  context.beginPath();
  context.roundRect(wall - 6, middle - 11, 12, 22, 6);
  context.fill();
  context.stroke();
  line(pen, wall - 1.8, middle - 4, wall - 1.8, middle + 4, theme.ink, 1.2);
  line(pen, wall + 1.8, middle - 4, wall + 1.8, middle + 4, theme.ink, 1.2);
}

/** The flap through which dropped packets fall, open; and the one at the other end, to be opened. */
function flaps(pen, queue, rail, head, y) {
  const { look, theme } = pen, atHead = queue.drops === "head";
  if (atHead) line(pen, head - 10, y, head - 19, y + 13, theme.red, 2.5);
  else line(pen, rail, y, rail + 9, y + 13, theme.red, 2.5);
  if (!look.live || !(queue.dropper === "TailDrop" || queue.dropper === "HeadDrop")) return;
  if (atHead) line(pen, rail + 4, y + 5, rail + 30, y + 5, theme.red, 1.5, [3, 3]);
  else line(pen, head - 40, y + 5, head - 14, y + 5, theme.red, 1.5, [3, 3]);
}

function labels(pen, lane, number, row, queue, here, at) {
  const { layout, theme, look } = pen, { y, high, head } = row, below = y + high + 20;
  const many = lane.shown.length > 1 || lane.queues.length > 1, small = high < 20 ? 11.5 : 12.5;
  const top = y - 10;
  if (many) {
    const known = pen.scene.classes.some((each) => each.name === queue.name);
    if (known) square(pen, queue.name, layout.pad, top);
    const x = layout.pad + (known ? 15 : 0);
    const used = text(pen, queue.name, x, top, { size: 13, weight: 650 });
    const served = lane.scheduler === "PriorityLevels" && at.served;
    const level = levelOf(lane, queue) + (served ? ` · ${served}` : "");
    text(pen, level, x + used + 8, top, { size: 11.5, colour: theme.muted });
  } else {
    const said = look.rateSaid ?? lane.arrives;
    const grip = look.live && pen.scene.rates ? "  ↔" : "";
    text(pen, said + grip, layout.pad, top, { colour: theme.muted });
  }
  text(pen, `${here.waiting.toLocaleString("en")} waiting`, head, top, {
    size: small, weight: 500, align: "right",
  });
  let used = 0;
  if (here.dropped) {
    const just = upto(queue.droppedAt, pen.look.t) - upto(queue.droppedAt, pen.look.t - 0.5 * layout.pace);
    const close = at.drops === "head" && head - at.wall < 120;
    const x = close ? at.wall - 12 : at.drops === "head" ? head - 50 : at.rail - 6;
    used = text(pen, `${here.dropped.toLocaleString("en")} dropped`, x, below, {
      size: small + (just ? 0.5 : 0), weight: just ? 700 : 500, colour: theme.red, align: "right",
    });
  }
  if (!queue.limit) return;
  const size = small - 0.5, said = `room for ${room(queue, at.held?.most ?? at.most, lane)}`;
  const style = { size, colour: at.held ? theme.ink : theme.muted, weight: at.held ? 650 : 400 };
  if (head - at.wall > (at.drops === "head" ? 230 : 120)) text(pen, said, at.wall + 2, below, style);
  else text(pen, said, Math.min(at.rail - 6, at.wall - 12) - used - 14, below, { ...style, align: "right" });
}

function levelOf(lane, queue) {
  if (lane.scheduler === "StrictPriority") return `priority ${queue.priority}`;
  if (lane.scheduler === "PriorityLevels") return `level ${queue.priority}`;
  return queue.name === lane.low_latency ? "low latency" : "";
}

function bar(pen, x, y, w, share, mark = NaN) {
  const { context, theme } = pen;
  context.fillStyle = theme.tray;
  context.fillRect(x, y, w, 7);
  context.fillStyle = theme.muted;
  context.fillRect(x, y, w * Math.max(0, Math.min(1, share)), 7);
  context.strokeStyle = theme.rule;
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, w - 1, 6);
  if (mark > 0 && mark < 1) line(pen, x + w * mark, y - 2, x + w * mark, y + 9, theme.ink, 1.5);
}

/** A bucket of tokens as a vessel. */
function vessel(pen, x, y, h, share) {
  const { context, theme } = pen, w = 13, level = h * Math.max(0, Math.min(1, share));
  context.fillStyle = theme.muted;
  context.fillRect(x, y + h - level, w, level);
  context.strokeStyle = theme.ink;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x, y + h);
  context.lineTo(x + w, y + h);
  context.lineTo(x + w, y);
  context.stroke();
}

/** What the scheduler, meters and dropper of a queue hold. */
function meters(pen, lane, made, row, queue, here, at) {
  const { layout, theme } = pen, { y, high, head } = row, top = y - 10;
  const muted = { size: 11.5, colour: theme.muted };
  const x = made.single ? Math.max(at.wall, layout.pad + 150) : 0.2 * layout.W;
  const [said, share, mark] = schedulerSays(lane, queue, here);
  let right = x;
  if (said) {
    right += text(pen, said[0], x, top, muted) + 7;
    if (share !== null) {
      bar(pen, right, top - 7.5, 90, share, mark);
      right += 97;
    }
    right += text(pen, said[1], right, top, muted) + 14;
  }
  if (!Number.isNaN(here.policer)) {
    vessel(pen, at.rail + 15, y - 14 - 12, 20, here.policer);
    const bytes = Math.floor(here.policer * queue.policer.burst_bytes);
    text(pen, `${bytes.toLocaleString("en")} B of tokens`, at.rail + 33, top, muted);
    right = Math.max(right, at.rail + 160);
  }
  if (!Number.isNaN(here.shaper)) {
    const meter = queue.shaper ?? queue.port_shaper, from = made.single ? head - 12 : head + 8;
    vessel(pen, from, y + high + 12, 18, here.shaper);
    const bytes = Math.floor(here.shaper * meter.burst_bytes);
    text(pen, `${bytes.toLocaleString("en")} B of tokens`, from - 6, y + high + 26, { ...muted, align: "right" });
  }
  const says = dropperSays(queue, here);
  if (says) text(pen, says, Math.max(right, x), top, muted);
  if (queue.thresholds && here.dropper >= 0) average(pen, row, queue, here, at);
}

function schedulerSays(lane, queue, here) {
  if (lane.queues.length === 1) return [null, null, NaN];
  const none = [null, NaN];
  if (Number.isNaN(here.value) || queue.name === lane.low_latency) return [null, ...none];
  if (lane.scheduler === "StartTimeFairQueueing") {
    return [["start tag", time(Math.max(here.value, 0), lane.longest)], ...none];
  }
  const most = queue.quantum + queue.largest;
  const value = Math.round(here.value);
  return [["deficit", `${value.toLocaleString("en").replace("-", "−")} B`], value / most, queue.quantum / most];
}

function dropperSays(queue, here) {
  if (queue.dropper === "Red") return Number.isNaN(here.dropper) ? "" : `average ${here.dropper.toFixed(1)}; drops from ${queue.thresholds[0]}, all from ${queue.thresholds[1]}`;
  if (queue.dropper === "Pie" && here.dropper >= 0) return `drop probability ${(100 * here.dropper).toFixed(1)} %`;
  if (queue.dropper === "Codel") return `oldest waits ${time(here.oldest)}, target ${time(queue.target_s)}`;
  return "";
}

/** RED's average and thresholds, on the floor of the tray. */
function average(pen, row, queue, here, at) {
  const { context, layout, theme } = pen, floor = row.y + row.high + 4;
  const place = (packets) => row.head - layout.k * queue.largest * (packets + row.ahead);
  for (const packets of queue.thresholds) {
    const x = place(packets);
    if (x > at.wall) line(pen, x, row.y - 6, x, floor + 6, theme.ink, 1.2, [2, 2]);
  }
  const x = Math.max(place(here.dropper), at.wall);
  context.fillStyle = theme.ink;
  context.beginPath();
  context.moveTo(x, floor + 1);
  context.lineTo(x - 5, floor + 9);
  context.lineTo(x + 5, floor + 9);
  context.fill();
}

/** The ways from the queues, the gate, the link with a stem per packet, and what has been sent. */
function drawLink(pen, lane, number, made, state, t) {
  const { context, layout, theme, look, scene } = pen, { gate, k } = layout;
  const y = made.line, h = made.lineHigh, end = layout.W - layout.pad, pixels = k * lane.speed;
  if (!made.single) hoses(pen, lane, made, state, t);
  line(pen, gate, y + h + 4, end, y + h + 4, theme.rule, 1.5);
  const rule = y - 8 - made.stem;
  line(pen, gate + 4, rule, end, rule, theme.rule, 1, [2, 4]);
  if (lane.carries && layout.W > 780) {
    const alone = lane.flows.length === 1, x = alone ? end : gate + 6;
    const below = alone ? y + h + 21 : rule - 5, align = alone ? "right" : "left";
    text(pen, lane.carries, x, below, { size: 11.5, colour: theme.muted, align });
  }
  text(pen, `longest delay ${time(scene.longest)}`, end, rule - 5, { size: 11.5, colour: theme.muted, align: "right" });
  const labels = [];
  for (let c = state.chosen - 1; c >= 0; c--) {
    const i = lane.sent[c], w = k * lane.size[i];
    const x = gate + (t - lane.departure[i]) * pixels;
    if (x > end) break;
    if (lane.start[i] > t) {
      ringed(pen, lane, number, made, state, i, c, t);
      continue;
    }
    const alpha = Math.max(0, Math.min(1, (end - x - w) / 40));
    context.save();
    if (!made.single) {
      context.beginPath();
      context.rect(gate, 0, end - gate + 9, layout.H);
      context.clip();
    }
    block(pen, lane, number, i, x, y, w, h, x + w > end - 40 ? alpha : 1);
    context.restore();
    if (lane.departure[i] <= t) stem(pen, lane, number, made, i, x + w / 2, w, alpha, labels);
  }
  for (const [said, x, top, colour, alpha] of labels.filter((label) => label.length)) {
    context.globalAlpha = alpha;
    text(pen, said, x, top, { size: 12, weight: 700, colour, align: "center" });
    context.globalAlpha = 1;
  }
  line(pen, gate, y - 6, gate, y + h + 9, theme.ink, 2.5);
  totals(pen, lane, made, state);
}

function stem(pen, lane, number, made, i, x, w, alpha, labels) {
  const { context, scene, look, theme } = pen, delay = lane.departure[i] - lane.arrival[i];
  const foot = made.line - 5, top = foot - (made.stem - 1) * (delay / scene.longest);
  const colour = pen.colour(lane, i), thin = w < 6;
  context.globalAlpha = alpha;
  line(pen, x, foot, x, top, colour, thin ? Math.max(0.6, w * 0.5) : 1.6);
  context.fillStyle = colour;
  context.beginPath();
  context.arc(x, top, thin ? 1.4 : 3, 0, 7);
  context.fill();
  const followed = look.followed === lane.number[i];
  if (followed || (pen.every && lane.number[i] % pen.every === 0)) {
    const covered = top < foot - made.stem + 16 && x > pen.layout.W - pen.layout.pad - 150;
    if (covered && !followed) labels.push([]);
    else if (followed || labels.every(([, other]) => Math.abs(other - x) > 52)) {
      labels.push([time(delay, scene.longest), x, top - 7, theme.ink, alpha]);
      context.strokeStyle = theme.ink;
      context.lineWidth = 1.5;
      context.stroke();
    }
  }
  context.globalAlpha = 1;
}

/** A packet that was handed to the transmit ring and waits there for the link. */
function ringed(pen, lane, number, made, state, i, c, t) {
  const { layout } = pen, { k, gate } = layout;
  let units = 0;
  for (let before = state.gone; before < c; before++) units += restOf(lane, lane.sent[before], t);
  const w = k * lane.size[i], x = gate - k * units - w;
  if (made.single || x > gate - 50) block(pen, lane, number, i, x, made.line, w, made.lineHigh);
}

function hoses(pen, lane, made, state, t) {
  const { context, layout, theme } = pen, { gate } = layout;
  const to = gate - (lane.ring ? 46 : 2), middle = made.line + made.lineHigh / 2;
  const i = state.chosen ? lane.sent[state.chosen - 1] : -1;
  const serving = i >= 0 && (lane.departure[i] > t || t - lane.leave[i] < 0.15 * layout.pace);
  const paths = made.rows.map((row) => [row, serving && lane.queueOf(i) === row.queue]);
  for (const [row, serves] of paths.sort((a, b) => a[1] - b[1])) {
    const from = row.y + row.high / 2;
    context.strokeStyle = serves ? pen.colour(lane, i) : theme.rule;
    context.lineWidth = serves ? 6 : 2;
    context.lineCap = "round";
    context.beginPath();
    context.moveTo(row.head + 3, from);
    context.bezierCurveTo(row.head + 34, from, to - 34, middle, to - 3, middle);
    context.stroke();
    context.lineCap = "butt";
  }
}

function totals(pen, lane, made, state) {
  const { layout, theme } = pen, x = layout.gate + 4;
  let y = made.line + made.lineHigh + 21;
  const like = pen.scene.longest;
  const mean = layout.W < 820 && lane.flows.length > 1 ? "" : "mean delay ";
  const said = (n, delay) => `${n.toLocaleString("en")} sent${n ? `, ${mean}${time(delay, like)}` : ""}`;

  if (lane.flows.length === 1) {
    text(pen, said(state.sent, state.delay), x, y, { size: 12.5, weight: 500 });
    return;
  }
  lane.flows.slice(0, 6).forEach((flow, at) => {
    const own = state.flows[at], shown = lane.shown.includes(flow.queue);
    const most = layout.W - layout.pad - x - 14, weight = shown ? 600 : 400;
    square(pen, flow.name, x, y);
    text(pen, `${flow.name}: ${said(own.sent, own.delay)}`, x + 14, y, { size: 12, weight, most });
    y += 17;
  });
}
