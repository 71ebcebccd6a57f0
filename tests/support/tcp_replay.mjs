// Compare what the picture counts of TCP senders with a slow replay of the record, event by event.
//   node tcp_replay.mjs MODULES SCENE.json
// The scene file has `spec`, `data` (base64) and, for each lane, `flows`: a list of
// [time_s, kind, flow, segment, tries, acknowledged, flight, window, ssthresh, state], and `times_s`.
import { readFileSync } from "node:fs";

const [folder, file] = process.argv.slice(2);
const { loadTcp, stateOfTcp, storyOfTcp, toldOfTcp } = await import(`${folder}/tcp_scene.js`);
const { spec, data, lanes, times_s } = JSON.parse(readFileSync(file, "utf8"));
const scene = loadTcp(spec, new Uint8Array(Buffer.from(data, "base64")));
let compared = 0;

function same(found, expected, what, t) {
  compared += 1;
  if (found !== expected) throw new Error(`${what} at ${t}: ${found}, but the record has ${expected}`);
}

for (const t of times_s) {
  const state = stateOfTcp(scene, t);
  lanes.forEach(({ flows, busy }, n) => {
    const senders = spec.lanes[n].senders.map((sender) => ({
      window: sender.began, ssthresh: Infinity, flight: 0, state: "open", una: 0,
      sent: 0, again: 0, timeouts: 0, begun: 0,
    }));
    for (const [time_s, kind, flow, , tries, una, flight, window, ssthresh, phase] of flows) {
      if (time_s > t) break;
      const own = senders[flow];
      Object.assign(own, { flight });
      if (kind !== "send") Object.assign(own, { window: Math.fround(window), ssthresh: Math.fround(ssthresh ?? Infinity), state: phase, una });
      if (time_s < 0) own.begun = own.una;
      else if (kind === "send") { own.sent += 1; own.again += tries > 1 ? 1 : 0; }
      else if (kind === "timeout") own.timeouts += 1;
    }
    senders.forEach((own, f) => {
      const found = state.lanes[n].senders[f];
      own.acknowledged = own.una - own.begun;
      for (const name of ["window", "ssthresh", "flight", "state", "sent", "again", "timeouts", "acknowledged"]) {
        same(found[name], own[name], `lane ${n} flow ${f} ${name}`, t);
      }
    });
    let seconds = 0;
    for (const [from, to] of busy) seconds += Math.max(0, Math.min(to, t) - Math.max(from, 0));
    same(Math.abs(state.lanes[n].busy - seconds / t) < 1e-6, true, `lane ${n} busy`, t);
  });
}
// The story of the first packet of each lane that was sent a second time, and of one that was lost.
const stories = scene.lanes.map((lane, n) => {
  const all = [...lane.stream.keys()], again = all.find((i) => lane.again(i)), lost = all.find((i) => lane.sender(i) && lane.fate[i]);
  return [again, lost].filter((i) => i !== undefined).map((i) => {
    const story = storyOfTcp(scene, n, i);
    return { ...story, told: toldOfTcp(story).join(" ") };
  });
});
console.log(JSON.stringify({ compared, stories, last: stateOfTcp(scene, spec.end_s).lanes.map((lane) => lane.senders) }));
