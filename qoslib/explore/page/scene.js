// What is drawn: columns of numbers, a row per packet, and what is worked out from them once.
// Times are in seconds from the start of the window; lengths in units, bytes on the line.

const TYPES = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array };
const NEVER = 0xffffffff;
const FROM_QUEUE = 128;

/** How many of the ascending numbers are at most `value`. */
export function upto(ascending, value) {
  let low = 0, high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] <= value) low = middle + 1; else high = middle;
  }
  return low;
}

export function sums(values) {
  const total = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) total[i + 1] = total[i] + values[i];
  return total;
}

/** Columns by their name, those of `times` in seconds from the start of the window. */
export function columnsOf(spec, columns, bytes, times) {
  const found = {};
  for (const [name, [type, at, count]] of Object.entries(columns)) {
    const Type = TYPES[type], from = bytes.byteOffset + at;
    const column = found[name] = new Type(bytes.buffer.slice(from, from + count * Type.BYTES_PER_ELEMENT));
    // Of whole numbers there are differences, which wrap around.
    if (type[0] === "u") for (let i = 1; i < count; i++) column[i] += column[i - 1];
  }
  const before = Math.round(-spec.zero_s / spec.tick_s);
  for (const name of times.filter((each) => found[each])) {
    const seconds = (ticks) => (ticks === NEVER ? Infinity : (ticks - before) * spec.tick_s);
    found[name] = Float64Array.from(found[name], seconds);
  }
  return found;
}

/** The longest that a queue was, in units. */
function peakOf(queue) {
  // Both lists ascend: walk along the packets that come and those that go.
  let peak = 0;
  for (let k = 0, gone = 0; k < queue.packets.length; k++) {
    while (gone <= k && queue.goneBy[gone] <= queue.enqueuedAt[k]) gone++;
    peak = Math.max(peak, queue.units[k + 1] - queue.units[gone]);
  }
  return peak;
}

/** How long a packet and a byte of a queue are, so that a queue that is full reaches its limit. */
function measure(queue, total, frames) {
  const { most, unit } = queue.limit ?? {};
  const full = (of) => (unit === of ? queue.peak / most : 0);
  queue.perPacket = Math.max(queue.arrivals.length ? total / queue.arrivals.length : queue.largest, full("packets"));
  queue.perByte = Math.max(frames ? total / frames : 1, full("bytes"));
}

/** When a packet is marked CE: as it arrives, or by CoDel as it leaves. */
export function markedAt(lane, i) {
  if (!lane.marked?.[i]) return Infinity;
  return lane.queues[lane.streams[lane.stream[i]][1]].dropper === "Codel" ? lane.leave[i] : lane.arrival[i];
}

function queueOf(lane, number) {
  // Packets that were enqueued, in order of arrival; when each left, and when all before it had.
  const { arrival, leave, fate, stream, size } = lane;
  const queue = { ...lane.queues[number], number, packets: [], lost: [], arrivals: [] };
  let largest = 0, total = 0, frames = 0;
  for (let i = 0; i < lane.count; i++) {
    if (lane.streams[stream[i]][1] !== number) continue;
    queue.arrivals.push(i);
    largest = Math.max(largest, size[i]);
    total += size[i];
    frames += lane.bytes[i];
    if (!lane.refused(i)) queue.packets.push(i);
    if (fate[i] > 0) queue.lost.push(i);
  }
  // What is offered to it, and how many times that of the first settings; 0 where it cannot be moved.
  const loads = (lane.loads ?? []).filter((_, at) => lane.streams[at][1] === number);
  const first = loads.reduce((sum, [bps, times]) => sum + bps / times, 0);
  queue.offered = loads.reduce((sum, [bps]) => sum + bps, 0);
  queue.times = queue.offered / first || 0;
  queue.lost.sort((a, b) => leave[a] - leave[b] || a - b);
  queue.largest = largest || Math.max(...lane.size);
  queue.offeredAt = Float64Array.from(queue.arrivals, (i) => arrival[i]);
  queue.enqueuedAt = Float64Array.from(queue.packets, (i) => arrival[i]);
  queue.leftAt = Float64Array.from(queue.packets, (i) => leave[i]).sort();
  queue.droppedAt = Float64Array.from(queue.lost, (i) => leave[i]);
  queue.colouredAt = lane.colour && queue.policer ? [1, 2, 3].map((colour) => queue.offeredAt.filter((_, k) => lane.colour[queue.arrivals[k]] === colour)) : [];
  queue.markedAt = Float64Array.from(queue.arrivals.filter((i) => lane.marked?.[i]), (i) => markedAt(lane, i)).sort();
  const memory = lane.memories?.[queue.pool];
  queue.taken = (i) => (memory ? Math.ceil((lane.bytes[i] + memory.header) / memory.cell) * memory.cell : 0);
  const all = queue.arrivals.reduce((sum, i) => sum + queue.taken(i), 0);
  // How long a byte of memory is.
  queue.perTaken = all ? total / all : 1;
  queue.units = sums(queue.packets.map((i) => size[i]));
  let gone = -Infinity;
  queue.goneBy = Float64Array.from(queue.packets, (i) => (gone = Math.max(gone, leave[i])));
  queue.peak = peakOf(queue);
  measure(queue, total, frames);
  return queue;
}

