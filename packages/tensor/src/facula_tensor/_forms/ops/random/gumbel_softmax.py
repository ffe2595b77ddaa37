"""The public functions of `ops/random/gumbel_softmax.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import real_or_tensor
from ...._dispatch.arguments import floats
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor

bodies = bodies_of("ops.random.gumbel_softmax")


@overridable
def gumbel_softmax(
    logits: Tensor, tau: float | Tensor = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
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
    try:
        logits = floats("gumbel_softmax", logits)
        if type(tau) is not float and type(tau) is not int:
            tau = real_or_tensor(tau, "gumbel_softmax", "tau")
        if not tau > 0:
            raise ArgumentError(f"gumbel_softmax: expected tau > 0; got {tau}")
        return bodies.gumbel_softmax(ops, logits, tau, hard, eps, dim)
    except FaculaError as error:
        trim_traceback(error)
        raise
