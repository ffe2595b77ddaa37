"""The public functions of `ops/indexing/masks.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor

bodies = bodies_of("ops.indexing.masks")


@overridable
@method()
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        input = steady_tensor("masked_select", input)
        result = bodies.masked_select(ops, input, mask)
        return result if out is None else write_out("masked_select", result, out, (input, mask))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    try:
        return bodies.masked_scatter("masked_scatter", input, mask, source)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`masked_scatter` in place: changes `self` and returns it. Arguments: those of `masked_scatter`."""
    try:
        return bodies.masked_scatter("masked_scatter_", self, mask, source)
    except FaculaError as error:
        trim_traceback(error)
        raise
