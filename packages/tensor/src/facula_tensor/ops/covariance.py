"""How variables vary together: covariances and correlations."""

from __future__ import annotations

import warnings
from typing import Any

from facula_errors.extend import boundary
from facula_storage import bool_
from facula_storage.extend import COMPLEX, FLOATING, INTEGER

from .._errors import ArgumentError, DTypeError
from .._operator import raw, recording
from .._overrides import asks
from .._promotion import as_integer, floating, promote_types
from .._tensor import Tensor, layout_of_tensor, method, snapshot, steady
from .._viewing import as_tensor

__all__ = ["corrcoef", "cov"]


@asks
@method()
@boundary
def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariances of variables, the rows of `input` (variables, observations): (variables, variables).

    One variable (or a vector) has a variance without dimensions. Sums are divided by the number of
    observations less `correction`. `fweights` (integers) say how often each was observed, `aweights` how much each
    counts. Integers are computed in the default floating dtype.

    >>> from facula_tensor import tensor
    >>> cov(tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    input = steady(as_tensor("cov", input))
    layout = layout_of_tensor(input)
    if len(layout.shape) > 2:
        raise ArgumentError(f"cov: expected at most 2 dimensions (variables, observations); got shape {layout.shape}")
    if layout.dtype is bool_:
        raise DTypeError("cov: not defined for bool; convert with .float()")
    off = as_integer(correction, "cov", "correction")
    rows = recording.reshape(input, (1, -1)) if len(layout.shape) < 2 and layout.numel else input
    if len(layout.shape) < 2 and not layout.numel:
        rows = recording.reshape(input, (1, 0))
    kind = floating(layout.dtype)
    if isinstance(aweights, Tensor) and aweights.is_floating_point():
        kind = promote_types(kind, aweights.dtype)
    rows = rows if kind is layout.dtype else recording.to(rows, (kind,))
    count = rows.shape[1]
    often = _weights("fweights", fweights, count, integers=True)
    much = _weights("aweights", aweights, count, integers=False)
    weights = often if much is None else much if often is None else recording.mul(often, much)
    real = kind.to_real() if kind.category == COMPLEX else kind
    every = ((0,), False)
    if weights is None:
        total: Any = count
        mean = recording.div(recording.sum(rows, ((1,), True)), count) if count else recording.sum(rows, ((1,), True))
    else:
        total = recording.sum(weights, every)
        if count and total.item() == 0:
            raise ArgumentError("cov: expected weights that do not add up to 0; got such")
        total = recording.to(total, (real,))
        weights = recording.to(weights, (real,))
        mean = recording.div(recording.sum(recording.mul(rows, weights), ((1,), True)), total)
    if much is None or not off:
        freedom = total - off
    else:
        squares = recording.sum(recording.mul(weights, recording.to(much, (real,))), every)
        freedom = recording.sub(total, recording.div(recording.mul(squares, off), total))
    if (freedom if isinstance(freedom, int) else freedom.item()) <= 0:
        warnings.warn("cov: no degrees of freedom are left; results are infinite or NaN", UserWarning, stacklevel=3)
        freedom = 0 if isinstance(freedom, int) else raw.zeros_like(freedom)
    centred = recording.sub(rows, mean)
    other = centred if weights is None else recording.mul(centred, weights)
    products = recording.matmul(centred, recording.transpose(recording.conj(other), 0, 1))
    result = recording.div(products, freedom)
    return recording.reshape(result, ()) if rows.shape[0] == 1 else result


def _weights(name: str, weights: Any, count: int, *, integers: bool) -> Tensor | None:
    """Weights of the observations (count,), none negative."""
    if weights is None:
        return None
    weights = steady(as_tensor("cov", weights))
    layout = layout_of_tensor(weights)
    if (layout.dtype.category == INTEGER) is not integers or layout.dtype.category not in (INTEGER, FLOATING):
        wanted = "integers" if integers else "floating"
        raise DTypeError(f"cov: expected {name} to be {wanted}; got {layout.dtype.name}")
    if layout.shape != (count,):
        raise ArgumentError(f"cov: expected {name} of shape ({count},), one an observation; got {layout.shape}")
    if count and raw.amin(snapshot(weights), ((0,), False)).item() < 0:
        raise ArgumentError(f"cov: expected {name} of at least 0; got a negative one")
    return weights


@asks
@method()
@boundary
def corrcoef(input: Tensor) -> Tensor:
    """The correlation coefficients of variables, the rows of `input` (variables, observations), between -1 and 1.

    Covariances divided by both standard deviations; NaN where a variable does not vary.

    >>> from facula_tensor import tensor
    >>> corrcoef(tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    input = as_tensor("corrcoef", input)
    if input.ndim > 2:
        raise ArgumentError(
            f"corrcoef: expected at most 2 dimensions (variables, observations); got shape {tuple(input.shape)}"
        )
    c = cov(input)
    if not c.ndim:
        return recording.div(c, c)
    variances = recording.diagonal(c, 0, 0, 1)
    if c.is_complex():
        variances = recording.real_part(variances)
    deviations = recording.sqrt(variances)
    result = recording.div(recording.div(c, recording.unsqueeze(deviations, 1)), recording.unsqueeze(deviations, 0))
    return result if c.is_complex() else result.clamp(-1, 1)
