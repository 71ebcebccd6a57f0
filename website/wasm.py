"""Compile the kernels ahead of time from what numba makes of them: for a web page, or this machine.

python -m website.wasm [FOLDER]

It writes ``kernels.wasm``, which runs by itself, ``kernels.so``, a side module for Pyodide, and
``manifest.json`` with their sizes and a hash of the sources. Nothing is done where the manifest has
that hash already. numba compiles a kernel to LLVM's intermediate code, in which pointers have 64
bits; here LLVM makes another machine's code of it, and zig links that. What a kernel reads of the
C library are `log` and `pow`.
"""

import hashlib
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from qoslib.packets.kernels.ahead import ENTRIES

__all__ = ["MissingTool", "build", "compiled", "hash_of_sources", "print_codes"]

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "wasm"
#: Where `make wasm` installs zig: it is large, and nothing else needs it.
ZIG = ROOT / "build" / "zig"
#: Folders of the kernels' sources.
SOURCES = ("qoslib/packets/kernels", "qoslib/tcp/kernels", "qoslib/tcp/fluid/kernels")
#: LLVM's name of the machine, and how zig links the objects for it; `{}` is what is made.
TARGETS = {
    "kernels.wasm": (
        "wasm32-unknown-emscripten",
        "cc -target wasm32-wasi -mexec-model=reactor -nostartfiles -s -Wl,--no-entry"
        " -Wl,--export=__heap_base -Wl,--export-memory -o {}",
    ),
    "kernels.so": (
        "wasm32-unknown-emscripten",
        "wasm-ld -shared --experimental-pic --allow-undefined --strip-all -o {}",
    ),
    "native.so": ("", "cc -shared -s -o {}"),
}
#: What a page needs.
FOR_A_PAGE = ("kernels.wasm", "kernels.so")


class MissingTool(RuntimeError):
    """Raised where zig, which links the kernels, is not installed."""


def hash_of_sources() -> str:
    """A hash of all that the kernels are compiled from, and of what compiles them.

    >>> len(hash_of_sources())
    64
    """
    made = hashlib.sha256()
    files = [path for folder in SOURCES for path in sorted((ROOT / folder).glob("*.py"))]
    for path in (*files, Path(__file__)):
        made.update(path.read_bytes())
    made.update(f"{llvm.llvm_version_info} {importlib.import_module('numba').__version__}".encode())
    return made.hexdigest()


def build(folder: Path = FOLDER, names: tuple[str, ...] = FOR_A_PAGE) -> dict[str, Any]:
    """Compile the kernels to a folder; the manifest that is written there too.

    Parameters
    ----------
    folder : Path
        Where the files go.
    names : tuple of str
        Of `TARGETS`.

    Returns
    -------
    dict
        ``sources``, a hash; ``bytes`` by file; ``entries``, the names that can be called.

    Raises
    ------
    MissingTool
        If zig is not installed.
    """
    path, sources = folder / "manifest.json", hash_of_sources()
    if path.is_file():
        manifest: dict[str, Any] = json.loads(path.read_text())
        if manifest["sources"] == sources and set(names) <= manifest["bytes"].keys():
            return manifest
    if not (ZIG / "ziglang").is_dir():
        problem = f"the kernels cannot be linked: zig is not in {ZIG.relative_to(ROOT)}"
        raise MissingTool(f"{problem}; `make wasm` installs it")
    folder.mkdir(parents=True, exist_ok=True)
    codes = compiled()
    for triple in {TARGETS[name][0] for name in names}:
        with tempfile.TemporaryDirectory() as scratch:
            objects = _objects(codes, triple, Path(scratch))
            for name in names:
                if TARGETS[name][0] == triple:
                    _link(objects, folder / name)
    sizes = {name: (folder / name).stat().st_size for name in names}
    manifest = {"sources": sources, "bytes": sizes, "entries": [*ENTRIES.values()]}
    path.write_text(json.dumps(manifest, indent=1) + "\n")
    return manifest


