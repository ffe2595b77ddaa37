"""Searches in sorted sequences, counts, and distinct elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError
from facula_storage import bool_, contiguous, float32, float64, int32, int64
from facula_storage.extend.layouts import FLOATING

from ..._core.promotion import result_type
from ..._core.tensor import Tensor, check_dim, layout_of_tensor, snapshot
from ..._creation.filled import ones, zeros
from ..._creation.from_data import tensor
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..indexing.where_true import where_true

if TYPE_CHECKING:
    from ..._core.types import Operand
    from ..._dispatch.kinds import Checked, Flag, Integer, Snapshot


@operator
class _search_sorted:
    """The positions of values in sorted sequences along the last dimension."""

    inputs = ("input", "values")
    parameters = ("right",)

    def batching(F, call):
        lines, values = call.operands
        if call.batched[0] or layout_of_tensor(lines).ndim > 1:
            return call.wrap(call.run(call.wholes()))
        return call.split(call.run((lines, call.rows(values))))

    def outputs(layout, values, right):
        return contiguous(values.shape, int64, values.device)


def number_or_tensor(operation: str, input: Operand, like: Tensor) -> Tensor:
    """Return a tensor unchanged, or a Python number as a tensor."""
    if isinstance(input, (int, float)):
        return tensor(input, device=like.device)
    return as_tensor(operation, input)


def search_positions(
    operation: str, lines: Tensor, values: Operand, right: bool, narrow: bool, out: Tensor | None
) -> Tensor:
    """Return the positions as int64, or as int32 if `narrow`."""
    values = number_or_tensor(operation, values, lines)
    shape, wanted = layout_of_tensor(lines).shape, layout_of_tensor(values).shape
    if not shape or (len(shape) > 1 and shape[:-1] != wanted[:-1]):
        raise ArgumentError(
            f"{operation}: expected a sorted sequence of one dimension, or with the values' leading dimensions; got "
            f"sequence {shape} and values {wanted}"
        )
    if lines.dtype is not values.dtype:
        dtype = result_type(lines, values)
        lines, values = no_record_ops.to(lines, (dtype,)), no_record_ops.to(values, (dtype,))
    if len(shape) == 1 and len(wanted) != 1:
        result = no_record_ops.reshape(
            no_record_ops.search_sorted(lines, no_record_ops.reshape(values, (-1,)), (right,)), wanted
        )
    else:
        result = no_record_ops.search_sorted(lines, values, (right,))
    return write_out(operation, no_record_ops.to(result, (int32,)) if narrow else result, out)


def all_dims(x: Tensor) -> tuple[tuple[int, ...], bool]:
    """Return the parameters of a reduction over all elements."""
    return tuple(range(layout_of_tensor(x).ndim)), False


def _order(rows: Tensor) -> Tensor:
    """Return the indices that sort rows, by stable sorts that begin with the last column."""
    order = None
    for column in range(layout_of_tensor(rows).shape[1] - 1, -1, -1):
        keys = no_record_ops.select(rows, 1, column)
        keys = keys if order is None else no_record_ops.gather(keys, order, (0,))
        places = no_record_ops.sort(keys, (0, False))[1]
        order = places if order is None else no_record_ops.gather(order, places, (0,))
    assert order is not None  # there is a column
    return order


def distinct(
    name: str, input: Tensor, dim: int | None, ordered: bool, inverse: bool, counts: bool
) -> Tensor | tuple[Tensor, ...]:
    """Return the distinct elements, or slices along a dimension.

    With `inverse` also return the position of each element among them, with `counts` their frequencies.
    """
    shape = layout_of_tensor(input).shape
    order = None
    rest: tuple[int, ...] = ()
    if dim is None:
        rows = input if len(shape) == 1 else no_record_ops.reshape(input, (-1,))
        n = layout_of_tensor(rows).shape[0]
        if ordered and n:
            rows, order = no_record_ops.sort(rows, (0, False))
    else:
        if not shape:
            raise ArgumentError(f"{name}: expected a tensor with dimensions if dim is given; got a number")
        dim = check_dim(name, dim, len(shape))
        n = shape[dim]
        moved = no_record_ops.movedim(input, dim, 0)
        rest = layout_of_tensor(moved).shape[1:]
        width = 1
        for size in rest:
            width *= size
        if not width and n:
            raise ArgumentError(f"{name}: expected slices with elements along dim {dim}; got shape {shape}")
        rows = no_record_ops.reshape(moved, (n, width))
        if ordered and n:
            order = _order(rows)
            rows = no_record_ops.take(rows, order, (0,))
    narrow = no_record_ops.narrow
    if n:
        # Whether each row differs from the previous one.
        differ = no_record_ops.ne(narrow(rows, 0, 1, n - 1), narrow(rows, 0, 0, n - 1))
        if dim is not None:
            differ = no_record_ops.any(differ, ((1,), False))
        edge = ones(1, dtype=bool_, device=input.device)
        # The first row of each run, and the number of rows.
        limits = where_true("nonzero_flat", no_record_ops.cat((edge, differ, edge), (0,)), ())
    else:
        differ = zeros(0, dtype=bool_, device=input.device)
        limits = zeros(1, dtype=int64, device=input.device)
    runs = layout_of_tensor(limits).shape[0] - 1
    starts = narrow(limits, 0, 0, runs)
    found = no_record_ops.take(rows, starts, (0,))
    if dim is not None:
        found = no_record_ops.contiguous(no_record_ops.movedim(no_record_ops.reshape(found, (-1, *rest)), 0, dim))
    if not (inverse or counts):
        return found
    results = [found]
    if inverse:
        run = no_record_ops.cumsum(no_record_ops.to(differ, (int64,)), (0, False))  # of all rows but the first
        if order is None:
            back = no_record_ops.cat((zeros(min(n, 1), dtype=int64, device=input.device), run), (0,))
        else:
            back = no_record_ops.gather_back(run, narrow(order, 0, 1, n - 1), ((n,), 0))
        results.append(back if dim is not None or len(shape) == 1 else no_record_ops.reshape(back, shape))
    if counts:
        results.append(no_record_ops.sub(narrow(limits, 0, 1, runs), starts))
    return tuple(results)


@function(
    overridable=True,
    refuses={
        'side not in (None, "left", "right")': "side to be 'left' or 'right'; got {side!r}",
        'side == "left" and right': "side and right to agree; got side='left' and right=True",
    },
)
def searchsorted(
    sorted_sequence: Checked,
    input: Operand,
    *,
    out_int32: Flag = False,
    right: Flag = False,
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
    lines = sorted_sequence
    if sorter is not None:
        shape = layout_of_tensor(as_tensor("searchsorted", sorter)).shape
        if sorter.dtype is not int64 or shape != layout_of_tensor(lines).shape:
            raise ArgumentError(
                f"searchsorted: expected sorter to be int64 of the sequence's shape {tuple(lines.shape)}; got "
                f"{sorter.dtype.name} of shape {shape}"
            )
        if layout_of_tensor(sorter).numel:
            low, high = (
                no_record_ops.amin(sorter, all_dims(sorter)).item(),
                no_record_ops.amax(sorter, all_dims(sorter)).item(),
            )
            if low < 0 or high >= shape[-1]:
                raise ArgumentError(
                    f"searchsorted: expected indices of sorter from 0 to {shape[-1] - 1}; got {low} to {high}"
                )
        lines = no_record_ops.gather(lines, sorter, (len(shape) - 1,))
    return search_positions("searchsorted", lines, input, bool(right) or side == "right", out_int32, out)


@function(overridable=True)
def bucketize(
    input: Operand,
    boundaries: Checked,
    *,
    out_int32: Flag = False,
    right: Flag = False,
    out: Tensor | None = None,
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
    if layout_of_tensor(boundaries).ndim != 1:
        raise ArgumentError(f"bucketize: expected boundaries of one dimension; got shape {tuple(boundaries.shape)}")
    return search_positions("bucketize", boundaries, input, bool(right), out_int32, out)


@function(method=True, refuses={"minlength < 0": "minlength of at least 0; got {minlength}"})
def bincount(input: Snapshot, weights: Tensor | None = None, minlength: Integer = 0) -> Tensor:
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
    layout = layout_of_tensor(input)
    if layout.dtype.category >= FLOATING or layout.dtype is bool_:
        raise DTypeError(f"bincount: expected integers; got {layout.dtype.name}; convert with .long()")
    if layout.ndim != 1:
        raise ArgumentError(f"bincount: expected one dimension; got shape {layout.shape}")
    places = input if layout.dtype is int64 else no_record_ops.to(input, (int64,))
    size = minlength
    if layout.numel:
        low, high = no_record_ops.amin(places, ((0,), False)).item(), no_record_ops.amax(places, ((0,), False)).item()
        if low < 0:
            raise ArgumentError(f"bincount: expected no negative numbers; got {low}")
        size = max(minlength, high + 1)
    if weights is None:
        return no_record_ops.gather_back(ones(layout.shape, dtype=int64, device=input.device), places, ((size,), 0))
    weights = snapshot(as_tensor("bincount", weights))
    if layout_of_tensor(weights).shape != layout.shape:
        raise ArgumentError(f"bincount: expected weights of shape {layout.shape}; got {tuple(weights.shape)}")
    dtype = float32 if weights.dtype is float32 else float64
    return no_record_ops.gather_back(no_record_ops.to(weights, (dtype,)), places, ((size,), 0))


@function(method=True, inline=True)
def unique(
    input: Snapshot,
    sorted: Flag = True,
    return_inverse: Flag = False,
    return_counts: Flag = False,
    dim: int | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """Return the distinct elements, or the distinct slices along `dim`, always sorted. Each NaN is distinct.

    With `return_inverse` or `return_counts` the result is a tuple, which also contains int64 tensors.

    Arguments:
        sorted: ignored.
        return_inverse: whether to also return the index of each element among the distinct ones.
        return_counts: whether to also return the number of occurrences of each distinct element.
        dim: the dimension of the slices; None for single elements.

    >>> from facula_tensor import tensor
    >>> unique(tensor([3, 1, 3]), return_inverse=True, return_counts=True)
    (tensor([1, 3]), tensor([1, 0, 1]), tensor([1, 2]))
    """
    return distinct("unique", input, dim, True, return_inverse, return_counts)


@function(method=True, inline=True)
def unique_consecutive(
    input: Snapshot, return_inverse: Flag = False, return_counts: Flag = False, dim: int | None = None
) -> Tensor | tuple[Tensor, ...]:
    """Return the first of each run of equal elements, or of equal slices along `dim`, with the results of `unique`.

    Arguments:
        return_inverse: whether to also return the index of the run of each element.
        return_counts: whether to also return the length of each run.
        dim: the dimension of the slices; None for single elements.

    >>> from facula_tensor import tensor
    >>> unique_consecutive(tensor([1, 1, 3, 1]))
    tensor([1, 3, 1])
    """
    return distinct("unique_consecutive", input, dim, False, return_inverse, return_counts)
