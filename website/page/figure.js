"use strict";
// A figure of an explorer: drawn by plotly, which is loaded on first use; what moves leaves a pale
// trace, axes stay while they have room, and panels stand one above the other on a narrow page.
window.qoslibFigure = (() => {
  const HERE = new URL(".", document.currentScript.src);
  // As in the figures of a notebook: how the state before is called, and how pale it is.
  const MOVING = ["fluid", "tcp", "now"];
  const BEFORE = "before your move";
  const PALE = 0.4;
  const INK = "#444444";
  const CONFIG = {
    displaylogo: false, showSendToCloud: false, responsive: false,
    modeBarButtonsToRemove: ["select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d"],
  };
  // Narrower than this [px], panels stand one above the other, each so high.
  const NARROW = 520;
  const PANEL = 190;

  const loading = new Map();
  // A script of this site, once: works from a file, too, where a page may not fetch.
  function script(address) {
    if (!loading.has(address)) {
      loading.set(address, new Promise((done, fail) => {
        const made = document.createElement("script");
        made.src = new URL(address, HERE);
        made.onload = done;
        made.onerror = () => {
          loading.delete(address);
          fail(new Error(`${address} could not be loaded.`));
        };
        document.head.append(made);
      }));
    }
    return loading.get(address);
  }

  function pale(traces, before) {
    const known = new Map((before?.data ?? []).map((each) => [each.uid, each]));
    const moving = traces.filter((each) => MOVING.includes(each.meta));
    const look = { opacity: PALE, zorder: -1, name: BEFORE, legendgroup: BEFORE };
    const made = moving.map((each) => {
      const { x = [], y = [], marker = each.marker } = known.get(each.uid) ?? {};
      const said = (each.hovertemplate ?? "").split("<extra>")[0];
      const hovertemplate = `${said}<extra>${BEFORE}</extra>`;
      const there = { x, y, marker, uid: `before-${each.uid}`, showlegend: false, hovertemplate };
      return { ...each, ...look, ...there };
    });
    if (!moving.length) return [];
    const marker = { color: INK, size: 10, symbol: "square" };
    const key = { type: "scatter", mode: "markers", x: [null], y: [null], marker, ...look };
    return [...made, { ...key, uid: "before-key", showlegend: Boolean(before) }];
  }

  const axes = (layout, letter) =>
    Object.keys(layout).filter((name) => name.startsWith(`${letter}axis`))
      .sort((one, other) => one.slice(5) - other.slice(5));

  class Figure {
    constructor(place) {
      this.place = place;
      this.ranges = {};
      this.width = 0;
      new ResizeObserver(() => {
        if (window.Plotly && this.state && Math.abs(place.clientWidth - this.width) > 1) this.draw();
      }).observe(place);
    }

    // Show a state, and pale what was at rest before.
    async show(state, before) {
      [this.state, this.before] = [state, before];
      await script("plotly.min.js");
      if (this.state === state) await this.draw();
    }

    draw() {
      this.width = this.place.clientWidth;
      // Folded away, it is drawn as soon as it has a place.
      if (!this.width) return null;
      const layout = this.laid(structuredClone(this.state.layout));
      const data = structuredClone([...this.state.data, ...pale(this.state.data, this.before)]);
      return window.Plotly.react(this.place, data, layout, CONFIG);
    }

    laid(layout) {
      for (const name of [...axes(layout, "x"), ...axes(layout, "y")]) this.keepRange(name, layout[name]);
      // What a reader has zoomed into stays; a finger scrolls the page.
      layout.uirevision = "the same";
      layout.width = this.width;
      delete layout.autosize;
      if (matchMedia("(pointer: coarse)").matches) layout.dragmode = false;
      return this.width < NARROW ? this.stacked(layout) : layout;
    }

    // An axis stays as long as it has room for the new values and they fill a third of it.
    keepRange(name, axis) {
      const wanted = axis.range;
      if (!wanted) return;
      const kept = this.ranges[name];
      const room = kept && kept.type === axis.type &&
        kept.range[0] <= wanted[0] && wanted[0] < wanted[1] && wanted[1] <= kept.range[1];
      if (!room || kept.range[1] - kept.range[0] > 3 * (wanted[1] - wanted[0])) {
        this.ranges[name] = { type: axis.type, range: wanted };
      }
      axis.range = this.ranges[name].range;
    }

    stacked(layout) {
      const [x, y] = [axes(layout, "x"), axes(layout, "y")];
      if (x.length < 2) return layout;
      const { t, b } = layout.margin;
      const gap = b + 14;
      const inside = x.length * PANEL + (x.length - 1) * gap;
      x.forEach((name, at) => {
        const top = 1 - (at * (PANEL + gap)) / inside;
        layout[name].domain = [0, 1];
        layout[y[at]].domain = [Math.max(0, top - PANEL / inside), top];
        // Beside each other, panels share the words of the first.
        if (layout[y[0]].showticklabels) layout[y[at]].showticklabels = true;
      });
      layout.height = inside + t + b;
      layout.legend = { ...layout.legend, y: 1 + 8 / inside };
      return layout;
    }
  }

  return { Figure, script };
})();
