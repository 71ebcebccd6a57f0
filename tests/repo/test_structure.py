"""The house keeps its shape: arrows between rooms, units in names."""

import ast
import re
import subprocess
import sys
from itertools import chain

from floors import FLOORS
from offenders import hold
from places import ROOT

FILES = sorted((ROOT / "qoslib").rglob("*.py"))
#: Experiments on a kernel: they use the package, and nothing in it knows of them.
LIVE = sorted((ROOT / "livelab").rglob("*.py"))
TREES = {path: ast.parse(path.read_text(), path) for path in [*FILES, *LIVE]}

FLOOR = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}

#: Engines answer in arrays: what loads tables or draws would slow every process that runs one.
ENGINES = ("fluid", "packets", "tcp")
#: Rooms that also run in a web page.
IN_A_PAGE = {*ENGINES, "front", "results", "explore"}
NOT_IN_ENGINES = {"pandas", "plotly", "ipywidgets", "dask", "qoslib.measurements"}
#: Packages that only these rooms may import.
ONLY_IN = {
    "plotly": {"plots"},
    "ipywidgets": {"explore", "lessons"},
    "anywidget": {"explore", "lessons"},
}
#: What a notebook shows: its widgets load more than numpy, and are themselves loaded when shown.
SHOWN = {
    "qoslib/explore/configuration_explorer.py",
    "qoslib/explore/control_widgets.py",
    "qoslib/explore/explorer_widget.py",
    "qoslib/explore/packet_widget.py",
    "qoslib/explore/page_glue.py",
    "qoslib/explore/save_buttons.py",
    "qoslib/explore/upload_widget.py",
    "qoslib/explore/waiting.py",
    "qoslib/lessons/copies.py",
    "qoslib/lessons/glossary_search.py",
    "qoslib/lessons/prediction_widget.py",
    "qoslib/plots/live_figure.py",
    "qoslib/plots/patient.py",
}
#: Where numba compiles; all else chooses its kernels by `qoslib.packets.kernels.compiling`.
COMPILER = ROOT / "qoslib/packets/kernels/jit.py"
#: Rooms that speak to people, who want Mb/s and ms.
FOR_PEOPLE = {"units", "plots", "explore", "lessons", "worksheet", "__main__"}

QUANTITIES = {"backlog", "buffer", "burst", "delay", "duration", "interval", "jitter", "latency"}
QUANTITIES |= {"rate", "size", "time"}
BASE_UNITS = {"bps", "bytes", "hz", "packets", "ppm", "pps", "ps", "s", "share"}
OTHER_UNITS = {"bits", "gb", "gbps", "kb", "kbps", "mb", "mbit", "mbps", "min", "mpps", "ms"}
OTHER_UNITS |= {"ns", "us"}
NUMBERS = re.compile(r"\b(float|int|ndarray|Array\w*|Positive|NotNegative|AtLeastOne|Count)\b")
POWERS_OF_TEN = {1e3, 1e6, 1e9, 1e12, 1e-3, 1e-6, 1e-9, 1e-12}


def named(paths):
    """Each path below its name in the checkout."""
    return [(path.relative_to(ROOT).as_posix(), path) for path in paths]


def room_of(path):
    package, room, *_ = path.relative_to(ROOT).parts
    return package if package == "livelab" else room.removesuffix(".py")


