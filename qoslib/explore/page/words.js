// Numbers and fates in words.

export function words(count, one, many = one + "s") {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** A time with three digits, in the unit that suits another time. */
export function time(seconds, like = seconds) {
  if (!Number.isFinite(seconds)) return "–";
  const [size, unit] = like < 1e-3 ? [1e6, "µs"] : like < 1 ? [1e3, "ms"] : [1, "s"];
  const value = seconds * size;
  return `${value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2)} ${unit}`;
}

/** A rate with three digits; a half is rounded up however it was computed. */
export function rate(bps) {
  const exact = Number(bps.toPrecision(9)) * (1 + 1e-12);
  const [size, unit] = exact >= 1e9 ? [1e9, "Gb/s"] : exact >= 1e6 ? [1e6, "Mb/s"] : [1e3, "kb/s"];
  return `${Number((exact / size).toPrecision(3))} ${unit}`;
}

/** What arrives at a lane: of one with TCP, what the streams beside it offer. */
export function arrives({ loads, flows }) {
  if (!loads) return "arrivals";
  const offered = loads.map(([bps], at) => [bps, flows[at].name]).filter(([bps]) => bps);
  if (offered.length < loads.length) return offered.map(([bps, name]) => `${rate(bps)} of ${name}`).join(" and ");
  return `${rate(offered.reduce((sum, [bps]) => sum + bps, 0))} arrive`;
}

/** How fast the link of a lane is; nothing where it has none. */
export function carries(lane) {
  return lane.rate_bps ? `link of ${rate(lane.rate_bps)}` : "";
}

export function room(queue, most = queue.limit.most, lane = null) {
  const unit = queue.limit.unit;
  if (lane && queue.limit.at !== "line" && unit === "s") {
    return words(Math.floor((most * lane.speed) / queue.largest + 1e-6), "packet");
  }
  if (unit === "packets") return words(Math.round(most), "packet");
  if (unit === "bytes") return most >= 9999.5 ? `${(most / 1000).toFixed(1)} kB` : `${Math.round(most)} B`;
  return time(most);
}

const CAUSES = {
  tail: "the queue was full", head: "the queue was full, and the oldest packet went",
  policer: "the policer had no token for it", red: "RED dropped it early",
  profile: "the drop profile took it", codel: "CoDel: packets had waited too long",
  pie: "PIE dropped it early", pool: "the shared memory was full",
};

const COLOURS = { G: "green", Y: "yellow", R: "red" };

/** How many packets of its queue were sent before a packet, or will be: on arrival, and now. */
function inFront({ queue, ahead, behind, now, waits }) {
  const were = ahead === 1 ? "was" : "were", left = now ? `${now.toLocaleString("en")} still ${now === 1 ? "is" : "are"}` : "none is now";
  const met = ahead ? `${words(ahead, "packet")} (${behind.toLocaleString("en")} B) ${were} in front of it when it arrived` : "no packet was in front of it when it arrived";
  return `In queue “${queue}”, ${met}${ahead && waits ? `; ${left}` : ""}.`;
}

/** What happened to a packet, as sentences; `t` hides what is still to come. */
export function told(story) {
  const lines = [`${story.name}, ${story.bytes.toLocaleString("en")} B.`];
  const before = `${time(-story.arrival)} before this window`;
  lines.push(`Arrived ${story.arrival < 0 ? before : `at ${time(story.arrival)}`}.`);
  if (story.letter) lines.push(`Metered ${COLOURS[story.letter]}${story.remarked ? `, remarked ${story.mark}` : ""}.`);
  else if (story.mark && !story.remarked) lines.push(`Its mark is ${story.mark}.`);
  if (story.refused && story.cause === "policer" && story.letter) {
    lines.push("Dropped on arrival: the policer drops packets of this colour.");
    return lines;
  }
  if (story.refused) {
    lines.push(`Dropped on arrival: ${CAUSES[story.cause] ?? story.cause}.`);
    return lines;
  }
  lines.push(inFront(story));
  if (story.dropped) {
    const waited = time(story.leave - story.arrival, story.like);
    lines.push(`Dropped after ${waited} in the queue: ${CAUSES[story.cause] ?? story.cause}.`);
  }
  if (story.marked) lines.push("Marked CE: congestion experienced.");
  if (story.started) lines.push(`Started on the link at ${time(story.start)}.`);
  if (story.gone) {
    lines.push(`Left at ${time(story.departure)}: delay ${time(story.departure - story.arrival, story.like)}.`);
  }
  return lines;
}
