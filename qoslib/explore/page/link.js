// The link: the ways from the queues, the gate, each packet with a stem, and what has been sent.

import { block, line, square, text } from "./brush.js";
import { restOf } from "./queue.js";
import { time } from "./words.js";

/** The ways from the queues, the gate, the link with a stem per packet, and what has been sent. */
export function drawLink(pen, lane, number, made, state, t) {
  const { context, layout, theme, look, scene } = pen, { gate, k } = layout;
  const y = made.line, h = made.lineHigh, end = layout.W - layout.pad, pixels = k * lane.speed;
  if (!made.single) hoses(pen, lane, made, state, t);
  line(pen, gate, y + h + 4, end, y + h + 4, theme.rule, 1.5);
  const rule = y - 5 - (made.stem + 3) * (scene.longest / (scene.scale || 1));
  line(pen, gate + 4, rule, end, rule, theme.rule, 1, [2, 4]);
  if (lane.carries && layout.W > 780) {
    const alone = lane.flows.length === 1, x = alone ? end : gate + 6;
    const below = alone ? y + h + 21 : rule - 5, align = alone ? "right" : "left";
    text(pen, lane.carries, x, below, { size: 11.5, colour: theme.muted, align });
  }
  text(pen, `longest delay ${time(scene.longest)}`, end, rule - 5, { size: 11.5, colour: theme.muted, align: "right" });
  const labels = [];
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
    if (lane.departure[i] <= t) stem(pen, lane, number, made, i, x + w / 2, w, alpha, labels);
  }
  for (const [said, x, top, colour, alpha] of labels.filter((label) => label.length)) {
    context.globalAlpha = alpha;
    text(pen, said, x, top, { size: 12, weight: 700, colour, align: "center" });
    context.globalAlpha = 1;
  }
  line(pen, gate, y - 6, gate, y + h + 9, theme.ink, 2.5);
  totals(pen, lane, made, state);
}

function stem(pen, lane, number, made, i, x, w, alpha, labels) {
  const { context, scene, look, theme } = pen, delay = lane.departure[i] - lane.arrival[i];
  const foot = made.line - 5, top = foot - (made.stem - 1) * (delay / scene.scale);
  const colour = pen.colour(lane, i), thin = w < 6;
  context.globalAlpha = alpha;
  line(pen, x, foot, x, top, colour, thin ? Math.min(1.2, Math.max(0.6, 0.4 * w)) : 1.6);
  context.fillStyle = colour;
  context.beginPath();
  context.arc(x, top, thin ? 1.4 : 3, 0, 7);
  context.fill();
  const followed = look.followed === lane.number[i];
  if (followed || (pen.every && lane.number[i] % pen.every === 0)) {
    const covered = top < foot - made.stem + 16 && x > pen.layout.W - pen.layout.pad - 176;
    if (covered && !followed) labels.push([]);
    else if (followed || labels.every(([, other]) => Math.abs(other - x) > 52)) {
      labels.push([time(delay, scene.longest), x, top - 7, theme.ink, alpha]);
      context.strokeStyle = theme.ink;
      context.lineWidth = 1.5;
      context.stroke();
    }
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
  const i = state.chosen ? lane.sent[state.chosen - 1] : -1;
  const serving = i >= 0 && (lane.departure[i] > t || t - lane.leave[i] < 0.15 * layout.pace);
  const paths = made.rows.map((row) => [row, serving && lane.queueOf(i) === row.queue]);
  for (const [row, serves] of paths.sort((a, b) => a[1] - b[1])) {
    const from = row.y + row.high / 2;
    context.strokeStyle = serves ? pen.colour(lane, i) : theme.rule;
    context.lineWidth = serves ? 6 : 2;
    context.lineCap = "round";
    context.beginPath();
    context.moveTo(row.head + 3, from);
    context.bezierCurveTo(row.head + 34, from, to - 34, middle, to - 3, middle);
    context.stroke();
    context.lineCap = "butt";
  }
}

function totals(pen, lane, made, state) {
  const { layout, theme } = pen, x = layout.gate + 4;
  let y = made.line + made.lineHigh + 21;
  const like = pen.scene.longest;
  const mean = layout.W < 820 && lane.flows.length > 1 ? "" : "mean delay ";
  const said = (n, delay) => `${n.toLocaleString("en")} sent${n ? `, ${mean}${time(delay, like)}` : ""}`;

  if (lane.flows.length === 1) {
    text(pen, said(state.sent, state.delay), x, y, { size: 12.5, weight: 500 });
    return;
  }
  lane.flows.slice(0, 6).forEach((flow, at) => {
    const own = state.flows[at], shown = lane.shown.includes(flow.queue);
    const most = layout.W - layout.pad - x - 14, weight = shown ? 600 : 400;
    square(pen, flow.name, x, y);
    text(pen, `${flow.name}: ${said(own.sent, own.delay)}`, x + 14, y, { size: 12, weight, most });
    y += 17;
  });
}
