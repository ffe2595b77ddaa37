"""`embedding_bag`: sums, means and maxima of table rows selected by indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from facula_errors import ArgumentError, InvalidIndexError

from ..._core.errors import show
from ..._core.tensor import Tensor, layout_of_tensor, snapshot, steady
from ..._creation.filled import zeros
from ..._creation.from_memory import from_numpy
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..indexing.gather import int64_index
from ..indexing.index_select import index_add
from ..reduction.extremes import max as greatest
from .embedding import prepared

if TYPE_CHECKING:
    from ..._core.types import Parameters
    from ..._dispatch.kinds import Flag
    from ..._dispatch.namespaces import Namespace


@function(overridable=True)
def embedding_bag(
    F: Namespace,
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: Flag = False,
    mode: Literal["sum", "mean", "max"] = "mean",
    sparse: Flag = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: Flag = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Reduce the rows of `weight` in each bag of indices by their sum, mean or maximum.

    Empty bags give zeros.

    Arguments:
        input: the indices, int64 or int32: one bag per row, or one vector for all with `offsets`.
        weight: (numbers, features).
        offsets: the start of each bag in a one-dimensional `input`, the first at 0; else None.
        max_norm: as in `embedding`.
        norm_type: as in `embedding`.
        scale_grad_by_freq: as in `embedding`; not for "max".
        mode: "sum", "mean" or "max".
        sparse: must be false.
        per_sample_weights: factors of the rows, with the shape of `input`, or None; only for "sum".
        include_last_offset: whether `offsets` includes the end of the last bag.
        padding_idx: the index to ignore, or None.

    Returns:
        (bags, features).

    Raises:
        IndexError: if an index is out of range.
        ValueError: if arguments do not fit each other.

    >>> from facula_tensor import tensor
    >>> embedding_bag(tensor([0, 1, 1]), tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([0, 2]), mode="sum")
    tensor([[4., 6.],
            [3., 4.]])
    """
    name = "embedding_bag"
    if scale_grad_by_freq and mode == "max":
        raise ArgumentError(f"{name}: scale_grad_by_freq is for sums and means; leave it out for mode 'max'")
    index, (_, row) = prepared(name, input, weight, padding_idx, max_norm, norm_type, sparse)
    shape = layout_of_tensor(index).shape
    if per_sample_weights is not None:
        if mode != "sum":
            raise ArgumentError(f"{name}: expected per_sample_weights only for mode 'sum'; got mode {mode!r}")
        factors = layout_of_tensor(as_tensor(name, per_sample_weights))
        if factors.shape != shape or factors.dtype is not layout_of_tensor(weight).dtype:
            raise ArgumentError(
                f"{name}: expected per_sample_weights of the input's shape {shape} and the weight's dtype; "
                f"got {show(factors)}"
            )
    counts = _counts(name, shape, offsets, bool(include_last_offset))
    parameters = (0, None, bool(scale_grad_by_freq))
    if row is None and isinstance(counts, tuple) and shape[1]:  # all bags have the same length
        rows = _rows_of_weight(weight, index, parameters)
        if per_sample_weights is not None:
            rows = F.mul(rows, F.unsqueeze(per_sample_weights, -1))
        if mode == "max":
            return greatest(rows, 1)[0]
        total = F.sum(rows, ((1,), False))
        return total if mode == "sum" else F.div(total, shape[1])
    lengths = np.full(counts[0], counts[1]) if isinstance(counts, tuple) else counts
    bags = np.repeat(np.arange(len(lengths)), lengths)
    flat = F.narrow(F.reshape(index, (-1,)), 0, 0, len(bags))
    shares = None
    if per_sample_weights is not None:
        shares = F.narrow(F.reshape(steady(per_sample_weights), (-1,)), 0, 0, len(bags))
    if row is not None:
        kept = np.flatnonzero(snapshot(flat).cpu().numpy() != row)
        bags, at = bags[kept], _tensor(kept, flat)
        flat = F.index_select(flat, at, (0, None, False))
        shares = None if shares is None else F.index_select(shares, at, (0, None, False))
    rows = _rows_of_weight(weight, flat, parameters)
    if shares is not None:
        rows = F.mul(rows, F.unsqueeze(shares, -1))
    return (
        _greatest(rows, bags, len(lengths))
        if mode == "max"
        else _sums_of_bags(rows, bags, len(lengths), mode == "mean")
    )


