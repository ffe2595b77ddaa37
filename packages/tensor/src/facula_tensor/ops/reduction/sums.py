"""Sums, means and products, over all elements or along dimensions."""

from __future__ import annotations

from math import prod as product
from typing import TYPE_CHECKING

from facula_errors import DTypeError, FaculaError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import Layout, bool_, float32
from facula_storage.extend import FLOATING

from ..._core.promotion import accumulating, as_dtype
from ..._core.tensor import Tensor, elements, layout_of_tensor, method
from ..._dispatch.arguments import axis_for
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import composite, may_alias_grad, no_record_ops, recorded_ops
from ..._dispatch.overrides import overridable
from ..._dispatch.writing import write_out
from .reducing import reduced, reduction

if TYPE_CHECKING:
    from ..._core.types import Dims, DTypeLike, Function
    from ..._dispatch.namespaces import Namespace

__all__ = ["mean", "prod", "sum"]


@composite
def sum_to(F: Namespace, g: Tensor, layout: Layout) -> Tensor:
    """`g` summed to the shape it was broadcast from; in the layout's dtype, if it was wider than the result's."""
    shape, target = layout_of_tensor(g).shape, layout.shape
    if shape == target:
        return g
    extra = len(shape) - len(target)
    dims = tuple(i for i in range(len(shape)) if i < extra or (target[i - extra] == 1 and shape[i] != 1))
    if extra:
        leading = tuple(range(extra))
        kept = tuple(dim for dim in dims if dim >= extra)
        if kept:
            g = F.sum(g, (kept, True))
        g = F.sum(g, (leading, False))
        return g if target or layout_of_tensor(g).dtype is layout.dtype else F.to(g, (layout.dtype,))
    return F.sum(g, (dims, True))


@operator
class _sum:
    """The sum along dimensions."""

    parameters = ("dims", "keepdim")
    linear = ("input",)
    holomorphic = False

    def outputs(layout, dims, keepdim):
        return reduced(layout, dims, keepdim, accumulating(layout.dtype))

    @may_alias_grad
    def vjp_input(F, g, input_layout, dims, keepdim):
        return F.expand_grad(g, input_layout, dims, keepdim)


@overridable
@method()
def sum(
    input: Tensor,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    axis: Dims | None = None,
    keepdims: bool = False,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The sum of all elements, or along `dim` (an integer or several).

    Integers and bool are summed in int64, and wrap where `dtype` is narrower; half precisions are summed in
    float32, and float32 in blocks, so that the error grows with the logarithm of the length.

    Arguments:
        input: the tensor to reduce.
        dim: the dimension, or several; all of them if None.
        keepdim: whether the reduced dimensions stay, with length 1.
        axis: NumPy's name of `dim`.
        keepdims: NumPy's name of `keepdim`.
        dtype: the dtype of the result.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 2.0], [3.0, 4.0]]).sum(0)
    tensor([4., 6.])
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "sum")
        if dtype is not None:
            return folded("sum", recorded_ops.sum, input, dim, keepdim or keepdims, dtype, out)
        return recorded_ops.sum(*reduction("sum", input, dim, keepdim or keepdims), out)
    except FaculaError as error:
        trim_traceback(error)
        raise


def folded(
    operation: str,
    fold: Function,
    input: Tensor,
    dim: Dims | None,
    keepdim: bool,
    dtype: DTypeLike | None,
    out: Tensor | None,
) -> Tensor:
    """A sum or product in `dtype`."""
    input, parameters = reduction(operation, input, dim, keepdim)
    dtype = as_dtype(dtype, operation)
    input = input.to(dtype)
    if accumulating(dtype) is dtype:
        return fold(input, parameters, out)
    return write_out(operation, fold(input, parameters).to(dtype), out)  # narrow integers wrap


