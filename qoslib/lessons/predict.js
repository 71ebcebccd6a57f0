// The question of a prediction and what a reader answers: a number, a choice or a drawn curve.
// The spec says which; the guess goes back to Python, which keeps it.

const STYLE = `
.qoslib-predict { border-left: 4px solid #D08200; padding: 8px 14px; margin: 6px 0; max-width: 760px;
  font: 15px/1.45 system-ui, sans-serif; color: inherit; }
.jupyter-widgets-disconnected:has(> .qoslib-predict)::before { content: "Python has stopped or restarted. Run this cell to wake it."; font-weight: 600; }
.qoslib-predict p { margin: 0 0 8px; font-weight: 600; }
.qoslib-predict fieldset { border: 0; margin: 0; padding: 0; }
.qoslib-predict label { display: block; padding: 3px 0; cursor: pointer; }
.qoslib-predict input[type=range] { width: min(420px, 60%); vertical-align: middle; }
.qoslib-predict input[type=text] { width: 6.5em; font: inherit; color: inherit; background: transparent;
  border: 1px solid currentColor; border-radius: 4px; padding: 2px 4px; }
.qoslib-predict .untouched { opacity: 0.45; }
.qoslib-predict .ends { display: flex; justify-content: space-between; width: min(420px, 60%); font-size: 12px; opacity: 0.8; }
.qoslib-predict .status { margin-top: 6px; min-height: 1.4em; font-size: 14px; }
.qoslib-predict svg { touch-action: none; user-select: none; display: block; max-width: 100%; height: auto; cursor: crosshair; }
.qoslib-predict svg .hint { font-size: 15px; font-weight: 600; }
.qoslib-predict svg .way { stroke: #D08200; stroke-width: 2; stroke-dasharray: 2 7; stroke-linecap: round; fill: none; }
.qoslib-predict .numbers { display: flex; flex-wrap: wrap; gap: 4px 16px; margin-top: 6px; }
.qoslib-predict details { margin-top: 6px; font-size: 14px; }
.qoslib-predict button { font: inherit; font-size: 14px; color: inherit; background: transparent; border: 1px solid currentColor;
  border-radius: 6px; padding: 3px 10px; margin-top: 6px; cursor: pointer; }
.qoslib-predict svg text { fill: currentColor; font: 12px system-ui, sans-serif; }
.qoslib-predict svg [role=slider]:focus { outline: none; stroke: currentColor; stroke-width: 3; }
`;

const scale = ({low, high, log}) => {
  const f = log ? Math.log : (x) => x, g = log ? Math.exp : (x) => x;
  return {
    share: (value) => (f(value) - f(low)) / (f(high) - f(low)),
    value: (share) => g(f(low) + Math.min(1, Math.max(0, share)) * (f(high) - f(low))),
  };
};

// Three digits are what a guess is worth.
const rounded = (value) => Number(Number(value).toPrecision(3));

