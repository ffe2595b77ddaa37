"""Closure variables of a function, which may be unset, and its default arguments."""

from __future__ import annotations

from types import CellType
from typing import Any

UNSET = object()  # the value of a variable that is not set


def cells_of(function: Any) -> dict[str, CellType]:
    """Return the cells of closure variables by name; none for objects other than Python functions."""
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    return dict(zip(code.co_freevars, cells, strict=True)) if code is not None and cells else {}


def content(cell: CellType) -> Any:
    """Return the value of the variable, or `UNSET`."""
    try:
        return cell.cell_contents
    except ValueError:
        return UNSET


def variables_of(function: Any) -> dict[str, Any]:
    """Return the values of the variables that are set, by name."""
    return {name: value for name, cell in cells_of(function).items() if (value := content(cell)) is not UNSET}


def defaults_of(function: Any) -> list[Any]:
    """Return the default arguments of a function."""
    by_name = getattr(function, "__kwdefaults__", None) or {}
    return [*(getattr(function, "__defaults__", None) or ()), *by_name.values()]
