"""Dropout layers."""

from __future__ import annotations

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from .. import functional as F
from .._modules.layer import layer
from .variant import Variant


@layer
class Dropout(Variant, operator="dropout"):
    """Zero each element with probability `p` in training, and divide the others by 1 - p; the identity in evaluation.

    ValueError unless `p` is from 0 to 1.
    N. Srivastava et al., Dropout: A Simple Way to Prevent Neural Networks from Overfitting, JMLR 15, 2014.

    >>> from facula_tensor import ones
    >>> Dropout(0.5).eval()(ones(3))
    tensor([1., 1., 1.])
    """

    _repr_items = "p=, inplace="
    p: float = 0.5
    inplace: bool = False

    def _complete(self) -> None:
        if not 0 <= self.p <= 1:
            raise InvalidValueError(f"{type(self).__name__}: expected a probability from 0 to 1; got p={self.p}")

    def forward(self, input: Tensor) -> Tensor:
        """Apply dropout to an input of any shape."""
        return getattr(F, self._operator)(input, self.p, self.training, self.inplace)


@boundary
class Dropout1d(Dropout, operator="dropout1d"):
    """`Dropout` of whole channels of (N, C, L), or without N.

    >>> from facula_tensor import ones
    >>> Dropout1d(1.0)(ones(2, 3))
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """


@boundary
class Dropout2d(Dropout, operator="dropout2d"):
    """`Dropout` of whole channels of images (N, C, H, W).

    >>> from facula_tensor import ones
    >>> Dropout2d(1.0)(ones(1, 2, 1, 2)).flatten()
    tensor([0., 0., 0., 0.])
    """


@boundary
class Dropout3d(Dropout, operator="dropout3d"):
    """`Dropout` of whole channels of volumes (N, C, D, H, W), or without N."""


@boundary
class AlphaDropout(Dropout, operator="alpha_dropout"):
    """`Dropout` to the negative saturation value of `SELU` instead of 0, which preserves mean and variance.

    G. Klambauer et al., Self-Normalizing Neural Networks, NeurIPS 2017.

    >>> from facula_tensor import ones
    >>> AlphaDropout().eval()(ones(3))
    tensor([1., 1., 1.])
    """


@boundary
class FeatureAlphaDropout(Dropout, operator="feature_alpha_dropout"):
    """`AlphaDropout` of whole channels of (N, C, ...)."""
