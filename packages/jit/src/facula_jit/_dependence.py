"""By which names a function comes to what it depends on, as far as its code says."""

from __future__ import annotations

from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from facula_errors.extend import is_library_module

from ._closures import cells_of, variables_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


COMPUTED = frozenset(("getattr", "vars", "__dict__", "locals", "globals", "eval", "exec", "attrgetter"))


def names_of(check: tuple[Any, Any, Any], function: FunctionType, owners: Iterable[object]) -> set[str]:
    """The names of variables and attributes that lead to what a check is about: one, or none that is known.

    Arguments:
        check: the check.
        function: the function that was captured.
        owners: the objects that it was given.
    """
    holder, key, _ = check
    code = function.__code__
    if isinstance(holder, CellType):
        return {name for name, cell in cells_of(function).items() if cell is holder}
    if isinstance(holder, dict) and isinstance(key, str):
        return {key}
    variables = {name: function.__globals__.get(name) for name in code.co_names}
    variables.update(variables_of(function))
    for one in owners:
        variables.update(getattr(one, "__dict__", ()))
    return {name for name, value in variables.items() if value is holder or holder is getattr(value, "__dict__", None)}


def is_unread(names: set[str], function: FunctionType, owners: Sequence[object]) -> bool:
    """Whether no code reads attributes of these names: they are the program's own, and neither the function names them,
    nor what it may call.

    Arguments:
        names: the names.
        function: the function.
        owners: the objects that it was given.
    """
    holders = [one for one in owners if not names.isdisjoint(getattr(one, "__dict__", ()))]
    library = [kind for one in holders for kind in type(one).__mro__ if is_library_module(kind.__module__)]
    if not holders or any([hasattr(kind, name) for kind in library for name in names]):
        return False
    reads = reachable_names(function, owners)
    return reads is not None and reads.isdisjoint(names)


def reachable_names(function: FunctionType, owners: Iterable[object]) -> set[str] | None:
    """All names and strings in a function and in what it may call by names; None where it computes names.

    Arguments:
        function: the function.
        owners: objects whose methods it may call.
    """
    types = [kind for one in owners for kind in type(one).__mro__]
    found: set[str] = set()
    todo, known = [function], {id(function)}
    while todo:
        one = todo.pop()
        names = _names_in(one.__code__)
        if not COMPUTED.isdisjoint(names):
            return None
        found |= names
        values: list[Any] = [one.__globals__.get(name) for name in names]
        values += variables_of(one).values()
        for kind in types:
            own = [vars(kind).get(name) for name in names]
            values += [getattr(value, "fget", None) or getattr(value, "__func__", value) for value in own]
        for value in values:
            if isinstance(value, FunctionType) and id(value) not in known:
                known.add(id(value))
                if not is_library_module(value.__module__):
                    todo.append(value)
    return found


def _names_in(code: CodeType) -> set[str]:
    """Names and strings of a code object and of those in it."""
    found = set(code.co_names)
    for one in code.co_consts:
        if isinstance(one, str):
            found.add(one)
        elif isinstance(one, CodeType):
            found |= _names_in(one)
    return found
