// TCP senders and the packets of their port: what each sent, what it was told, how its window stood.

import { columnsOf, load, sums, upto } from "./scene.js";
import { between, stateAt, storyOf } from "./state.js";
import { told, time, words } from "./words.js";

const STATES = ["open", "recovery", "loss"], TIMEOUT = 1;
/** How long a packet takes from its sender to its place in the queue, in seconds of the reader. */
export const LEAP_S = 0.24;

function senderOf(spec, given, bytes) {
  const told = columnsOf(spec, given.told, bytes, ["at"]);
  const sends = columnsOf(spec, given.sends, bytes, ["at"]);
  const again = [], timeouts = [];
  sends.at.forEach((at, k) => sends.tries[k] > 1 && again.push(at));
  told.at.forEach((at, k) => told.kind[k] === TIMEOUT && timeouts.push(at));
  let widest = given.began;
  for (const each of told.window) widest = Math.max(widest, Math.min(each, given.limit ?? each));
  return {
    ...given, told, sends, widest,
    againAt: Float64Array.from(again), timeoutAt: Float64Array.from(timeouts),
  };
}

/** The place of each packet among those of its stream, where the record has them all. */
function placesIn(lane) {
  const seen = lane.streams.map(() => 0);
  return Uint32Array.from(lane.stream, (stream) => seen[stream]++);
}

/** The scene of packets, with the senders of each lane. */
export function loadTcp(spec, bytes, before = null) {
  const scene = load(spec, bytes, before), all = [...scene.events];
  for (const lane of scene.lanes) {
    lane.senders = lane.senders.map((given) => senderOf(spec, given, bytes));
    lane.nth ??= placesIn(lane);
    lane.sender = (i) => lane.senders[lane.stream[i]];
    lane.again = (i) => lane.sender(i)?.sends.tries[lane.nth[i]] > 1;
    lane.leaps = () => false;
    lane.busy = sums(lane.sent.map((i) => lane.departure[i] - lane.start[i]));
    for (const { told, sends } of lane.senders) {
      for (const at of [...told.at, ...sends.at]) if (at >= 0 && at <= scene.end_s) all.push(at);
    }
  }
  return { ...scene, events: Float64Array.from(all).sort() };
}

/** What stands at a time, with window and counters of each sender. */
export function stateOfTcp(scene, t) {
  const state = stateAt(scene, t);
  state.lanes.forEach((now, n) => {
    const lane = scene.lanes[n];
    now.senders = lane.senders.map((sender) => senderAt(sender, t));
    now.busy = t > 0 ? (busyUntil(lane, t) - busyUntil(lane, 0)) / t : NaN;
  });
  return state;
}

function senderAt(sender, t) {
  const { told, sends, limit } = sender, row = upto(told.at, t) - 1;
  const sent = upto(sends.at, t), at = (name, before) => (row < 0 ? before : told[name][row]);
  const window = at("window", sender.began), ssthresh = at("ssthresh", Infinity);
  const begun = Math.max(upto(told.at, -1e-15) - 1, 0);
  return {
    window, ssthresh,
    usable: Math.min(window, limit ?? window),
    flight: at("flight", 0) + sent - at("sends", 0),
    sent: between(sends.at, t),
    again: between(sender.againAt, t),
    timeouts: between(sender.timeoutAt, t),
    acknowledged: row < 0 ? 0 : told.una[row] - (told.at[begun] < 0 ? told.una[begun] : 0),
    state: STATES[at("state", 0)],
  };
}

/** How long the link had been busy until a time. */
function busyUntil(lane, t) {
  const gone = upto(lane.departedAt, t), next = lane.sent[gone];
  const begun = next !== undefined && lane.start[next] < t ? t - lane.start[next] : 0;
  return lane.busy[gone] + begun;
}

/** What a sender does at a time, in two words. */
export function phaseOf(now) {
  if (now.state === "recovery") return "loss recovery";
  if (now.state === "loss") return "after a timeout";
  return now.window < now.ssthresh ? "slow start" : "congestion avoidance";
}

/** The story of a packet; of a segment also when it was sent, sent again and acknowledged. */
export function storyOfTcp(scene, number, i, t = Infinity) {
  const story = storyOf(scene, number, i, t), lane = scene.lanes[number];
  const sender = lane.sender(i);
  if (!sender) return story;
  const k = lane.nth[i], { sends, told } = sender, segment = sends.segment[k];
  let next = k + 1;
  while (next < sends.at.length && sends.segment[next] !== segment) next += 1;
  const from = upto(told.at, lane.departure[i]);
  let ack = from;
  while (ack < told.at.length && (told.kind[ack] === TIMEOUT || told.una[ack] <= segment)) ack += 1;
  return {
    ...story,
    title: `Segment ${segment.toLocaleString("en")} of ${sender.name}`,
    tries: sends.tries[k], sent: sends.at[k],
    again: sends.at[next] <= t ? sends.at[next] : NaN,
    acknowledged: story.cause === "" && told.at[ack] <= t ? told.at[ack] : NaN,
  };
}

const TIMES = ["", "", "second", "third", "fourth", "fifth"];

/** What happened to a packet or segment, as sentences. */
export function toldOfTcp(story) {
  const lines = told(story);
  if (!story.title) return lines;
  const tries = TIMES[story.tries] ?? `${story.tries}th`;
  const often = story.tries > 1 ? `Sent a ${tries} time` : "Sent";
  lines.splice(0, 2, `${often} at ${time(story.sent)}.`);
  if (!Number.isNaN(story.acknowledged)) lines.push(`Acknowledged at ${time(story.acknowledged)}.`);
  if (!Number.isNaN(story.again)) lines.push(`Sent again at ${time(story.again)}.`);
  return lines;
}

/** The counters of a lane, for the status line. */
export function countedOfTcp(now) {
  const senders = now.senders.map((each) => {
    const again = each.again ? `, ${each.again} retransmitted` : "";
    return `${phaseOf(each)}, window ${words(Math.floor(each.usable), "packet")}, ${each.flight} in flight${again}`;
  });
  return `${senders.join("; ")}; ${now.waiting} waiting, ${now.dropped} dropped`;
}
