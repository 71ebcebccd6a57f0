"""Which lines of a lesson some lines need, and what those give: nothing else of it is run."""

import ast
import contextlib
import io
from collections.abc import Sequence
from typing import Any

__all__ = ["lines", "namespace", "run"]

_INSIDE = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.FunctionDef)
_Lines = Sequence[ast.stmt]


def lines(before: _Lines, code: _Lines) -> list[ast.stmt]:
    """The lines among those before it that code needs.

    >>> before = ast.parse("a = [1]; b = 1 / 0; a.append(2)").body
    >>> [ast.unparse(line) for line in lines(before, ast.parse("b = 3; a + [b]").body)]
    ['a = [1]', 'a.append(2)']
    """
    needed: set[str] = set()
    for line in reversed(code):
        needed = (needed - _given(line)) | _read(line)
    modules = set().union(*(_given(line) for line in before if _imports(line)))
    found = []
    for line in reversed(before):
        given = _given(line)
        if needed & (given | _changed(line) - modules):
            found.append(line)
            needed = (needed - given) | _read(line)
    return found[::-1]


def namespace(before: _Lines, code: _Lines) -> dict[str, Any]:
    """What code needs of the lines before it, by name; what those print is left out."""
    found: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        run(lines(before, code), found)
    return found


def run(code: _Lines, given: dict[str, Any]) -> None:
    """Run lines with names that are given."""
    exec(compile(ast.Module(list(code), []), "<lesson>", "exec"), given)


def _imports(line: ast.stmt) -> bool:
    return isinstance(line, ast.Import | ast.ImportFrom)


def _given(line: ast.stmt) -> set[str]:
    """The names that a line gives a value, whatever they were before."""
    if isinstance(line, ast.Import | ast.ImportFrom):
        return {(each.asname or each.name).partition(".")[0] for each in line.names}
    if isinstance(line, ast.FunctionDef):
        return {line.name}
    targets = line.targets if isinstance(line, ast.Assign) else []
    return set().union(*(_names(each, ast.Store) for each in targets))


def _changed(line: ast.stmt) -> set[str]:
    """The names that a line may change: in part, or by a method."""
    found = _names(line, ast.Store) - _bound_inside(line)
    for each in ast.walk(line):
        if isinstance(each, ast.Attribute | ast.Subscript) and isinstance(each.ctx, ast.Store):
            found |= _names(each, ast.Load)
    call = line.value if isinstance(line, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        found |= _names(call.func, ast.Load)
    return found


def _read(node: ast.AST) -> set[str]:
    """The names that are read, without those of a comprehension's or function's own."""
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    inside = set().union(*map(_read, ast.iter_child_nodes(node)))
    return inside - _own(node) if isinstance(node, _INSIDE) else inside


def _own(node: ast.AST) -> set[str]:
    arguments = {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    return arguments | _names(node, ast.Store)


def _bound_inside(node: ast.AST) -> set[str]:
    return set().union(*(_own(each) for each in ast.walk(node) if isinstance(each, _INSIDE)))


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """The names that are read (`ast.Load`) or bound (`ast.Store`) in a node."""
    every = (each for each in ast.walk(node) if isinstance(each, ast.Name))
    return {each.id for each in every if isinstance(each.ctx, context)}
