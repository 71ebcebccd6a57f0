// Run a Python program as a page would, without numpy: node in_pyodide.mjs PYODIDE PROGRAM [NAME=FILE ...]
// Each file is copied to its name at the root; a folder is mounted there.
import fs from "node:fs";
import path from "node:path";

const [pyodide, program, ...named] = process.argv.slice(2);
const { loadPyodide } = await import(path.resolve(pyodide, "pyodide.mjs"));
const python = await loadPyodide({ indexURL: path.resolve(pyodide) });
for (const each of named) {
  const [name, file] = each.split("=");
  if (fs.statSync(file).isDirectory()) {
    python.FS.mkdirTree(`/${name}`);
    python.FS.mount(python.FS.filesystems.NODEFS, { root: path.resolve(file) }, `/${name}`);
  } else python.FS.writeFile(`/${name}`, fs.readFileSync(file));
}
console.log(python.runPython(fs.readFileSync(program, "utf8")));
