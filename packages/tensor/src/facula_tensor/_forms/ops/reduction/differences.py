"""The public functions of `ops/reduction/differences.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.promotion import as_integer
from ...._core.tensor import method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.written import bodies_of
from ....ops.reduction.differences import _areas

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.tensor import Tensor
    from ...._core.types import Dims, Scalar

bodies = bodies_of("ops.reduction.differences")


@overridable
@method()
@boundary
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """dim: the dimension."""
    input = steady_tensor("diff", input)
    if type(n) is not int:
        n = as_integer(n, "diff", "n")
    if n < 0:
        raise ArgumentError(f"diff: expected n of at least 0; got {n}")
    result = bodies.diff(ops, input, n, dim, prepend, append)
    return result if out is None else write_out("diff", result, out)


@overridable
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    try:
        y = steady_tensor("trapezoid", y)
        areas, at = _areas("trapezoid", y, x, dx, dim)
        return ops.div(ops.sum(areas, ((at,), False)), 2)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def trapz(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    try:
        return bodies.trapz(y, x, dx=dx, dim=dim)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    try:
        y = steady_tensor("cumulative_trapezoid", y)
        areas, at = _areas("cumulative_trapezoid", y, x, dx, dim)
        return ops.div(areas.cumsum(at), 2)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def gradient(
    input: Tensor,
    *,
    spacing: Scalar | Tensor | Sequence[Scalar] | Sequence[Tensor] = 1,
    dim: Dims | None = None,
    edge_order: int = 1,
) -> tuple[Tensor, ...]:
    try:
        input = steady_tensor("gradient", input)
        if edge_order not in (1, 2):
            raise ArgumentError(f"gradient: expected edge_order to be 1 or 2; got {edge_order!r}")
        return bodies.gradient(ops, input, spacing=spacing, dim=dim, edge_order=edge_order)
    except FaculaError as error:
        trim_traceback(error)
        raise
