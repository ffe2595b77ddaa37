"""Normalisation by neighbouring channels."""

from __future__ import annotations

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._arguments import check_input
from ..._modules.layer import layer
from ..._modules.module import Module


@layer
class _ResponseNorm(Module):
    """Base class with the options of both layers."""

    _repr_items = "size, alpha=, beta=, k="
    size: int
    alpha: float = 1e-4
    beta: float = 0.75
    k: float = 1.0


@boundary
class LocalResponseNorm(_ResponseNorm):
    """Divide each element of (N, C, ...) by (k + alpha · the mean square of `size` channels around it) ** beta.

    A. Krizhevsky, I. Sutskever and G. Hinton, ImageNet Classification with Deep Convolutional Neural Networks, 2012.

    Arguments:
        size: the number of channels in a window, at least 1.
        alpha: the factor of the mean square.
        beta: the exponent of the divisor.
        k: the constant added to the scaled mean square.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Normalise `input` (N, C, ...)."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)


@boundary
class CrossMapLRN2d(_ResponseNorm):
    """`LocalResponseNorm` of images (N, C, H, W) with windows centred on a channel: an even `size` is reduced by one.

    Sums of squares are still divided by the given `size`.

    Arguments:
        size: the number of channels in a window.
        alpha: the factor of the mean square.
        beta: the exponent of the divisor.
        k: the constant added to the scaled mean square.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)

    def forward(self, input: Tensor) -> Tensor:
        """Normalise `input` (N, C, H, W)."""
        check_input("CrossMapLRN2d", input)
        if input.ndim != 4:
            raise InvalidValueError(f"CrossMapLRN2d: expected 4 dimensions; got an input of shape {tuple(input.shape)}")
        window = (self.size - 1) // 2 * 2 + 1
        return F.local_response_norm(input, window, self.alpha * window / self.size, self.beta, self.k)
