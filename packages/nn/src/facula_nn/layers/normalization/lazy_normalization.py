"""Batch and instance normalisation that infers the number of channels on the first call."""

from __future__ import annotations

from typing import Any

from facula_errors.extend import boundary
from facula_tensor import Tensor

from ..._arguments import check_input
from ..lazy import Lazy, unsized
from .batch_norm import BatchNorm1d, BatchNorm2d, BatchNorm3d, ChannelNorm
from .instance_norm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d


class _LazyNorm(Lazy, ChannelNorm):
    """Base class of normalisations that take `num_features` from the first input."""

    alone = False  # whether an input with the minimum number of dimensions is a single example

    @unsized(ChannelNorm.__init__)
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    def reset_running_stats(self) -> None:
        """Reset the running statistics if they have a shape."""
        if not self.has_uninitialized_params():
            super().reset_running_stats()

    def initialize_parameters(self, input: Tensor) -> None:
        """Set `num_features` from `input`."""
        check_input(type(self).__name__, input)
        self._check_dims(input)
        count = input.shape[0 if self.alone and input.ndim == self.dims[0] else 1]
        self.num_features = count
        self._take_shapes(weight=(count,), bias=(count,), running_mean=(count,), running_var=(count,))


class _LazyInstanceNorm(_LazyNorm):
    """Base class of instance normalisations, which accept a single example."""

    alone = True


@boundary
class LazyBatchNorm1d(_LazyNorm, BatchNorm1d, becomes=BatchNorm1d):
    """`BatchNorm1d` that infers `num_features` on its first call, and then becomes a `BatchNorm1d`.

    It takes the other arguments of `BatchNorm1d`.

    >>> from facula_tensor import ones
    >>> layer = LazyBatchNorm1d()
    >>> layer(ones(2, 3)).shape, layer.num_features
    (facula.Size([2, 3]), 3)
    """


@boundary
class LazyBatchNorm2d(_LazyNorm, BatchNorm2d, becomes=BatchNorm2d):
    """`BatchNorm2d` that infers `num_features` on its first call; otherwise like `LazyBatchNorm1d`."""


@boundary
class LazyBatchNorm3d(_LazyNorm, BatchNorm3d, becomes=BatchNorm3d):
    """`BatchNorm3d` that infers `num_features` on its first call; otherwise like `LazyBatchNorm1d`."""


@boundary
class LazyInstanceNorm1d(_LazyInstanceNorm, InstanceNorm1d, becomes=InstanceNorm1d):
    """`InstanceNorm1d` that infers `num_features` on its first call; weights and running statistics are the default."""


@boundary
class LazyInstanceNorm2d(_LazyInstanceNorm, InstanceNorm2d, becomes=InstanceNorm2d):
    """`InstanceNorm2d` that infers `num_features` on its first call; otherwise like `LazyInstanceNorm1d`."""


@boundary
class LazyInstanceNorm3d(_LazyInstanceNorm, InstanceNorm3d, becomes=InstanceNorm3d):
    """`InstanceNorm3d` that infers `num_features` on its first call; otherwise like `LazyInstanceNorm1d`."""
