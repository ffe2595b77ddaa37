"""The public functions of `ops/shape/flip.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer
from ...._core.sizes import INTEGERS
from ...._core.sizes import sizes as as_sizes
from ...._core.tensor import method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor
    from ...._core.types import Lengths

bodies = bodies_of("ops.shape.flip")


@overridable
@method()
def flip(input: Tensor, *order: Lengths, dims: Lengths | None = None) -> Tensor:
    try:
        if dims is not None or not INTEGERS.issuperset(map(type, order)):
            order = as_sizes("flip", order, dims, "dims")
        input = steady_tensor("flip", input)
        return bodies.flip(ops, input, *order)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def fliplr(input: Tensor) -> Tensor:
    try:
        input = steady_tensor("fliplr", input)
        if input.ndim < 2:
            raise ArgumentError(f"fliplr: expected at least 2 dimensions; got shape {tuple(input.shape)}; use flip(0)")
        return ops.flip(input, ((1,),))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def flipud(input: Tensor) -> Tensor:
    try:
        input = steady_tensor("flipud", input)
        if not input.ndim:
            raise ArgumentError("flipud: expected at least 1 dimension; got a number")
        return ops.flip(input, ((0,),))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def rot90(input: Tensor, k: int = 1, dims: Lengths = (0, 1)) -> Tensor:
    try:
        input = steady_tensor("rot90", input)
        if type(k) is not int:
            k = as_integer(k, "rot90", "k")
        dims = as_sizes("rot90", (dims,))
        return bodies.rot90(ops, input, k, dims)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def roll(input: Tensor, shifts: Lengths, dims: Lengths | None = None) -> Tensor:
    try:
        input = steady_tensor("roll", input)
        return bodies.roll(ops, input, shifts, dims)
    except FaculaError as error:
        trim_traceback(error)
        raise
