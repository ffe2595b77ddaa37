"""The public functions of `ops/indexing/take.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.tensor import Tensor, method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.indexing.gather import int64_index
from ....ops.indexing.many import flattened_for_reading

bodies = bodies_of("ops.indexing.take")


@overridable
@method()
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        input = steady_tensor("take", input)
        flat, places = flattened_for_reading("take", input, int64_index("take", index))
        result = ops.take(flat, places, (0,))
        return result if out is None else write_out("take", result, out, (input, index))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    try:
        return bodies.put("put", input, index, source, accumulate)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def put_(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`put` in place: changes `self` and returns it. Arguments: those of `put`."""
    try:
        return bodies.put("put_", self, index, source, accumulate)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    input = steady_tensor("take_along_dim", input)
    result = bodies.take_along_dim(ops, input, indices, dim)
    return result if out is None else write_out("take_along_dim", result, out, (input, indices))


@overridable
@method()
def argwhere(input: Tensor) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("argwhere", input)
        return Tensor.nonzero(input)
    except FaculaError as error:
        trim_traceback(error)
        raise
