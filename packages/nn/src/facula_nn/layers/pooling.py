"""Layers that shrink images: the largest or the mean number of each window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors.extend import boundary
from facula_tensor import Tensor

from .. import functional as F
from .._module import Module

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["AdaptiveAvgPool2d", "AvgPool2d", "MaxPool2d"]


@boundary
class MaxPool2d(Module):
    """The largest number of each window: (N, C, H, W) to (N, C, H', W'), or without N.

    Sizes are integers or pairs; `stride` is `kernel_size` where left out. With `return_indices` also where in its
    image each was, as int64.

    >>> from facula_tensor import arange
    >>> MaxPool2d(2)(arange(16.0).reshape(1, 4, 4))
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """

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
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input: Tensor) -> Tensor | Any:  # a pair with return_indices, which is known at run time
        """`input` (N, C, H, W) or (C, H, W)."""
        return F.max_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )

    def extra_repr(self) -> str:
        """The geometry."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


@boundary
class AvgPool2d(Module):
    """The mean of each window: (N, C, H, W) to (N, C, H', W'), or without N.

    `count_include_pad` says whether the padding counts as zeros; `divisor_override` is what sums are divided by.
    """

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
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """`input` (N, C, H, W) or (C, H, W)."""
        return F.avg_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def extra_repr(self) -> str:
        """The geometry."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


@boundary
class AdaptiveAvgPool2d(Module):
    """Means over windows of such sizes that the result has size `output_size` (None in a pair: as the input)."""

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """`input` (N, C, H, W) or (C, H, W)."""
        return F.adaptive_avg_pool2d(input, self.output_size)

    def extra_repr(self) -> str:
        """The size."""
        return f"output_size={self.output_size}"
