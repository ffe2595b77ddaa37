"""Triangles of matrices (`tril`, `triu`), and the indices of their elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError
from facula_storage import contiguous, cpu, int64, meta

from ..._core.allocation import place_of
from ..._core.formats import check_storage
from ..._core.promotion import as_dtype
from ..._core.tensor import Tensor
from ..._creation.filled import empty, ones
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.written import function
from ..indexing.where_true import where_true
from ..memory.assignment import assign_inplace

if TYPE_CHECKING:
    from ..._core.types import DeviceLike, DTypeLike
    from ..._dispatch.kinds import Checked, Integer
    from ..._dispatch.namespaces import Namespace


@operator
class _triangle:
    """Set elements beyond a diagonal to zero: those below it if `upper`, else those above it."""

    parameters = ("diagonal", "upper")
    holomorphic = False
    batching = "leading"
    row_major = True

    def validate_layouts(layout, diagonal, upper):
        if len(layout.shape) < 2:
            raise ArgumentError(
                f"{'triu' if upper else 'tril'}: expected at least 2 dimensions; got shape {layout.shape}"
            )

    def outputs(layout, diagonal, upper):
        return contiguous(layout.shape, layout.dtype, layout.device)

    def vjp_input(F, g, diagonal, upper):
        return F.triangle(g, (diagonal, upper))


@function(method=True, changes=True, out=("input",))
def tril(F: Namespace, operation: str, input: Checked, diagonal: Integer = 0) -> Tensor:
    """Copy matrices (the last two dimensions) with zeros above a diagonal: 0 is the main one, 1 the next above.

    Arguments:
        input: matrices (..., m, n).
        diagonal: the highest diagonal to keep: 0 is the main one.

    >>> from facula_tensor import ones
    >>> tril(ones(2, 3))
    tensor([[1., 0., 0.],
            [1., 1., 0.]])
    """
    result = F.triangle(input, (diagonal, False))
    return result if operation == "tril" else assign_inplace(operation, input, result)


@function(method=True, changes=True, out=("input",))
def triu(F: Namespace, operation: str, input: Checked, diagonal: Integer = 0) -> Tensor:
    """Copy matrices (the last two dimensions) with zeros below a diagonal: 0 is the main one, 1 the next above.

    Arguments:
        input: matrices (..., m, n).
        diagonal: the lowest diagonal to keep: 0 is the main one.

    >>> from facula_tensor import ones
    >>> triu(ones(2, 3), 1)
    tensor([[0., 1., 1.],
            [0., 0., 1.]])
    """
    result = F.triangle(input, (diagonal, True))
    return result if operation == "triu" else assign_inplace(operation, input, result)


def _below(row: int, col: int, offset: int) -> int:
    """Return the number of elements in the first rows: row i has the first i + offset, limited by the columns."""
    first, full = max(0, -offset), min(max(col - offset, 0), row)  # first nonempty row, and first complete row
    partial = max(full - first, 0)
    return partial * (first + offset) + partial * (partial - 1) // 2 + (row - max(full, 0)) * col


def _triangle_indices(operation: str, row: int, col: int, offset: int, upper: bool, options: dict[str, Any]) -> Tensor:
    """Return the row and column indices of a triangle's elements; `options` are those of creation functions."""
    if options["layout"] is not None or options["pin_memory"]:
        check_storage(operation, options["layout"], options["pin_memory"])
    if min(row, col) < 0:
        raise ArgumentError(f"{operation}: expected row and col of at least 0; got {row} and {col}")
    below = _below(row, col, offset + (0 if upper else 1))
    count = row * col - below if upper else below
    place = place_of(options["device"])
    if place is meta:
        kind = int64 if options["dtype"] is None else as_dtype(options["dtype"], operation)
        return empty(2, count, dtype=kind, device=meta)
    mask = recorded_ops.triangle(ones(row, col, dtype=bool, device=cpu), (offset, upper))
    kept = where_true("nonzero", mask, (2,), count)
    dtype = options["dtype"]
    return kept.t().to(place, int64 if dtype is None else dtype).contiguous()


@function()
def tril_indices(
    row: Integer,
    col: Integer,
    offset: Integer = 0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: object = None,
    pin_memory: bool = False,
) -> Tensor:
    """Return the row and column indices of `tril` of a matrix (row, col): a tensor of two rows; int64, or `dtype`.

    Arguments:
        row: the number of rows.
        col: the number of columns.
        offset: the diagonal that bounds the triangle: 0 is the main one, 1 the next above.
        dtype: the dtype of the result; int64 if None.
        device: the device of the result; the default device if None.
        layout: `strided`, the only supported layout, or None.
        pin_memory: must be False; pinned memory is not supported.

    >>> tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    options = {"dtype": dtype, "device": device, "layout": layout, "pin_memory": pin_memory}
    return _triangle_indices("tril_indices", row, col, offset, False, options)


@function()
def triu_indices(
    row: Integer,
    col: Integer,
    offset: Integer = 0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: object = None,
    pin_memory: bool = False,
) -> Tensor:
    """Return the row and column indices of `triu` of a matrix (row, col): a tensor of two rows; int64, or `dtype`.

    Arguments:
        row: the number of rows.
        col: the number of columns.
        offset: the diagonal that bounds the triangle: 0 is the main one, 1 the next above.
        dtype: the dtype of the result; int64 if None.
        device: the device of the result; the default device if None.
        layout: `strided`, the only supported layout, or None.
        pin_memory: must be False; pinned memory is not supported.

    >>> triu_indices(2, 2, 1)
    tensor([[0],
            [1]])
    """
    options = {"dtype": dtype, "device": device, "layout": layout, "pin_memory": pin_memory}
    return _triangle_indices("triu_indices", row, col, offset, True, options)
