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
    """Return the differences of adjacent elements along `dim`, computed `n` times; for bool, whether they differ.

    Arguments:
        input: a tensor of at least 1 dimension.
        n: the number of times that differences are computed.
        dim: the dimension.
        prepend: a tensor to concatenate in front of `input` first, or None.
        append: a tensor to concatenate behind `input` first, or None.

    >>> from facula_tensor import tensor
    >>> diff(tensor([1, 3, 2]))
    tensor([ 2, -1])
    """
    input = steady_tensor("diff", input)
    if type(n) is not int:
        n = as_integer(n, "diff", "n")
    if n < 0:
        raise ArgumentError(f"diff: expected n of at least 0; got {n}")
    result = bodies.diff(ops, input, n, dim, prepend, append)
    return result if out is None else write_out("diff", result, out)


@overridable
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    """Return the area under a sampled curve along `dim`, by the trapezoidal rule.

    Arguments:
        y: the samples.
        x: the positions of the samples, of one dimension or of the shape of `y`; None if they are `dx` apart.
        dx: the distance between neighbors; None for 1.
        dim: the dimension of the samples.

    >>> from facula_tensor import tensor
    >>> trapezoid(tensor([1.0, 2.0, 3.0]), dx=2)
    tensor(8.)
    """
    try:
        y = steady_tensor("trapezoid", y)
        areas, at = _areas("trapezoid", y, x, dx, dim)
        return ops.div(ops.sum(areas, ((at,), False)), 2)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def trapz(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    """Alias of `trapezoid`, its older name.

    Arguments:
        y: the samples.
        x: the positions of the samples, or None.
        dx: the distance between neighbors; None for 1.
        dim: the dimension of the samples.

    >>> from facula_tensor import tensor
    >>> trapz(tensor([1.0, 2.0, 3.0]))
    tensor(4.)
    """
    try:
        return bodies.trapz(y, x, dx=dx, dim=dim)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    """Return the areas under a sampled curve up to each sample except the first, by the trapezoidal rule.

    Arguments:
        y: the samples.
        x: the positions of the samples, of one dimension or of the shape of `y`; None if they are `dx` apart.
        dx: the distance between neighbors; None for 1.
        dim: the dimension of the samples.

    >>> from facula_tensor import tensor
    >>> cumulative_trapezoid(tensor([1.0, 2.0, 3.0]))
    tensor([1.5000, 4.0000])
    """
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
    """Estimate the gradient of a sampled function along dimensions: central differences, one-sided at the ends.

    Arguments:
        input: the samples.
        spacing: the distance between neighbors, or one per dimension; or the positions, a vector per dimension.
        dim: the dimensions, or None for all.
        edge_order: the order of the differences at the ends, 1 or 2.

    Returns:
        A tensor for each dimension.

    >>> from facula_tensor import tensor
    >>> gradient(tensor([1.0, 4.0, 9.0]))
    (tensor([3., 4., 5.]),)
    """
    try:
        input = steady_tensor("gradient", input)
        if edge_order not in (1, 2):
            raise ArgumentError(f"gradient: expected edge_order to be 1 or 2; got {edge_order!r}")
        return bodies.gradient(ops, input, spacing=spacing, dim=dim, edge_order=edge_order)
    except FaculaError as error:
        trim_traceback(error)
        raise
