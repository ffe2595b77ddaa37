"""Bodies of declarations as text, for generated functions that contain their lines."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
from importlib.util import resolve_name
from textwrap import dedent
from typing import TYPE_CHECKING, NamedTuple

from facula_tensor._dispatch.written import bodies_of, declared, file_of

from ._arguments import quoted

if TYPE_CHECKING:
    from facula_tensor._dispatch.written import Declared

WIDTH = 112  # of lines, which may be two levels deeper in the function than in the body
MOST_LINES = 12  # of bodies that are inlined without being declared so
OWN = frozenset(("before", "inplace", "ops", "out", "result"))  # names that generated functions use themselves


class Body(NamedTuple):
    """The lines of a body: `ops` are the operators, and `needs` the names (module, name) that it uses."""

    text: str
    needs: set[tuple[str, str]]
    returns: int


def body_of(what: Declared) -> Body:
    """Return the text of a declaration's body."""
    statements, text = _statements(what)
    names = {node.id for statement in statements for node in ast.walk(statement) if isinstance(node, ast.Name)}
    for variable, value in inspect.getclosurevars(what.signature).nonlocals.items():
        if isinstance(value, tuple):
            text = text.replace(f", *{variable})", f"{''.join([f', {quoted(element)}' for element in value])})")
        elif isinstance(value, (str, int, float)):
            text = re.sub(rf"\b{variable}\b", quoted(value), text)
        else:
            found = next(name for name, known in what.signature.__globals__.items() if known is value)
            text, names = re.sub(rf"\b{variable}\b", found, text), names | {found}
    needs = names_of(what.module, names - set(what.signature.__code__.co_varnames))
    if what.signature.__code__.co_varnames[:1] == ("F",):
        needs.add((".._dispatch.namespaces", "recorded_ops as ops"))
        text = re.sub(r"\bF(?=[.,)])", "ops", text.replace("F.this", f"F.{what.name}"))
    return Body(text, needs, len(re.findall(r"^ *return ", text, re.MULTILINE)))


def is_short(what: Declared) -> bool:
    """Return whether a body may be inlined although the declaration does not say so.

    It is a short function of a module, which ends with its only `return`, and uses only arguments, local variables and
    names that other modules define. (Those of its own module may not be defined yet when the written file imports
    them.)
    """
    body, code = what.signature, what.signature.__code__
    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if not what.is_body or what.calls or what.prepare or what.without or "operation" in arguments:
        return False
    if body.__closure__ or "<locals>" in body.__qualname__ or body.__name__ != what.name:
        return False
    if getattr(bodies_of(file_of(what.module)), what.name) is not body:  # `instead` of it, another function is called
        return False
    statements, text = _statements(what)
    lines = text.split("\n")
    if not statements or not isinstance(statements[-1], ast.Return) or len(lines) > MOST_LINES:
        return False
    if max(map(len, lines)) > WIDTH:
        return False
    names = [node for statement in statements for node in ast.walk(statement) if isinstance(node, ast.Name)]
    stored = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    free = {node.id for node in names} - stored - set(code.co_varnames) - set(vars(builtins))
    found = names_of(what.module, free)
    known = {name for module, name in found if module != f"..{what.module.partition('.')[2]}"}
    known |= {function.name for function in declared if function.module == what.module}
    return free <= known and not stored & (OWN | set(arguments[:1])) and len(re.findall(r"\breturn\b", text)) == 1


def _statements(what: Declared) -> tuple[list[ast.stmt], str]:
    """Return the statements after a body's docstring, and their text."""
    lines, _ = inspect.getsourcelines(what.signature)
    definition: ast.FunctionDef = ast.parse(dedent("".join(lines))).body[0]  # type: ignore[assignment]
    statements = definition.body[ast.get_docstring(definition) is not None :]
    first = statements[0].lineno - 1 if statements else len(lines)
    return statements, dedent("".join(lines[first:])).rstrip()


def names_of(module: str, wanted: set[str]) -> set[tuple[str, str]]:
    """Return the names that a module imports or defines by hand, as (module relative to `_forms/`, name)."""
    found = set()
    wanted = wanted - {what.name for what in declared if what.module == module}
    for node in ast.parse(inspect.getsource(sys.modules[module])).body:
        if isinstance(node, ast.ImportFrom):
            home = resolve_name("." * node.level + (node.module or ""), module.rpartition(".")[0])
            found |= {(home, alias.name) for alias in node.names if alias.name in wanted}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found |= {(module, node.name)} if node.name in wanted else set()
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            assigned = {
                target.id
                for target in ast.walk(node)
                if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store)
            }
            found |= {(module, name) for name in assigned & wanted}
    return {(home.replace("facula_tensor.", "..", 1), name) for home, name in found}
