"""Sums, means and products, of all elements or along dimensions."""

from __future__ import annotations

from math import prod as product
from typing import TYPE_CHECKING

from facula_errors import DTypeError
from facula_storage import Layout, float32
from facula_storage.extend.layouts import FLOATING

from ..._core.promotion import accumulating, as_dtype
from ..._core.tensor import Tensor, elements, layout_of_tensor
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import composite, may_alias_grad, no_record_ops, recorded_ops
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.written import function
from .arguments import reduced, reduction

if TYPE_CHECKING:
    from ..._core.types import Dims, DTypeLike
    from ..._dispatch.kinds import Axes, Flag, KeepDims, ReducedDims
    from ..._dispatch.namespaces import Namespace


@composite
def sum_to(F: Namespace, g: Tensor, layout: Layout) -> Tensor:
    """Sum `g` to the shape from which it was broadcast, in the layout's dtype."""
    given, target = layout_of_tensor(g), layout.shape
    shape = given.shape
    if shape != target:
        extra = len(shape) - len(target)
        ones = [i for i in range(extra, len(shape)) if target[i - extra] == 1 and shape[i] != 1]
        g = F.sum(g, ((*range(extra), *ones), not extra))  # at once: half precisions are rounded once
        if extra and ones:
            g = F.reshape(g, target)
    return g if given.dtype is layout.dtype else F.to(g, (layout.dtype,))


def folded(
    operation: str, input: Tensor, dim: Dims | None, keepdim: bool, dtype: DTypeLike | None, out: Tensor | None
) -> Tensor:
    """Return a sum or product in `dtype`."""
    fold = getattr(recorded_ops, operation)
    input, parameters = reduction(operation, input, dim, keepdim)
    dtype = as_dtype(dtype, operation)
    input = input.to(dtype)
    if accumulating(dtype) is dtype:
        return fold(input, parameters, out)
    return write_out(operation, fold(input, parameters).to(dtype), out)  # narrow integers wrap


def over_dims_in(
    input: Tensor,
    dim: ReducedDims = None,
    keepdim: Flag = False,
    *,
    axis: Axes = None,
    keepdims: KeepDims = False,
    dtype: DTypeLike | None = None,
) -> None:
    """Define the signature of reductions with an optional dtype."""


@operator
class sum:
    """Return the sum of all elements, or along `dim` (an integer or several).

    Integers and bool are summed in int64 and wrap if `dtype` is narrower. Half precisions are summed in float32, and
    float32 in blocks, so that the error grows with the logarithm of the length.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 2.0], [3.0, 4.0]]).sum(0)
    tensor([4., 6.])
    """

    signature = staticmethod(over_dims_in)
    prepare = reduction
    special_cases = {"dtype is not None": folded}  # noqa: RUF012
    method = out = True
    parameters = ("dims", "keepdim")
    linear = ("input",)
    holomorphic = False

    def outputs(layout, dims, keepdim):
        return reduced(layout, dims, keepdim, accumulating(layout.dtype))

    @may_alias_grad
    def vjp_input(F, g, input_layout, dims, keepdim):
        return F.expand_grad(g, input_layout, dims, keepdim)


@function(method=True, out=True)
def mean(
    F: Namespace,
    input: Tensor,
    dim: ReducedDims = None,
    keepdim: Flag = False,
    *,
    axis: Axes = None,
    keepdims: KeepDims = False,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Return the mean of all elements, or along `dim`; NaN for no elements. Integers raise a TypeError: convert first.

    Half precisions are summed and divided in float32, so that the mean is finite even if the sum overflows.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 2.0], [3.0, 4.0]]).mean()
    tensor(2.5000)
    """
    input, parameters = reduction("mean", input, dim, keepdim)
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
    total = F.sum(F.to(input, (float32,)) if half else input, parameters)
    dims, shape = parameters[0], layout.shape
    if len(dims) == len(shape):
        count = float(layout.numel)
    else:
        count = float(shape[dims[0]] if len(dims) == 1 else product([shape[i] for i in dims]))
    result = F.div(total, count) if count else F.mul(total, float("nan"))
    return F.to(result, (dtype,)) if half else result


@operator
class prod:
    """Return the product of all elements, or along `dim` (an integer or several); 1 for no elements.

    Integers and bool are multiplied in int64 and wrap. Gradients are exact for zeros.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 2.0], [3.0, 4.0]]).prod(1)
    tensor([ 2., 12.])
    """

    signature = staticmethod(over_dims_in)
    prepare = reduction
    special_cases = {"dtype is not None": folded}  # noqa: RUF012
    method = out = True
    parameters = ("dims", "keepdim")

    def outputs(layout, dims, keepdim):
        return reduced(layout, dims, keepdim, accumulating(layout.dtype))

    def vjp_input(F, g, input, input_layout, dims, keepdim):
        shape, g, result = input_layout.shape, F.keep_dims(g, dims, keepdim), F.prod(input, (dims, True))
        if input.is_meta or _are_nonzero(elements(input), elements(result)):
            return F.div(F.mul(g, result), input)
        order = tuple(i for i in range(len(shape)) if i not in dims) + dims
        rows = F.reshape(F.permute(input, order), (-1, product(shape[i] for i in dims)))
        others = F.reshape(F.product_of_others(rows), tuple(shape[i] for i in order))
        back = tuple(order.index(i) for i in range(len(shape)))
        return F.mul(g, F.permute(others, back))


def _are_nonzero(input: Tensor, result: Tensor) -> bool:
    """Return whether no element is 0; False if a product is NaN, as that of 0 and infinity."""

    def are_all(x: Tensor) -> bool:
        return bool(no_record_ops.all(x, (tuple(range(x.ndim)), False)).item())

    magnitudes = no_record_ops.abs(result)
    return are_all(no_record_ops.gt(magnitudes, 0)) or (are_all(no_record_ops.ge(magnitudes, 0)) and are_all(input))


@composite
def product_of_others(F: Namespace, rows: Tensor) -> Tensor:
    """Return, for each element, the product of all others in its row; exact for zeros in derivatives of any order.

    Each step halves the row: the others of an element are its partner in the other half and the others of the product
    of both.
    """
    n = rows.shape[-1]
    if n < 2:
        return F.ones_like(rows)
    half = n // 2
    left, right, odd = (F.slice(rows, 1, *ends, 1) for ends in ((0, half), (half, 2 * half), (2 * half, n)))
    others = F.product_of_others(F.cat((F.mul(left, right), odd), (1,)))
    paired, last = F.slice(others, 1, 0, half, 1), F.slice(others, 1, half, n - half, 1)
    return F.cat((F.mul(paired, right), F.mul(paired, left), last), (1,))
