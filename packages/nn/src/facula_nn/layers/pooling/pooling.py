"""Layers that shrink sequences, images and volumes: the largest or the mean number of each window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._arguments import check_sizes, lengths
from ..._modules.module import Module

if TYPE_CHECKING:
    from ..._types import Pooled


class Windows(Module):
    """Windows of one size, a stride apart, over inputs that are padded."""

    _repr_items = "kernel_size=, stride=, padding="
    dims: int
    _operator: str
    kernel_size: int | Sequence[int]
    stride: int | Sequence[int]
    padding: int | Sequence[int]

    def _place(
        self, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None, padding: int | Sequence[int]
    ) -> None:
        """Keep the geometry as it was given; TypeError for what is no size."""
        stride = kernel_size if stride is None else stride
        check_sizes(type(self).__name__, self.dims, kernel_size=kernel_size, stride=stride, padding=padding)
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding


class _MaxPool(Windows):
    """Pooling of the largest numbers."""

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
        """`input` (N, C, ...) or (C, ...), with a length for each of the windows' dimensions."""
        options = self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        return getattr(F, self._operator)(input, *options)


class _AvgPool(Windows):
    """Pooling of means."""

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
        """`input` (N, C, ...) or (C, ...), with a length for each of the windows' dimensions."""
        options = self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        return getattr(F, self._operator)(input, *options, self.divisor_override)


@boundary
class MaxPool1d(_MaxPool):
    """The largest number of each window of a sequence: (N, C, L) to (N, C, L'), or without N; else as `MaxPool2d`.

    Arguments: those of `MaxPool2d`.

    >>> from facula_tensor import tensor
    >>> MaxPool1d(2)(tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[3., 2.]])
    """

    dims = 1
    _operator = "max_pool1d"


@boundary
class MaxPool2d(_MaxPool):
    """The largest number of each window: (N, C, H, W) to (N, C, H', W'), or without N.

    Sizes are integers or pairs; `stride` is `kernel_size` where left out. With `return_indices` also where in its
    image each was, as int64.

    Arguments:
        kernel_size: the size of windows, a number or one a dimension.
        stride: the step between windows; their size if None.
        padding: places at both ends of each dimension that are never the greatest.
        dilation: the step within a window.
        return_indices: give the places of the maxima, too.
        ceil_mode: round the number of windows up.

    >>> from facula_tensor import arange
    >>> MaxPool2d(2)(arange(16.0).reshape(1, 4, 4))
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """

    dims = 2
    _operator = "max_pool2d"


@boundary
class MaxPool3d(_MaxPool):
    """The largest number of each window of a volume: (N, C, D, H, W) to (N, C, D', H', W'), or without N.

    Sizes are integers or triples; else as `MaxPool2d`. Arguments: those of `MaxPool2d`.

    >>> from facula_tensor import arange
    >>> MaxPool3d(2)(arange(8.0).reshape(1, 2, 2, 2))
    tensor([[[[7.]]]])
    """

    dims = 3
    _operator = "max_pool3d"


@boundary
class AvgPool1d(Windows):
    """The mean of each window of a sequence: (N, C, L) to (N, C, L'), or without N.

    `count_include_pad` says whether the padding counts as zeros.

    Arguments:
        kernel_size: the size of windows, a number or one a dimension.
        stride: the step between windows; their size if None.
        padding: what is added at both ends of each dimension.
        ceil_mode: round the number of windows up.
        count_include_pad: count the padding as zeros.

    >>> from facula_tensor import tensor
    >>> AvgPool1d(2)(tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[2., 1.]])
    """

    dims = 1

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
        """`input` (N, C, L) or (C, L)."""
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


@boundary
class AvgPool2d(_AvgPool):
    """The mean of each window: (N, C, H, W) to (N, C, H', W'), or without N.

    `count_include_pad` says whether the padding counts as zeros; `divisor_override` is what sums are divided by.

    Arguments:
        kernel_size: the size of windows, a number or one a dimension.
        stride: the step between windows; their size if None.
        padding: what is added at both ends of each dimension, as zeros.
        ceil_mode: round the number of windows up.
        count_include_pad: count the padding as zeros.
        divisor_override: what sums are divided by, in place of the windows' size.
    """

    dims = 2
    _operator = "avg_pool2d"


@boundary
class AvgPool3d(_AvgPool):
    """The mean of each window of a volume: (N, C, D, H, W) to (N, C, D', H', W'), or without N; else as `AvgPool2d`.

    Arguments: those of `AvgPool2d`.
    """

    dims = 3
    _operator = "avg_pool3d"
