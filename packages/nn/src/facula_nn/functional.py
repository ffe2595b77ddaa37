"""What networks are made of, as functions: names and arguments of `torch.nn.functional`.

Operators are `facula_tensor.functional`'s; what is here is written in them.
"""

from __future__ import annotations

import facula_tensor.functional as _operators
from facula_tensor import Tensor
from facula_tensor.extend import as_real, recording
from facula_tensor.functional import *  # noqa: F403
from facula_tensor.functional import logsigmoid

__all__ = ["softplus"]
__all__ += _operators.__all__


def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """log(1 + exp(beta · x)) / beta of each element; x itself where beta · x is above `threshold`.

    ValueError where `beta` is 0.

    >>> from facula_tensor import tensor
    >>> softplus(tensor([0.0, 30.0]))
    tensor([ 0.6931, 30.0000])
    """
    beta, threshold = as_real(beta, "softplus", "beta"), as_real(threshold, "softplus", "threshold")
    if beta == 0:
        raise ValueError("softplus: expected a beta other than 0, since it divides by it; got 0")
    if beta == 1 and threshold >= 20 and input.is_floating_point() and input.dtype.itemsize <= 4:
        return recording.neg(logsigmoid(recording.neg(input)))  # x itself beyond 20, but for what float64 would show
    scaled = recording.mul(input, beta)
    smooth = recording.neg(logsigmoid(recording.neg(scaled)))
    return recording.where(recording.gt(scaled, threshold), input, recording.div(smooth, beta))
