"use strict";
// The explorers of a lesson. A stored grid answers at once for one control moved from the start;
// for all else, and exactly, the engine answers, which the first touch starts. No figure stands as
// if it were of settings that it is not of.
(() => {
  const { element, Controls, said, rangeOf } = window.qoslibControls;
  const { Figure, script } = window.qoslibFigure;
  const address = window.qoslibAddress;
  const MISSING = Object.assign(new EventTarget(), { status: "missing", reason: "", start() {} });
  const engine = () => window.qoslibEngine ?? MISSING;
  // A control that has not moved for so long is at rest [ms].
  const REST = 150;

  const grids = (window.qoslibGrids ??= {});
  const same = (one, other) => Object.keys(one).every((name) => one[name] === other[name]);

  // A state after changes; the long values of these are `held` once for all states.
  function changedBy(state, changes, held) {
    const made = structuredClone(state);
    for (const [path, value] of changes) {
      const inside = path.slice(0, -1).reduce((at, step) => at[step], made);
      inside[path.at(-1)] = typeof value?.held === "number" ? structuredClone(held(value.held)) : value;
    }
    return made;
  }

  class Explorer {
    constructor(place, lesson, number, grid) {
      Object.assign(this, { place, lesson, number, grid, key: `e${number}`, touched: false });
      this.values = { ...grid.start };
      this.rested = null;
      this.pale = null;
      this.controls = new Controls(grid, number, {
        changed: (name, value) => this.move({ [name]: value }),
        stopsOf: (name) => this.stopsOf(name),
        reset: () => this.reset(),
        outside: (words) => this.note(words),
      });
      this.build();
      engine().addEventListener("status", () => this.engineMoved());
      engine().addEventListener("progress", ({ detail }) => {
        this.loaded = detail.loaded / detail.total;
        this.engineMoved();
      });
      this.begin();
    }

    build() {
      const part = (tag, name, more) => (this[name] = element(tag, { className: `qoslib-${name}`, ...more }));
      part("p", "alert", { hidden: true }).setAttribute("role", "alert");
      part("p", "noted", { hidden: true }).setAttribute("role", "status");
      part("p", "cause");
      part("p", "summary").setAttribute("role", "status");
      part("p", "remark");
      part("div", "plot");
      part("div", "source").setAttribute("role", "status");
      this.table = element("div", { className: "qoslib-table" });
      this.python = element("pre");
      this.copy = element("button", { type: "button", textContent: "Copy link", onclick: () => this.copyLink() });
      const fold = (title, inside) => element("details", {}, element("summary", { textContent: title }), inside);
      this.words = element("div", { className: "qoslib-words" }, this.cause, this.summary, this.remark,
        fold("The same as a table", this.table), fold("The same in Python", this.python));
      const foot = element("div", { className: "qoslib-foot" }, this.source, this.copy);
      this.stage = element("div", { className: "qoslib-stage" }, this.alert, this.noted, this.plot, foot);
      this.place.replaceChildren(this.controls.root, this.stage, this.words);
      this.place.classList.add("qoslib-explorer");
      this.figure = new Figure(this.plot);
    }

    begin() {
      const asked = address.read(address.get(this.key));
      const given = this.understood(asked);
      this.controls.show(this.values);
      if (Object.keys(given).length) this.set(given);
      else this.draw().then(() => this.rest());
      this.note(Object.keys(asked).filter((name) => !(name in given)).map((name) => this.refusal(name, asked[name])).join(" "));
    }

    // Say something of the last move, until the next.
    note(words) {
      this.noted.textContent = words;
      this.noted.hidden = !words;
    }

    // Why a value of the address was left out.
    refusal(name, text) {
      const spec = this.controls.specs[name];
      if (!spec) return `The address names a control that this figure does not have: “${name}”.`;
      const allowed = spec.kind === "slider" ? rangeOf(spec) : `${spec.label} is one of ${spec.options.map(([label]) => `“${label}”`).join(", ")}.`;
      return `The address asks for “${text}”, but ${allowed}`;
    }

    // Values that an address or a text gives as words, as values of controls; what is none is left out.
    understood(texts) {
      const found = {};
      for (const [name, text] of Object.entries(texts)) {
        const spec = this.controls.specs[name];
        const number = Number(text);
        if (spec?.kind === "slider" && text !== "" && number >= spec.min && number <= spec.max) found[name] = number;
        if (spec?.kind === "switch") found[name] = text === "on";
        const option = spec?.kind === "choice" && spec.options.find(([label]) => label === text);
        if (option) found[name] = option[1];
      }
      return found;
    }

    begun(values) {
      const { preset } = this.grid;
      const starts = preset?.starts.find(([value]) => value === values[preset.name]);
      return starts ? starts[1] : this.grid.start;
    }

    moved(values = this.values) {
      const begun = this.begun(values);
      return Object.keys(begun).filter((name) => begun[name] !== values[name]);
    }

    // Where the stored grid lets a slider stand; null for every step.
    stopsOf(name) {
      if (this.moved().some((each) => each !== name)) return null;
      return same(this.begun(this.values), this.grid.start) ? this.stopsFromStart(name) : null;
    }

    stopsFromStart(name) {
      if (engine().status === "ready") return null;
      const stops = this.grid.states[name].map(([value]) => value);
      return [...stops, this.grid.start[name]].sort((one, other) => one - other);
    }

    reset() {
      this.to({ ...this.values, ...this.begun(this.values) });
    }

    // Set some controls as they would stand after all others have been reset.
    set(values) {
      this.to({ ...this.begun({ ...this.grid.start, ...values }), ...values });
    }

    // Show the figure at the edge of the window that is farther from an element, as long as most of
    // it is out of sight.
    dock(element) {
      const { top, bottom } = this.plot.getBoundingClientRect();
      const seen = Math.min(bottom, innerHeight) - Math.max(top, 0);
      if (seen > 0.6 * (bottom - top)) return;
      this.place.style.minHeight = `${this.place.offsetHeight}px`;
      const { y } = element.getBoundingClientRect();
      this.place.classList.add("qoslib-docked", y > innerHeight / 2 ? "qoslib-high" : "qoslib-low");
    }

    undock() {
      this.place.style.minHeight = "";
      this.place.classList.remove("qoslib-docked", "qoslib-high", "qoslib-low");
    }

    move(values) {
      const { preset } = this.grid;
      const begun = preset && preset.name in values ? this.begun(values) : {};
      this.to({ ...this.values, ...begun, ...values });
    }

    to(values) {
      this.values = values;
      this.note("");
      this.touched = true;
      this.atRest = false;
      this.controls.show(values);
      this.place.dispatchEvent(new CustomEvent("qoslib-moved", { detail: values }));
      engine().start();
      this.pale = this.rested;
      clearTimeout(this.resting);
      this.resting = setTimeout(() => this.rest(), REST);
      this.frame ??= requestAnimationFrame(() => {
        this.frame = null;
        this.draw();
      });
    }

    // What the grid has for these values: a state, or why they are refused; null where it has none.
    stored() {
      const { start, states, first, preset, held } = this.grid;
      if (same(start, this.values)) return first;
      const moved = Object.keys(start).filter((name) => start[name] !== this.values[name]);
      const name = moved.length === 1 ? moved[0] : preset && !this.moved().length ? preset.name : null;
      const found = name && states[name]?.find(([value]) => value === this.values[name]);
      if (!found) return null;
      return found[1] ? changedBy(first, found[1], held) : { error: found[2] };
    }

    async draw() {
      if (engine().status === "ready" && this.touched) return this.ask(false);
      const state = this.stored();
      if (state) return this.show(state, this.values, "grid");
      return this.wait();
    }

    // One question at a time; what was moved meanwhile is the next.
    async ask(packets) {
      if (this.asking) return;
      this.asking = true;
      const { lesson, number, values, pale } = this;
      const before = pale && { values: pale.at, summary: pale.state.summary };
      const answer = await engine().ask({ ask: "explorer", lesson, number, values, packets, before })
        .catch((error) => ({ error: error.message }));
      this.asking = false;
      if (!answer.superseded && !answer.stopped) await this.answered(answer, values, packets);
      if (this.values !== values) this.ask(false);
      else if (this.atRest && !this.shown?.state.packets && !this.refused) this.ask(true);
    }

    // While a slider moves, a figure that is a step behind it is better than none.
    answered(answer, values, packets) {
      const moved = this.values !== values;
      const stored = answer.error && !moved && this.stored();
      if (stored) return this.show(stored, values, "grid");
      return moved && (packets || answer.error) ? null : this.show(answer, values, "engine");
    }

    // The controls have come to rest: packets, the address, and what the next move leaves pale.
    rest() {
      this.atRest = true;
      const moved = this.moved();
      const { preset } = this.grid;
      const told = preset && this.values[preset.name] !== this.grid.start[preset.name] ? [preset.name, ...moved] : moved;
      const texts = told.map((name) => {
        const spec = this.controls.specs[name];
        return [name, spec.kind === "slider" ? this.values[name] : said(spec, this.values[name])];
      });
      this.state = address.text(Object.fromEntries(texts));
      if (this.touched) address.set(this.key, this.state);
      if (engine().status === "ready" && this.touched && !this.asking) this.ask(true);
      this.settle();
    }

    settle() {
      const there = this.shown && same(this.values, this.shown.at) && this.shown.state.packets;
      if (there && this.atRest) this.rested = this.shown;
    }

    async show(state, at, by) {
      this.refused = Boolean(state.error);
      this.place.classList.toggle("qoslib-waiting", this.refused);
      this.alert.hidden = !this.refused;
      this.words.hidden = this.refused;
      if (this.refused) {
        this.alert.textContent = `${state.error}${this.previous()}`;
        this.tell("");
        return;
      }
      this.shown = { state, at, by };
      this.write(state);
      this.tell(by);
      await this.figure.show(state, this.pale && this.pale !== this.shown ? this.pale.state : null);
      this.settle();
    }

    write(state) {
      this.cause.textContent = state.cause;
      this.summary.textContent = state.summary;
      this.remark.textContent = state.remark;
      this.remark.hidden = !state.remark;
      this.python.textContent = state.python;
      this.python.closest("details").hidden = !state.python;
      this.table.replaceChildren(tableOf(state.table));
    }

    previous() {
      return this.shown ? " The figure still shows the previous settings." : "";
    }

    // These settings have no figure yet: the one before fades, and its words go.
    wait() {
      this.place.classList.add("qoslib-waiting");
      this.words.hidden = true;
      this.alert.hidden = false;
      this.alert.textContent = engine().status === "missing"
        ? `These settings need the engine. ${engine().reason} Without it, you can move one control at a time. Press Reset to return the others to their start values.`
        : `The engine will compute these settings as soon as it has loaded.${this.previous()}`;
      this.tell("");
    }

    // Say who has answered, and how far the engine is.
    tell(by = this.shown?.by) {
      const texts = {
        grid: "Computed in advance for one control at a time, and stored with this page.",
        engine: `Computed by the engine in this page.${this.shown?.state.packets ? "" : " The packet model follows."}`,
      };
      const { status } = engine();
      const parts = [element("span", { textContent: texts[by] ?? "" })];
      if (status === "loading") {
        const bar = element("progress", { max: 1 });
        if (this.loaded !== undefined) bar.value = this.loaded;
        bar.setAttribute("aria-label", "Loading the engine");
        parts.push(element("span", { textContent: "The engine is loading." }), bar);
      }
      this.place.dataset.by = by ?? "";
      this.source.replaceChildren(...parts);
    }

    engineMoved() {
      if (engine().status === "ready" && this.touched && !this.asking && this.shown?.by !== "engine") {
        this.ask(true);
      } else if (engine().status === "missing" && this.touched && !this.stored()) {
        this.wait();
      } else if (!this.refused) {
        this.tell(this.place.classList.contains("qoslib-waiting") ? "" : this.shown?.by);
      }
    }

    async copyLink() {
      const link = address.link(this.key, this.state);
      address.set(this.key, this.state);
      try {
        await navigator.clipboard.writeText(link);
        this.copy.textContent = "Link copied";
      } catch {
        this.copy.textContent = "The link is in the address bar";
      }
      setTimeout(() => { this.copy.textContent = "Copy link"; }, 3000);
    }
  }

  function tableOf({ heads, rows }) {
    const cell = (value) => element("td", { textContent: value === null ? "–" : value });
    const head = (text, scope) => {
      const made = element(text === "" ? "td" : "th", { textContent: text });
      if (text !== "") made.scope = scope;
      return made;
    };
    const row = ([name, ...cells]) => element("tr", {}, head(String(name), "row"), ...cells.map(cell));
    const top = element("tr", {}, ...heads.map((each) => head(each, "col")));
    return element("table", {}, element("thead", {}, top), element("tbody", {}, ...rows.map(row)));
  }

  // The explorer of a place, made on the first call; null where the grid has none.
  const made = new Map();
  function explorerOf(place) {
    if (!made.has(place)) made.set(place, make(place));
    return made.get(place);
  }
  async function gridsOf(lesson) {
    await script(`../grids/${lesson}.js`);
    return grids[lesson];
  }
  async function make(place) {
    const { lesson, number } = place.dataset;
    const file = await gridsOf(lesson);
    const grid = file?.explorers[number];
    if (!grid) return null;
    const other = file.with && (await gridsOf(file.with));
    const held = (n) => (n < 0 ? other.held[-1 - n] : file.held[n]);
    return new Explorer(place, lesson, Number(number), { ...grid, held });
  }

  const PLACES = '.qoslib-live[data-kind="explorer"]';
  const near = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      explorerOf(target);
    }
  }, { rootMargin: "400px" });

  const alone = address.embedded();
  for (const place of document.querySelectorAll(PLACES)) {
    if (alone?.kind === "explorer" && alone.number === Number(place.dataset.number)) address.alone(place);
    if (address.get(`e${place.dataset.number}`)) {
      for (let fold = place; (fold = fold.parentElement?.closest("details")); ) fold.open = true;
      address.lead(`e${place.dataset.number}`, place, explorerOf(place));
    } else near.observe(place);
  }
  window.qoslibExplorers = {
    of: (number) => {
      const place = document.querySelector(`${PLACES}[data-number="${number}"]`);
      return place && explorerOf(place);
    },
  };
})();
