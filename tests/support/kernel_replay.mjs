// Play calls of kernels again on WebAssembly: node kernel_replay.mjs kernels.wasm FOLDER
// Prints the number of calls, and each whose arrays or answer have other bits.
import fs from "node:fs";
import path from "node:path";

const [library, folder] = process.argv.slice(2);
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
for (const file of fs.readdirSync(folder).filter((name) => name.endsWith(".json")).sort()) {
  const name = file.slice(0, -".json".length);
  const call = JSON.parse(fs.readFileSync(path.join(folder, file)));
  const before = fs.readFileSync(path.join(folder, `${name}.before`));
  const after = fs.readFileSync(path.join(folder, `${name}.after`));
  const { exports } = await WebAssembly.instantiate(compiled, {});
  const { table, arrays } = placed(exports.memory, exports.__heap_base.value, before);
  write(exports.memory, table, arrays, call.arguments);
  const answer = table + (WORDS - 1) * WORD;
  const status = exports[call.entry](table, answer);
  const found = Buffer.from(exports.memory.buffer, arrays, before.length);
  const said = String(new BigInt64Array(exports.memory.buffer, answer, 1)[0]);
  calls++;
  if (status > 0 || Buffer.compare(found, after) || (call.answer !== null && said !== call.answer))
    differ.push(`${name} ${call.entry} status ${status}`);
}
console.log(JSON.stringify({ calls, differ }));
