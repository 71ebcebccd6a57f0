// The link: the ways from the queues, the gate, each packet with a stem, and what has been sent.

import { block, line, spread, square, text, textWidth, word } from "./brush.js";
import { restOf, servedNow } from "./queue.js";
import { drawTree } from "./tree.js";
import { waysOf } from "./tree_layout.js";
import { carries, time } from "./words.js";

/** How far over the highest stem words stand, so that its label has room between them [px]. */
const LABEL = 18;
/** Letters may stand so many times as close. */
const CLOSER = 1.1;

/** A round time without digits that say nothing. */
export function round(seconds) {
  const [value, unit] = time(seconds).split(" ");
  return `${Number(value)} ${unit ?? ""}`;
}

/** The ways from the queues, the gate, the link with a stem per packet, and what has been sent. */
export function drawLink(pen, lane, number, made, state, t) {
  const { context, layout, theme, look, scene } = pen, { gate, k } = layout;
  const y = made.line, h = made.lineHigh, end = layout.W - layout.pad, pixels = k * lane.speed;
  if (!made.single) hoses(pen, lane, made, state, t);
  if (lane.nodes.length) drawTree(pen, lane, made, state);
  line(pen, gate, y + h + 4, end, y + h + 4, theme.rule, 1.5);
  // The height of a stem that stands for so long a delay; there is room for labels between it and the words.
  const rule = y - 4 - made.stem, scale = round(scene.stems), style = { size: 12, colour: theme.muted };
  const said = word(pen, scale, style), high = word(pen, `delay of ${scale}`, style), link = word(pen, carries(lane), style);
  line(pen, gate + 4, rule, made.total ? end : end - said.wide - 5, rule, theme.rule, 1, [2, 4]);
  if (!made.total) said.draw(end - said.wide, rule + 4);
  else spread(rule - LABEL, gate + 6, end, [link], [gate + 18 + link.wide + high.wide <= end ? high : said]);
  for (let c = state.chosen - 1; c >= 0; c--) {
    const i = lane.sent[c], w = k * lane.size[i];
    const x = gate + (t - lane.departure[i]) * pixels;
    if (x > end) break;
    if (lane.start[i] > t) {
      ringed(pen, lane, number, made, state, i, c, t);
      continue;
    }
    const alpha = Math.max(0, Math.min(1, (end - x - w) / 40));
    context.save();
    if (!made.single) {
      context.beginPath();
      context.rect(gate, 0, end - gate + 9, layout.H);
      context.clip();
    }
    block(pen, lane, number, i, x, y, w, h, x + w > end - 40 ? alpha : 1);
    context.restore();
    if (lane.departure[i] <= t && lane.seen(i)) stem(pen, lane, number, made, i, x + w / 2, w, alpha);
  }
  line(pen, gate, y - 6, gate, y + h + 9, theme.ink, 2.5);
  totals(pen, lane, made, state);
}

function stem(pen, lane, number, made, i, x, w, alpha) {
  const { context, scene, look } = pen, delay = lane.departure[i] - lane.arrival[i];
  const foot = made.line - 5, top = foot - (made.stem - 1) * Math.min(delay / scene.stems, 1);
  const colour = pen.colour(lane, i), thin = w < 6, dot = thin ? 1.4 : 3;
  context.globalAlpha = alpha;
  line(pen, x, foot, x, top, colour, thin ? Math.min(1.2, Math.max(0.6, 0.4 * w)) : 1.6);
  context.fillStyle = colour;
  context.beginPath();
  context.arc(x, top, dot, 0, 7);
  context.fill();
  const followed = look.followed === lane.number[i];
  if (followed || (pen.every && lane.number[i] % pen.every === 0)) {
    pen.labels.push({ said: time(delay, scene.like), x, top, dot, alpha, followed, rule: foot + 1 - made.stem });
  }
  context.globalAlpha = 1;
}

/** A packet that was handed to the transmit ring and waits there for the link. */
function ringed(pen, lane, number, made, state, i, c, t) {
  const { layout } = pen, { k, gate } = layout;
  let units = 0;
  for (let before = state.gone; before < c; before++) units += restOf(lane, lane.sent[before], t);
  const w = k * lane.size[i], x = gate - k * units - w;
  if (made.single || x > gate - 50) block(pen, lane, number, i, x, made.line, w, made.lineHigh);
}

