"""The public functions of `ops/indexing/scatter.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from ...._core.tensor import Tensor, method
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.types import Operand

bodies = bodies_of("ops.indexing.scatter")


@overridable
@method()
@boundary
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Operand | None = None,
    *,
    value: Operand | None = None,
    reduce: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Set the elements of a copy of `input` at `index` along `dim` to those of `src`, or to the number `value`.

    For dim = 1: `out[i, index[i, j, k], k] = src[i, j, k]`. If a position is repeated, the last element applies. With
    `reduce` "add" or "multiply" the elements are added to the existing ones, or multiplied with them. `index` is int64
    or int32, with as many dimensions as `input` and `src`, and not longer than `input` except along `dim`. `src` has
    the dtype of `input`. Raises IndexError, with the position, if an index is negative or beyond the dimension.

    Arguments:
        input: the tensor to copy.
        dim: the dimension that is indexed.
        index: positions along `dim`: int64 or int32, as many dimensions as `input`.
        src: the elements: a tensor with the dtype of `input`, at least as long as `index` in each dimension.
        value: a number instead of `src`.
        reduce: "add" or "multiply"; existing elements are replaced if None.

    >>> from facula_tensor import tensor, zeros
    >>> scatter(zeros(2, 3), 1, tensor([[0], [2]]), 1.0)
    tensor([[1., 0., 0.],
            [0., 0., 1.]])
    """
    result = bodies.scatter("scatter", input, dim, index, src, value=value, reduce=reduce)
    return result if out is None else write_out("scatter", result, out, (input, index, src))


@overridable
@method()
@boundary
def scatter_(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Operand | None = None,
    *,
    value: Operand | None = None,
    reduce: str | None = None,
) -> Tensor:
    """`scatter` in place: changes `input` and returns it. Arguments: those of `scatter`."""
    return bodies.scatter("scatter_", input, dim, index, src, value=value, reduce=reduce)


@overridable
@method()
@boundary
def scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Add the elements of `src` at `index` along `dim` in place, and return this tensor.

    Arguments:
        input: the tensor to modify.
        dim: the dimension that is indexed.
        index: positions along `dim`: int64 or int32, as many dimensions as `input`.
        src: the elements: a tensor with the dtype of `input`, at least as long as `index` in each dimension.
    """
    if type(src) is not Tensor:
        src = as_tensor("scatter_add_", src)
    return bodies.scatter_add_(input, dim, index, src)


@overridable
@method()
@boundary
def scatter_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """Reduce elements of `src` at `index` along `dim` into a copy of `input`; arguments as in `scatter`.

    `reduce` is "sum", "prod", "mean", "amax" or "amin" of the elements of a position. Without `include_self` the
    existing element does not take part. Equal extremes share the gradient. Means of integers are rounded down.

    Arguments:
        input: the tensor to copy.
        dim: the dimension that is indexed.
        index: positions along `dim`: int64 or int32, as many dimensions as `input`.
        src: the elements: a tensor with the dtype of `input`, at least as long as `index` in each dimension.
        reduce: "sum", "prod", "mean", "amax" or "amin".
        include_self: whether the existing element takes part.

    >>> from facula_tensor import tensor
    >>> scatter_reduce(tensor([1.0, 2.0]), 0, tensor([0, 0]), tensor([5.0, 3.0]), "amax")
    tensor([5., 2.])
    """
    if type(src) is not Tensor:
        src = as_tensor("scatter_reduce", src)
    result = bodies.scatter_reduce("scatter_reduce", input, dim, index, src, reduce, include_self=include_self)
    return result if out is None else write_out("scatter_reduce", result, out, (input, index, src))


@overridable
@method()
@boundary
def scatter_reduce_(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """`scatter_reduce` in place: changes `input` and returns it. Arguments: those of `scatter_reduce`."""
    if type(src) is not Tensor:
        src = as_tensor("scatter_reduce_", src)
    return bodies.scatter_reduce("scatter_reduce_", input, dim, index, src, reduce, include_self=include_self)
