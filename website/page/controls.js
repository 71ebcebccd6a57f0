"use strict";
// The controls of an explorer as elements of a page: sliders with a box, lists, and boxes to tick.
// `changed(name, value)` is called for each move, `outside(words)` after one to a value that was typed beyond
// a slider; `stopsOf(name)` says where a slider may stand.
window.qoslibControls = (() => {
  const element = (tag, more = {}, ...children) => {
    const { data = {}, ...rest } = more;
    const made = Object.assign(document.createElement(tag), rest);
    Object.assign(made.dataset, data);
    made.append(...children);
    return made;
  };

  const near = (values, value) =>
    values.reduce((best, each) => (Math.abs(each - value) < Math.abs(best - value) ? each : best));
  // 124.00000000000001 is 124.
  const clean = (value) => Number(value.toPrecision(12));
  const onStep = (spec, value) => {
    const last = Math.round((spec.max - spec.min) / spec.step);
    const at = Math.min(Math.max(Math.round((value - spec.min) / spec.step), 0), last);
    return clean(spec.min + at * spec.step);
  };
  // The number that a slider shows: its digits, and more where it stands between its steps.
  const shown = (spec, value) =>
    String(Number(onStep(spec, value) === value ? value.toFixed(spec.digits) : value.toPrecision(6)));
  const said = (spec, value) => {
    if (spec.kind === "slider") return `${shown(spec, value)} ${spec.unit}`.trim();
    if (spec.kind === "switch") return value ? "on" : "off";
    return spec.options.find(([, each]) => each === value)?.[0] ?? String(value);
  };
  const rangeOf = (spec) => `${spec.label} goes from ${spec.min} to ${`${spec.max} ${spec.unit}`.trim()}.`;
  // Another place by a key: the next stop or step, or ten further; null for any other key.
  const byKey = (key, spec, value, stops) => {
    const far = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[key];
    if (key === "Home") return spec.min;
    if (key === "End") return spec.max;
    if (!far) return null;
    if (!stops) {
      // From between two steps to the next of them.
      const at = (value - spec.min) / spec.step;
      const from = far > 0 ? Math.floor(at + 1e-9) : Math.ceil(at - 1e-9);
      return onStep(spec, spec.min + (from + far) * spec.step);
    }
    const beyond = stops.filter((each) => (far > 0 ? each > value : each < value));
    if (far < 0) beyond.reverse();
    return beyond[Math.min(Math.ceil(Math.abs(far) / 5), beyond.length) - 1] ?? value;
  };
  // Where a slider goes that is pulled to a value.
  const pulled = (spec, value, stops) => (stops ? near(stops, value) : onStep(spec, value));

  class Controls {
    constructor(described, number, { changed, stopsOf, reset, outside }) {
      this.specs = Object.fromEntries(described.controls.map((each) => [each.name, each]));
      this.shows = {};
      Object.assign(this, { number, changed, stopsOf, reset, outside });
      this.root = element("div", { className: "qoslib-controls" });
      this.root.setAttribute("role", "group");
      this.root.setAttribute("aria-label", "Controls of the figure");
      for (const row of described.rows) this.root.append(...this.row(row));
    }

    show(values) {
      for (const [name, value] of Object.entries(values)) this.shows[name]?.(value);
    }

    row(row) {
      if (row.control) return [this.control(row.control, row.bare)];
      if (row.more) return [this.more(row.more)];
      if (row.row) {
        const inside = row.row.flatMap((each) => this.row(each));
        const grid = row.row.some((each) => each.bare || each.heading);
        return inside.length ? [element("div", { className: grid ? "qoslib-grid" : "qoslib-row" }, ...inside)] : [];
      }
      if ("heading" in row) return [element("b", { textContent: row.heading })];
      if (row.button !== "Reset") return [];
      return [element("button", { type: "button", textContent: "Reset", onclick: this.reset })];
    }

    more(rows) {
      const summary = element("summary", { textContent: "More" });
      return element("details", { className: "qoslib-more" }, summary, ...rows.flatMap((each) => this.row(each)));
    }

    control(name, bare) {
      const spec = this.specs[name];
      const id = `qoslib-${this.number}-${name.replaceAll(/\W/g, "-")}`;
      const made = { slider: this.slider, switch: this.tick, choice: this.choice }[spec.kind].call(this, spec, id);
      const text = spec.unit ? `${spec.label} [${spec.unit}]` : spec.label;
      const label = element("label", { htmlFor: id, textContent: text });
      const kind = `qoslib-control qoslib-${spec.kind}${bare ? " qoslib-bare" : ""}`;
      return element("div", { className: kind, data: { name } }, label, ...made);
    }

    slider(spec, id) {
      const range = element("input", { type: "range", id, min: spec.min, max: spec.max, step: "any" });
      const box = element("input", { type: "number", min: spec.min, max: spec.max, step: "any", inputMode: "decimal" });
      box.setAttribute("aria-label", `${spec.label}, as a number`);
      let value;
      const move = (wanted) => {
        if (wanted !== value) this.changed(spec.name, wanted);
        else this.shows[spec.name](value);
      };
      range.addEventListener("input", () => move(pulled(spec, range.valueAsNumber, this.stopsOf(spec.name))));
      range.addEventListener("keydown", (event) => {
        const wanted = byKey(event.key, spec, value, this.stopsOf(spec.name));
        if (wanted === null || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        move(wanted);
      });
      box.addEventListener("change", () => {
        const typed = box.valueAsNumber;
        const wanted = Number.isNaN(typed) ? value : Math.min(Math.max(typed, spec.min), spec.max);
        move(wanted);
        if (wanted !== typed && !Number.isNaN(typed)) this.outside(`${rangeOf(spec)} ${typed} was set to ${wanted}.`);
      });
      this.shows[spec.name] = (now) => {
        value = now;
        range.value = now;
        range.setAttribute("aria-valuetext", said(spec, now));
        box.value = shown(spec, now);
      };
      return [range, box];
    }

    choice(spec, id) {
      const options = spec.options.map(([label], at) => element("option", { value: at, textContent: label }));
      const list = element("select", { id }, ...options);
      list.addEventListener("change", () => this.changed(spec.name, spec.options[list.value][1]));
      this.shows[spec.name] = (now) => {
        list.selectedIndex = spec.options.findIndex(([, each]) => each === now);
      };
      return [list];
    }

    tick(spec, id) {
      const box = element("input", { type: "checkbox", id });
      box.addEventListener("change", () => this.changed(spec.name, box.checked));
      this.shows[spec.name] = (now) => { box.checked = now; };
      return [box];
    }
  }

  return { Controls, element, said, rangeOf, byKey, pulled };
})();
