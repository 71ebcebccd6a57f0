// What the scheduler, the token buckets and the dropper of a queue hold.

import { line, text, textWidth, word } from "./brush.js";
import { LOW } from "./layout.js";
import { room, time } from "./words.js";

/** RED's average and thresholds in words, and how long they are, by what they count. */
const COUNTS = {
  packets: { said: (value) => Number(value.toPrecision(3)).toString(), long: (queue, lane, value) => queue.perPacket * value },
  bytes: { said: (value) => `${Math.round(value).toLocaleString("en")} B`, long: (queue, lane, value) => queue.perByte * value },
  s: { said: (value, like) => time(value, like), long: (queue, lane, value) => lane.speed * value },
};

/** What the scheduler, meters and dropper of a queue hold, as parts of the row of words over it. */
export function meters(pen, lane, made, row, queue, here, at) {
  const muted = { size: 12, colour: pen.theme.muted }, found = [];
  const [said, share, mark] = schedulerSays(lane, queue, here);
  if (said) {
    const [before, after] = said.map((each) => word(pen, each, muted)), drawn = share === null ? 0 : 97;
    found.push({ at: 0.2 * pen.layout.W, wide: before.wide + 7 + drawn + after.wide, draw(x, y) {
      before.draw(x, y);
      if (drawn) bar(pen, x + before.wide + 7, y - 7.5, 90, share, mark);
      after.draw(x + before.wide + 7 + drawn, y);
    } });
  }
  if (!row.under && !lane.nodes.length) found.push(...shaperSays(pen, queue, here));
  const says = [...thresholdsSay(queue, here), ...dropperSays(queue, here)];
  found.push(...says.map((each) => word(pen, each, muted)));
  return found;
}

function shaperSays(pen, queue, here) {
  if (Number.isNaN(here.shaper)) return [];
  const meter = queue.shaper ?? queue.port_shaper, words = tokens(pen, here.shaper * meter.burst_bytes);
  return [{ wide: VESSEL + 8 + words.wide, draw(x, y) {
    vessel(pen, x, y - 14, 18, here.shaper);
    words.draw(x + VESSEL + 8, y);
  } }];
}

export const whole = (bytes) => `${Math.floor(bytes).toLocaleString("en")} B`;

function tokens(pen, bytes) {
  return word(pen, `${whole(bytes)} of tokens`, { size: 12, colour: pen.theme.muted });
}

/** How wide the only bucket of a queue is. */
function wideOf({ bucket }) {
  return bucket > LOW ? 32 : VESSEL;
}

/**
 * A policer's buckets, where packets meet them: over the end of the rail, or behind them in the tightest
 * lanes. Between which places they stand.
 */
export function drawPolicer(pen, row, here, rail) {
  const shares = [here.policer, here.excess].filter((share) => !Number.isNaN(share)), from = rail + 7;
  const wide = row.inline ? 14 : shares.length > 1 ? VESSEL : wideOf(row);
  const [top, tall] = row.inline ? [row.y - 1, row.high + 2] : [row.y - 7 - row.bucket, row.bucket];
  shares.forEach((share, at) => vessel(pen, from + at * (wide + 6), top, tall, share, wide));
  return [from, from + shares.length * (wide + 6)];
}

/** What a policer's buckets hold; the second one has its name. */
export function policerSays(queue, here) {
  const { burst_bytes: burst, excess } = queue.policer, first = whole(here.policer * burst);
  return excess ? `committed ${first}, ${excess.name} ${whole(here.excess * excess.burst_bytes)}` : `${first} of tokens`;
}

/** What stands at the queue itself: the tokens of its shaper, and the thresholds of RED. */
export function marks(pen, lane, made, row, queue, here, at) {
  const { y, high, head } = row;
  if (!Number.isNaN(here.shaper) && row.under && !lane.nodes.length) {
    const meter = queue.shaper ?? queue.port_shaper, [wide, tall] = made.single ? [wideOf(row), row.bucket] : [VESSEL, 15];
    const from = made.single ? head - wide - 3 : head + 8, words = tokens(pen, here.shaper * meter.burst_bytes);
    vessel(pen, from, y + high + 13, tall, here.shaper, wide);
    words.draw(from - 8 - words.wide, y + high + 24);
  }
  wallLines(pen, lane, row, queue, at);
  // A queue that refuses what comes; senders that are paused.
  if (here.closed) line(pen, at.rail + 2, y - 7, at.rail + 2, y + high + 4, pen.theme.ink, 5);
  for (const x of here.paused ? [row.from + 3, row.from + 11] : []) line(pen, x, y, x, y + high, pen.theme.ink, 4.5);
  if (queue.thresholds && here.dropper >= 0) average(pen, lane, row, queue, here, at);
}