def imports(tree):
    """Yield the dotted names that a module imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            deeper = node.module == "qoslib"
            yield from (f"qoslib.{a.name}" for a in node.names) if deeper else [node.module]


def functions(tree):
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def may_import(room, name):
    """Whether a room may import a dotted name."""
    top, _, rest = name.partition(".")
    other = rest.split(".")[0]
    if room == "__init__":
        return top != "qoslib"
    return (
        top != "livelab"
        and (top != "qoslib" or other == room or FLOOR.get(other, -1) < FLOOR[room])
        and room in ONLY_IN.get(top, {room})
        and (room not in ENGINES or not {top, f"{top}.{other}"} & NOT_IN_ENGINES)
    )


def wrong_imports(path):
    room = room_of(path)
    if room not in {"__init__", *FLOOR}:
        yield "a new room needs its line in FLOORS"
        return
    for name in imports(TREES[path]):
        if not may_import(room, name):
            yield f"imports {name}"


def test_imports_point_one_way():
    hold(wrong_imports, named(FILES))


def test_the_lab_imports_absolutely_and_draws_through_plots():
    def wrong(path):
        tops = {name.partition(".")[0] for name in imports(TREES[path])}
        return [f"imports {top}" for top in sorted(tops & ONLY_IN.keys())]

    hold(wrong, named(LIVE))


def test_engines_load_neither_tables_nor_figures():
    def loaded(room):
        code = f"import sys, qoslib.{room}; print(*sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        if done.returncode:
            return [done.stderr.splitlines()[-1]]
        heavy = {"pandas", "plotly", "ipywidgets", "dask"} & set(done.stdout.split())
        return [f"loads {name}" for name in sorted(heavy)]

    hold(loaded, [(room, room) for room in ENGINES])


def loaded_at_once(node):
    """Yield the parts of a module that run as soon as it is imported."""
    for each in ast.iter_child_nodes(node):
        later = isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if isinstance(each, ast.If) and ast.unparse(each.test).endswith("TYPE_CHECKING"):
            later = True
        if not later:
            yield each
            yield from loaded_at_once(each)


def packages_at_once(path):
    """Packages but numpy that a module loads before anyone has asked for a table or a figure."""
    if path.relative_to(ROOT).as_posix() in SHOWN or path == COMPILER:
        return
    for node in loaded_at_once(TREES[path]):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name in imports(node):
                top = name.partition(".")[0]
                if top not in {"qoslib", "numpy", *sys.stdlib_module_names}:
                    yield f"line {node.lineno}: imports {top}; allowed: where it is needed"


def test_numpy_alone_is_loaded_at_once():
    hold(packages_at_once, named(FILES))


def arrays_without_type(path):
    """Calls whose result has 32 bits in a web page: numpy's own integer is that of the machine."""
    if room_of(path) not in IN_A_PAGE or "kernels" in path.parts:
        return
    for node in ast.walk(TREES[path]):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        name, said = ast.unparse(node.func), {keyword.arg for keyword in node.keywords}
        given = name == "np.array" and len(node.args) > 1
        if name in ("np.arange", "np.array") and "dtype" not in said and not given:
            yield f"line {node.lineno}: {name} without dtype"
        elif node.func.attr == "astype" and ast.unparse(node.args[0]) == "int":
            yield f"line {node.lineno}: astype(int); allowed: np.int64"


def test_arrays_say_their_type():
    hold(arrays_without_type, named(FILES))


def quantities(tree):
    """Yield (name, annotation) of every field of a class and every parameter of a function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for field in node.body:
                if isinstance(field, ast.AnnAssign):
                    yield field.target.id, ast.unparse(field.annotation)
    for function in functions(tree):
        given = function.args
        for arg in chain(given.posonlyargs, given.args, given.kwonlyargs):
            yield arg.arg, ast.unparse(arg.annotation) if arg.annotation else "float"


def names_without_unit(path):
    if room_of(path) in FOR_PEOPLE:
        return
    for name, annotation in quantities(TREES[path]):
        words = name.split("_")
        if len(words) > 1 and words[-1] in OTHER_UNITS:
            yield f"{name}: not a base unit"
        elif QUANTITIES & set(words) and NUMBERS.search(annotation) and words[-1] not in BASE_UNITS:
            yield f"{name}: of which unit?"


def test_names_end_in_their_unit():
    hold(names_without_unit, named([*FILES, *LIVE]))


def products(tree):
    """Yield (line, number, other factor) of every product or quotient with a literal number."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.FloorDiv):
            for factor, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(factor, ast.Constant):
                    yield node.lineno, factor.value, other


def has_unit(expression):
    """Whether a name in an expression ends in a unit."""
    names = [getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(expression)]
    return any(name.split("_")[-1] in BASE_UNITS | OTHER_UNITS for name in names if "_" in name)


def conversions(path):
    if room_of(path) == "units":
        return
    for line, number, other in products(TREES[path]):
        where = f"line {line}: {number} and {ast.unparse(other)}"
        if number in POWERS_OF_TEN:
            yield f"{where}; a tolerance deserves a name"
        elif number == 8 and has_unit(other):
            yield where


def test_units_are_converted_in_one_place():
    hold(conversions, named([*FILES, *LIVE]))
