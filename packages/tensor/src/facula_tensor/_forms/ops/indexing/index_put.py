"""The public functions of `ops/indexing/index_put.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import Tensor, method
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence

bodies = bodies_of("ops.indexing.index_put")


@overridable
@method()
def index_put(input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("index_put", input)
        if not isinstance(values, Tensor):
            values = as_tensor("index_put", values)
        return bodies.index_put(ops, "index_put", input, indices, values, accumulate)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def index_put_(input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False) -> Tensor:
    """`index_put` in place: changes `input` and returns it. Arguments: those of `index_put`."""
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("index_put_", input)
        if not isinstance(values, Tensor):
            values = as_tensor("index_put_", values)
        return bodies.index_put(ops, "index_put_", input, indices, values, accumulate)
    except FaculaError as error:
        trim_traceback(error)
        raise
