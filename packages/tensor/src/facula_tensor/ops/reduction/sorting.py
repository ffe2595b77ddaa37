"""Sorting along a dimension, and the k largest elements. NaN is larger than any number; all sorts are stable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_storage import Layout, contiguous, int64

from ..._core.tensor import layout_of_tensor
from ..._dispatch.declaration import operator
from ..._dispatch.written import function
from .extreme_pairs import Sorted, TopK
from .one_dim import check_ordered, extreme_pair, one_dim

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..._dispatch.kinds import Flag, Integer, Outs, PlainAxis
    from ..._dispatch.namespaces import Namespace
    from .extreme_pairs import Extremes


@operator
class _sort:
    """The elements sorted along a dimension, and their original indices."""

    parameters = ("dim", "descending")
    results = ("values", "indices")

    def outputs(layout, dim, descending):
        check_ordered("sort", layout)
        values = contiguous(layout.shape, layout.dtype, layout.device)
        return values, values.to_dtype(int64)

    def vjp_input(F, g, indices, input_layout, dim, _descending):
        return F.chosen_back(g, indices, input_layout, dim)


@operator
class _topk:
    """The k largest or smallest elements along a dimension, and their original indices."""

    parameters = ("k", "dim", "largest", "ordered")
    results = ("values", "indices")

    def outputs(layout, k, dim, largest, ordered):
        check_ordered("topk", layout)
        shape = layout.shape
        values = contiguous((*shape[:dim], k, *shape[dim + 1 :]) if shape else (), layout.dtype, layout.device)
        return values, values.to_dtype(int64)

    def vjp_input(F, g, indices, input_layout, _k, dim):
        return F.chosen_back(g, indices, input_layout, dim)


def length_along(layout: Layout, dim: int) -> int:
    """Return the number of elements along a dimension; 1 for a zero-dimensional tensor."""
    return layout.shape[dim] if layout.shape else 1


@function(method=True)
def sort(
    F: Namespace,
    input: Tensor,
    dim: int = -1,
    descending: Flag = False,
    stable: Flag = False,
    *,
    axis: PlainAxis = None,
    out: Outs = None,
) -> Extremes:
    """Sort the elements along `dim` and return the pair (values, indices), with their original indices (int64).

    Equal elements keep their order, with or without `stable`. NaN is larger than any number. Complex numbers raise a
    TypeError. `out` is a pair of tensors.

    Arguments:
        descending: whether to sort in descending order.
        stable: ignored; the sort is always stable.

    >>> from facula_tensor import tensor
    >>> sort(tensor([3.0, 1.0, 2.0])).indices
    tensor([1, 2, 0])
    """
    input, dim = one_dim("sort", input, dim)
    return extreme_pair(Sorted, F.sort(input, (dim, bool(descending))), out)


@function(method=True, out=True)
def argsort(
    F: Namespace,
    input: Tensor,
    dim: int = -1,
    descending: Flag = False,
    stable: Flag = False,
    *,
    axis: PlainAxis = None,
) -> Tensor:
    """Return the indices (int64) that sort the elements along `dim`: those of `sort`.

    Arguments:
        descending: whether to sort in descending order.
        stable: ignored; the sort is always stable.

    >>> from facula_tensor import tensor
    >>> argsort(tensor([3.0, 1.0, 2.0]), descending=True)
    tensor([0, 2, 1])
    """
    input, dim = one_dim("argsort", input, dim)
    return F.sort(input, (dim, bool(descending)))[1]


@function(method=True, out=True)
def msort(F: Namespace, input: Tensor) -> Tensor:
    """Sort the elements along the first dimension.

    >>> from facula_tensor import tensor
    >>> msort(tensor([[3, 1], [2, 4]]))
    tensor([[2, 1],
            [3, 4]])
    """
    input, dim = one_dim("msort", input, 0)
    return F.sort(input, (dim, False))[0]


@function(method=True)
def topk(
    F: Namespace,
    input: Tensor,
    k: Integer,
    dim: int = -1,
    largest: Flag = True,
    sorted: Flag = True,
    *,
    axis: PlainAxis = None,
    out: Outs = None,
) -> Extremes:
    """Return the `k` largest or smallest elements along `dim`, as the pair (values, indices).

    NaN is larger than any number.

    Arguments:
        k: the number of elements.
        largest: whether to return the largest elements instead of the smallest.
        sorted: whether the elements are sorted.

    Raises:
        ValueError: if there are fewer than k elements.

    >>> from facula_tensor import tensor
    >>> topk(tensor([3.0, 1.0, 2.0]), 2).values
    tensor([3., 2.])
    """
    input, dim = one_dim("topk", input, dim)
    layout = layout_of_tensor(input)
    most = length_along(layout, dim)
    if not 0 <= k <= most:
        raise ArgumentError(f"topk: expected k from 0 to {most}, the elements along dim {dim}; got {k}")
    if not layout.shape and not k:
        raise ArgumentError("topk: expected k to be 1 for a zero-dimensional tensor; got 0")
    return extreme_pair(TopK, F.topk(input, (k, dim, bool(largest), bool(sorted))), out)
