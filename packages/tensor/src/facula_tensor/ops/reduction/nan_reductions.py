"""Reductions that pass over NaN: `nansum` and `nanmean`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import DTypeError
from facula_errors.extend import boundary
from facula_storage import float32, float64
from facula_storage.extend import COMPLEX, FLOATING

from ..._core.promotion import as_dtype
from ..._core.tensor import Tensor, layout_of_tensor, method, steady
from ..._dispatch.arguments import axis_for
from ..._dispatch.namespaces import no_record_ops, recorded_ops
from ..._dispatch.overrides import overridable
from ..._dispatch.view_call import as_tensor
from ..._dispatch.writing import write_out
from .reducing import reduction
from .sums import sum

if TYPE_CHECKING:
    from ..._core.types import Dims, DTypeLike

__all__ = ["nanmean", "nansum"]


@overridable
@method()
@boundary
def nansum(
    input: Tensor,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    axis: Dims | None = None,
    keepdims: bool = False,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The sum of the elements that are not NaN, of all or along `dim`: 0 where there are none. As `sum` otherwise.

    TypeError for complex numbers.

    Arguments:
        input: the tensor to reduce.
        dim: the dimension, or several; all of them if None.
        keepdim: whether the reduced dimensions stay, with length 1.
        axis: NumPy's name of `dim`.
        keepdims: NumPy's name of `keepdim`.
        dtype: the dtype of the result.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> nansum(tensor([1.0, float("nan"), 2.0]))
    tensor(3.)
    """
    if axis is not None:
        dim = axis_for(dim, axis, "nansum")
    input = steady(as_tensor("nansum", input))
    kind = layout_of_tensor(input).dtype
    if kind.category == COMPLEX:
        raise DTypeError(f"nansum: not defined for {kind.name}; sum real and imaginary parts apart")
    if kind.category == FLOATING:
        input = recorded_ops.where(recorded_ops.ne(input, input), 0, input)
    return sum(input, dim, keepdim or keepdims, dtype=dtype, out=out)


@overridable
@method()
@boundary
def nanmean(
    input: Tensor,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    axis: Dims | None = None,
    keepdims: bool = False,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The mean of the elements that are not NaN, of all or along `dim`; NaN where there are none.

    TypeError for integers: convert first, or give `dtype`.

    Arguments:
        input: the tensor to reduce.
        dim: the dimension, or several; all of them if None.
        keepdim: whether the reduced dimensions stay, with length 1.
        axis: NumPy's name of `dim`.
        keepdims: NumPy's name of `keepdim`.
        dtype: the dtype of the result.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> nanmean(tensor([1.0, float("nan"), 2.0]))
    tensor(1.5000)
    """
    if axis is not None:
        dim = axis_for(dim, axis, "nanmean")
    input = steady(as_tensor("nanmean", input))
    if dtype is not None:
        input = input.to(as_dtype(dtype, "nanmean"))
    kind = layout_of_tensor(input).dtype
    if kind.category < FLOATING:
        raise DTypeError(f"nanmean: not defined for {kind.name}; convert with .float(), or give dtype=")
    counted = no_record_ops.eq(input.detach(), input.detach())
    if kind in (float32, float64):  # counted in the same dtype, so that nothing is promoted
        zeroed, parameters = reduction("nanmean", recorded_ops.where(counted, input, 0), dim, keepdim or keepdims)
        counts = no_record_ops.sum(no_record_ops.to(counted, (kind,)), parameters)
        return write_out("nanmean", recorded_ops.div(recorded_ops.sum(zeroed, parameters), counts), out)
    total = sum(recorded_ops.where(counted, input, 0), dim, keepdim or keepdims)
    return write_out("nanmean", recorded_ops.div(total, sum(counted, dim, keepdim or keepdims)), out)
