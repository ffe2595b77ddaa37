"""The public functions of `ops/shape/tiling.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

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

bodies = bodies_of("ops.shape.tiling")


@overridable
@method()
def repeat(input: Tensor, *counts: Lengths, repeats: Lengths | None = None) -> Tensor:
    try:
        if repeats is not None or not INTEGERS.issuperset(map(type, counts)):
            counts = as_sizes("repeat", counts, repeats, "repeats")
        input = steady_tensor("repeat", input)
        return bodies.repeat(input, *counts)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def tile(input: Tensor, *counts: Lengths, dims: Lengths | None = None) -> Tensor:
    try:
        if dims is not None or not INTEGERS.issuperset(map(type, counts)):
            counts = as_sizes("tile", counts, dims, "dims")
        input = steady_tensor("tile", input)
        return bodies.tile(input, *counts)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def repeat_interleave(
    input: Tensor, repeats: Lengths | Tensor | None = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    input = steady_tensor("repeat_interleave", input)
    return bodies.repeat_interleave(ops, input, repeats, dim, output_size=output_size)