@overridable
@method()
def mean(
    input: Tensor,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    axis: Dims | None = None,
    keepdims: bool = False,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The mean of all elements, or along `dim`. NaN where there is none. TypeError for integers: convert first.

    Half precisions are summed and divided in float32, so that the mean is finite where the sum would not be.

    Arguments:
        input: the tensor to reduce.
        dim: the dimension, or several; all of them if None.
        keepdim: whether the reduced dimensions stay, with length 1.
        axis: NumPy's name of `dim`.
        keepdims: NumPy's name of `keepdim`.
        dtype: the dtype of the result.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 2.0], [3.0, 4.0]]).mean()
    tensor(2.5000)
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "mean")
        input, parameters = reduction("mean", input, dim, keepdim or keepdims)
        if dtype is not None:
            dtype = as_dtype(dtype, "mean")
            if dtype.category < FLOATING:
                raise DTypeError(f"mean: expected dtype to be floating or complex; got {dtype.name}; convert the mean")
            input = input.to(dtype)
        layout = layout_of_tensor(input)
        dtype = layout.dtype
        if dtype.category < FLOATING:
            raise DTypeError(f"mean: not defined for {dtype.name}; convert with .float(), or give dtype=")
        half = dtype.category == FLOATING and dtype.itemsize == 2
        total = recorded_ops.sum(recorded_ops.to(input, (float32,)) if half else input, parameters)
        numel = layout.numel
        if numel:
            count = numel / layout_of_tensor(total).numel
        else:
            count = float(product([layout.shape[i] for i in parameters[0]]))
        result = recorded_ops.div(total, count) if count else recorded_ops.mul(total, float("nan"))
        if half:
            result = recorded_ops.to(result, (dtype,))
        return result if out is None else write_out("mean", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@operator
class _prod:
    """The product along dimensions."""

    parameters = ("dims", "keepdim")

    def outputs(layout, dims, keepdim):
        return reduced(layout, dims, keepdim, accumulating(layout.dtype))

    def vjp_input(F, g, input, input_layout, dims, keepdim):
        shape, g = input_layout.shape, F.expand_grad(g, input_layout, dims, keepdim)
        every = elements(input)
        everywhere = tuple(range(every.ndim)), False
        if input.is_meta or no_record_ops.all(no_record_ops.to(every, (bool_,)), everywhere).item():
            return F.div(F.mul(g, F.prod(input, (dims, True))), input)
        order = tuple(i for i in range(len(shape)) if i not in dims) + dims
        rows = F.reshape(F.permute(input, order), (-1, product(shape[i] for i in dims)))
        others = F.reshape(F.product_of_others(rows), tuple(shape[i] for i in order))
        back = tuple(order.index(i) for i in range(len(shape)))
        return F.mul(g, F.permute(others, back))


@composite
def product_of_others(F: Namespace, rows: Tensor) -> Tensor:
    """In the place of each element the product of all others in its row, zeros or not, of any order of derivatives.

    By halves: an element's others are its partner in the other half, and the others of the two's product.
    """
    n = rows.shape[-1]
    if n < 2:
        return F.ones_like(rows)
    half = n // 2
    left, right, odd = (F.slice(rows, 1, *ends, 1) for ends in ((0, half), (half, 2 * half), (2 * half, n)))
    others = F.product_of_others(F.cat((F.mul(left, right), odd), (1,)))
    paired, last = F.slice(others, 1, 0, half, 1), F.slice(others, 1, half, n - half, 1)
    return F.cat((F.mul(paired, right), F.mul(paired, left), last), (1,))


@overridable
@method()
@boundary
def prod(
    input: Tensor,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    axis: Dims | None = None,
    keepdims: bool = False,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The product of all elements, or along `dim` (an integer or several); 1 where there is none.

    Integers and bool are multiplied in int64, and wrap. Elements of 0 have their gradients too.

    Arguments:
        input: the tensor to reduce.
        dim: the dimension, or several; all of them if None.
        keepdim: whether the reduced dimensions stay, with length 1.
        axis: NumPy's name of `dim`.
        keepdims: NumPy's name of `keepdim`.
        dtype: the dtype of the result.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 2.0], [3.0, 4.0]]).prod(1)
    tensor([ 2., 12.])
    """
    if axis is not None:
        dim = axis_for(dim, axis, "prod")
    if dtype is not None:
        return folded("prod", recorded_ops.prod, input, dim, keepdim or keepdims, dtype, out)
    return recorded_ops.prod(*reduction("prod", input, dim, keepdim or keepdims), out)
