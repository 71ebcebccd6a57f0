"""Every public function says what it takes, returns and raises, and shows it by an example."""

import ast
import inspect
import re
import textwrap
from importlib import import_module

from floors import FLOORS
from offenders import hold

#: What `fail` and `checked` raise is a ValueError.
RAISING = {"fail", "checked"}
#: Rules of a record that its class states as a whole.
CHECKS = {"check", "check_queues"}


def public():
    """Yield (name, object) of all that the rooms list in `__all__`."""
    for room in (room for row in FLOORS for room in row if room not in ("lessons", "__main__")):
        module = import_module(f"qoslib.{room}")
        for name in module.__all__:
            yield f"{room}.{name}", getattr(module, name)


PUBLIC = dict(public())
FUNCTIONS = {name: each for name, each in PUBLIC.items() if inspect.isfunction(each)}
CLASSES = {name: each for name, each in PUBLIC.items() if inspect.isclass(each)}
METHODS = {
    f"{name}.{method}": each
    for name, kind in CLASSES.items()
    for method, each in vars(kind).items()
    if inspect.isfunction(each) and not method.startswith("_") and method not in CHECKS
}


def section(text, title):
    found = re.search(rf"^{title}\n-+\n([\s\S]*?)(?=^\w+\n---|\Z)", text, re.MULTILINE)
    return found[1] if found else ""


def documented_names(text):
    listed = re.findall(
        r"^(\*{0,2}\w[\w, *]*?)(?: : .+)?$", section(text, "Parameters"), re.MULTILINE
    )
    return {name.strip(" *") for line in listed for name in line.split(",")}


def raises(function):
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    called = {getattr(node.func, "id", "") for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return bool(called & RAISING) or any(isinstance(node, ast.Raise) for node in ast.walk(tree))


def undocumented(function):
    text, signature = inspect.getdoc(function) or "", inspect.signature(function)
    if not text:
        yield "no docstring"
    for argument in sorted(set(signature.parameters) - {"self", "cls"} - documented_names(text)):
        yield f"argument {argument}"
    silent = str(signature.return_annotation) in ("None", "typing.NoReturn")
    if not (silent or section(text, "Returns") or section(text, "Yields")):
        yield "result"
    if raises(function) and not section(text, "Raises"):
        yield "errors"


def without_example(function):
    return [] if ">>> " in section(inspect.getdoc(function) or "", "Examples") else ["no example"]


def test_arguments_results_and_errors_are_documented():
    hold(undocumented, (FUNCTIONS | METHODS).items())


def test_a_function_has_an_example_that_the_doctests_run():
    hold(without_example, FUNCTIONS.items())


def test_a_class_says_what_it_is():
    hold(lambda kind: [] if vars(kind).get("__doc__") else ["no docstring"], CLASSES.items())
