// Where the nodes of a tree of schedulers stand, between the queues and the link, and the ways of packets.

/** The queues or nodes on the way from a queue to the root. */
export function wayOf(lane, number) {
  const way = [];
  for (let at = number; at >= 0; at = lane.nodes[at]?.parent ?? -1) way.push(at);
  return way;
}

export const has = (node) => node.rate || node.ceil;

/** How much room the buckets beside the queues and the nodes take, in a lane whose head is at `gate`. */
export function roomOfTree(lane, W) {
  const counts = lane.shown.map((number) => lane.nodes[number] ?? {}).map(({ rate, ceil }) => Boolean(rate) + Boolean(ceil));
  const beside = [0, 18, 30][Math.max(...counts)];
  return { beside, step: W < 800 ? 66 : 80, depths: depthsOf(lane) };
}

/** The depths that have a column, the deepest first: that of the root only if it has a bucket. */
function depthsOf(lane) {
  const depths = new Set();
  for (const number of lane.shown) {
    const way = lane.nodes.length ? wayOf(lane, number) : [];
    way.forEach((at, k) => k && (has(lane.nodes[at]) || lane.nodes[at].parent >= 0) && depths.add(way.length - 1 - k));
  }
  return [...depths].sort((a, b) => b - a);
}

/** Where each node stands: in the middle of the queues that are below it. */
export function placedNodes(lane, rows, { beside, step, depths }) {
  const found = new Map();
  if (!lane.nodes.length) return found;
  for (const row of rows) {
    const way = wayOf(lane, row.queue), y = row.y + row.high / 2;
    way.forEach((at, k) => {
      const column = depths.indexOf(way.length - 1 - k);
      if (!k || column < 0) return;
      const known = found.get(at) ?? { x: row.head + beside + 26 + column * step, low: y, high: y, wide: Math.max(step - 30, 46) };
      found.set(at, { ...known, low: Math.min(known.low, y), high: Math.max(known.high, y) });
    });
  }
  for (const node of found.values()) node.y = (node.low + node.high) / 2;
  return found;
}

/** The ways of packets: [x, y of where one begins and ends, the queues below it]. */
export function waysOf(lane, made, to, middle) {
  const ways = new Map();
  for (const row of made.rows) {
    let from = [row.head + 3 + made.beside, row.y + row.high / 2];
    for (const at of wayOf(lane, row.queue).slice(1)) {
      const node = made.nodes.get(at);
      if (!node) continue;
      const key = `${from} ${node.x}`, known = ways.get(key) ?? { from, to: [node.x - 4, node.y], queues: [] };
      known.queues.push(row.queue);
      ways.set(key, known);
      from = [node.x + node.wide + 4, node.y];
    }
    const known = ways.get(`${from}`) ?? { from, to: [to, middle], queues: [] };
    known.queues.push(row.queue);
    ways.set(`${from}`, known);
  }
  return [...ways.values()];
}