/** How far from the head a queue is that is so long, by what is counted. */
function lengthAt(pen, lane, row, queue, value, counts) {
  return row.head - pen.layout.k * (COUNTS[counts].long(queue, lane, value) + queue.largest * row.ahead);
}

/** Thresholds, dashed, and limits of a mark: each with its name on a sign. */
function wallLines(pen, lane, row, queue, at) {
  const { context, theme } = pen, floor = row.y + row.high + 4, signs = [];
  for (const [value, counts, name, limit] of queue.lines) {
    const x = lengthAt(pen, lane, row, queue, value, counts);
    if (x <= at.wall + 1) continue;
    line(pen, x, row.y - 6, x, limit ? floor : floor + 6, theme.ink, limit ? 2.2 : 1.2, limit ? [] : [2, 2]);
    if (name) signs.push([x, name]);
  }
  for (const [place, name] of signs) {
    const style = { size: 11, weight: 700 }, wide = textWidth(pen, name, style) + 7, x = Math.min(place, row.head - wide / 2);
    context.fillStyle = theme.ground;
    context.strokeStyle = theme.ink;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(x - wide / 2, row.y - 5, wide, 14, 3);
    context.fill();
    context.stroke();
    text(pen, name, x, row.y + 6, { ...style, align: "center" });
  }
}

function schedulerSays(lane, queue, here) {
  if (lane.queues.length === 1) return [null, null, NaN];
  const none = [null, NaN];
  if (Number.isNaN(here.value) || queue.name === lane.low_latency) return [null, ...none];
  if (lane.value === "start tag") {
    return [[lane.value, time(Math.max(here.value, 0), lane.longest)], ...none];
  }
  const most = queue.quantum + queue.largest;
  const value = Math.round(here.value);
  if (lane.value === "turn") return [[lane.value, `${value} of ${queue.weight} packets left`], ...none];
  return [[lane.value, `${value.toLocaleString("en").replace("-", "−")} B`], value / most, queue.quantum / most];
}

/** What a queue holds besides packets, in words. */
export function heldSays(lane, queue, here) {
  const [scheduler] = schedulerSays(lane, queue, here), said = scheduler ? [scheduler.join(" ")] : [];
  if (!Number.isNaN(here.policer)) said.push(`policer: ${policerSays(queue, here)}`);
  if (here.coloured.length) said.push(`metered: ${here.coloured.map((count, at) => `${count} ${["green", "yellow", "red"][at]}`).join(", ")}`);
  if (!Number.isNaN(here.shaper)) said.push(`shaper: ${whole(here.shaper * (queue.shaper ?? queue.port_shaper).burst_bytes)} of tokens`);
  if (!Number.isNaN(here.may)) said.push(`memory: holds ${kilo(here.taken)}, ${maySay(queue, here)}`);
  return [...said, ...thresholdsSay(queue, here), ...dropperSays(queue, here)];
}

const kilo = (bytes) => (bytes >= 9999.5 ? `${(bytes / 1000).toFixed(1)} kB` : whole(bytes));

/** What a queue may take of its memory, and why. */
export function maySay(queue, here) {
  const { alpha, reserved } = queue, own = reserved ? `${kilo(reserved)} reserved + ` : "";
  return `may hold ${kilo(here.may)}${alpha === null ? "" : `: ${own}${alpha} × ${kilo(here.free)} free`}`;
}

/** The memory of a port: the shared part with what each queue holds of it, then the reserved parts. */
export function memoryBar(pen, lane, memory, state) {
  const muted = { size: 12, colour: pen.theme.muted }, before = word(pen, memory.name, muted);
  const mine = lane.shownQueues.filter((queue) => lane.memories[queue.pool] === memory);
  const { free } = state.queues[mine[0].number], after = word(pen, `${kilo(free)} free of ${kilo(memory.limit)}`, muted);
  return { wide: before.wide + after.wide + BAR + 16, draw(x, y) {
    const { context, theme } = pen, scale = BAR / memory.limit, top = y - 10, high = 11;
    before.draw(x, y);
    const from = x + before.wide + 8;
    let at = from, others = memory.shared - free, parts = from + memory.shared * scale;
    const fill = (colour, wide) => {
      context.fillStyle = colour;
      context.fillRect(at, top, wide * scale, high);
      at += wide * scale;
    };
    context.fillStyle = theme.tray;
    context.fillRect(from, top, BAR, high);
    const held = mine.map((queue) => [queue, state.queues[queue.number].taken]);
    for (const [queue, taken] of held) {
      const shared = Math.max(taken - queue.reserved, 0);
      others -= shared;
      fill(colourOf(pen, lane, queue), shared);
    }
    fill(theme.muted, Math.max(others, 0));
    for (const [queue, taken] of held) {
      at = parts;
      fill(colourOf(pen, lane, queue), Math.min(taken, queue.reserved));
      parts += queue.reserved * scale;
      if (queue.reserved) line(pen, parts - queue.reserved * scale, top - 2, parts - queue.reserved * scale, top + high + 2, theme.ink, 1.5);
    }
    context.strokeStyle = theme.rule;
    context.lineWidth = 1;
    context.strokeRect(from + 0.5, top + 0.5, BAR - 1, high - 1);
    after.draw(from + BAR + 8, y);
  } };
}

