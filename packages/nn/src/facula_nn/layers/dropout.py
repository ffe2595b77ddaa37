"""Dropout layers."""

from __future__ import annotations

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from .. import functional as F
from .._modules.layer import layer
from .._modules.module import Module


@layer
class Dropout(Module):
    """Zero each element with probability `p` in training, and divide the others by 1 - p; the identity in evaluation.

    ValueError unless `p` is from 0 to 1.
    N. Srivastava et al., Dropout: A Simple Way to Prevent Neural Networks from Overfitting, JMLR 15, 2014.

    >>> from facula_tensor import ones
    >>> Dropout(0.5).eval()(ones(3))
    tensor([1., 1., 1.])
    """

    _repr_items = "p=, inplace="
    _operator = "dropout"
    p: float = 0.5
    inplace: bool = False

    def _complete(self) -> None:
        if not 0 <= self.p <= 1:
            raise InvalidValueError(f"{type(self).__name__}: expected a probability from 0 to 1; got p={self.p}")

    def forward(self, input: Tensor) -> Tensor:
        """Apply dropout to an input of any shape."""
        return getattr(F, self._operator)(input, self.p, self.training, self.inplace)


@boundary
class Dropout1d(Dropout):
    """`Dropout` of whole channels of (N, C, L), or without N."""

    _operator = "dropout1d"


@boundary
class Dropout2d(Dropout):
    """`Dropout` of whole channels of images (N, C, H, W)."""

    _operator = "dropout2d"


@boundary
class Dropout3d(Dropout):
    """`Dropout` of whole channels of volumes (N, C, D, H, W), or without N."""

    _operator = "dropout3d"


@boundary
class AlphaDropout(Dropout):
    """`Dropout` to the negative saturation value of `SELU` instead of 0, which preserves mean and variance.

    G. Klambauer et al., Self-Normalizing Neural Networks, NeurIPS 2017.
    """

    _operator = "alpha_dropout"


@boundary
class FeatureAlphaDropout(Dropout):
    """`AlphaDropout` of whole channels of (N, C, ...)."""

    _operator = "feature_alpha_dropout"
