"""Normalisation of batches and of instances that finds the number of channels at the first call."""

from __future__ import annotations

from typing import Any

from facula_errors.extend import boundary
from facula_tensor import Tensor

from ..._arguments import check_input
from ..lazy import Lazy, unsized
from .batch_norm import BatchNorm1d, BatchNorm2d, BatchNorm3d, ChannelNorm
from .instance_norm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d


class _LazyNorm(Lazy, ChannelNorm):
    """Channels that are counted in the first input."""

    alone = False  # whether an input of the fewest dimensions is one example

    @unsized(ChannelNorm.__init__)
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    def reset_running_stats(self) -> None:
        """Forget all batches, where there are channels yet."""
        if not self.has_uninitialized_params():
            super().reset_running_stats()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take `num_features` from `input`."""
        check_input(type(self).__name__, input)
        self._check_dims(input)
        count = input.shape[0 if self.alone and input.ndim == self.dims[0] else 1]
        self.num_features = count
        self._take_shapes(weight=(count,), bias=(count,), running_mean=(count,), running_var=(count,))


class _LazyInstanceNorm(_LazyNorm):
    """Inputs may be one example."""

    alone = True


@boundary
class LazyBatchNorm1d(_LazyNorm, BatchNorm1d):
    """`BatchNorm1d` that finds `num_features` at its first call, and is a `BatchNorm1d` from then on.

    Arguments are its others.

    >>> from facula_tensor import ones
    >>> layer = LazyBatchNorm1d()
    >>> layer(ones(2, 3)).shape, layer.num_features
    (facula.Size([2, 3]), 3)
    """

    cls_to_become = BatchNorm1d


@boundary
class LazyBatchNorm2d(_LazyNorm, BatchNorm2d):
    """`BatchNorm2d` that finds `num_features` at its first call; else as `LazyBatchNorm1d`."""

    cls_to_become = BatchNorm2d


@boundary
class LazyBatchNorm3d(_LazyNorm, BatchNorm3d):
    """`BatchNorm3d` that finds `num_features` at its first call; else as `LazyBatchNorm1d`."""

    cls_to_become = BatchNorm3d


@boundary
class LazyInstanceNorm1d(_LazyInstanceNorm, InstanceNorm1d):
    """`InstanceNorm1d` that finds `num_features` at its first call; with weights and running statistics unless said."""

    cls_to_become = InstanceNorm1d


@boundary
class LazyInstanceNorm2d(_LazyInstanceNorm, InstanceNorm2d):
    """`InstanceNorm2d` that finds `num_features` at its first call; else as `LazyInstanceNorm1d`."""

    cls_to_become = InstanceNorm2d


@boundary
class LazyInstanceNorm3d(_LazyInstanceNorm, InstanceNorm3d):
    """`InstanceNorm3d` that finds `num_features` at its first call; else as `LazyInstanceNorm1d`."""

    cls_to_become = InstanceNorm3d
