// What the scheduler, the token buckets and the dropper of a queue hold.

import { bar, line, text, vessel } from "./brush.js";
import { time } from "./words.js";

/** What the scheduler, meters and dropper of a queue hold. */
export function meters(pen, lane, made, row, queue, here, at) {
  const { layout, theme } = pen, { y, high, head } = row, top = y - 10;
  const muted = { size: 11.5, colour: theme.muted };
  const x = made.single ? Math.max(at.wall, layout.pad + 150) : 0.2 * layout.W;
  const [said, share, mark] = schedulerSays(lane, queue, here);
  let right = x;
  if (said) {
    right += text(pen, said[0], x, top, muted) + 7;
    if (share !== null) {
      bar(pen, right, top - 7.5, 90, share, mark);
      right += 97;
    }
    right += text(pen, said[1], right, top, muted) + 14;
  }
  if (!Number.isNaN(here.policer)) {
    vessel(pen, at.rail + 15, y - 14 - 12, 20, here.policer);
    const bytes = Math.floor(here.policer * queue.policer.burst_bytes);
    text(pen, `${bytes.toLocaleString("en")} B of tokens`, at.rail + 33, top, muted);
    right = Math.max(right, at.rail + 160);
  }
  if (!Number.isNaN(here.shaper)) {
    const meter = queue.shaper ?? queue.port_shaper, from = made.single ? head - 12 : head + 8;
    vessel(pen, from, y + high + 12, 18, here.shaper);
    const bytes = Math.floor(here.shaper * meter.burst_bytes);
    text(pen, `${bytes.toLocaleString("en")} B of tokens`, from - 6, y + high + 26, { ...muted, align: "right" });
  }
  const says = dropperSays(queue, here);
  if (says) text(pen, says, Math.max(right, x), top, muted);
  if (queue.thresholds && here.dropper >= 0) average(pen, row, queue, here, at);
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
  return [[lane.value, `${value.toLocaleString("en").replace("-", "−")} B`], value / most, queue.quantum / most];
}

function dropperSays(queue, here) {
  if (queue.dropper === "Red") return Number.isNaN(here.dropper) ? "" : `average ${here.dropper.toFixed(1)}; drops from ${queue.thresholds[0]}, all from ${queue.thresholds[1]}`;
  if (queue.dropper === "Pie" && here.dropper >= 0) return `drop probability ${(100 * here.dropper).toFixed(1)} %`;
  if (queue.dropper === "Codel") return `oldest waits ${time(here.oldest)}, target ${time(queue.target_s)}`;
  return "";
}

/** RED's average and thresholds, on the floor of the tray. */
function average(pen, row, queue, here, at) {
  const { context, layout, theme } = pen, floor = row.y + row.high + 4;
  const place = (packets) => row.head - layout.k * (queue.perPacket * packets + queue.largest * row.ahead);
  for (const packets of queue.thresholds) {
    const x = place(packets);
    if (x > at.wall) line(pen, x, row.y - 6, x, floor + 6, theme.ink, 1.2, [2, 2]);
  }
  const x = Math.max(place(here.dropper), at.wall);
  context.fillStyle = theme.ink;
  context.beginPath();
  context.moveTo(x, floor + 1);
  context.lineTo(x - 5, floor + 9);
  context.lineTo(x + 5, floor + 9);
  context.fill();
}
