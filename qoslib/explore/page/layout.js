// Where everything stands: one scale of pixels per unit for all that is packets.

import { placedNodes, roomOfTree } from "./tree_layout.js";

/** How fast packets move at 1 x [px/s]: faster, up to a limit, where the window would take longer than `LONGEST_S`. */
const PIXELS_PER_SECOND = 80, FASTEST = 240, LONGEST_S = 20, HOLE = 46;
/** The part of a lane's length that a queue takes at first. */
const ROOMY = 0.65;
/** The largest packet is so wide, and less in a long window [px]. */
const LARGEST = 46, LEAST = 20;
export const LANDING_S = 0.3, FALL_S = 0.95, CLOSING_S = 0.22, ON_RAIL = 0.4;
/** Narrower a view is scaled down. */
export const NARROWEST = 350;
/** How wide a view is laid out that fills a screen of 1280 x 720, so that letters of 12 have 24 [px]. */
const PROJECTED = 616;
const TALLEST = 110;
/** How far before the head of a queue packets fall that are dropped there [px]. */
export const SHAFT = 54;

/** How long a queue's limit is, in units; NaN where the limit is not known. */
export function roomOf(lane, queue, most = queue.limit?.most) {
  if (!queue.limit) return NaN;
  if (queue.limit.unit === "packets") return most * queue.perPacket;
  return queue.limit.unit === "bytes" ? most * queue.perByte : most * lane.speed;
}

function longestRoom(lane, queue) {
  let most = queue.limit?.most;
  for (const [, other] of queue.limit?.over_time ?? []) most = Math.max(most, other);
  return roomOf(lane, queue, most);
}

/** The longest that a threshold lets a queue be that moves with its memory, in units. */
function longestShare(lane, queue) {
  const memory = lane.memories[queue.pool];
  if (!memory || queue.alpha === null) return Infinity;
  return (queue.reserved + Math.min(queue.alpha, 1) * memory.shared) * queue.perTaken;
}

/** How long each queue of a lane is drawn, and whether its limit lies beyond what is drawn. */
function drawn(lane) {
  const found = lane.shown.map((number) => {
    const queue = lane.shownQueues[number], peak = Math.max(queue.peak, 4 * queue.largest);
    return { room: longestRoom(lane, queue), share: longestShare(lane, queue), peak, least: Math.max(3 * peak, 32 * queue.largest) };
  });
  const least = Math.max(...found.map((each) => Math.min(each.least, each.share, each.room || Infinity)));
  return found.map(({ room, share, peak }) => {
    const torn = !(room <= least && room <= share);
    return { torn, units: share <= least && share < room ? share : torn ? 1.15 * peak : room };
  });
}

/** How much room a lane takes [px], from the roomiest to the tightest; `bucket` is how high that of a policer is. */
const DENSITIES = [
  {
    title: 18, size: 15.5, one: { first: 70, high: 38, below: 40 }, stem: 40, line: 26, fall: 1, under: true,
    many: { first: 58, highs: [34, 34, 24, 16], gap: 54, below: 40 }, total: 17, bucket: 44,
  },
  {
    title: 15, size: 14.5, one: { first: 56, high: 28, below: 28 }, stem: 26, line: 20, fall: 0.6, under: true,
    many: { first: 44, highs: [24, 24, 20, 15], gap: 26, below: 10 }, total: 15, bucket: 44,
  },
  {
    title: 13, size: 13.5, one: { first: 39, high: 18, below: 8 }, stem: 20, line: 14, fall: 0.35, inline: true,
    many: { first: 23, highs: [16, 14, 14, 13], gap: 6, below: 6 }, total: 0,
  },
];
/** How high a policer's bucket is where there is no room for more [px]. */
export const LOW = 18;
/** With its controls, a view of this height fits a screen of 1280 x 720 in JupyterLab. */
export const HIGHEST = 424;
const CHART = 62;

/**
 * Letters are drawn twice as large where the view fills a screen. Where more than two lanes are too high
 * for that, they are shown two by two: the `pair` of them that is asked for.
 */
export function projectedLayout(layoutOf, scene, width, height, pair) {
  const count = scene.lanes.length, pairs = Math.ceil(count / 2);
  const sized = (only) => {
    const { H } = layoutOf(scene, width, { W: PROJECTED, most: height / 1.8, only });
    const scale = Math.min(2, width / PROJECTED, height / H);
    return { ...layoutOf(scene, width, { W: width / scale, most: height / scale, only }), scale };
  };
  const all = sized(null);
  if (count <= 2 || all.scale > 1.8) return all;
  const first = 2 * (pair % pairs), last = Math.min(first + 2, count);
  return { ...sized([first, last - 1]), said: first + 1 < last ? `Ports ${first + 1} and ${last} of ${count} ⇄` : `Port ${last} of ${count} ⇄` };
}

/**
 * The layout of a scene at a width, in pixels; at the scale `before` it if that still fits. While a wall
 * is `held`, packets keep their size as long as it is on the canvas, so that it follows the hand.
 */
export function layoutOf(scene, width, { before = null, held = false, W = Math.max(NARROWEST, Math.min(1040, width)), most = HIGHEST, only = null } = {}) {
  let made = null;
  for (const density of DENSITIES.flatMap((each) => [each, { ...each, bucket: LOW }])) {
    made = laidOut(scene, W, density, before, held, only);
    if (made.H <= most) break;
  }
  return { ...made, scale: width / W };
}