const element = (tag, attributes = {}, ...children) => {
  const svg = ["svg", "path", "circle", "line", "text", "g", "rect"].includes(tag);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

function choice(spec, guess, say) {
  const group = "predict-" + Math.random().toString(36).slice(2);
  const set = element("fieldset", {"aria-label": spec.question});
  for (const each of spec.choices) {
    const input = element("input", {type: "radio", name: group, value: each});
    input.checked = each === guess;
    input.addEventListener("change", () => say(each));
    set.append(element("label", {}, input, " ", each));
  }
  return set;
}

// A text: a box for numbers makes 85 of "8,5" without a word. Its own unit may stand behind a number.
// null where it is no number in reach.
function read(text, {low, high, unit}) {
  const typed = text.trim(), bare = typed.endsWith(unit) ? typed.slice(0, typed.length - unit.length).trim() : typed;
  const given = Number(bare.replace(/^(\d+),(\d+)$/, "$1.$2") || NaN);
  return given >= low && given <= high ? given : null;
}

function wrong(text, {low, high, unit}) {
  return `“${text}” is not a number from ${low} to ${high}, and is not kept. Give the number alone, in ${unit}.`;
}

function number(spec, guess, say, remark) {
  const {share, value} = scale(spec);
  const box = element("div");
  const slider = element("input", {type: "range", min: 0, max: 1000, step: 1, "aria-label": spec.question});
  const typed = element("input", {type: "text", inputmode: "decimal", "aria-label": `${spec.question} (${spec.unit})`});
  let kept = guess ?? "";
  slider.value = guess === null ? 500 : Math.round(1000 * share(guess));
  slider.setAttribute("aria-valuetext", guess === null ? "no guess yet" : `${guess} ${spec.unit}`);
  if (guess === null) slider.classList.add("untouched"); else typed.value = guess;
  const take = (given) => {
    kept = rounded(given);
    slider.classList.remove("untouched");
    slider.setAttribute("aria-valuetext", `${kept} ${spec.unit}`);
    return kept;
  };
  slider.addEventListener("input", () => { typed.value = take(value(slider.value / 1000)); });
  slider.addEventListener("change", () => say(Number(typed.value)));
  typed.addEventListener("change", () => {
    const given = read(typed.value, spec);
    if (given === null) {
      remark(wrong(typed.value, spec));
      typed.value = kept;
      return;
    }
    typed.value = take(given);
    slider.value = Math.round(1000 * share(kept));
    say(kept);
  });
  const ends = element("div", {class: "ends", "aria-hidden": "true"},
    element("span", {}, `${spec.low} ${spec.unit}`), element("span", {}, `${spec.high} ${spec.unit}`));
  box.append(slider, " ", typed, ` ${spec.unit}`, ends);
  return box;
}

function curve(spec, guess, say, remark, hold) {
  const width = 640, height = 300, left = 62, right = 14, top = 12, bottom = 44;
  const x = scale(spec.x), y = scale(spec.y);
  const toX = (value) => left + x.share(value) * (width - left - right);
  const toY = (value) => top + (1 - y.share(value)) * (height - top - bottom);
  const points = guess === null ? spec.at.map(() => null) : guess.map((each) => each[1]);
  const root = element("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "group",
    "aria-label": `${spec.question} Draw from left to right; with the keyboard, up and down move a point, left and right go to the next one.`});
  for (const each of spec.y.ticks) {
    root.append(element("line", {x1: left, x2: width - right, y1: toY(each), y2: toY(each), stroke: "currentColor", opacity: 0.18}));
    root.append(element("text", {x: left - 6, y: toY(each) + 4, "text-anchor": "end"}, String(each)));
  }
  for (const each of spec.x.ticks)
    root.append(element("text", {x: toX(each), y: height - bottom + 17, "text-anchor": "middle"}, String(each)));
  root.append(element("text", {x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle"}, `${spec.x.label} [${spec.x.unit}]`));
  const middle = (top + height - bottom) / 2;
  root.append(element("text", {x: 13, y: middle, "text-anchor": "middle", transform: `rotate(-90 13 ${middle})`}, `${spec.y.label} [${spec.y.unit}]`));
  root.append(element("rect", {x: left, y: top, width: width - left - right, height: height - top - bottom,
    fill: "transparent", stroke: "currentColor", "stroke-opacity": 0.5}));
  for (const at of spec.at)
    root.append(element("line", {x1: toX(at), x2: toX(at), y1: top, y2: height - bottom, stroke: "currentColor", opacity: 0.18}));
  // Above the points that wait for the curve, with the way that a hand takes.
  const hint = element("g", {"aria-hidden": "true"},
    element("text", {class: "hint", x: (left + width - right) / 2, y: top + 44, "text-anchor": "middle"}, "✎ Press here and draw your curve, from left to right"),
    element("path", {class: "way", d: `M${left + 24},${top + 62}H${width - right - 24}l-9,-5m9,5l-9,5`}));
  const path = element("path", {fill: "none", stroke: "#D08200", "stroke-width": 3});
  root.append(hint, path);
  const middleValue = y.value(0.5);
  const dots = spec.at.map((at, n) => {
    const dot = element("circle", {r: 6, cx: toX(at), fill: "#D08200", stroke: "#D08200", tabindex: 0, role: "slider",
      "aria-label": `${spec.y.label} at ${at} ${spec.x.unit}`, "aria-valuemin": spec.y.low, "aria-valuemax": spec.y.high});
    dot.addEventListener("keydown", (event) => {
      const to = {ArrowLeft: n - 1, ArrowRight: n + 1}[event.key];
      const step = {ArrowUp: 0.02, ArrowDown: -0.02, PageUp: 0.1, PageDown: -0.1, Home: -1, End: 1}[event.key];
      if (to === undefined && !step) return;
      event.preventDefault();
      if (to !== undefined) dots[to]?.focus();
      else put(n, y.value(y.share(points[n] ?? middleValue) + step));
    });
    root.append(dot);
    return dot;
  });
  const numbers = spec.at.map((at, n) => {
    const typed = element("input", {type: "text", inputmode: "decimal",
      "aria-label": `${spec.y.label} at ${at} ${spec.x.unit}, in ${spec.y.unit}`});
    typed.addEventListener("change", () => {
      const given = read(typed.value, spec.y);
      if (given !== null) return put(n, given);
      remark(wrong(typed.value, spec.y));
      typed.value = points[n] ?? "";
    });
    return typed;
  });
  const again = element("button", {type: "button"}, "Draw again");
  again.addEventListener("click", () => {
    points.fill(null);
    show();
    hold([]);
    remark("Draw your curve. The previous one is kept until the new one is finished.");
    dots[0].focus();
  });
  function put(n, value) {
    points[n] = rounded(Math.min(spec.y.high, Math.max(spec.y.low, value)));
    show();
    done();
  }
  function show() {
    hint.style.display = points.some((each) => each !== null) ? "none" : "";
    const known = points.map((each, n) => [spec.at[n], each]).filter((each) => each[1] !== null);
    path.setAttribute("d", known.map(([at, each], n) => `${n ? "L" : "M"}${toX(at)},${toY(each)}`).join(""));
    dots.forEach((dot, n) => {
      dot.setAttribute("cy", toY(points[n] ?? middleValue));
      dot.setAttribute("fill-opacity", points[n] === null ? 0 : 1);
      dot.setAttribute("stroke-width", points[n] === null ? 2 : 0);
      dot.setAttribute("stroke-dasharray", points[n] === null ? "3 3" : "none");
      dot.setAttribute("aria-valuenow", points[n] ?? middleValue);
      dot.setAttribute("aria-valuetext", points[n] === null ? "not drawn yet" : `${points[n]} ${spec.y.unit}`);
      numbers[n].value = points[n] ?? "";
    });
    // It keeps its place while it cannot be used: a page that grows moves the chart under the hand.
    again.style.visibility = points.every((each) => each === null) ? "hidden" : "visible";
  }
  // A curve is a guess once it has no gap.
  const done = () => {
    const missing = spec.at.filter((at, n) => points[n] === null);
    const drawn = spec.at.map((at, n) => [at, points[n]]).filter((each) => each[1] !== null);
    if (!missing.length) return say(drawn);
    hold(drawn);
    remark(`The curve is kept once it is finished. Go on: nothing is drawn at ${missing.join(", ")} ${spec.x.unit}.`);
  };
  let before = null;
  const drawAt = (event) => {
    const area = root.getBoundingClientRect();
    const px = (event.clientX - area.left) * width / area.width, py = (event.clientY - area.top) * height / area.height;
    const here = [px, y.value(1 - (py - top) / (height - top - bottom))];
    const [from, to] = before && before[0] > px ? [here, before] : [before ?? here, here];
    // A quick hand skips points: those in between lie on the straight line between two events.
    const reach = before ? 0 : 16;
    spec.at.forEach((at, n) => {
      const place = toX(at);
      if (place < from[0] - reach - 4 || place > to[0] + reach + 4) return;
      const part = to[0] > from[0] ? Math.min(1, Math.max(0, (place - from[0]) / (to[0] - from[0]))) : 1;
      points[n] = rounded(y.value(y.share(from[1]) + part * (y.share(to[1]) - y.share(from[1]))));
    });
    before = here;
    show();
  };
  root.addEventListener("pointerdown", (event) => {
    root.setPointerCapture(event.pointerId);
    before = null;
    drawAt(event);
  });
  root.addEventListener("pointermove", (event) => { if (root.hasPointerCapture(event.pointerId)) drawAt(event); });
  root.addEventListener("pointerup", () => { before = null; done(); });
  show();
  const typed = element("div", {class: "numbers"}, ...spec.at.map((at, n) =>
    element("label", {}, `${at} ${spec.x.unit}: `, numbers[n], ` ${spec.y.unit}`)));
  return element("div", {}, root, again,
    element("details", {}, element("summary", {}, "Type the values instead"), typed));
}

function said(spec, guess) {
  if (guess === null) return "Your guess is not sent anywhere. You learn more if you make it before you see the answer.";
  const next = spec.next ?? "Now run the next cell.";
  if (spec.kind === "curve") return `Kept: your curve. ${next} Drag any part of it, or move a point with the arrow keys, to change it.`;
  return `Kept: ${guess}${spec.unit ? " " + spec.unit : ""}. ${next}`;
}

export default {
  render({model, el}) {
    const spec = model.get("spec");
    const status = element("div", {class: "status", role: "status"}, said(spec, model.get("guess")));
    const remark = (text) => { status.textContent = text; };
    const say = (guess) => {
      model.set("guess", guess);
      model.set("part", []);
      model.save_changes();
      remark(said(spec, guess));
    };
    const hold = (points) => {
      model.set("part", points);
      model.save_changes();
    };
    const kinds = {choice, number, curve};
    const root = element("div", {class: "qoslib-predict"},
      element("style", {}, STYLE), element("p", {}, `Predict. ${spec.question}`),
      kinds[spec.kind](spec, model.get("guess"), say, remark, hold), status);
    keep_keys(root);
    el.append(root);
    // Shift + Enter scrolls to the next cell, and a tall question out of sight with it.
    if (navigator.userActivation?.isActive) setTimeout(() => root.scrollIntoView({block: "nearest"}), 300);
  },
};
