"""The public functions of `ops/reduction/searching.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.promotion import as_integer
from ...._core.tensor import Tensor, method, snapshot
from ...._dispatch.overrides import overridable
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.reduction.searching import distinct

if TYPE_CHECKING:
    from ...._core.types import Operand

bodies = bodies_of("ops.reduction.searching")


@overridable
def searchsorted(
    sorted_sequence: Tensor,
    input: Operand,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    out: Tensor | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Return the position of each value of `input` in a sorted sequence, such that insertion keeps the sequence sorted.

    The position precedes equal elements; with `right`, or side="right", it follows them. The result is int64, or int32
    if `out_int32` is True.

    Arguments:
        sorted_sequence: the sorted sequence, of one dimension; or one for each row of `input`.
        input: the values.
        out_int32: whether the result is int32 instead of int64.
        right: whether the position follows equal elements instead of preceding them.
        side: "left" or "right", equivalent to `right`.
        sorter: the indices (int64) that sort the sequence, as from `argsort`; None if it is sorted.

    >>> from facula_tensor import tensor
    >>> searchsorted(tensor([1, 3, 5]), tensor([3, 6]))
    tensor([1, 3])
    """
    try:
        if type(sorted_sequence) is not Tensor:
            sorted_sequence = as_tensor("searchsorted", sorted_sequence)
        if side not in (None, "left", "right"):
            raise ArgumentError(f"searchsorted: expected side to be 'left' or 'right'; got {side!r}")
        if side == "left" and right:
            raise ArgumentError("searchsorted: expected side and right to agree; got side='left' and right=True")
        return bodies.searchsorted(
            sorted_sequence, input, out_int32=out_int32, right=right, side=side, out=out, sorter=sorter
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def bucketize(
    input: Operand, boundaries: Tensor, *, out_int32: bool = False, right: bool = False, out: Tensor | None = None
) -> Tensor:
    """Return the index of the interval between sorted `boundaries` that contains each value.

    It is `searchsorted` with its arguments exchanged.

    Arguments:
        input: the values.
        boundaries: the sorted boundaries (n,).
        out_int32: whether the result is int32 instead of int64.
        right: whether the position follows equal boundaries instead of preceding them.

    >>> from facula_tensor import tensor
    >>> bucketize(tensor([[0, 3], [5, 9]]), tensor([1, 3, 5]))
    tensor([[0, 1],
            [2, 3]])
    """
    try:
        if type(boundaries) is not Tensor:
            boundaries = as_tensor("bucketize", boundaries)
        return bodies.bucketize(input, boundaries, out_int32=out_int32, right=right, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Return the counts of 0, 1, 2, ... among integers (n,), or the sums of their weights.

    The result has at least `minlength` elements. Counts are int64; sums are float32 for float32 weights, otherwise
    float64.

    Arguments:
        input: nonnegative integers (n,).
        weights: the weight of each integer; None for counts.
        minlength: the minimum length of the result.

    Raises:
        ValueError: for negative numbers.

    >>> from facula_tensor import tensor
    >>> bincount(tensor([0, 2, 2]), minlength=4)
    tensor([1, 0, 2, 0])
    """
    try:
        input = snapshot(as_tensor("bincount", input))
        if type(minlength) is not int:
            minlength = as_integer(minlength, "bincount", "minlength")
        if minlength < 0:
            raise ArgumentError(f"bincount: expected minlength of at least 0; got {minlength}")
        return bodies.bincount(input, weights, minlength)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """Return the distinct elements, or the distinct slices along `dim`, always sorted. Each NaN is distinct.

    With `return_inverse` or `return_counts` the result is a tuple, which also contains int64 tensors.

    Arguments:
        input: the tensor.
        sorted: ignored.
        return_inverse: whether to also return the index of each element among the distinct ones.
        return_counts: whether to also return the number of occurrences of each distinct element.
        dim: the dimension of the slices; None for single elements.

    >>> from facula_tensor import tensor
    >>> unique(tensor([3, 1, 3]), return_inverse=True, return_counts=True)
    (tensor([1, 3]), tensor([1, 0, 1]), tensor([1, 2]))
    """
    input = snapshot(as_tensor("unique", input))
    return distinct("unique", input, dim, True, return_inverse, return_counts)


@overridable
@method()
@boundary
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Tensor | tuple[Tensor, ...]:
    """Return the first of each run of equal elements, or of equal slices along `dim`, with the results of `unique`.

    Arguments:
        input: the tensor.
        return_inverse: whether to also return the index of the run of each element.
        return_counts: whether to also return the length of each run.
        dim: the dimension of the slices; None for single elements.

    >>> from facula_tensor import tensor
    >>> unique_consecutive(tensor([1, 1, 3, 1]))
    tensor([1, 3, 1])
    """
    input = snapshot(as_tensor("unique_consecutive", input))
    return distinct("unique_consecutive", input, dim, False, return_inverse, return_counts)
