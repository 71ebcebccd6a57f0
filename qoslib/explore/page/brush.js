// Strokes: letters, lines, packets, vessels; colours of both themes. Hue is the class and nothing else.

export const THEMES = {
  light: {
    ink: "#1F2328", muted: "#59636E", rule: "#B4BBC4", tray: "#1F23280D", red: "#B3261E",
    ground: "#FFFFFF", on: "#FFFFFF",
  },
  dark: {
    ink: "#E6EDF3", muted: "#9DA7B3", rule: "#565F6A", tray: "#E6EDF314", red: "#FF8A80",
    ground: "#111318", on: "#10151A",
  },
};
export const FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
export const ease = (x) => (x <= 0 ? 0 : x >= 1 ? 1 : x * x * (3 - 2 * x));

/** What all strokes need: where, in which colours, and what is followed or held by a hand. */
export function penOf(context, scene, layout, { dark, look, live, t }) {
  const ofClass = (name) => {
    const found = scene.classes.find((each) => each.name === name);
    if (!found) return THEMES[dark ? "dark" : "light"].rule;
    return dark ? found.dark : found.light;
  };
  return {
    context, scene, layout, look, t, ofClass, live: Boolean(live?.alive), written: [], labels: [],
    theme: THEMES[dark ? "dark" : "light"],
    colour: (lane, i) => ofClass(lane.streams[lane.stream[i]][0]),
  };
}

export function text(pen, said, x, y, { size = 12, weight = 400, colour, align = "left", most } = {}) {
  const { context, theme } = pen;
  context.font = `${weight} ${size}px ${FONT}`;
  context.textAlign = align;
  context.fillStyle = colour ?? theme.ink;
  context.fillText(said, x, y, most);
  const wide = context.measureText(said).width, shown = Math.min(wide, most ?? wide);
  // What is centred stands in packets or over stems, and moves with them.
  const left = align === "right" ? x - shown : x;
  if (align !== "center") pen.written.push([left, y - 0.75 * size, left + shown, y + 0.25 * size]);
  return wide;
}

/** The labels over stems, each beside what is written and the other labels; that of a packet that is followed first. */
export function drawLabels(pen) {
  const { context, layout, theme, labels, written } = pen, style = { size: 12, weight: 700, align: "center" };
  for (const { said, x, top, dot, alpha, followed, rule } of [...labels].sort((a, b) => b.followed - a.followed)) {
    const half = textWidth(pen, said, style) / 2 + 1, y = top - 7;
    const at = Math.max(layout.gate + half + 3, Math.min(x, layout.W - half));
    const box = [at - half, y - 9, at + half, y + 3];
    const free = ([left, up, right, down]) => box[0] >= right || left >= box[2] || box[1] >= down || up >= box[3];
    if (!followed && !written.every(free)) continue;
    written.push([box[0] - 8, box[1], box[2] + 8, box[3]]);
    // The dots of the rule that a label stands on would strike it out.
    context.fillStyle = theme.ground;
    if (box[1] < rule && rule < box[3]) context.fillRect(box[0], rule - 1, 2 * half, 2);
    context.globalAlpha = alpha;
    text(pen, said, at, y, style);
    context.strokeStyle = theme.ink;
    context.lineWidth = 1.5;
    context.beginPath();
    context.arc(x, top, dot, 0, 7);
    context.stroke();
    context.globalAlpha = 1;
  }
}

export function textWidth(pen, said, { size = 12, weight = 400 } = {}) {
  pen.context.font = `${weight} ${size}px ${FONT}`;
  return pen.context.measureText(said).width;
}

/** Words as a part of a row of them, see `spread`. */
export function word(pen, said, style) {
  return { wide: textWidth(pen, said, style), draw: (x, y) => text(pen, said, x, y, style) };
}

/**
 * Parts in a row between two ends: some from the right, then others from the left, each from its own
 * place `at` on if it has one, then the last from the right. What has no room is left out: what has is
 * returned.
 */
export function spread(y, from, to, left, right = [], last = []) {
  let end = to, x = from;
  const drawn = [];
  const fromRight = (part) => {
    if (end - part.wide < x) return;
    part.draw(end - part.wide, y);
    end -= part.wide + 12;
  };
  right.forEach(fromRight);
  for (const part of left) {
    const begin = Math.max(x, Math.min(part.at ?? x, end - part.wide));
    if (begin + part.wide > end) continue;
    part.draw(begin, y);
    drawn.push(part);
    x = begin + part.wide + 10;
  }
  last.forEach(fromRight);
  return drawn;
}

