"""Sorting along a dimension, and the first k elements. NaN counts as the greatest; all sorts are stable."""

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
    """The elements in order along a dimension, and where they were."""

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
    """The k greatest or smallest elements along a dimension, and where they were."""

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
    """The number of elements along a dimension; 1 of a number."""
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
    """The elements in order along `dim`, as the pair (values, indices): indices (int64) say where they were.

    Equal elements keep their order, with `stable` or without. NaN counts as the greatest. TypeError for complex
    numbers. `out` is a pair of tensors.

    Arguments:
        descending: whether the greatest comes first.
        stable: ignored: equal elements keep their order in any case.

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
    """The indices (int64) that put the elements along `dim` in order: those of `sort`.

    Arguments:
        descending: whether the greatest comes first.
        stable: ignored: equal elements keep their order in any case.

    >>> from facula_tensor import tensor
    >>> argsort(tensor([3.0, 1.0, 2.0]), descending=True)
    tensor([0, 2, 1])
    """
    input, dim = one_dim("argsort", input, dim)
    return F.sort(input, (dim, bool(descending)))[1]


@function(method=True, out=True)
def msort(F: Namespace, input: Tensor) -> Tensor:
    """The elements in order along the first dimension.

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
    """The `k` greatest elements along `dim`, or the smallest, as the pair (values, indices).

    They are in order, unless `sorted` is False. NaN counts as the greatest. ValueError where there are fewer than k.

    Arguments:
        k: how many elements.
        largest: whether the greatest, else the smallest.
        sorted: whether they are in order.

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
        raise ArgumentError("topk: expected k to be 1 for a tensor of no dimensions; got 0")
    return extreme_pair(TopK, F.topk(input, (k, dim, bool(largest), bool(sorted))), out)
