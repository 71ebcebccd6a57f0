// Python with numpy and qoslib in a page's worker. engine.js begins it and sets LIVE, where its
// files are. A message is {files} once, then {id, message}; an answer is {id, answer}.
const EVERY_MS = 100;
// A page has less memory than a machine.
const PROGRAM = `
import os
os.environ["QOSLIB_MEMORY_GB"] = "1"
from website import answers
answers`;

let loaded = 0;
let total = 0;
let ask = null;
let keep = null;
const lessons = new Set();

function count(bytes) {
  loaded += bytes;
  postMessage({ loaded, total });
}

/** As `fetch`, but it counts the bytes of files of the site as they arrive. */
function counted(fetched, files) {
  return async (address, ...more) => {
    const response = await fetched(address, ...more);
    const name = String(address.url ?? address).replace(LIVE, "");
    if (!(name in files) || !response.body) return response;
    const counter = new TransformStream({
      transform(chunk, controller) {
        count(chunk.byteLength);
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(counter), { headers: response.headers });
  };
}

async function bytes(name) {
  const response = await fetch(LIVE + name);
  if (!response.ok) throw new Error(`the server answers ${response.status} for ${name}`);
  return response.arrayBuffer();
}

async function begin({ sizes, archives }) {
  total = Object.values(sizes).reduce((sum, each) => sum + each, 0);
  self.fetch = counted(self.fetch.bind(self), sizes);
  const arriving = archives.map(bytes);
  importScripts(`${LIVE}pyodide/pyodide.js`);
  const python = await loadPyodide({ indexURL: `${LIVE}pyodide/` });
  for (const archive of await Promise.all(arriving)) python.unpackArchive(archive, "zip");
  const answers = python.runPython(PROGRAM);
  [ask, keep] = [answers.answer_text, answers.keep];
  postMessage({ ready: true });
}

/** What a lesson shows is loaded at the first question about it. */
async function know(lesson) {
  if (lesson === undefined || lessons.has(lesson)) return;
  keep(lesson, new Uint8Array(await bytes(`lessons/${lesson}.pickle`)));
  lessons.add(lesson);
}

async function answer(id, message) {
  let heard = 0;
  const told = (done, whole) => {
    if (performance.now() - heard < EVERY_MS) return;
    heard = performance.now();
    postMessage({ id, done, whole });
  };
  await know(message.lesson);
  const made = ask(JSON.stringify(message), told);
  const [text, raw] = made.toJs({ dict_converter: Object.fromEntries });
  made.destroy();
  const buffers = Object.fromEntries(Object.entries(raw).map(([name, each]) => [name, each.slice().buffer]));
  postMessage({ id, answer: { ...JSON.parse(text), ...buffers } }, Object.values(buffers));
}

const inTurn = { last: Promise.resolve() };

self.onmessage = ({ data }) => {
  const { files, id, message } = data;
  inTurn.last = inTurn.last.then(async () => {
    try {
      await (files ? begin(files) : answer(id, message));
    } catch (error) {
      // The last line of Python's traceback says what happened.
      const said = String(error.message ?? error).trim().split("\n").at(-1).replace(/\.$/, "");
      postMessage(files ? { failed: said } : { id, answer: { error: said } });
    }
  });
};
