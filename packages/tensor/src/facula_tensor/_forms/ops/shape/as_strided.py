"""The public functions of `ops/shape/as_strided.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer
from ...._core.sizes import sizes as as_sizes
from ...._core.tensor import Tensor, method
from ...._dispatch.overrides import overridable
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.types import Lengths

bodies = bodies_of("ops.shape.as_strided")


@overridable
@method()
def as_strided(input: Tensor, size: Lengths, stride: Lengths, storage_offset: int | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("as_strided", input)
        size = as_sizes("as_strided", (size,))
        stride = as_sizes("as_strided", (stride,))
        if storage_offset is not None and type(storage_offset) is not int:
            storage_offset = as_integer(storage_offset, "as_strided", "storage_offset")
        return bodies.as_strided(input, size, stride, storage_offset)
    except FaculaError as error:
        trim_traceback(error)
        raise
