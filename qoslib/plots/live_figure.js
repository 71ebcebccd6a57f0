// A figure whose plotly arrives later. Plotly's module has 5 MB, and a page that takes it in does
// nothing else meanwhile. This small module is there sooner, loads plotly once for all figures of
// the page, and passes on what has arrived meanwhile.

const PLOTLY = Symbol.for("qoslib.plotly");
const PAUSE_MS = 50;
// After each drawing plotly's widget tells the kernel all its defaults, 10 to 30 kB that the kernel
// takes in and sends back, and what the pointer is on. Nobody asks for them, and the next move of a
// slider would wait for them.
const NOT_SAID = new Set(["_js2py_traceDeltas", "_js2py_widget_layoutDelta", "_js2py_pointsCallback"]);

async function imported(code) {
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  try {
    return (await import(url)).default;
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function plotly(model, signal) {
  const { widget_manager: manager } = model;
  const id = model.get("_plotly");
  // A page that is opened again learns of its widgets in any order.
  while (!manager.has_model(id)) {
    signal.throwIfAborted();
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
  const source = await manager.get_model(id);
  return (globalThis[PLOTLY] ??= imported(source.get("code")));
}

// Plotly's model of the figure, once it has been told what the kernel said before it was there.
async function ready(model, signal) {
  const early = [];
  const note = (event) => {
    if (event.startsWith("change:_py2js_")) early.push([event, model.get(event.slice(7))]);
  };
  model.on("all", note);
  const figure = (await plotly(model, signal))();
  model.off("all", note);
  const followers = {};
  let now = [];
  figure.initialize({
    model: {
      ...model,
      get: (name) => (`change:${name}` === now[0] ? now[1] : model.get(name)),
      set: (name, value) => NOT_SAID.has(name) || model.set(name, value),
      on(event, follow) {
        (followers[event] ??= []).push(follow);
        model.on(event, follow);
      },
    },
  });
  for (now of early) followers[now[0]]?.forEach((follow) => follow());
  now = [];
  return figure;
}

export default () => {
  let figure;
  return {
    initialize({ model, signal }) {
      figure = ready(model, signal);
    },
    async render({ model, el, signal }) {
      return (await figure).render({ model, el, signal });
    },
  };
};
