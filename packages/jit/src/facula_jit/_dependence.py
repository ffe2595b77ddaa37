"""By which names a function comes to what it depends on, as far as its code says."""

from __future__ import annotations

from types import CellType
from typing import TYPE_CHECKING, Any

from facula_errors.extend import is_library_module

from ._closures import cells_of, variables_of
from ._contents import COMPUTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Set
    from types import FunctionType


def names_of(check: tuple[Any, ...], function: FunctionType, owners: Iterable[object]) -> set[str]:
    """The names of variables and attributes that lead to what a check is about: one, or none that is known.

    Arguments:
        check: the check.
        function: the function that was captured.
        owners: the objects that it was given.
    """
    _, holder, key, _ = check
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


def is_unread(names: set[str], read: Set[str], owners: Iterable[object]) -> bool:
    """Whether no code reads attributes of these names: they are the program's own, and no line of it names them.

    Arguments:
        names: the names.
        read: those that the lines have that may run.
        owners: the objects whose attributes are meant.
    """
    holders = [one for one in owners if not names.isdisjoint(getattr(one, "__dict__", ()))]
    if not holders or not COMPUTED.isdisjoint(read) or not read.isdisjoint(names):
        return False
    library = {kind for one in holders for kind in type(one).__mro__ if is_library_module(kind.__module__)}
    bases = {base for kind in library if kind.__name__ == "Module" for base in kind.__mro__}
    return library <= bases and not any([hasattr(kind, name) for kind in library for name in names])
