// A tree of schedulers: the buckets of its queues and nodes, and which of them pay.

import { line, text } from "./brush.js";
import { vessel, whole } from "./meters.js";
import { servedNow } from "./queue.js";
import { has, wayOf } from "./tree_layout.js";

const KINDS = ["rate", "ceil"];
/** How wide a bucket is beside a queue and at a node, and how far apart two stand [px]. */
const BESIDE = [9, 12], AT_NODE = [18, 26];

/** Whether a bucket pays for a packet of a queue that was let go as a state says. */
function pays(lane, state, number, kind, queue) {
  const way = wayOf(lane, queue), place = way.indexOf(number);
  if (place < 0) return false;
  if (kind === "ceil") return true;
  if (lane.lender) return place >= way.indexOf(state.lender);
  return state.served === "guaranteed" || (state.served === "strict priority" && place > 0);
}

/** The buckets of queues and nodes; those that pay for the packet on the link in the colour of its class. */
export function drawTree(pen, lane, made, state) {
  const { theme } = pen, last = servedNow(pen, lane, state), queue = last < 0 ? -1 : lane.queueOf(last);
  const buckets = (number, x, y, [wide, apart], high) => KINDS.filter((kind) => lane.nodes[number][kind]).map((kind, at) => {
    const share = state.nodes[number][kind] / lane.nodes[number][kind].burst_bytes;
    const paying = queue >= 0 && pays(lane, state, number, kind, queue);
    vessel(pen, x + at * apart, y - high / 2, high, share, wide, paying && pen.colour(lane, last));
    return [x + at * apart + wide / 2, lane.buckets[KINDS.indexOf(kind)]];
  });
  for (const row of made.rows) buckets(row.queue, row.head + 7, row.y + row.high / 2, BESIDE, Math.min(row.high, 26));
  for (const row of made.rows) if (state.turns.includes(row.queue)) triangle(pen, row.head + 2 + made.beside, row.y + row.high / 2);
  for (const [number, { x, y, low, high, wide }] of made.nodes) {
    const node = lane.nodes[number], roomy = high - low >= 44 || made.rows.length < 3;
    const two = node.rate && node.ceil, from = x + (wide - (two ? AT_NODE[1] + AT_NODE[0] : AT_NODE[0])) / 2;
    if (!has(node)) line(pen, x - 4, y, x + wide + 4, y, theme.rule, 2);
    if (state.turns.includes(number)) triangle(pen, x + wide + 4, y);
    const drawn = buckets(number, from, y, AT_NODE, roomy ? 26 : 15);
    text(pen, node.name, x + wide / 2, y - (roomy ? 20 : 11), { size: roomy ? 12 : 11, weight: 650, align: "center", most: wide + 26 });
    for (const [at, name] of roomy ? drawn : []) text(pen, name, at, y + 26, { size: 11, colour: theme.muted, align: "center" });
  }
}

/** At the queue or node whose turn it is. */
function triangle({ context, theme }, x, y) {
  context.fillStyle = theme.ink;
  context.beginPath();
  context.moveTo(x, y - 6);
  context.lineTo(x + 9, y);
  context.lineTo(x, y + 6);
  context.fill();
}

/** What the buckets of a queue or node hold, and whether it is its turn, in words. */
export function bucketsSay(lane, number, state) {
  const node = lane.nodes[number];
  if (!node) return [];
  const said = (kind, at) => `${lane.buckets[at]} ${whole(state.nodes[number][kind]).replace("-", "−")} of ${whole(node[kind].burst_bytes)}`;
  const turn = state.turns.includes(number) ? `its turn at ${lane.nodes[node.parent].name}` : "";
  return [...KINDS.map((kind, at) => (node[kind] ? said(kind, at) : "")), turn].filter(Boolean);
}
