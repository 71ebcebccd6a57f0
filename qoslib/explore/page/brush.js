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

export function text(pen, said, x, y, { size = 12, weight = 400, colour, align = "left", most } = {}) {
  const { context, theme } = pen;
  context.font = `${weight} ${size}px ${FONT}`;
  context.textAlign = align;
  context.fillStyle = colour ?? theme.ink;
  context.fillText(said, x, y, most);
  return context.measureText(said).width;
}

export function textWidth(pen, said, { size, weight = 400 }) {
  pen.context.font = `${weight} ${size}px ${FONT}`;
  return pen.context.measureText(said).width;
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

/** A note in a frame, behind the title; how wide it is. */
export function badge(pen, said, x, y) {
  const { context, theme } = pen;
  context.font = `600 11.5px ${FONT}`;
  const w = context.measureText(said).width + 18;
  context.strokeStyle = theme.muted;
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(x, y - 14, w, 20, 10);
  context.stroke();
  text(pen, said, x + 9, y, { size: 11.5, weight: 600, colour: theme.muted });
  return w;
}

/** Dark or light letters, whichever is read better on a colour. */
function lettersOn(colour) {
  const part = (at) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2;
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5) > 0.24 ? "#10151A" : "#FFFFFF";
}

export function block(pen, lane, number, i, x, y, w, h, alpha = 1) {
  const { context, theme, look } = pen;
  const colour = pen.colour(lane, i), gap = w > 5 ? 1 : w > 2.5 ? 0.5 : 0;
  context.globalAlpha = alpha;
  context.fillStyle = colour;
  if (w < 5) {
    context.fillRect(x, y, Math.max(w - gap, 0.5), h);
  } else {
    context.beginPath();
    context.roundRect(x + gap / 2, y, w - gap, h, Math.min(3.5, w / 4));
    context.fill();
  }
  const followed = look.followed === lane.number[i];
  const named = pen.every && lane.number[i] % pen.every === 0;
  if (followed || (named && w > 7)) {
    context.strokeStyle = theme.ink;
    context.lineWidth = followed ? 3 : 2;
    context.beginPath();
    context.roundRect(x + gap / 2 + 0.5, y + 0.5, Math.max(w - gap - 1, 1), h - 1, 3);
    context.stroke();
    if (w >= 17) {
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
  context.restore();
  look.spots.push([number, i, x, y, w, h]);
}

export function bar(pen, x, y, w, share, mark = NaN) {
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

/** A bucket of tokens as a vessel. */
export function vessel(pen, x, y, h, share) {
  const { context, theme } = pen, w = 13, level = h * Math.max(0, Math.min(1, share));
  context.fillStyle = theme.muted;
  context.fillRect(x, y + h - level, w, level);
  context.strokeStyle = theme.ink;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x, y + h);
  context.lineTo(x + w, y + h);
  context.lineTo(x + w, y);
  context.stroke();
}
