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
    """Return a view of the storage with the given shape, strides and offset (in elements).

    Gradients flow through the view if it stays within the tensor's own memory and the tensor's elements do not overlap.

    Arguments:
        input: the tensor.
        size: the shape.
        stride: the strides, in elements.
        storage_offset: the position of the first element, in elements; None for the offset of `input`.

    Raises:
        ValueError: if the view would reach elements outside the tensor from which `input` and all its views derive.

    >>> from facula_tensor import arange
    >>> as_strided(arange(6), (2, 2), (3, 1))
    tensor([[0, 1],
            [3, 4]])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("as_strided", input)
        size = as_sizes("as_strided", (size,))
        stride = as_sizes("as_strided", (stride,))
        if storage_offset is not None and type(storage_offset) is not int:
            storage_offset = as_integer(storage_offset, "as_strided", "storage_offset")
        return bodies.as_strided(input, size, stride, storage_offset)
    except FaculaError as error:
        trim_traceback(error)
        raise
