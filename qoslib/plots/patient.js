// anywidget gives the module of a widget 2 s from when the page learns of the widget. On a busy
// machine that is too short: "Failed to initialize model". From then on it refuses each message of
// the kernel, though the module comes and draws. So a widget whose module came later than that is
// told everything again, and those that the page learns of from now on have as long as they need.

const PATIENT = Symbol.for("qoslib.patient");
// As long as it takes for a promise that is rejected to say so, and shorter than any timer.
const TURNS = 20;

// The page's own model, for which a module is handed a proxy.
function behind(model) {
  let found;
  const note = (real) => { found = real; };
  model.on("change:patient", note);
  for (const value of [false, true]) model.set("patient", value);
  model.off("change:patient", note);
  return found;
}

// The first prototype from here on that has a method of its own.
function having(method, prototype) {
  while (prototype && !Object.hasOwn(prototype, method)) prototype = Object.getPrototypeOf(prototype);
  return prototype;
}

function waitForLaterOnes(models) {
  if (models[PATIENT]) return;
  models[PATIENT] = true;
  const { initialize } = models;
  models.initialize = function (attributes, ...more) {
    const { timeout } = AbortSignal;
    if (attributes?.patient) AbortSignal.timeout = () => new AbortController().signal;
    try {
      return initialize.call(this, attributes, ...more);
    } finally {
      AbortSignal.timeout = timeout;
    }
  };
}

async function isRefused(models, real) {
  let refused = false;
  const nothing = { content: { data: { method: "" } } };
  models._handle_comm_msg.call(real, nothing).catch(() => { refused = true; });
  for (let turn = 0; turn < TURNS; turn++) await null;
  return refused;
}

// Hear the kernel again, and learn what it said meanwhile.
function toldAgain(real, hears) {
  return new Promise((done) => {
    real.comm.on_msg(async (message) => {
      await hears.call(real, message);
      if (!message.content.data.state?._esm) return;
      done();
      await new Promise((go) => setTimeout(go));
    });
    real.comm.send({ method: "request_state" });
  });
}

async function patience(model) {
  const real = model.widget_manager && behind(model);
  const models = having("_handle_comm_msg", Object.getPrototypeOf(real ?? {}));
  const hears = models && having("_handle_comm_msg", Object.getPrototypeOf(models));
  if (!hears) return;
  waitForLaterOnes(models);
  if (real.comm && (await isRefused(models, real))) {
    await toldAgain(real, hears._handle_comm_msg);
  }
}

function patiently(widget) {
  const made = typeof widget === "function" ? widget() : widget;
  return {
    ...made,
    async initialize(given) {
      await patience(given.model);
      return made.initialize?.(given);
    },
  };
}
