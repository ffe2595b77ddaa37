"""Differentiable samples from categorical distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import float32, float64

from ..._core.tensor import Tensor, check_dim
from ..._creation.random import rand
from ..._dispatch.written import function

if TYPE_CHECKING:
    from ..._dispatch.kinds import Flag, Floating, RealOrTensor
    from ..._dispatch.namespaces import Namespace

SMALLEST = 2.0**-126  # the lower bound of samples, which keeps logarithms finite


@function(overridable=True, refuses={"not tau > 0": "tau > 0; got {tau}"})
def gumbel_softmax(
    F: Namespace, logits: Floating, tau: RealOrTensor = 1, hard: Flag = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Return softmax((logits + noise) / tau) along `dim`, with noise from a standard Gumbel distribution.

    The position of the largest element is a sample from the categorical distribution. E. Jang and others: Categorical
    reparameterization with Gumbel-softmax, 2016.

    Arguments:
        logits: logarithms of the weights of categories, of a floating dtype.
        tau: the temperature; the smaller it is, the closer the largest element is to 1.
        hard: whether to return one-hot vectors, with the gradients of the soft result.
        eps: has no effect.
        dim: the dimension of categories.

    Raises:
        ValueError: if tau is not positive.

    >>> from facula_tensor import tensor
    >>> gumbel_softmax(tensor([0.0, 1000.0]), hard=True)
    tensor([0., 1.])
    """
    x, at = logits, check_dim("gumbel_softmax", dim, logits.ndim or 1)
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
    one_hot = F.zeros_like(given).scatter(at, place, 1.0) if x.ndim else F.ones_like(given)
    return F.add(F.sub(one_hot, given), soft)
