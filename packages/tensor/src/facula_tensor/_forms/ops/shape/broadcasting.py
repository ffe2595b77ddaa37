"""The public functions of `ops/shape/broadcasting.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.promotion import as_integer
from ...._core.sizes import sizes as as_sizes
from ...._core.tensor import Tensor, check_dim, method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.shape.views import resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.types import Lengths

bodies = bodies_of("ops.shape.broadcasting")


def broadcast_shapes(*shapes: Lengths) -> tuple[int, ...]:
    try:
        return bodies.broadcast_shapes(*shapes)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    try:
        return bodies.broadcast_tensors(ops, *tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: str | None = None) -> tuple[Tensor, ...]:
    try:
        return bodies.meshgrid(ops, *tensors, indexing=indexing)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def cartesian_prod(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    try:
        return bodies.cartesian_prod(ops, *tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    try:
        input = steady_tensor("combinations", input)
        if type(r) is not int:
            r = as_integer(r, "combinations", "r")
        return bodies.combinations(ops, input, r, with_replacement)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def ravel(input: Tensor) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("ravel", input)
        return ops.reshape(input, (input.numel(),))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def unflatten(input: Tensor, dim: int, sizes: Lengths) -> Tensor:
    """dim: the dimension."""
    if not isinstance(input, Tensor):
        input = as_tensor("unflatten", input)
    sizes = as_sizes("unflatten", (sizes,))
    shape = tuple(input.shape)
    at = check_dim("unflatten", dim, len(shape))
    if not sizes:
        raise ArgumentError("unflatten: expected sizes of at least one dimension; got none")
    if not shape:
        raise ArgumentError("unflatten: expected at least 1 dimension; got a number; use reshape")
    return ops.view(input, (*shape[:at], *resolve("unflatten", sizes, shape[at]), *shape[at + 1 :]))
