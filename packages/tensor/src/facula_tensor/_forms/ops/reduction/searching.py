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
    try:
        if not isinstance(sorted_sequence, Tensor):
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
    try:
        if not isinstance(boundaries, Tensor):
            boundaries = as_tensor("bucketize", boundaries)
        return bodies.bucketize(input, boundaries, out_int32=out_int32, right=right, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
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
    input = snapshot(as_tensor("unique", input))
    return distinct("unique", input, dim, True, return_inverse, return_counts)


@overridable
@method()
@boundary
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Tensor | tuple[Tensor, ...]:
    input = snapshot(as_tensor("unique_consecutive", input))
    return distinct("unique_consecutive", input, dim, False, return_inverse, return_counts)
