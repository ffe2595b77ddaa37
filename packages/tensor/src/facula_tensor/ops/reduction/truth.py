"""Whether any or all elements are nonzero, over all of them or along dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback
from facula_storage import bool_

from ..._core.tensor import Tensor, layout_of_tensor, method
from ..._dispatch.arguments import axis_for
from ..._dispatch.declaration import operator, under
from ..._dispatch.namespaces import no_record_ops, recorded_ops
from ..._dispatch.overrides import overridable
from .reducing import reduced, reduction

if TYPE_CHECKING:
    from ..._core.types import Dims, Function

__all__ = ["all", "any"]


def _truth(name: str) -> Function:
    @operator
    @under("_" + name, "Whether elements are nonzero.")
    class body:
        parameters = ("dims", "keepdim")

        def outputs(layout, dims, keepdim):
            return reduced(layout, dims, keepdim, bool_)

    return body


_any = _truth("any")
_all = _truth("all")


@overridable
@method()
def any(
    input: Tensor,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    axis: Dims | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Whether any element is nonzero, over all or along `dim`: bool, for every dtype.

    Arguments:
        input: the tensor to reduce.
        dim: the dimension, or several; all of them if None.
        keepdim: whether the reduced dimensions stay, with length 1.
        axis: NumPy's name of `dim`.
        keepdims: NumPy's name of `keepdim`.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> tensor([[0, 1], [0, 0]]).any(1)
    tensor([ True, False])
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "any")
        input, parameters = reduction("any", input, dim, keepdim or keepdims)
        if layout_of_tensor(input).dtype is not bool_:
            input = no_record_ops.to(input, (bool_,))
        return recorded_ops.any(input, parameters) if out is None else recorded_ops.any(input, parameters, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def all(
    input: Tensor,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    axis: Dims | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Whether all elements are nonzero, over all or along `dim`: bool, for every dtype.

    Arguments:
        input: the tensor to reduce.
        dim: the dimension, or several; all of them if None.
        keepdim: whether the reduced dimensions stay, with length 1.
        axis: NumPy's name of `dim`.
        keepdims: NumPy's name of `keepdim`.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> tensor([[1, 1], [0, 1]]).all(1)
    tensor([ True, False])
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "all")
        input, parameters = reduction("all", input, dim, keepdim or keepdims)
        if layout_of_tensor(input).dtype is not bool_:
            input = no_record_ops.to(input, (bool_,))
        return recorded_ops.all(input, parameters) if out is None else recorded_ops.all(input, parameters, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
