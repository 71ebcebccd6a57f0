// Where everything stands: queue, link and way back are a loop, all to one scale of bytes.

import { HIGHEST, LOW, roomOf } from "./layout.js";

/** Narrower it is scaled down: what is said of senders needs the room. */
const NARROWEST_TCP = 560;
const READERS_PIXELS_PER_SECOND = 170, WIDEST = 24, RECEIVER = 34;
/** How much room a lane takes [px]: with its title, and tighter. */
const LANES = [
  { title: 18, size: 15.5, first: 56, high: 30, slots: 46, slot: 18, next: 48, below: 24, fall: 1, strip: 108 },
  { title: 15, size: 14.5, first: 44, high: 21, slots: 36, slot: 14, next: 40, below: 22, fall: 0.7, strip: 62 },
];

/** The layout of a scene at a width, in pixels; at the scale `before` it if that still fits. */
export function layoutOfTcp(scene, width, { before = null, W = Math.max(NARROWEST_TCP, Math.min(1040, width)), most = HIGHEST } = {}) {
  let made = null;
  for (const lane of LANES) {
    made = laidOutTcp(scene, W, lane, before);
    if (made.H <= most) break;
  }
  return { ...made, scale: width / W };
}

function laidOutTcp(scene, W, sizes, before) {
  const pad = 10, gate = Math.round(0.6 * W), left = 0.13 * W, right = W - pad - RECEIVER - gate;
  let k = Infinity;
  for (const lane of scene.lanes) {
    const [queue] = lane.shownQueues, room = roomOf(lane, queue) + queue.largest;
    k = Math.min(k, WIDEST / queue.largest, (0.94 * (gate - left)) / room);
    for (const sender of lane.senders) k = Math.min(k, right / (lane.speed * sender.forth_s));
  }
  if (before?.W === W && before.k <= 1.08 * k && before.k > 0.45 * k) k = before.k;
  const speed = Math.max(...scene.lanes.map((lane) => lane.speed));
  let y = 4;
  const lanes = scene.lanes.map((lane) => {
    const made = standing(lane, y, { gate, pad, k }, sizes);
    y = made.bottom;
    return made;
  });
  const chart = { x: pad, y: y + 4, w: W - 2 * pad, h: 16 + sizes.strip * scene.lanes.length, strip: sizes.strip };
  const pace = READERS_PIXELS_PER_SECOND / (k * speed);
  return { W, H: chart.y + chart.h + 2, pad, gate, k, pace, lanes, chart };
}

function standing(lane, y, { gate, pad, k }, sizes) {
  const [queue] = lane.shownQueues, { high, title, size, fall, slot } = sizes;
  const row = {
    queue: 0, y: y + sizes.first, high, head: gate, ahead: 1, bucket: LOW, torn: false, units: roomOf(lane, queue),
    inline: false, under: true, from: pad, pit: sizes.slots - 8, drop: 26,
  };
  const senders = lane.senders.map((_, at) => row.y + high + sizes.slots + at * sizes.next);
  const forth = Math.max(...lane.senders.map((each) => each.forth_s));
  return {
    y, rows: [row], single: true, total: 17, title, size, fall, slot, senders,
    bottom: senders[senders.length - 1] + slot + sizes.below,
    receiver: gate + k * lane.speed * forth, line: row.y, lineHigh: high,
  };
}
