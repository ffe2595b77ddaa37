"""The public functions of `ops/indexing/unravel_index.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer
from ...._core.tensor import Tensor, method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.types import Lengths

bodies = bodies_of("ops.indexing.unravel_index")


@overridable
def unravel_index(indices: Tensor, shape: Lengths | Tensor) -> tuple[Tensor, ...]:
    try:
        if not isinstance(indices, Tensor):
            indices = as_tensor("unravel_index", indices)
        return bodies.unravel_index(indices, shape)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1, out: Tensor | None = None) -> Tensor:
    try:
        input = steady_tensor("nonzero_static", input)
        if type(size) is not int:
            size = as_integer(size, "nonzero_static", "size")
        if type(fill_value) is not int:
            fill_value = as_integer(fill_value, "nonzero_static", "fill_value")
        result = bodies.nonzero_static(input, size=size, fill_value=fill_value)
        return result if out is None else write_out("nonzero_static", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
