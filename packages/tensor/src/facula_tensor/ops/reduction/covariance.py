"""Covariance and correlation of variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError
from facula_errors.extend import warn
from facula_storage import bool_
from facula_storage.extend.layouts import COMPLEX, FLOATING, INTEGER

from ..._core.promotion import floating, promote_types
from ..._core.tensor import Tensor, layout_of_tensor, snapshot, steady
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function

if TYPE_CHECKING:
    from ..._dispatch.kinds import Checked, Integer, Steady
    from ..._dispatch.namespaces import Namespace


@function(method=True)
def cov(
    F: Namespace,
    input: Steady,
    *,
    correction: Integer = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """Return the covariance matrix of variables.

    A single variable (or a vector) returns its variance as a zero-dimensional tensor. Integers are computed in the
    default floating dtype.

    Arguments:
        input: one variable per row: (variables, observations).
        correction: subtracted from the number of observations, by which sums are divided.
        fweights: the number of repetitions of each observation, (observations,) integers, or None.
        aweights: the relative importance of each observation, (observations,) floating, or None.

    Returns:
        (variables, variables).

    >>> from facula_tensor import tensor
    >>> cov(tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    layout = layout_of_tensor(input)
    if len(layout.shape) > 2:
        raise ArgumentError(f"cov: expected at most 2 dimensions (variables, observations); got shape {layout.shape}")
    if layout.dtype is bool_:
        raise DTypeError("cov: not defined for bool; convert with .float()")
    rows = F.reshape(input, (1, -1)) if len(layout.shape) < 2 and layout.numel else input
    if len(layout.shape) < 2 and not layout.numel:
        rows = F.reshape(input, (1, 0))
    kind = floating(layout.dtype)
    if isinstance(aweights, Tensor) and aweights.is_floating_point():
        kind = promote_types(kind, aweights.dtype)
    rows = rows if kind is layout.dtype else F.to(rows, (kind,))
    count = rows.shape[1]
    often = _weights("fweights", fweights, count, integers=True)
    much = _weights("aweights", aweights, count, integers=False)
    weights = often if much is None else much if often is None else F.mul(often, much)
    real = kind.to_real() if kind.category == COMPLEX else kind
    every = ((0,), False)
    if weights is None:
        total: int | Tensor = count
        mean = F.div(F.sum(rows, ((1,), True)), count) if count else F.sum(rows, ((1,), True))
    else:
        whole = F.sum(weights, every)
        if count and whole.item() == 0:
            raise ArgumentError("cov: expected weights with a nonzero sum; got a sum of 0")
        total = F.to(whole, (real,))
        weights = F.to(weights, (real,))
        mean = F.div(F.sum(F.mul(rows, weights), ((1,), True)), total)
    if much is None or not correction:
        freedom = total - correction
    else:
        squares = F.sum(F.mul(weights, F.to(much, (real,))), every)
        freedom = F.sub(total, F.div(F.mul(squares, correction), total))
    if (freedom if isinstance(freedom, int) else freedom.item()) <= 0:
        warn("cov: no degrees of freedom are left; results are infinite or NaN")
        freedom = 0 if isinstance(freedom, int) else no_record_ops.zeros_like(freedom)
    centred = F.sub(rows, mean)
    other = centred if weights is None else F.mul(centred, weights)
    products = F.matmul(centred, F.transpose(F.conj(other), 0, 1))
    result = F.div(products, freedom)
    return F.reshape(result, ()) if rows.shape[0] == 1 else result


def _weights(name: str, weights: Tensor | None, count: int, *, integers: bool) -> Tensor | None:
    """Return a snapshot of `weights` (count,), or None.

    The dtype must be an integer dtype if `integers`, otherwise a floating dtype. Errors name the argument; negative
    weights are an error.
    """
    if weights is None:
        return None
    weights = steady(as_tensor("cov", weights))
    layout = layout_of_tensor(weights)
    if (layout.dtype.category == INTEGER) is not integers or layout.dtype.category not in (INTEGER, FLOATING):
        wanted = "integers" if integers else "floating"
        raise DTypeError(f"cov: expected {name} to be {wanted}; got {layout.dtype.name}")
    if layout.shape != (count,):
        raise ArgumentError(f"cov: expected {name} of shape ({count},), one per observation; got {layout.shape}")
    if count and no_record_ops.amin(snapshot(weights), ((0,), False)).item() < 0:
        raise ArgumentError(f"cov: expected {name} of at least 0; got a negative one")
    return weights


@function(method=True)
def corrcoef(F: Namespace, input: Checked) -> Tensor:
    """Return the correlation coefficients of variables, the rows of `input` (variables, observations).

    They are covariances divided by both standard deviations, from -1 to 1; NaN for a variable with zero variance.

    >>> from facula_tensor import tensor
    >>> corrcoef(tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input.ndim > 2:
        raise ArgumentError(
            f"corrcoef: expected at most 2 dimensions (variables, observations); got shape {tuple(input.shape)}"
        )
    c = cov(input)
    if not c.ndim:
        return F.div(c, c)
    variances = F.diagonal(c, 0, 0, 1)
    if c.is_complex():
        variances = F.real_view(variances)
    deviations = F.sqrt(variances)
    result = F.div(F.div(c, F.unsqueeze(deviations, 1)), F.unsqueeze(deviations, 0))
    return result if c.is_complex() else result.clamp(-1, 1)
