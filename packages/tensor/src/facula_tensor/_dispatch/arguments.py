"""Checks of arguments that several public functions make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError
from facula_storage.extend import FLOATING

from .._core.tensor import layout_of_tensor
from .view_call import as_tensor

if TYPE_CHECKING:
    from typing import NoReturn

    from .._core.tensor import Tensor


def floats(operation: str, input: Tensor) -> Tensor:
    """`input`; TypeError, with the function's name, unless its dtype is a floating one."""
    dtype = layout_of_tensor(as_tensor(operation, input)).dtype
    if dtype.category != FLOATING:
        raise DTypeError(f"{operation}: defined for floating dtypes; got {dtype.name}; convert with .float()")
    return input


def source(operation: str, input: Tensor) -> Tensor:
    """What to compute the new elements of `input` from: a copy of it if it has a graph.

    That graph's nodes, and the new one, need the elements as they were. `operation` names the caller in the TypeError.
    """
    input = as_tensor(operation, input)
    return input.clone() if input.node is not None else input


def refuse_choice(operation: str, argument: str, value: object, choices: str) -> NoReturn:
    """ValueError for an argument that is none of the values it may have."""
    raise ArgumentError(f"{operation}: expected {argument} to be {choices}; got {value!r}")
