"""How many lines of code a user writes."""

import ast
from pathlib import Path

__all__ = ["user_lines"]

FOLDER = Path(__file__).resolve().parent
#: qoslib's user writes the ports; what makes variants and numbers for others is not counted.
WRITTEN = {
    "qoslib": (
        ("workloads.py", {"w1", "w2", "w3", "w4"}),
        ("peers/qoslib_run.py", {"results"}),
    ),
    "ns-3": (("peers/ns3_model.py", None),),
    "SimPy": (("peers/simpy_model.py", None),),
    "ns.py": (("peers/nspy_model.py", None),),
}


def _names(node):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _defines(node):
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Assign):
        return set().union(*(_names(target) for target in node.targets))
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return set()


def _docstrings(tree):
    """Line numbers of all docstrings."""
    kinds = ast.Module | ast.FunctionDef | ast.ClassDef
    for node in ast.walk(tree):
        if isinstance(node, kinds) and ast.get_docstring(node) is not None:
            yield from range(node.body[0].lineno, node.body[0].end_lineno + 1)


def _reached(tree, wanted):
    """The statements that define these names, and all names that those use in turn."""
    chosen, reached = [], set(wanted)
    while True:
        new = [n for n in tree.body if n not in chosen and _defines(n) & reached]
        if not new:
            return chosen
        chosen += new
        reached |= set().union(*(_names(node) for node in new))


def code_lines(path, wanted=None):
    """Lines that are neither blank, comment nor docstring, of the whole file or some functions."""
    text = path.read_text()
    tree = ast.parse(text)
    nodes = tree.body if wanted is None else _reached(tree, wanted)
    numbers = {n for node in nodes for n in range(node.lineno, node.end_lineno + 1)}
    numbers -= set(_docstrings(tree))
    lines = [text.splitlines()[n - 1].strip() for n in numbers]
    return sum(bool(line) and not line.startswith("#") for line in lines)


def user_lines():
    """Simulator -> lines of code for all workloads that it runs."""
    return {
        name: sum(code_lines(FOLDER / path, wanted) for path, wanted in parts)
        for name, parts in WRITTEN.items()
    }
