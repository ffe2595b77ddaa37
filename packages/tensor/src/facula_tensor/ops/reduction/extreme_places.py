"""Where the largest and the smallest elements are: `argmax` and `argmin`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback
from facula_storage import int64

from ..._core.tensor import Tensor, method
from ..._dispatch.arguments import axis_for
from ..._dispatch.declaration import operator, under
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.overrides import overridable
from .extremes import along_one, check_not_empty
from .reducing import reduced

if TYPE_CHECKING:
    from ..._core.types import Function

__all__ = ["argmax", "argmin"]


def _index_of(name: str) -> Function:
    @operator
    @under("_" + name, "Where the extreme is.")
    class body:
        parameters = ("dim", "keepdim")

        def outputs(layout, dim, keepdim):
            dims = tuple(range(len(layout.shape))) if dim is None else (dim,) if layout.shape else ()
            check_not_empty(name, layout, dims)
            return reduced(layout, dims, keepdim, int64)

    return body


_argmax = _index_of("argmax")
_argmin = _index_of("argmin")


@overridable
@method()
def argmax(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The index of the largest element (of the flattened tensor, or along `dim`); the first of equal ones.

    Arguments:
        input: the tensor to reduce.
        dim: the dimension; all elements if None.
        keepdim: whether the reduced dimensions stay, with length 1.
        axis: NumPy's name of `dim`.
        keepdims: NumPy's name of `keepdim`.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 5.0], [3.0, 4.0]]).argmax(0)
    tensor([1, 0])
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "argmax")
        input, parameters = along_one("argmax", input, dim, keepdim or keepdims)
        return recorded_ops.argmax(input, parameters, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def argmin(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The index of the smallest element (of the flattened tensor, or along `dim`); the first of equal ones.

    Arguments:
        input: the tensor to reduce.
        dim: the dimension; all elements if None.
        keepdim: whether the reduced dimensions stay, with length 1.
        axis: NumPy's name of `dim`.
        keepdims: NumPy's name of `keepdim`.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 5.0], [3.0, 4.0]]).argmin(0)
    tensor([0, 1])
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "argmin")
        input, parameters = along_one("argmin", input, dim, keepdim or keepdims)
        return recorded_ops.argmin(input, parameters, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
