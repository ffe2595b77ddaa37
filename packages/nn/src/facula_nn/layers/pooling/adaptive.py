"""Adaptive pooling of sequences, images and volumes to a given size, with windows of nearly equal sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._arguments import check_sizes
from ..variant import Variant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._types import Pooled


class _AdaptivePool(Variant):
    """Base class of poolings whose windows are sized for a given output size."""

    _repr_items = "output_size="
    output_size: Any  # integers, or None for the input's length

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        super().__init__()
        wanted = output_size
        if self.dims > 1:  # None selects the input's length
            if isinstance(output_size, (tuple, list)):
                wanted = tuple([1 if size is None else size for size in output_size])
            elif output_size is None:
                wanted = 1
        check_sizes(type(self).__name__, self.dims, output_size=wanted)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """Pool `input` (N, C, ...) or (C, ...), with one length for each dimension of the windows."""
        return getattr(F, self._operator)(input, self.output_size)


class _AdaptiveMaxPool(_AdaptivePool):
    """Base class of adaptive max poolings, which optionally return the indices of the maxima."""

    def __init__(self, output_size: int | Sequence[int | None] | None, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Pooled:
        """Pool `input` (N, C, ...) or (C, ...), with one length for each dimension of the windows."""
        return getattr(F, self._operator)(input, self.output_size, self.return_indices)


@boundary
class AdaptiveAvgPool1d(_AdaptivePool, dims=1, operator="adaptive_avg_pool1d"):
    """Adaptive average pooling of sequences to length `output_size`.

    >>> from facula_tensor import arange
    >>> AdaptiveAvgPool1d(2)(arange(4.0).view(1, 4))
    tensor([[0.5000, 2.5000]])
    """


@boundary
class AdaptiveAvgPool2d(_AdaptivePool, dims=2, operator="adaptive_avg_pool2d"):
    """Adaptive average pooling of images to size `output_size` (None in a pair: the input's length).

    >>> from facula_tensor import ones
    >>> AdaptiveAvgPool2d((None, 2))(ones(1, 3, 5)).shape
    facula.Size([1, 3, 2])
    """


@boundary
class AdaptiveAvgPool3d(_AdaptivePool, dims=3, operator="adaptive_avg_pool3d"):
    """Adaptive average pooling of volumes to size `output_size` (None: the input's length)."""


@boundary
class AdaptiveMaxPool1d(_AdaptiveMaxPool, dims=1, operator="adaptive_max_pool1d"):
    """Adaptive max pooling of sequences to length `output_size`.

    With `return_indices`, also returns the index of each maximum in its sequence, as int64.

    >>> from facula_tensor import arange
    >>> AdaptiveMaxPool1d(2)(arange(4.0).view(1, 4))
    tensor([[1., 3.]])
    """


@boundary
class AdaptiveMaxPool2d(_AdaptiveMaxPool, dims=2, operator="adaptive_max_pool2d"):
    """Adaptive max pooling of images to size `output_size`.

    With `return_indices`, also returns the index of each maximum in its image, as int64.

    >>> from facula_tensor import arange
    >>> AdaptiveMaxPool2d(1)(arange(4.0).view(1, 2, 2))
    tensor([[[3.]]])
    """


@boundary
class AdaptiveMaxPool3d(_AdaptiveMaxPool, dims=3, operator="adaptive_max_pool3d"):
    """Adaptive max pooling of volumes to size `output_size`.

    With `return_indices`, also returns the index of each maximum in its volume, as int64.
    """
