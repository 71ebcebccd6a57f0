// Play calls of kernels again on WebAssembly: node replay.mjs kernels.wasm FOLDER [TIMES]
// Prints the number of calls, each whose arrays or answer have other bits, and the least time of each.
import fs from "node:fs";
import path from "node:path";

const [library, folder, times = "1"] = process.argv.slice(2);
const compiled = await WebAssembly.compile(fs.readFileSync(library));
const PAGE = 65536;
const WORD = 8;
const WORDS = 2000;

/** Where arguments and arrays lie in the memory of a fresh instance. */
function placed(memory, base, before) {
  const table = (base + 15) & ~15;
  const arrays = table + WORDS * WORD;
  const lacking = arrays + before.length + PAGE - memory.buffer.byteLength;
  if (lacking > 0) memory.grow(Math.ceil(lacking / PAGE));
  new Uint8Array(memory.buffer).set(before, arrays);
  return { table, arrays };
}

/** Write the arguments as numba passes them on. */
function write(memory, table, arrays, described) {
  const integers = new BigInt64Array(memory.buffer, table, WORDS);
  const floats = new Float64Array(memory.buffer, table, WORDS);
  let word = 0;
  let offset = arrays;
  for (const each of described) {
    if (each.integer !== undefined) integers[word++] = BigInt.asIntN(64, BigInt(each.integer));
    else if (each.float !== undefined) floats[word++] = Number(each.float);
    else {
      for (const part of [0, 0, each.size, each.item, offset, ...each.steps]) integers[word++] = BigInt(part);
      offset += each.bytes;
    }
  }
}

let calls = 0;
const differ = [];
const least_ms = [];
for (const file of fs.readdirSync(folder).filter((name) => name.endsWith(".json")).sort()) {
  const name = file.slice(0, -".json".length);
  const call = JSON.parse(fs.readFileSync(path.join(folder, file)));
  const before = fs.readFileSync(path.join(folder, `${name}.before`));
  const after = fs.readFileSync(path.join(folder, `${name}.after`));
  let least = Infinity, status, answer, memory, arrays;
  for (let time = 0; time < Number(times); time++) {
    const { exports } = await WebAssembly.instantiate(compiled, {});
    const places = placed(exports.memory, exports.__heap_base.value, before);
    ({ memory } = exports);
    ({ arrays } = places);
    write(memory, places.table, arrays, call.arguments);
    answer = places.table + (WORDS - 1) * WORD;
    // Of the processor: other programs may run beside it.
    const began = process.cpuUsage();
    status = exports[call.entry](places.table, answer);
    const { user, system } = process.cpuUsage(began);
    least = Math.min(least, (user + system) / 1e3);
  }
  least_ms.push(least);
  const found = Buffer.from(memory.buffer, arrays, before.length);
  const said = String(new BigInt64Array(memory.buffer, answer, 1)[0]);
  calls++;
  if (status > 0 || Buffer.compare(found, after) || (call.answer !== null && said !== call.answer))
    differ.push(`${name} ${call.entry} status ${status}`);
}
console.log(JSON.stringify({ calls, differ, least_ms }));
