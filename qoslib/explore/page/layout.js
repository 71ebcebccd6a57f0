// Where everything stands: one scale of pixels per unit for all that is packets.

const PIXELS_PER_SECOND = 80, HOLE = 46, LARGEST = 46;
export const LANDING_S = 0.3, FALL_S = 0.95, CLOSING_S = 0.22, ON_RAIL = 0.4;
export const NARROWEST = 700;

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

/** How long each queue of a lane is drawn, and whether its limit lies beyond what is drawn. */
function drawn(lane) {
  const found = lane.shown.map((number) => {
    const queue = lane.shownQueues[number], peak = Math.max(queue.peak, 4 * queue.largest);
    return { room: longestRoom(lane, queue), peak, least: Math.max(3 * peak, 32 * queue.largest) };
  });
  const least = Math.max(...found.map((each) => Math.min(each.least, each.room || Infinity)));
  return found.map(({ room, peak }) => {
    const torn = !(room <= least);
    return { torn, units: torn ? 1.15 * peak : room };
  });
}

/** Letters are drawn twice as large where the view fills a screen, unless that is too high. */
export function projectedLayout(scene, width, height) {
  const { H } = layoutOf(scene, NARROWEST), scale = Math.min(2, width / NARROWEST, height / H);
  return layoutOf(scene, width, null, width / scale);
}

/** The layout of a scene at a width, in pixels; at the scale `before` it if that still fits. */
export function layoutOf(scene, width, before = null, W = Math.max(NARROWEST, Math.min(1040, width))) {
  const pad = 10;
  const gate = Math.round(0.69 * W), left = 0.2 * W;
  const sizes = scene.lanes.map(drawn);
  let k = Infinity;
  scene.lanes.forEach((lane, number) => {
    const head = headOf(lane, gate);
    lane.shown.forEach((q, row) => {
      const queue = lane.shownQueues[q], first = ahead(lane) * queue.largest;
      k = Math.min(k, LARGEST / queue.largest);
      k = Math.min(k, (0.9 * (head - left)) / (sizes[number][row].units + first));
    });
  });
  if (before?.W === W && before.k <= 1.08 * k && before.k > 0.45 * k) k = before.k;
  const speed = Math.max(...scene.lanes.map((lane) => lane.speed));
  let y = 6;
  const lanes = scene.lanes.map((lane, number) => {
    const made = placed(lane, y, gate, sizes[number], scene.lanes.length);
    y = made.bottom;
    return made;
  });
  const chart = { x: pad, y: y + 6, w: W - 2 * pad, h: 62 };
  // Seconds of the record that pass in a second of the reader's, at 1 x.
  const pace = PIXELS_PER_SECOND / (k * speed);
  return { W, H: chart.y + chart.h + 4, pad, gate, k, pace, lanes, chart, scale: width / W };
}

function ahead(lane) {
  return lane.shown.length === 1 && lane.queues.length === 1 ? 1 + lane.ring : 1;
}

/** Where the oldest packet of a queue stands: at the gate, or before the way to it. */
function headOf(lane, gate) {
  return lane.queues.length === 1 ? gate : gate - 58 - (lane.ring ? 46 : 0);
}

function placed(lane, y, gate, sizes, lanes) {
  const count = lane.shown.length, single = lane.queues.length === 1;
  const high = single ? 38 : count > 3 ? 16 : count > 2 ? 24 : 34;
  const pitch = single ? 104 : high + (count > 3 ? 36 : 46);
  const first = y + (single ? 74 : 64), head = headOf(lane, gate);
  const rows = lane.shown.map((q, row) => ({
    queue: q, y: first + row * pitch, high, head, ...sizes[row], ahead: ahead(lane),
  }));
  const last = rows[rows.length - 1].y;
  const lineHigh = single ? high : 26;
  const line = Math.max(Math.round((rows[0].y + last + high - lineHigh) / 2), y + 74);
  const flows = lane.flows.length > 1 ? Math.min(lane.flows.length, 6) : 0;
  const below = Math.max(last + high + 44, line + lineHigh + 24 + 17 * flows);
  return { y, rows, single, line, lineHigh, bottom: below + (lanes > 1 ? 8 : 4), stem: 44 };
}

/** Where a queue's wall stands, in pixels, for a limit of so many units. */
export function wallOf(layout, row, lane, queue, units) {
  const before = row.ahead * queue.largest;
  return row.head - layout.k * ((row.torn ? row.units : units) + before);
}

export function railEnd(layout, wall) {
  return Math.max(wall - HOLE, 60);
}
