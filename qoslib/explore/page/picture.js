// What the view shows of a scene: packets at a port.

import { chart } from "./chart.js";
import { EVERY, draw, numbered } from "./draw.js";
import { layoutOf } from "./layout.js";
import { heldSays } from "./meters.js";
import { make } from "./page.js";
import { load } from "./scene.js";
import { stateAt, storyOf } from "./state.js";
import { bucketsSay } from "./tree.js";
import { time, told } from "./words.js";

/** The counters of a lane, for the status line. */
const unseenInWords = ({ unseen }) => (unseen ? ` (of those waiting, ${unseen} in queues that are not drawn)` : "");
const portInWords = (now) => `${now.waiting} waiting, ${now.sent} sent, ${now.dropped} dropped${unseenInWords(now)}`;

/** The counters of each lane and stream as the head and body of a table. */
function counters(scene, state) {
  // At every time: held at the start + arrived = sent + dropped + held now.
  const head = ["", "held at the start", "arrived", "sent", "dropped", "held now", "mean delay"];
  const rows = scene.lanes.flatMap((lane, n) => lane.flows.map((flow, f) => {
    const own = state.lanes[n].flows[f], { offered, sent, dropped, held } = own;
    const name = scene.lanes.length > 1 ? `${lane.title}, ${flow.name}` : flow.name;
    return [name, held - offered + sent + dropped, offered, sent, dropped, held, time(own.delay, scene.like)];
  }));
  const cells = (tag, each) => each.map((cell, at) => make(at ? tag : "th", at ? {} : { scope: "row" }, String(cell)));
  return [
    make("thead", {}, make("tr", {}, ...head.map((cell) => make("th", { scope: "col" }, cell)))),
    make("tbody", {}, ...rows.map((each) => make("tr", {}, ...cells("td", each)))),
    make("tbody", {}, ...held(scene, state).map(([name, said]) => make("tr", {},
      make("th", { scope: "row" }, name), make("td", { colspan: head.length - 1 }, said)))),
  ];
}

/** What the queues that are drawn hold besides packets: [name, words]. */
function held(scene, state) {
  return scene.lanes.flatMap((lane, n) => lane.shown.map((number) => {
    const queue = lane.shownQueues[number], said = heldSays(lane, queue, state.lanes[n].queues[number]);
    return [queue.name, [...said, ...bucketsSay(lane, number, state.lanes[n])]];
  }).concat(lane.nodes.slice(lane.queues.length).map(({ name }, at) => [name, bucketsSay(lane, lane.queues.length + at, state.lanes[n])]))
    .map(([name, said]) => [scene.lanes.length > 1 ? `${lane.title}, ${name}` : name, said.join("; ")])).filter(([, said]) => said);
}

/** What the signs of the picture mean, in a line. */
function signsOf(scene, layout, live) {
  const turned = scene.lanes.some((lane) => lane.queues.some((queue) => queue.dropper === "TailDrop" || queue.dropper === "HeadDrop"));
  const said = ["Stem: the delay of a packet", "pale: about to arrive"];
  if (scene.lanes.some((lane) => numbered(lane, layout))) said.push(`number: packet count, on every ${EVERY}th packet`);
  if (live?.alive && turned) said.push("dashed red line: click to drop at that end");
  if (live?.alive && scene.lanes.some((lane) => lane.shownQueues.some((queue) => queue.times))) said.push("↔: drag the arrivals");
  const tree = scene.lanes.find((lane) => lane.nodes.length);
  if (tree) {
    const [rate, most] = tree.buckets;
    said.push(`buckets: ${rate} at the guaranteed rate, ${most} at the maximum; in colour: those that pay for the packet`);
    said.push("triangle: whose turn it is");
  }
  const dense = (lane, n) => layout.lanes[n].rows.some((row) => row.inline && lane.shownQueues[row.queue].policer);
  if (scene.lanes.some(dense)) said.push("bucket: a policer's tokens");
  if (scene.lanes.some((lane) => lane.memories.length)) said.push("memory: grey is held by others; the part beyond a mark is reserved");
  if (scene.lanes.some((lane) => lane.marked)) said.push("cut corner: marked CE");
  if (scene.lanes.some((lane) => lane.queues.some((queue) => queue.orders))) said.push("two bars: senders paused");
  if (scene.lanes.some((lane) => lane.colour)) said.push("G, Y, R: metered green, yellow, red");
  if (scene.lanes.some((lane) => lane.queues.some((queue) => queue.lines.some(([, , name]) => name)))) said.push("sign on a solid line: a limit; on a dashed one: a threshold");
  if (scene.lanes.some((lane) => lane.value === "deficit")) said.push(`mark on a deficit${tree ? " at the lender's level" : ""}: the quantum`);
  return said;
}

export const PICTURE = { load, stateAt, storyOf, told, layoutOf, draw, chart, counters, counted: portInWords, held, signs: signsOf };
