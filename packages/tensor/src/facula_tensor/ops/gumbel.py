"""Draws from categories, with gradients."""

from __future__ import annotations

from facula_errors import ArgumentError, DTypeError
from facula_errors.extend import boundary
from facula_storage import float32, float64
from facula_storage.extend import FLOATING

from .._core.promotion import as_real
from .._core.tensor import Tensor, check_dim
from .._creation.random import rand
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor

__all__ = ["gumbel_softmax"]

SMALLEST = 2.0**-126  # of draws, so that no logarithm is infinite


@overridable
@boundary
def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """softmax((logits + noise) / tau) along `dim`, the noise drawn from Gumbel's distribution.

    The greatest element is a draw from the categories. E. Jang and others: Categorical reparameterization with
    Gumbel-softmax, 2016.

    Arguments:
        logits: logarithms of the weights of categories, of a floating dtype.
        tau: the temperature: the smaller, the nearer is the greatest element to 1.
        hard: whether it is 1 and the others 0, with the gradients of the soft result.
        eps: has no effect.
        dim: the dimension of categories.

    Raises:
        ValueError: unless tau > 0.

    >>> from facula_tensor import tensor
    >>> gumbel_softmax(tensor([0.0, 1000.0]), hard=True)
    tensor([0., 1.])
    """
    F, x, tau = recorded_ops, as_tensor("gumbel_softmax", logits), as_real(tau, "gumbel_softmax", "tau")
    if x.dtype.category != FLOATING:
        raise DTypeError(f"gumbel_softmax: defined for floating dtypes; got {x.dtype.name}; convert with .float()")
    if not tau > 0:
        raise ArgumentError(f"gumbel_softmax: expected tau > 0; got {tau}")
    at = check_dim("gumbel_softmax", dim, x.ndim or 1)
    wide = float64 if x.dtype is float64 else float32
    draws = rand(tuple(x.shape), dtype=wide, device=x.device)
    waiting = F.clamp_min(F.neg(F.log1p(F.neg(draws))), SMALLEST)
    noise = F.to(F.neg(F.log(waiting)), (x.dtype,))
    soft = F.div(F.add(x, noise), tau)
    soft = F.softmax(soft, (at,)) if x.ndim else F.ones_like(soft)
    if not hard:
        return soft
    given = soft.detach()
    place = given.argmax(at, keepdim=True)
    one = F.zeros_like(given).scatter(at, place, 1.0) if x.ndim else F.ones_like(given)
    return F.add(F.sub(one, given), soft)
