"""Conversion of functions to syntax trees and back."""

from __future__ import annotations

import ast
import sys
from copy import deepcopy
from inspect import getsourcelines
from itertools import pairwise
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from facula_errors import FaculaError

from .closures import cells_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FUTURE = sum([1 << bit for bit in range(17, 25)])  # the flags of `from __future__ import ...` in a code object
_made: WeakKeyDictionary[FunctionType, ast.FunctionDef] = WeakKeyDictionary()


class SourceError(FaculaError, RuntimeError):
    """The source of a function is not available, or differs from the code that runs."""


def tree_of(function: FunctionType) -> ast.FunctionDef:
    """Return the definition of a function as a new tree, with the line numbers of its file.

    Raises:
        SourceError: the source is not available, as for functions typed at a prompt; the function is a lambda or a
            coroutine; or the source differs from the code that runs.
    """
    if function in _made:
        return deepcopy(_made[function])
    name = function.__qualname__
    try:
        lines, first = getsourcelines(function.__code__)
    except (OSError, TypeError):
        raise SourceError(f"{name}: its source cannot be found; define it in a file") from None
    indented = lines[0][:1].isspace()
    try:
        parsed: ast.AST = ast.parse("".join(["if 1:\n" if indented else "", *lines]))
    except SyntaxError:  # for a lambda: the lines of the enclosing statement
        raise SourceError(f"{name}: its lines cannot be read alone; define it by `def`") from None
    tree = parsed.body[0].body[0] if indented else parsed.body[0]  # type: ignore[attr-defined]
    if type(tree) is not ast.FunctionDef:
        raise SourceError(f"{name}: expected a function that is defined by `def`; got {type(tree).__name__}")
    ast.increment_lineno(tree, first - 1 - indented)
    tree.decorator_list = []
    again = function_of(tree, function)
    if not _same(again.__code__, function.__code__):
        raise SourceError(
            f"{name}: its source differs from the code that runs; was the file changed, or the function rewritten?"
        )
    return tree


def function_of(tree: ast.FunctionDef, like: FunctionType, values: Mapping[str, object] | None = None) -> FunctionType:
    """Return a function with this tree, and the globals, variables, defaults and names of another one.

    Arguments:
        tree: the definition; it is stored, and must not be modified later.
        like: the other function.
        values: further closure variables by name; their names may be invalid identifiers.
    """
    cells = cells_of(like)
    cells.update({name: CellType(value) for name, value in (values or {}).items()})
    parts = like.__qualname__.split(".")
    owners = [before for before, after in pairwise(parts) if "<locals>" not in (before, after)]
    name = (owners or ["_"])[-1]
    # private names are mangled by the class; it hides the name of the tree
    owner = ast.ClassDef(name, [], [], [tree], [])
    names = ast.arguments([], [ast.arg(name) for name in cells], None, [], [], None, [])
    # so that the tree finds the class of this name itself
    outside: list[ast.stmt] = [] if name in cells else [ast.Global([name])]
    outer = ast.FunctionDef("outer", names, [*outside, owner], [])
    if "type_params" in outer._fields:  # since Python 3.12
        outer.type_params = owner.type_params = []  # type: ignore[attr-defined]
    module = ast.fix_missing_locations(ast.Module([outer], []))
    flags = like.__code__.co_flags & FUTURE
    whole = compile(module, like.__code__.co_filename, "exec", flags, dont_inherit=True)
    code = next(
        nested for nested in _codes_in(whole) if nested.co_name == tree.name and nested.co_firstlineno == tree.lineno
    )
    code = code.replace(co_qualname=like.__qualname__)
    if not cells.keys() >= set(code.co_freevars):
        raise SourceError(f"{like.__qualname__}: its source closes over more variables than it does")
    made = FunctionType(
        code, like.__globals__, like.__name__, like.__defaults__, tuple([cells[name] for name in code.co_freevars])
    )
    made.__kwdefaults__, made.__qualname__, made.__module__ = like.__kwdefaults__, like.__qualname__, like.__module__
    _made[made] = tree
    return made


def running_line(code: CodeType) -> int | None:
    """Return the present line of this thread in the innermost call of a code object."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code is code:
            return frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes_in(constant)


def _same(a: CodeType, b: CodeType) -> bool:
    """Return True if two code objects have the same names and constants.

    Their instructions may differ: the compiler emits different calls for methods of imported modules.
    """
    if set(a.co_names) != set(b.co_names) or a.co_varnames != b.co_varnames:
        return False
    if len(a.co_consts) != len(b.co_consts) or sorted(a.co_freevars) != sorted(b.co_freevars):
        return False
    pairs = [(constant, other) for constant, other in zip(a.co_consts, b.co_consts, strict=True)]
    return all(
        [
            _same(code_type, other) if isinstance(code_type, CodeType) else repr(code_type) == repr(other)
            for code_type, other in pairs
        ]
    )
