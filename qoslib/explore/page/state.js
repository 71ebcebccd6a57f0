// What stands at a time: numbers alone, from the scene and the time alone.

import { upto } from "./scene.js";

/** Counters of the window, what waits, and what meters, droppers and the scheduler hold. */
export function stateAt(scene, t) {
  return { t, lanes: scene.lanes.map((lane) => laneAt(lane, t)) };
}

export function between(times, t) {
  // From just after the start of the window; what happens at the start itself counts.
  return Math.max(upto(times, t) - upto(times, -1e-15), 0);
}

function laneAt(lane, t) {
  const chosen = upto(lane.chosenAt, t);
  const gone = upto(lane.departedAt, t);
  const flows = lane.flows.map((flow) => {
    const sent = between(flow.sentAt, t), last = upto(flow.sentAt, t);
    const delay = sent ? (flow.delays[last] - flow.delays[last - sent]) / sent : NaN;
    return {
      offered: between(flow.offeredAt, t), sent, dropped: between(flow.droppedAt, t), delay,
      // In the queue, or being sent.
      held: upto(flow.offeredAt, t) - last - upto(flow.droppedAt, t),
    };
  });
  const choice = chosen - 1, lender = choice >= 0 && lane.lender ? lane.lender[choice] : -1;
  const queues = lane.shownQueues.map((queue) => queueAt(lane, queue, t, choice));
  const sum = (name) => flows.reduce((total, flow) => total + flow[name], 0);
  const sent = sum("sent"), all = flows.reduce((s, f) => s + (f.sent ? f.sent * f.delay : 0), 0);
  return {
    flows, queues, choice, sent, chosen, gone,
    offered: sum("offered"), dropped: sum("dropped"),
    waiting: queues.reduce((total, queue) => total + queue.waiting, 0),
    // Of those, in queues that are not drawn.
    unseen: queues.reduce((total, queue, n) => total + (lane.shown.includes(n) ? 0 : queue.waiting), 0),
    delay: sent ? all / sent : NaN,
    lender, served: choice >= 0 ? servedBy(lane, choice) : "", nodes: nodesAt(lane, choice, t),
    turns: turnsAt(lane, choice),
  };
}

/** What let the packet of a choice go, in words. */
function servedBy(lane, choice) {
  if (lane.lender) {
    const lender = lane.lender[choice];
    return lender === lane.queueOf(lane.sent[choice]) ? `own ${lane.buckets[0]}` : `borrows from ${lane.nodes[lender].name}`;
  }
  if (lane.strict?.[choice]) return "strict priority";
  if (!lane.guaranteed) return "";
  return lane.guaranteed[choice] ? "guaranteed" : "excess";
}

/** The tokens of each queue's and node's buckets [B]: less than 0 where it owes some. */
function nodesAt(lane, choice, t) {
  let bucket = 0;
  const held = ({ rate_bps: rate, burst_bytes: burst }) => {
    const full = choice < 0 ? -Infinity : lane.full[bucket * lane.sent.length + choice];
    bucket += 1;
    return burst - (Math.max(full - t, 0) * rate) / 8;
  };
  return lane.nodes.map(({ rate, ceil }) => ({ ...(rate && { rate: held(rate) }), ...(ceil && { ceil: held(ceil) }) }));
}

/** The queues and nodes whose turn it is below each node, after a choice. */
function turnsAt(lane, choice) {
  const nodes = choice < 0 ? 0 : Math.max(lane.nodes.length - lane.queues.length, 0);
  return Array.from({ length: nodes }, (_, at) => lane.turn[at * lane.sent.length + choice] - 1);
}

function queueAt(lane, queue, t, choice) {
  const first = upto(queue.goneBy, t), end = upto(queue.enqueuedAt, t);
  const waiting = end - upto(queue.leftAt, t);
  const arrived = upto(queue.offeredAt, t) - 1;
  const last = arrived < 0 ? -1 : queue.arrivals[arrived];
  const state = {
    first, end, waiting, dropped: between(queue.droppedAt, t),
    policer: policerAt(lane, queue, last, t),
    excess: excessAt(lane, queue, last, t),
    coloured: queue.colouredAt.map((times) => between(times, t)),
    shaper: shaperAt(lane, queue, t),
    dropper: lane.dropper && last >= 0 ? lane.dropper[last] : NaN,
    limit: limitAt(queue, t),
    ...memoryAt(lane, queue, first, end, t),
    marked: between(queue.markedAt, t),
    paused: pausedAt(queue, t),
    value: NaN,
    oldest: waiting ? t - queue.enqueuedAt[first] : 0,
  };
  state.closed = last >= 0 && lane.closed?.[last] === 1 && heldOf(lane, queue, state, t) > queue.resume;
  if (choice >= 0 && lane.values) state.value = valueAt(lane, queue, choice);
  return state;
}

/** How much a queue holds, in what its limit counts. */
function heldOf(lane, queue, { first, end, waiting }, t) {
  if (queue.limit.unit === "packets") return waiting;
  let bytes = 0;
  for (let p = first; p < end; p++) if (lane.leave[queue.packets[p]] > t) bytes += lane.bytes[queue.packets[p]];
  return bytes;
}