export function line(pen, x0, y0, x1, y1, colour, width = 1, dash = []) {
  const { context } = pen;
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
  context.setLineDash([]);
}

/** The colour of a class in front of its name. */
export function square(pen, name, x, y) {
  pen.context.fillStyle = pen.ofClass(name);
  pen.context.beginPath();
  pen.context.roundRect(x, y - 9.5, 10, 10, 2);
  pen.context.fill();
}

/** A class by its colour and its name, or what is said of it, as a part of a row. */
export function classOf(pen, name, style = { size: 12 }, said = name) {
  const words = word(pen, said, style);
  return { wide: words.wide + 14, draw(x, y) {
    square(pen, name, x, y);
    words.draw(x + 14, y);
  } };
}

/** A note in a frame, as a part of a row. */
export function badge(pen, said) {
  const { context, theme } = pen, words = word(pen, said, { size: 12, weight: 600, colour: theme.muted });
  const wide = words.wide + 18;
  return { wide, draw(x, y) {
    context.strokeStyle = theme.muted;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(x, y - 14, wide, 20, 10);
    context.stroke();
    words.draw(x + 9, y);
  } };
}

/** Dark or light letters, whichever is read better on a colour. */
function lettersOn(colour) {
  const part = (at) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2;
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5) > 0.24 ? "#10151A" : "#FFFFFF";
}

export function block(pen, lane, number, i, x, y, w, h, alpha = 1) {
  const { context, theme, look } = pen;
  const colour = pen.colour(lane, i), gap = w > 3.3 ? 1 : w > 2.5 ? 0.6 : 0;
  context.globalAlpha = alpha;
  context.fillStyle = colour;
  if (w < 5) {
    context.fillRect(x, y, Math.max(w - gap, 0.5), h);
  } else {
    context.beginPath();
    context.roundRect(x + gap / 2, y, w - gap, h, Math.min(3.5, w / 4));
    context.fill();
  }
  // Sent again: a band across it.
  if (lane.again?.(i)) {
    context.fillStyle = theme.ground;
    context.fillRect(x + gap / 2, y + 0.38 * h, w - gap, 0.24 * h);
  }
  // Marked CE: a corner is cut.
  if (w > 4 && lane.isMarked?.(i, pen.t)) {
    const cut = Math.min(9, 0.6 * w), right = x + w - gap / 2 + 0.5;
    context.fillStyle = theme.ground;
    context.beginPath();
    context.moveTo(right - cut, y - 0.5);
    context.lineTo(right, y - 0.5);
    context.lineTo(right, y + cut);
    context.fill();
  }
  const letter = w >= 8 && lane.letter && lane.arrival[i] <= pen.t ? lane.letter(i) : "";
  if (letter) text(pen, letter, x + w / 2, y + h / 2 + 4, { size: Math.min(11.5, w + 1), weight: 700, colour: lettersOn(colour), align: "center" });
  const followed = look.followed === lane.number[i];
  const named = pen.every && lane.number[i] % pen.every === 0;
  if (followed || (named && w > 7)) {
    context.strokeStyle = theme.ink;
    context.lineWidth = followed ? 3 : 2;
    context.beginPath();
    context.roundRect(x + gap / 2 + 0.5, y + 0.5, Math.max(w - gap - 1, 1), h - 1, 3);
    context.stroke();
    if (w >= 17 && !letter) {
      const said = String(lane.number[i]), size = Math.min(12, (w - 4) / (0.62 * said.length));
      const colours = { colour: lettersOn(colour), align: "center" };
      if (size > 6.5) text(pen, said, x + w / 2, y + h / 2 + 0.36 * size, { size, weight: 700, ...colours });
    }
  }
  context.globalAlpha = 1;
  look.spots.push([number, i, x, y, w, h]);
}

export function hollow(pen, lane, number, i, x, y, w, h, turn, alpha) {
  const { context, theme, look } = pen;
  context.save();
  context.globalAlpha = alpha;
  context.translate(x + w / 2, y + h / 2);
  context.rotate(turn);
  context.beginPath();
  context.roundRect(-w / 2, -h / 2, w, h, 3);
  context.fillStyle = pen.colour(lane, i) + "2E";
  context.fill();
  context.strokeStyle = theme.red;
  context.lineWidth = look.followed === lane.number[i] ? 3 : w < 5 ? 1 : 1.75;
  context.stroke();
  const letter = w >= 6 && lane.letter ? lane.letter(i) : "";
  if (letter) text(pen, letter, 0, 4, { size: 11, weight: 700, align: "center" });
  context.restore();
  look.spots.push([number, i, x, y, w, h]);
}
