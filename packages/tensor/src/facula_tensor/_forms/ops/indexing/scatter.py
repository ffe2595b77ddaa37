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
    """A copy of `input` with the elements at `index` along `dim` set to those of `src`, or to the number `value`.

    For dim = 1: `out[i, index[i, j, k], k] = src[i, j, k]`; of several for one place the last one wins. With `reduce`
    "add" or "multiply" they are added, or multiplied, to what is there. `index` is int64 or int32, with as many
    dimensions as `input` and `src`, none longer but `dim`; `src` has the dtype of `input`. IndexError, naming the
    place, for an index below 0 or beyond the dimension.

    Arguments:
        input: the tensor that is copied.
        dim: the dimension that `index` counts along.
        index: places along `dim`: int64 or int32, as many dimensions as `input`.
        src: the elements: a tensor of input's dtype, at least as long as `index` in each dimension.
        value: a number in place of `src`.
        reduce: "add" or "multiply": what happens to the element that is there; it is replaced if None.

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
    """`scatter_add` in place: changes this tensor and returns it.

    Arguments:
        input: the tensor that changes.
        dim: the dimension that `index` counts along.
        index: places along `dim`: int64 or int32, as many dimensions as `input`.
        src: the elements: a tensor of input's dtype, at least as long as `index` in each dimension.
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
    """A copy of `input` with elements of `src` at `index` along `dim` reduced into it; arguments as those of `scatter`.

    `reduce` is "sum", "prod", "mean", "amax" or "amin" of what meets in a place; without `include_self` the element
    that is there takes no part. Equal extremes share the gradient. Means of integers are rounded down.

    Arguments:
        input: the tensor that is copied.
        dim: the dimension that `index` counts along.
        index: places along `dim`: int64 or int32, as many dimensions as `input`.
        src: the elements: a tensor of input's dtype, at least as long as `index` in each dimension.
        reduce: "sum", "prod", "mean", "amax" or "amin".
        include_self: whether the element that is there takes part.

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
