"""Max and average pooling of sequences, images and volumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._arguments import check_sizes, lengths
from ..variant import Variant

if TYPE_CHECKING:
    from ..._types import Pooled


class Windows(Variant):
    """Base class with the geometry of windows: a size, a stride and the padding of the input."""

    _repr_items = "kernel_size=, stride=, padding="
    kernel_size: int | Sequence[int]
    stride: int | Sequence[int]
    padding: int | Sequence[int]

    def _place(
        self, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None, padding: int | Sequence[int]
    ) -> None:
        """Store the geometry as given. TypeError for invalid sizes."""
        stride = kernel_size if stride is None else stride
        check_sizes(type(self).__name__, self.dims, kernel_size=kernel_size, stride=stride, padding=padding)
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding


class _MaxPool(Windows):
    """Base class of max poolings."""

    _repr_items = "kernel_size=, stride=, padding=, dilation=, ceil_mode="

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self._place(kernel_size, stride, padding)
        check_sizes(type(self).__name__, self.dims, dilation=dilation)
        self.dilation, self.return_indices, self.ceil_mode = dilation, return_indices, ceil_mode

    def forward(self, input: Tensor) -> Pooled:
        """Pool `input` (N, C, ...) or (C, ...), with one length for each dimension of the windows."""
        options = self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        return getattr(F, self._operator)(input, *options)


class _AvgPool(Windows):
    """Base class of average poolings."""

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | Sequence[int] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self._place(kernel_size, stride, padding)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """Pool `input` (N, C, ...) or (C, ...), with one length for each dimension of the windows."""
        options = self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        return getattr(F, self._operator)(input, *options, self.divisor_override)


@boundary
class MaxPool1d(_MaxPool, dims=1, operator="max_pool1d"):
    """The maximum of each window of a sequence: (N, C, L) to (N, C, L'), or without N; otherwise like `MaxPool2d`.

    Arguments: those of `MaxPool2d`.

    >>> from facula_tensor import tensor
    >>> MaxPool1d(2)(tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[3., 2.]])
    """


@boundary
class MaxPool2d(_MaxPool, dims=2, operator="max_pool2d"):
    """The maximum of each window: (N, C, H, W) to (N, C, H', W'), or without N.

    Sizes are integers or pairs; `stride` defaults to `kernel_size`. With `return_indices`, also returns the index of
    each maximum in its image, as int64.

    Arguments:
        kernel_size: the size of the windows, one number or one per dimension.
        stride: the step between windows; the kernel size if None.
        padding: the number of positions added at both ends of each dimension, which are never the maximum.
        dilation: the step between the elements of a window.
        return_indices: also return the indices of the maxima.
        ceil_mode: round the number of windows up.

    >>> from facula_tensor import arange
    >>> MaxPool2d(2)(arange(16.0).reshape(1, 4, 4))
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """


@boundary
class MaxPool3d(_MaxPool, dims=3, operator="max_pool3d"):
    """The maximum of each window of a volume: (N, C, D, H, W) to (N, C, D', H', W'), or without N.

    Sizes are integers or triples; otherwise like `MaxPool2d`. Arguments: those of `MaxPool2d`.

    >>> from facula_tensor import arange
    >>> MaxPool3d(2)(arange(8.0).reshape(1, 2, 2, 2))
    tensor([[[[7.]]]])
    """


@boundary
class AvgPool1d(Windows, dims=1):
    """The mean of each window of a sequence: (N, C, L) to (N, C, L'), or without N.

    `count_include_pad` includes the padding as zeros in the means.

    Arguments:
        kernel_size: the size of the windows, one number or one per dimension.
        stride: the step between windows; the kernel size if None.
        padding: the padding at both ends of each dimension.
        ceil_mode: round the number of windows up.
        count_include_pad: include the padding as zeros in the means.

    >>> from facula_tensor import tensor
    >>> AvgPool1d(2)(tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[2., 1.]])
    """

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | Sequence[int] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = lengths("AvgPool1d", "kernel_size", kernel_size, 1)
        self.stride = lengths("AvgPool1d", "stride", kernel_size if stride is None else stride, 1)
        self.padding = lengths("AvgPool1d", "padding", padding, 1)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """Average `input` (N, C, L) or (C, L)."""
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


@boundary
class AvgPool2d(_AvgPool, dims=2, operator="avg_pool2d"):
    """The mean of each window: (N, C, H, W) to (N, C, H', W'), or without N.

    `count_include_pad` includes the padding as zeros; `divisor_override` replaces the divisor of the sums.

    Arguments:
        kernel_size: the size of the windows, one number or one per dimension.
        stride: the step between windows; the kernel size if None.
        padding: the number of zeros added at both ends of each dimension.
        ceil_mode: round the number of windows up.
        count_include_pad: include the padding as zeros in the means.
        divisor_override: the divisor of the sums; the size of the windows if None.
    """


@boundary
class AvgPool3d(_AvgPool, dims=3, operator="avg_pool3d"):
    """The mean of each window of a volume: (N, C, D, H, W) to (N, C, D', H', W'), or without N; see `AvgPool2d`.

    Arguments: those of `AvgPool2d`.
    """
