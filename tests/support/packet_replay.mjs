// Compare what the picture counts with a slow replay of the event record, event after event.
//   node packet_replay.mjs MODULES SCENE.json
// The scene file has `spec`, `data` (base64) and, for each lane, `events`: a list of
// [time_s, kind, stream, queue, packet], and `times_s`. Prints the number of comparisons, and, if
// `states` says so, the state at each time and what is said of it at the last; or fails.
import { readFileSync } from "node:fs";

const [folder, file] = process.argv.slice(2);
const { load } = await import(`${folder}/scene.js`);
const { bucketsSay } = await import(`${folder}/tree.js`);
const { heldSays } = await import(`${folder}/meters.js`);
const { stateAt } = await import(`${folder}/state.js`);
const { spec, data, lanes, times_s, states } = JSON.parse(readFileSync(file, "utf8"));
const scene = load(spec, new Uint8Array(Buffer.from(data, "base64")));
let compared = 0;

function same(found, expected, what, t) {
  compared += 1;
  if (found !== expected) throw new Error(`${what} at ${t}: ${found}, but the record has ${expected}`);
}

for (const t of times_s) {
  const state = stateAt(scene, t);
  lanes.forEach((events, n) => {
    const queues = spec.lanes[n].queues.map(() => ({ waiting: 0, dropped: 0 }));
    const flows = spec.lanes[n].streams.map(() => ({ offered: 0, sent: 0, dropped: 0 }));
    const delays = spec.lanes[n].streams.map(() => 0);
    const arrived = new Map(), streams = new Map(), left = new Set();
    for (const [time_s, kind, stream, queue, packet] of events) {
      if (time_s > t) break;
      const counts = time_s >= 0;
      streams.set(packet, stream);
      if (kind === "drop" || kind === "departure") left.add(packet);
      if (!arrived.has(packet)) {
        arrived.set(packet, time_s);
        if (counts) flows[stream].offered += 1;
        if (kind === "enqueue") queues[queue].waiting += 1;
      } else if (kind === "choice" || kind === "drop") queues[queue].waiting -= 1;
      if (!counts) continue;
      if (kind === "drop") { flows[stream].dropped += 1; queues[queue].dropped += 1; }
      if (kind === "departure") { flows[stream].sent += 1; delays[stream] += time_s - arrived.get(packet); }
    }
    queues.forEach((queue, q) => {
      for (const name of ["waiting", "dropped"]) same(state.lanes[n].queues[q][name], queue[name], `lane ${n} queue ${q} ${name}`, t);
    });
    flows.forEach((flow, f) => {
      const own = state.lanes[n].flows[f];
      for (const name of ["offered", "sent", "dropped"]) same(own[name], flow[name], `lane ${n} flow ${f} ${name}`, t);
      const held = [...arrived.keys()].filter((packet) => streams.get(packet) === f && !left.has(packet)).length;
      same(own.held, held, `lane ${n} flow ${f} held`, t);
      if (flow.sent) same(Math.abs(own.delay - delays[f] / flow.sent) < 1e-8, true, `lane ${n} flow ${f} delay`, t);
    });
  });
}
const last = stateAt(scene, times_s[times_s.length - 1]).lanes;

/** What is said of each queue and node. */
const said = (lane, state) => [
  ...lane.shownQueues.flatMap((queue, q) => heldSays(lane, queue, state.queues[q])),
  ...lane.nodes.flatMap((_, at) => bucketsSay(lane, at, state)),
];
console.log(JSON.stringify({
  compared, last: last.map((lane) => lane.flows),
  states: states ? times_s.map((t) => stateAt(scene, t).lanes) : [],
  says: states ? scene.lanes.flatMap((lane, n) => said(lane, last[n])) : [],
}));
