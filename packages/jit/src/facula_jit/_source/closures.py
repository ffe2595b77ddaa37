"""The variables that a function closes over, some of which may not be set yet, and its default arguments."""

from __future__ import annotations

from types import CellType
from typing import Any

UNSET = object()  # what a variable holds before it is set


def cells_of(function: Any) -> dict[str, CellType]:
    """The cells of these variables by name; none of what is no function of Python."""
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    return dict(zip(code.co_freevars, cells, strict=True)) if code is not None and cells else {}


def content(cell: CellType) -> Any:
    """What the variable holds, or `UNSET`."""
    try:
        return cell.cell_contents
    except ValueError:
        return UNSET


def variables_of(function: Any) -> dict[str, Any]:
    """What the variables hold that are set, by name."""
    return {name: one for name, cell in cells_of(function).items() if (one := content(cell)) is not UNSET}


def defaults_of(function: Any) -> list[Any]:
    """The default arguments of a function."""
    by_name = getattr(function, "__kwdefaults__", None) or {}
    return [*(getattr(function, "__defaults__", None) or ()), *by_name.values()]