/** How wide a memory is drawn [px]. */
const BAR = 150;

/** The colour of the one class of a queue; none where it has several. */
function colourOf(pen, lane, queue) {
  const names = lane.flows.filter((flow) => flow.queue === queue.number).map((flow) => flow.name);
  return names.length === 1 ? pen.ofClass(names[0]) : pen.theme.muted;
}

/** What thresholds say that drop nothing: of marking, of pauses, and of a queue that is closed. */
function thresholdsSay(queue, here) {
  const { marking, ce_s: ce, pause } = queue, said = [];
  if (here.closed) said.push(`closed until it holds ${room(queue, queue.resume)}`);
  if (pause) {
    const [stop, go] = pause.map((bytes) => `${bytes.toLocaleString("en")} B`);
    said.push(here.paused ? `senders paused until ${go}` : `pauses above ${stop}`);
  }
  if (marking || ce) said.push(`${here.marked} marked CE`);
  if (marking) {
    const [low, high] = marking.thresholds.map((each) => COUNTS[marking.counts].said(each, marking.thresholds[1]));
    said.push(low === high ? `marks from ${high}` : `marks from ${low}, all from ${high}`);
  }
  if (ce) said.push(`marks after ${time(ce)}`);
  return said;
}

/** What an early dropper goes by; the most important first. */
function dropperSays(queue, here) {
  const { dropper, thresholds, target_s: target, interval_s: interval } = queue, known = here.dropper >= 0;
  if (dropper === "Red" && known) {
    const { said } = COUNTS[queue.counts], [low, high] = thresholds.map((each) => said(each, thresholds[1]));
    const average = queue.counts === "packets" ? here.dropper.toFixed(1) : said(here.dropper, thresholds[1]);
    return [`average ${average}`, low === high ? `drops all from ${high}` : `drops from ${low}, all from ${high}`];
  }
  if (dropper === "Pie") {
    const probability = `drop probability ${(100 * (known ? here.dropper : 0)).toFixed(1)} %`;
    return [probability, `target ${time(target)}`];
  }
  if (dropper !== "Codel") return [];
  const count = known ? Math.round(here.dropper) : 0, every = time(interval / Math.sqrt(count), interval);
  const drops = count ? [`count ${count}, drops every ${every}`] : ["not dropping"];
  return [`waits ${time(here.oldest, target)}, target ${time(target)}`, ...drops, `interval ${time(interval)}`];
}

/** RED's average, on the floor of the tray. */
function average(pen, lane, row, queue, here, at) {
  const { context, theme } = pen, floor = row.y + row.high + 4;
  const x = Math.max(lengthAt(pen, lane, row, queue, here.dropper, queue.counts), at.wall);
  context.fillStyle = theme.ink;
  context.beginPath();
  context.moveTo(x, floor + 1);
  context.lineTo(x - 5, floor + 7);
  context.lineTo(x + 5, floor + 7);
  context.fill();
}

function bar(pen, x, y, w, share, mark = NaN) {
  const { context, theme } = pen;
  context.fillStyle = theme.tray;
  context.fillRect(x, y, w, 7);
  context.fillStyle = theme.muted;
  context.fillRect(x, y, w * Math.max(0, Math.min(1, share)), 7);
  context.strokeStyle = theme.rule;
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, w - 1, 6);
  if (mark > 0 && mark < 1) line(pen, x + w * mark, y - 2, x + w * mark, y + 9, theme.ink, 1.5);
}

/** How wide a bucket is [px]. */
const VESSEL = 24;

/** A bucket of tokens as a vessel. */
export function vessel(pen, x, y, h, share, w = VESSEL, colour = null) {
  const { context, theme } = pen, level = h * Math.max(0, Math.min(1, share));
  context.fillStyle = colour || theme.muted;
  context.fillRect(x, y + h - level, w, level);
  context.strokeStyle = colour || theme.ink;
  context.lineWidth = colour ? 3 : 1.5;
  context.beginPath();
  // A large one has a rim, and is seen to be open.
  const rim = h > 2 * LOW ? 3 : 0;
  context.moveTo(x - rim, y);
  context.lineTo(x, y);
  context.lineTo(x, y + h);
  context.lineTo(x + w, y + h);
  context.lineTo(x + w, y);
  context.lineTo(x + w + rim, y);
  context.stroke();
}
