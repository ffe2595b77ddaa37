"""The inverse of the error function, which the normal distribution's quantiles need."""

from __future__ import annotations

import math
from typing import Any

from facula_tensor import Function, Tensor, where

SHAPE = 0.147  # Winitzki 2008: of the first guess, two digits of which are right


class ErfInv(Function):
    """x such that erf(x) is the input; infinite at -1 and 1, NaN beyond. The derivative is sqrt(pi) / 2 exp(x²)."""

    @staticmethod
    def forward(ctx: Any, y: Tensor) -> Tensor:  # type: ignore[override]
        """Winitzki's approximation, then Halley's iteration: the third is as near as the dtype has it."""
        log = ((1 - y) * (1 + y)).log()
        half = 2 / (math.pi * SHAPE) + log / 2
        x = y.sign() * ((half * half - log / SHAPE).sqrt() - half).sqrt()
        for _ in range(3):
            off = (x.erf() - y) / (2 / math.sqrt(math.pi) * (-x * x).exp())
            better = x - off / (1 + x * off)
            x = where(better - better == 0, better, x)  # where the slope is too small to say, the guess stays
        x = where(y == 1, math.inf, where(y == -1, -math.inf, x))
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:  # type: ignore[override]
        """By the result, so that second derivatives are there too."""
        (x,) = ctx.saved_tensors
        return grad * (math.sqrt(math.pi) / 2) * (x * x).exp()


def erfinv(y: Tensor) -> Tensor:
    """The inverse of the error function.

    >>> from facula_tensor import tensor
    >>> erfinv(tensor([0.0, 0.5, 1.0]))
    tensor([0.0000, 0.4769,    inf])
    """
    return ErfInv.apply(y)
