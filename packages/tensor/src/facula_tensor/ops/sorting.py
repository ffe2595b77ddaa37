"""Sorting along a dimension, and the first k elements. NaN counts as the greatest; all sorts are stable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_errors.extend import boundary
from facula_storage import Layout, contiguous, int64

from .._core.promotion import as_integer
from .._core.tensor import Tensor, layout_of_tensor, method
from .._dispatch.declaration import operator
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.writing import write_out
from .along import check_ordered, one_dim, pair
from .reduction.extreme_pairs import Sorted, TopK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .reduction.extreme_pairs import Extremes

__all__ = ["argsort", "msort", "sort", "topk"]


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


def length(layout: Layout, dim: int) -> int:
    """The number of elements along a dimension; 1 of a number."""
    return layout.shape[dim] if layout.shape else 1


@overridable
@method()
@boundary
def sort(
    input: Tensor,
    dim: int = -1,
    descending: bool = False,
    stable: bool = False,
    *,
    axis: int | None = None,
    out: Sequence[Tensor] | None = None,
) -> Extremes:
    """The elements in order along `dim`, as the pair (values, indices): indices (int64) say where they were.

    Equal elements keep their order, with `stable` or without. NaN counts as the greatest. TypeError for complex
    numbers. `out` is a pair of tensors.

    Arguments:
        input: the tensor.
        dim: the dimension.
        descending: whether the greatest comes first.
        stable: ignored: equal elements keep their order in any case.
        axis: NumPy's name of `dim`.
        out: the pair of tensors where values and indices go; new ones if None.

    >>> from facula_tensor import tensor
    >>> sort(tensor([3.0, 1.0, 2.0])).indices
    tensor([1, 2, 0])
    """
    input, dim = one_dim("sort", input, dim, axis)
    return pair(Sorted, recorded_ops.sort(input, (dim, bool(descending))), out)


@overridable
@method()
@boundary
def argsort(
    input: Tensor,
    dim: int = -1,
    descending: bool = False,
    stable: bool = False,
    *,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The indices (int64) that put the elements along `dim` in order: those of `sort`.

    Arguments:
        input: the tensor.
        dim: the dimension.
        descending: whether the greatest comes first.
        stable: ignored: equal elements keep their order in any case.
        axis: NumPy's name of `dim`.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> argsort(tensor([3.0, 1.0, 2.0]), descending=True)
    tensor([0, 2, 1])
    """
    input, dim = one_dim("argsort", input, dim, axis)
    return write_out("argsort", recorded_ops.sort(input, (dim, bool(descending)))[1], out)


@overridable
@method()
@boundary
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements in order along the first dimension.

    >>> from facula_tensor import tensor
    >>> msort(tensor([[3, 1], [2, 4]]))
    tensor([[2, 1],
            [3, 4]])
    """
    input, dim = one_dim("msort", input, 0)
    return write_out("msort", recorded_ops.sort(input, (dim, False))[0], out)


@overridable
@method()
@boundary
def topk(
    input: Tensor,
    k: int,
    dim: int = -1,
    largest: bool = True,
    sorted: bool = True,
    *,
    axis: int | None = None,
    out: Sequence[Tensor] | None = None,
) -> Extremes:
    """The `k` greatest elements along `dim`, or the smallest, as the pair (values, indices).

    They are in order, unless `sorted` is False. NaN counts as the greatest. ValueError where there are fewer than k.

    Arguments:
        input: the tensor.
        k: how many elements.
        dim: the dimension.
        largest: whether the greatest, else the smallest.
        sorted: whether they are in order.
        axis: NumPy's name of `dim`.
        out: the pair of tensors where values and indices go; new ones if None.

    >>> from facula_tensor import tensor
    >>> topk(tensor([3.0, 1.0, 2.0]), 2).values
    tensor([3., 2.])
    """
    input, dim = one_dim("topk", input, dim, axis)
    layout = layout_of_tensor(input)
    k = as_integer(k, "topk", "k")
    most = length(layout, dim)
    if not 0 <= k <= most:
        raise ArgumentError(f"topk: expected k from 0 to {most}, the elements along dim {dim}; got {k}")
    if not layout.shape and not k:
        raise ArgumentError("topk: expected k to be 1 for a tensor of no dimensions; got 0")
    return pair(TopK, recorded_ops.topk(input, (k, dim, bool(largest), bool(sorted))), out)