/** What a queue takes of its memory, how much is free of the shared part, and what it may take then. */
function memoryAt(lane, queue, first, end, t) {
  const memory = lane.memories[queue.pool];
  if (!memory) return { taken: NaN, free: NaN, may: NaN };
  let taken = 0;
  for (let p = first; p < end; p++) if (lane.leave[queue.packets[p]] > t) taken += queue.taken(queue.packets[p]);
  const free = memory.shared - (memory.held[upto(memory.at, t) - 1] ?? 0);
  const shared = queue.alpha === null ? Math.max(taken - queue.reserved, 0) + free : queue.alpha * free;
  return { taken, free, may: queue.reserved + shared };
}

/** Whether the senders of a queue are paused by it. */
function pausedAt(queue, t) {
  let paused = false;
  for (const [at, stop] of queue.orders ?? []) if (at <= t) paused = stop === 1;
  return paused;
}

/** A limit that changes with the time, as one at the served rate does; NaN of others. */
function limitAt(queue, t) {
  let limit = NaN;
  for (const [from, most] of queue.limit?.over_time ?? []) if (from <= t) limit = most;
  return limit;
}

function filled(share, meter, since) {
  return Math.min(1, share + (since * meter.rate_bps) / 8 / meter.burst_bytes);
}

function policerAt(lane, queue, last, t) {
  if (!queue.policer || !lane.tokens) return NaN;
  return last < 0 ? 1 : filled(lane.tokens[last], queue.policer, t - lane.arrival[last]);
}

/** The second bucket, which fills at a rate of its own or with what the first has no room for. */
function excessAt(lane, queue, last, t) {
  const second = queue.policer?.excess;
  if (!second || !lane.excess) return NaN;
  if (last < 0) return 1;
  const { rate_bps: rate, burst_bytes: burst } = queue.policer, since = t - lane.arrival[last];
  if (second.rate_bps) return filled(lane.excess[last], second, since);
  const over = since - ((1 - lane.tokens[last]) * burst * 8) / rate;
  return filled(lane.excess[last], { ...second, rate_bps: rate }, Math.max(over, 0));
}

function shaperAt(lane, queue, t) {
  const meter = queue.shaper ?? queue.port_shaper;
  if (!meter || !lane.shaper) return NaN;
  // The last packet that paid: of this queue, or of any where the shaper is the port's.
  for (let k = upto(lane.chosenAt, t) - 1; k >= 0; k--) {
    const i = lane.sent[k];
    if (queue.shaper && lane.queueOf(i) !== queue.number) continue;
    if (Number.isNaN(lane.shaper[i])) return NaN;
    const paid = lane.shaper[i] - lane.bytes[i] / meter.burst_bytes;
    return filled(paid, meter, t - lane.leave[i]);
  }
  return 1;
}

/** A queue's deficit, turn or tag after a choice, once the packet is paid for. */
function valueAt(lane, queue, choice) {
  const value = lane.values[choice * lane.queues.length + queue.number], i = lane.sent[choice];
  const robin = lane.value === "deficit" || lane.value === "turn";
  const paid = value - (lane.value === "turn" ? 1 : lane.bytes[i]);
  if (!robin || lane.queueOf(i) !== queue.number || queue.name === lane.low_latency) return value;
  // HTB adds the quantum as the turn ends, and forgets nothing.
  if (lane.lender) return paid < 0 ? paid + queue.quantum : paid;
  const left = upto(queue.enqueuedAt, lane.leave[i]) - upto(queue.leftAt, lane.leave[i]);
  return left || !lane.resets ? paid : 0;
}

/** The story of a packet, up to a time. */
export function storyOf(scene, number, i, t = Infinity) {
  const lane = scene.lanes[number], queue = lane.shownQueues[lane.queueOf(i)];
  const place = queue.packets.indexOf(i);
  const first = upto(queue.goneBy, lane.arrival[i] - 1e-15);
  const ahead = place < 0 ? 0 : Math.max(place - first, 0);
  let bytes = 0, packets = 0, now = 0;
  for (let k = place - ahead; k < place; k++) {
    // Those that left at the very time of the arrival were before it in the engine.
    if (lane.leave[queue.packets[k]] <= lane.arrival[i]) continue;
    bytes += lane.bytes[queue.packets[k]];
    packets += 1;
    if (lane.leave[queue.packets[k]] > t) now += 1;
  }
  const cause = lane.cause(i);
  return {
    like: scene.like, number: lane.number[i], bytes: lane.bytes[i], name: lane.streams[lane.stream[i]][0],
    queue: queue.name, cause, refused: lane.refused(i), behind: bytes, ahead: packets, now,
    waits: lane.arrival[i] <= t && t < lane.leave[i],
    marked: lane.isMarked(i, t), letter: lane.arrival[i] <= t ? lane.letter(i) : "", mark: lane.markOf(i),
    remarked: Boolean(queue.policer?.actions) && queue.policer.actions["GYR".indexOf(lane.letter(i))] === lane.markOf(i),
    arrival: lane.arrival[i], leave: lane.leave[i],
    start: lane.start[i], departure: lane.departure[i],
    dropped: cause !== "" && lane.leave[i] <= t,
    started: !cause && lane.start[i] <= t, gone: !cause && lane.departure[i] <= t,
  };
}