def _rows_of_weight(weight: Tensor, index: Tensor, parameters: Parameters) -> Tensor:
    """Select the rows of `weight` by `index`, with the parameters of `index_select`; errors name `embedding_bag`."""
    try:
        return recorded_ops.index_select(weight, index, parameters)
    except InvalidIndexError as error:
        raise InvalidIndexError(str(error).replace("index_select", "embedding_bag", 1)) from None


def _tensor(numbers: np.ndarray, like: Tensor) -> Tensor:
    return from_numpy(np.ascontiguousarray(numbers)).to(like.device)


def _sums_of_bags(rows: Tensor, bags: np.ndarray, count: int, mean: bool) -> Tensor:
    """Return the sum, or the mean if `mean`, of the rows of each of `count` bags; `bags` has the bag of each row."""
    layout = layout_of_tensor(rows)
    made = zeros(count, layout.shape[1], dtype=layout.dtype, device=layout.device)
    if len(bags):
        made = index_add(made, 0, _tensor(bags, rows), rows)
    if not mean:
        return made
    sizes = np.maximum(np.bincount(bags, minlength=count), 1)
    return recorded_ops.div(made, recorded_ops.to(_tensor(sizes[:, None], rows), (layout.dtype,)))


def _greatest(rows: Tensor, bags: np.ndarray, count: int) -> Tensor:
    """Return the maximum of the rows of each of `count` bags, padding all bags to the longest.

    `bags` has the bag of each row, in ascending order.
    """
    F, layout = recorded_ops, layout_of_tensor(rows)
    lengths = np.bincount(bags, minlength=count)
    longest = int(lengths.max(initial=0))
    if not longest:
        return zeros(count, layout.shape[1], dtype=layout.dtype, device=layout.device)
    # Pad a bag by repeating its last row; an empty bag contains arbitrary rows.
    first = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    within = np.minimum(np.arange(longest), np.maximum(lengths - 1, 0)[:, None])
    table = np.minimum(first[:, None] + within, len(bags) - 1)
    found = greatest(F.index_select(rows, _tensor(table, rows), (0, None, False)), 1)[0]
    return F.where(_tensor(lengths[:, None] > 0, rows), found, 0) if not lengths.all() else found


def _counts(name: str, shape: tuple[int, ...], offsets: Tensor | None, last: bool) -> np.ndarray | tuple[int, int]:
    """Return the number of indices in each bag; if bags are rows of an index of this shape, their number and length.

    With `last`, the offsets include the end of the last bag. Errors name the function.
    """
    if len(shape) == 2:
        if offsets is not None:
            raise ArgumentError(f"{name}: expected no offsets beside an input of rows {shape}; leave them out")
        return shape[0], shape[1]
    if len(shape) != 1:
        raise ArgumentError(f"{name}: expected input of one or two dimensions; got shape {shape}")
    if offsets is None:
        raise ArgumentError(f"{name}: expected offsets beside an input of one dimension; got None")
    starts = int64_index(name, offsets)
    if layout_of_tensor(starts).ndim != 1:
        raise ArgumentError(f"{name}: expected offsets of one dimension; got {show(layout_of_tensor(starts))}")
    places = snapshot(starts).cpu().numpy().astype(np.int64)
    if last and not len(places):
        raise ArgumentError(f"{name}: expected offsets of at least 1 number with include_last_offset; got none")
    ends = places if last else np.append(places, shape[0])
    lengths = np.diff(ends)
    if len(ends) > 1 and (ends[0] != 0 or lengths.min() < 0 or ends[-1] > shape[0]):
        raise ArgumentError(
            f"{name}: expected offsets that begin at 0, do not fall, and end within the {shape[0]} numbers of input; "
            f"got {places.tolist()[:8]}"
        )
    return lengths
