"""Covariances and correlations of variables."""

from __future__ import annotations

import warnings

from facula_errors import ArgumentError, DTypeError
from facula_errors.extend import boundary
from facula_storage import bool_
from facula_storage.extend import COMPLEX, FLOATING, INTEGER

from .._core.promotion import as_integer, floating, promote_types
from .._core.tensor import Tensor, layout_of_tensor, method, snapshot, steady
from .._dispatch.namespaces import no_record_ops, recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor

__all__ = ["corrcoef", "cov"]


@overridable
@method()
@boundary
def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariances of variables, the rows of `input` (variables, observations): (variables, variables).

    One variable (or a vector) has a variance without dimensions. Integers are computed in the default floating dtype.

    Arguments:
        input: (variables, observations).
        correction: sums are divided by the number of observations less this.
        fweights: how often each observation was made, (observations,) integers, or None.
        aweights: how much each observation counts, (observations,) floating, or None.

    Returns:
        (variables, variables).

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
    rows = recorded_ops.reshape(input, (1, -1)) if len(layout.shape) < 2 and layout.numel else input
    if len(layout.shape) < 2 and not layout.numel:
        rows = recorded_ops.reshape(input, (1, 0))
    kind = floating(layout.dtype)
    if isinstance(aweights, Tensor) and aweights.is_floating_point():
        kind = promote_types(kind, aweights.dtype)
    rows = rows if kind is layout.dtype else recorded_ops.to(rows, (kind,))
    count = rows.shape[1]
    often = _weights("fweights", fweights, count, integers=True)
    much = _weights("aweights", aweights, count, integers=False)
    weights = often if much is None else much if often is None else recorded_ops.mul(often, much)
    real = kind.to_real() if kind.category == COMPLEX else kind
    every = ((0,), False)
    if weights is None:
        total: int | Tensor = count
        mean = (
            recorded_ops.div(recorded_ops.sum(rows, ((1,), True)), count)
            if count
            else recorded_ops.sum(rows, ((1,), True))
        )
    else:
        whole = recorded_ops.sum(weights, every)
        if count and whole.item() == 0:
            raise ArgumentError("cov: expected weights that do not add up to 0; got such")
        total = recorded_ops.to(whole, (real,))
        weights = recorded_ops.to(weights, (real,))
        mean = recorded_ops.div(recorded_ops.sum(recorded_ops.mul(rows, weights), ((1,), True)), total)
    if much is None or not off:
        freedom = total - off
    else:
        squares = recorded_ops.sum(recorded_ops.mul(weights, recorded_ops.to(much, (real,))), every)
        freedom = recorded_ops.sub(total, recorded_ops.div(recorded_ops.mul(squares, off), total))
    if (freedom if isinstance(freedom, int) else freedom.item()) <= 0:
        warnings.warn("cov: no degrees of freedom are left; results are infinite or NaN", UserWarning, stacklevel=3)
        freedom = 0 if isinstance(freedom, int) else no_record_ops.zeros_like(freedom)
    centred = recorded_ops.sub(rows, mean)
    other = centred if weights is None else recorded_ops.mul(centred, weights)
    products = recorded_ops.matmul(centred, recorded_ops.transpose(recorded_ops.conj(other), 0, 1))
    result = recorded_ops.div(products, freedom)
    return recorded_ops.reshape(result, ()) if rows.shape[0] == 1 else result


def _weights(name: str, weights: Tensor | None, count: int, *, integers: bool) -> Tensor | None:
    """`weights` (count,) at this moment, or None; an error, with their name, where one is negative.

    Their dtype is one of integers where `integers`, else a floating one.
    """
    if weights is None:
        return None
    weights = steady(as_tensor("cov", weights))
    layout = layout_of_tensor(weights)
    if (layout.dtype.category == INTEGER) is not integers or layout.dtype.category not in (INTEGER, FLOATING):
        wanted = "integers" if integers else "floating"
        raise DTypeError(f"cov: expected {name} to be {wanted}; got {layout.dtype.name}")
    if layout.shape != (count,):
        raise ArgumentError(f"cov: expected {name} of shape ({count},), one an observation; got {layout.shape}")
    if count and no_record_ops.amin(snapshot(weights), ((0,), False)).item() < 0:
        raise ArgumentError(f"cov: expected {name} of at least 0; got a negative one")
    return weights


@overridable
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
        return recorded_ops.div(c, c)
    variances = recorded_ops.diagonal(c, 0, 0, 1)
    if c.is_complex():
        variances = recorded_ops.real_view(variances)
    deviations = recorded_ops.sqrt(variances)
    result = recorded_ops.div(
        recorded_ops.div(c, recorded_ops.unsqueeze(deviations, 1)), recorded_ops.unsqueeze(deviations, 0)
    )
    return result if c.is_complex() else result.clamp(-1, 1)