function laidOut(scene, W, density, before, held, only) {
  const pad = 10, gate = Math.round(0.69 * W);
  const sizes = scene.lanes.map(drawn);
  let y = 4;
  const lanes = scene.lanes.map((lane, number) => {
    if (only && !only.includes(number)) return { rows: [], hidden: true };
    const made = placed(lane, y, { W, gate, pad }, sizes[number], density);
    y = made.bottom;
    return made;
  });
  const speed = Math.max(...scene.lanes.map((lane) => lane.speed));
  let k = Infinity, most = Infinity, least = Infinity;
  scene.lanes.forEach((lane, number) => lanes[number].rows.forEach((row) => {
    const { largest } = lane.shownQueues[row.queue], left = row.from + (row.inline ? 80 : 0.2 * W - pad);
    const wide = Math.max(LEAST, Math.min(LARGEST, (FASTEST * LONGEST_S * largest) / (speed * scene.end_s)));
    const units = row.units + row.ahead * largest;
    k = Math.min(k, wide / largest, (0.9 * (row.head - left)) / units);
    most = Math.min(most, (row.head - row.from - 24) / units);
    least = Math.min(least, LEAST / largest);
  }));
  if (before?.W === W && (held ? before.k <= most : before.k <= 1.08 * k && before.k > 0.45 * k)) k = before.k;
  // A wall has room to be dragged both ways, where packets stay wide enough to be pointed at.
  else k = Math.min(k, Math.max(ROOMY * k, least));
  const chart = { x: pad, y: y + 4, w: W - 2 * pad, h: CHART };
  // Seconds of the record that pass in a second of the reader's, at 1 x.
  const pixels = Math.min(FASTEST, Math.max(PIXELS_PER_SECOND, (k * speed * scene.end_s) / LONGEST_S));
  const pace = pixels / (k * speed);
  return { W, H: chart.y + chart.h, pad, gate, k, pace, lanes, chart };
}

/** How many packets of the largest size have room before the limit counts. */
function ahead(lane) {
  return lane.shown.length === 1 && lane.queues.length === 1 ? 1 + lane.ring : 1;
}

/** Where the oldest packet of a queue stands: at the gate, or before the way to it. */
function headOf(lane, gate, tree) {
  return lane.queues.length === 1 ? gate : gate - 58 - (lane.ring ? 46 : 0) - tree.beside - tree.depths.length * tree.step;
}

function placed(lane, y, { W, gate, pad }, sizes, density) {
  const count = lane.shown.length, single = lane.queues.length === 1, { stem, total, fall } = density;
  const { first, below, gap = 0, highs } = single ? density.one : density.many;
  const high = single ? density.one.high : highs[Math.min(count, highs.length) - 1];
  const inline = !single && density.inline, under = density.under && (single || gap > 40);
  const tree = roomOfTree(lane, W);
  const { bucket = LOW } = density, shaped = ({ shaper, port_shaper }) => shaper ?? port_shaper;
  let next = y + first;
  const rows = lane.shown.map((q, row) => {
    // A policer's bucket stands over the end of the rail, and has the room it needs above the queue.
    const { policer } = lane.shownQueues[q], free = row ? 19 : first - density.title - 10;
    const top = next + Math.max(0, policer && !inline ? bucket + 6 - free : 0);
    next = top + high + gap;
    return {
      queue: q, y: top, high, head: headOf(lane, gate, tree), ahead: ahead(lane), bucket, ...sizes[row],
      inline, under, from: inline ? 0.2 * W : pad, pit: row + 1 === count ? below - 4 : gap - (inline ? 0 : under ? 22 : 19), drop: under ? 26 : single ? 20 : Math.min(14, gap),
    };
  });
  const last = rows[rows.length - 1].y, lineHigh = single ? high : density.line;
  const middle = Math.round((rows[0].y + last + high - lineHigh) / 2);
  const over = total ? 30 : 12, line = Math.max(middle, y + stem + over);
  const flows = lane.flows.length > 1 ? Math.min(lane.named.length, 6) + (lane.others ? 1 : 0) : 0;
  // Stems are as tall as there is room over the link.
  const tall = Math.max(stem, Math.min(TALLEST, line - y - over));
  const totals = total ? 22 + total * Math.max(flows - 1, 0) : flows ? 27 : 14;
  // That of a shaper stands below its queue.
  const foot = single && under && shaped(lane.shownQueues[lane.shown[0]]) ? bucket + 16 : below;
  const bottom = Math.max(last + high + Math.max(below, foot), line + lineHigh + totals + (total ? 12 : 5));
  return { y, rows, single, beside: tree.beside, nodes: placedNodes(lane, rows, tree), line, lineHigh, bottom, stem: tall, total, fall, title: density.title, size: density.size };
}

/** Where a queue's wall stands, in pixels, for a limit of so many units. */
export function wallOf(layout, row, lane, queue, units) {
  const before = row.ahead * queue.largest;
  return row.head - layout.k * ((row.torn ? row.units : units) + before);
}

/** Where dropped packets fall, as [left, top, right, bottom]: nothing is written there. */
export function shaftOf(row, queue, rail, wall) {
  const { y, high, head } = row, floor = y + high + 5, bottom = y + high + row.pit;
  // In the tightest lanes there is no room below a queue.
  if (queue.drops === "head") return [head - SHAFT, row.inline ? y - 4 : floor, head + 2, bottom];
  return [rail - 1, y - 4, Math.max(wall - 8, rail + 12), bottom];
}

/** Where arrivals stop before the wall: nearer to it where a hand holds it at the left edge. */
export function railEnd(layout, wall) {
  return Math.max(wall - HOLE, Math.min(60, wall - 14));
}