function streamOf(lane, [name, queue], number) {
  const { arrival, departure, leave, fate, stream } = lane;
  const mine = [], dropped = [], offered = [];
  for (let i = 0; i < lane.count; i++) {
    if (stream[i] !== number) continue;
    offered.push(arrival[i]);
    if (fate[i]) dropped.push(leave[i]); else if (departure[i] < Infinity) mine.push(i);
  }
  mine.sort((a, b) => departure[a] - departure[b]);
  return {
    name, queue,
    offeredAt: Float64Array.from(offered),
    droppedAt: Float64Array.from(dropped).sort(),
    sentAt: Float64Array.from(mine, (i) => departure[i]),
    delays: sums(mine.map((i) => departure[i] - arrival[i])),
  };
}

function laneOf(spec, given, bytes) {
  const times = ["arrival", "leave", "departure", "full"];
  const lane = { ...given, ...columnsOf(spec, given.columns, bytes, times) };
  const { leave, departure, fate } = lane;
  lane.number = Uint32Array.from(lane.number, (number) => lane.first + number);
  lane.count = lane.arrival.length;
  lane.size = Float64Array.from(lane.bytes, (n) => lane.extra + lane.per_byte * n);
  lane.refused = (i) => fate[i] > 0 && fate[i] < FROM_QUEUE;
  lane.cause = (i) => (fate[i] ? lane.causes[(fate[i] & (FROM_QUEUE - 1)) - 1] : "");
  // The letter of the colour that a policer gave it, and its mark behind that where one counts.
  lane.letter = (i) => "GYR"[(lane.colour?.[i] ?? 0) - 1] ?? "";
  lane.markOf = (i) => lane.marks[(lane.mark?.[i] ?? 0) - 1] ?? "";
  lane.isMarked = (i, t) => markedAt(lane, i) <= t;
  lane.queueOf = (i) => lane.streams[lane.stream[i]][1];
  lane.seen = (i) => lane.shown.includes(lane.queueOf(i));
  // Sent, or on their way: in the order in which the scheduler chose them.
  lane.sent = [];
  for (let i = 0; i < lane.count; i++) if (!fate[i] && leave[i] < Infinity) lane.sent.push(i);
  const [out, on] = [leave, departure];
  lane.sent.sort((a, b) => out[a] - out[b] || (on[a] === on[b] ? a - b : on[a] - on[b]));
  lane.chosenAt = Float64Array.from(lane.sent, (i) => leave[i]);
  lane.start = new Float64Array(lane.count).fill(Infinity);
  let free = -Infinity;
  for (const i of lane.sent) {
    const begins = Math.max(leave[i], departure[i] - lane.size[i] / lane.speed);
    lane.start[i] = Math.max(departure[i] < Infinity ? begins : leave[i], free);
    free = departure[i];
  }
  lane.startedAt = Float64Array.from(lane.sent, (i) => lane.start[i]);
  lane.departedAt = Float64Array.from(lane.sent, (i) => departure[i]);
  lane.nodes ??= [];
  lane.memories = (lane.memories ?? []).map((each) => ({ ...each, ...columnsOf(spec, each.columns, bytes, ["at"]) }));
  lane.shownQueues = lane.queues.map((_, number) => queueOf(lane, number));
  lane.flows = lane.streams.map((each, number) => streamOf(lane, each, number));
  // Streams whose queues are drawn, and how many have others.
  lane.named = lane.flows.filter((flow) => lane.shown.includes(flow.queue));
  lane.others = lane.flows.length - lane.named.length;
  lane.longest = 0;
  for (const i of lane.sent) {
    const out = departure[i] >= 0 && departure[i] <= spec.end_s;
    if (out && lane.seen(i)) lane.longest = Math.max(lane.longest, departure[i] - lane.arrival[i]);
  }
  lane.events = eventsOf(lane, spec.end_s);
  return lane;
}

/** Times at which something happens within the window, ascending, each once. */
function eventsOf(lane, end) {
  const all = [];
  for (const times of [lane.arrival, lane.leave, lane.start, lane.departure]) {
    for (const t of times) if (t >= 0 && t <= end) all.push(t);
  }
  return Float64Array.from(all).sort();
}

/** The least round time that is no shorter. */
function rounded(seconds) {
  const unit = seconds && 10 ** Math.floor(Math.log10(seconds));
  return unit * [1, 2, 3, 5, 10].find((step) => step * unit >= 0.9999 * seconds);
}

/** Stems keep their scale while the longest takes at least this part of it. */
const SHORTEST = 0.2;

/**
 * The scene of a spec and its bytes, a Uint8Array or DataView; delays on the same scale as one `before`
 * it, unless they exceed it. Stems have a scale of their own: they grow where all delays get short.
 */
export function load(spec, bytes, before = null) {
  const lanes = spec.lanes.map((lane) => laneOf(spec, lane, bytes));
  const events = Float64Array.from(lanes.flatMap((lane) => [...lane.events])).sort();
  const longest = Math.max(...lanes.map((lane) => lane.longest));
  const comparable = before && before.end_s === spec.end_s && before.lanes.length === lanes.length;
  const scale = Math.max(rounded(longest), comparable ? before.scale : 0);
  const kept = comparable && longest <= before.stems && longest >= SHORTEST * before.stems;
  const stems = kept ? before.stems : rounded(longest);
  // Classes of queues that are not drawn have no colour.
  const seen = new Set(lanes.flatMap((lane) => lane.named.map((flow) => flow.name)));
  const classes = spec.classes.filter((each) => seen.has(each.name));
  // Delays keep their unit, too.
  const like = Math.max(longest, comparable ? before.like : 0);
  return { ...spec, classes, lanes, events, longest, like, scale, stems, before: comparable ? before.lanes : null };
}
