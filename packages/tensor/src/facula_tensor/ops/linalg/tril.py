"""Triangles of matrices (`tril`, `triu`), and the indices of their elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_storage import contiguous, cpu, int64, meta

from ..._core.allocation import place_of
from ..._core.promotion import as_dtype
from ..._core.tensor import Tensor
from ..._creation.filled import empty, ones
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.written import function, maker
from ..indexing.where_true import where_true
from ..memory.assignment import assign_inplace

if TYPE_CHECKING:
    from ..._core.types import DeviceLike, DTypeLike, Function
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


def _part(name: str, upper: bool, beyond: str, bound: str, example: str, result: str) -> Function:
    words = {"beyond": beyond, "bound": bound, "example": f"{name}(ones(2, 3){example})", "result": result}

    @function(name=name, words=words, method=True, changes=True, out=("input",))
    def body(F: Namespace, operation: str, input: Checked, diagonal: Integer = 0) -> Tensor:
        """Copy matrices (the last two dimensions) with zeros {beyond} a diagonal: 0 is the main one, 1 the next above.

        Arguments:
            input: matrices (..., m, n).
            diagonal: the {bound} diagonal to keep: 0 is the main one.

        >>> from facula_tensor import ones
        >>> {example}
        tensor({result})
        """
        result = F.triangle(input, (diagonal, upper))
        return result if operation == name else assign_inplace(operation, input, result)

    return body


tril = _part("tril", False, "above", "highest", "", "[[1., 0., 0.],\n                [1., 1., 0.]]")
triu = _part("triu", True, "below", "lowest", ", 1", "[[0., 1., 1.],\n                [0., 0., 1.]]")


def _below(row: int, col: int, offset: int) -> int:
    """Return the number of elements in the first rows: row i has the first i + offset, limited by the columns."""
    first, full = max(0, -offset), min(max(col - offset, 0), row)  # first nonempty row, and first complete row
    partial = max(full - first, 0)
    return partial * (first + offset) + partial * (partial - 1) // 2 + (row - max(full, 0)) * col


def _indices(name: str, of: str, upper: bool, example: str, result: str) -> Function:
    @maker(name=name, words={"of": of, "example": f"{name}({example})", "result": result}, out=False)
    def body(
        operation: str,
        row: Integer,
        col: Integer,
        offset: Integer = 0,
        *,
        dtype: DTypeLike | None = None,
        device: DeviceLike | None = None,
    ) -> Tensor:
        """Return the row and column indices of `{of}` of a matrix (row, col): a tensor of two rows; int64, or `dtype`.

        Arguments:
            row: the number of rows.
            col: the number of columns.
            offset: the diagonal that bounds the triangle: 0 is the main one, 1 the next above.
            dtype: the dtype of the result; int64 if None.

        >>> {example}
        tensor({result})
        """
        if min(row, col) < 0:
            raise ArgumentError(f"{operation}: expected row and col of at least 0; got {row} and {col}")
        kind = int64 if dtype is None else as_dtype(dtype, operation)
        below = _below(row, col, offset + (0 if upper else 1))
        count = row * col - below if upper else below
        place = place_of(device)
        if place is meta:
            return empty(2, count, dtype=kind, device=meta)
        mask = recorded_ops.triangle(ones(row, col, dtype=bool, device=cpu), (offset, upper))
        kept = where_true("nonzero", mask, (2,), count)
        return kept.t().to(place, kind).contiguous()

    return body


tril_indices = _indices("tril_indices", "tril", False, "2, 2", "[[0, 1, 1],\n                [0, 0, 1]]")
triu_indices = _indices("triu_indices", "triu", True, "2, 2, 1", "[[0],\n                [1]]")