function hoses(pen, lane, made, state, t) {
  const { context, layout, theme } = pen, { gate } = layout;
  const to = gate - (lane.ring ? 46 : 2), middle = made.line + made.lineHigh / 2;
  const i = servedNow(pen, lane, state), serving = i >= 0;
  const paths = waysOf(lane, made, to - 3, middle).map((way) => [way, serving && way.queues.includes(lane.queueOf(i))]);
  for (const [{ from: [x0, y0], to: [x1, y1] }, serves] of paths.sort((a, b) => a[1] - b[1])) {
    const bend = Math.min(31, (x1 - x0) / 2);
    context.strokeStyle = serves ? pen.colour(lane, i) : theme.rule;
    context.lineWidth = serves ? 6 : 2;
    context.lineCap = "round";
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
    context.stroke();
    context.lineCap = "butt";
  }
}

/** What has been sent, and with which delay: of each stream, or in the tightest lanes in two lines. */
function totals(pen, lane, made, state) {
  const { layout } = pen, x = layout.gate + 4, room = layout.W - layout.pad - x, like = pen.scene.like;
  const dense = !made.total, narrow = room < 42 * lane.named.length + 68;
  const short = (delay) => {
    const said = time(delay, like).split(" ")[0];
    return narrow && delay ? String(Number(Number(said).toPrecision(2))) : said;
  };
  let y = made.line + made.lineHigh + (dense ? 15 : 21);
  if (lane.flows.length === 1) {
    const { sent, delay } = state, large = { size: 12.5, weight: 500 };
    const said = ([so, mean]) => `${sent.toLocaleString("en")} sent${sent ? `${so}, ${mean}${time(delay, like)}` : ""}`;
    const ways = [[" so far", "mean delay "], ["", "mean delay "], ["", "mean "], ["", ""]].map(said);
    const words = ways.find((each) => textWidth(pen, each, large) < CLOSER * room) ?? ways.at(-1);
    return void text(pen, words, x, y, { ...large, most: room });
  }
  if (dense) {
    counted(pen, lane, x, y, narrow ? "lost" : "dropped", state.flows.map((flow) => flow.dropped.toLocaleString("en")));
    const unit = time(0, like).split(" ")[1];
    counted(pen, lane, x, y + 14, narrow ? unit : `delay [${unit}]`, state.flows.map((flow) => short(flow.delay)));
    return;
  }
  const shown = lane.named.slice(0, 6), style = { size: 12, weight: 600 };
  const said = (mean) => shown.map((flow) => {
    const { sent, delay } = state.flows[lane.flows.indexOf(flow)];
    return `${flow.name}: ${sent.toLocaleString("en")} sent${sent ? `, ${mean}${time(delay, like)}` : ""}`;
  });
  const fits = (words) => words.every((each) => textWidth(pen, each, style) < room - 14);
  const words = [said("mean delay "), said("mean ")].find(fits) ?? said("");
  shown.forEach((flow, at) => {
    square(pen, flow.name, x, y);
    text(pen, words[at], x + 14, y, { ...style, most: room - 14 });
    y += made.total;
  });
  if (!lane.others) return;
  const sent = lane.flows.reduce((sum, flow, at) => sum + (shown.includes(flow) ? 0 : state.flows[at].sent), 0);
  square(pen, "", x, y);
  text(pen, `${lane.others} other classes: ${sent.toLocaleString("en")} sent`, x + 14, y, { size: 12, colour: pen.theme.muted, most: room - 14 });
}

/** A number for each stream in a line. */
function counted(pen, lane, x, y, what, numbers) {
  const begin = x + (what.length < 5 ? 28 : 68), room = pen.layout.W - pen.layout.pad - begin;
  text(pen, what, x, y, { size: 12, colour: pen.theme.muted });
  const all = lane.flows.map((flow, at) => [flow, numbers[at]]), most = Math.floor(room / 35);
  const fit = all.filter(([flow]) => lane.named.includes(flow)).slice(0, most);
  const wide = Math.min(room / fit.length, 90);
  fit.forEach(([flow, number], at) => {
    square(pen, flow.name, begin + at * wide, y);
    text(pen, number, begin + at * wide + 14, y, { size: 12, weight: 600, most: wide - 17 });
  });
}
