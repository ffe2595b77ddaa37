"""Normalisation of each channel of each example."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._arguments import check_input
from .batch_norm import ChannelNorm

if TYPE_CHECKING:
    from facula_tensor.extend.arguments import DeviceLike, DTypeLike


@boundary
class _InstanceNorm(ChannelNorm):
    """Base class: subtract each channel's mean, divide by its standard deviation, multiply by `weight`, add `bias`.

    Arguments: those of `ChannelNorm`.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        """Normalise `input` (N, C, ...) or (C, ...); training uses its own statistics and updates the running ones."""
        name = type(self).__name__
        check_input(name, input)
        self._check_dims(input)
        alone = input.ndim == self.dims[0]
        channels = input.shape[0 if alone else 1]
        if channels != self.num_features:
            text = f"{name}: expected an input of {self.num_features} channels, as num_features says; got {channels}"
            if self.affine or self.track_running_stats:
                raise InvalidValueError(text)
            warnings.warn(text, stacklevel=2)
        own = self.training or not self.track_running_stats
        made = F.instance_norm(
            input.unsqueeze(0) if alone else input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            own,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return made.squeeze(0) if alone else made


@boundary
class InstanceNorm1d(_InstanceNorm, dims=(2, 3)):
    """Normalisation of each channel of each example of (N, C, L), or of one example (C, L).

    With `track_running_stats`, training updates `running_mean` and `running_var` towards the means over the examples by
    `momentum`, and evaluation uses them. With `affine`, the result is multiplied by `weight`, and `bias` is added.
    ValueError for other numbers of dimensions.

    D. Ulyanov, A. Vedaldi and V. Lempitsky, Instance Normalization: The Missing Ingredient for Fast Stylization, 2016.

    >>> from facula_tensor import tensor
    >>> InstanceNorm1d(1)(tensor([[1.0, 3.0]]))
    tensor([[-1.0000,  1.0000]])
    """


@boundary
class InstanceNorm2d(_InstanceNorm, dims=(3, 4)):
    """Normalisation of each channel of images (N, C, H, W), or of one (C, H, W); otherwise like `InstanceNorm1d`."""


@boundary
class InstanceNorm3d(_InstanceNorm, dims=(4, 5)):
    """Normalisation of each channel of volumes (N, C, D, H, W), or of one (C, D, H, W)."""