def compiled() -> dict[str, tuple[str, str]]:
    """Name of each entry -> the symbol that numba gave it, and the code of it and all it calls."""
    command = [sys.executable, "-c", "from website import wasm; wasm.print_codes()"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return {name: (symbol, code) for name, symbol, code in json.loads(done.stdout)}


def print_codes() -> None:
    """Run each kernel once, and print what numba made of it, or keeps on disk for other kernels.

    `get_llvm_str` would do for the first alone.
    """
    from tools.compile_kernels import main

    main()
    found = []
    for place, name in ENTRIES.items():
        module, _, function = place.rpartition(".")
        kernel = getattr(importlib.import_module(module), function)
        (made,) = kernel.overloads.values()
        code = str(made.library._get_module_for_linking())
        found.append((name, made.fndesc.llvm_func_name, code))
    print(json.dumps(found))


def _objects(codes: dict[str, tuple[str, str]], triple: str, folder: Path) -> list[Path]:
    """Make the machine code of all entries: a file of each."""
    machine = _machine(triple)
    objects = [folder / f"{name}.o" for name in codes]
    for each, (symbol, code) in zip(objects, codes.values(), strict=True):
        each.write_bytes(_object(each.stem, symbol, code, machine))
    return objects


def _link(objects: list[Path], path: Path) -> None:
    """Make one file of the machine code of all entries."""
    command = TARGETS[path.name][1]
    exported = [] if path.name == "native.so" else [f"--export={each.stem}" for each in objects]
    if command.startswith("cc "):
        exported = [f"-Wl,{each}" for each in exported]
    words = [*command.format(path).split(), *exported, *map(str, objects)]
    env = os.environ | {"PYTHONPATH": str(ZIG)}
    subprocess.run([sys.executable, "-m", "ziglang", *words], env=env, check=True)


def _machine(triple: str) -> llvm.TargetMachine:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple = triple or llvm.get_process_triple()
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(opt=3, reloc="pic", codemodel="default")


def _object(name: str, symbol: str, code: str, machine: llvm.TargetMachine) -> bytes:
    """Machine code of one entry; all else in it cannot be called from outside."""
    code = _for_machine(code, machine)
    kinds = [str(each.type) for each in llvm.parse_assembly(code).get_function(symbol).arguments]
    module = llvm.parse_assembly(code + _entry(name, symbol, kinds[2:]))
    for each in (*module.functions, *module.global_variables):
        if not each.is_declaration and each.name != name:
            each.linkage = "internal"
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    made: bytes = machine.emit_object(module)
    return made


def _for_machine(code: str, machine: llvm.TargetMachine) -> str:
    """The code without what it says of the machine that numba compiled it for."""
    layout = f'target datalayout = "{machine.target_data}"'
    code = re.sub(r"^target datalayout = .*$", layout, code, flags=re.MULTILINE)
    triple = f'target triple = "{machine.triple}"'
    code = re.sub(r"^target triple = .*$", triple, code, flags=re.MULTILINE)
    return re.sub(r' "(target-cpu|target-features|tune-cpu)"="[^"]*"', "", code)


def _entry(name: str, symbol: str, kinds: list[str]) -> str:
    """A function of two places: a table of arguments, of 64 bits each, and of the answer."""
    loads = []
    for index, kind in enumerate(kinds):
        loads.append(f"%p{index} = getelementptr i64, ptr %table, i32 {index}")
        if kind == "ptr":
            loads.append(f"%w{index} = load i64, ptr %p{index}")
            loads.append(f"%v{index} = inttoptr i64 %w{index} to ptr")
        else:
            loads.append(f"%v{index} = load {kind}, ptr %p{index}")
    arguments = ", ".join(f"{kind} %v{index}" for index, kind in enumerate(kinds))
    body = "\n  ".join(loads)
    return f"""
define i32 @{name}(ptr %table, ptr %answer) {{
  %problem = alloca ptr
  store ptr null, ptr %problem
  {body}
  %status = call i32 @"{symbol}"(ptr %answer, ptr %problem, {arguments})
  ret i32 %status
}}
"""


def main() -> None:
    """Compile for a page, and say what was made."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    try:
        manifest = build(folder)
    except MissingTool as problem:
        sys.exit(f"qoslib: {problem}")
    for name, size in manifest["bytes"].items():
        print(f"{folder / name}  {size:,} bytes")


if __name__ == "__main__":
    main()
