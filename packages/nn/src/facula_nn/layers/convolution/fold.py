"""Conversion of the windows of images to columns, and of columns to images."""

from __future__ import annotations

from collections.abc import Sequence

from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._arguments import check_input, check_sizes
from ..._modules.module import Module


class _Columns(Module):
    """Base class with the geometry of the windows."""

    _repr_items = "kernel_size=, dilation=, padding=, stride="

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        dilation: int | Sequence[int] = 1,
        padding: int | Sequence[int] = 0,
        stride: int | Sequence[int] = 1,
    ) -> None:
        super().__init__()
        check_sizes(type(self).__name__, 2, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride


@boundary
class Unfold(_Columns):
    """Extract the windows of images as columns: (N, C, H, W) to (N, C · window, windows), or without N.

    Arguments:
        kernel_size: the size of the windows, one number or one per dimension.
        dilation: the step between the elements of a window.
        padding: the number of zeros at both ends of each dimension.
        stride: the step between windows.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Extract the windows of `input` (N, C, H, W) or (C, H, W)."""
        check_input("Unfold", input)
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


@boundary
class Fold(_Columns):
    """Sum the columns of `Unfold` into images: (N, C · window, windows) to (N, C, H, W).

    Arguments:
        output_size: the height and width of the images.
        kernel_size: the size of the windows, one number or one per dimension.
        dilation: the step between the elements of a window.
        padding: the padding of the images at both ends of each dimension.
        stride: the step between windows.
    """

    _repr_items = f"output_size=, {_Columns._repr_items}"

    def __init__(
        self,
        output_size: int | Sequence[int],
        kernel_size: int | Sequence[int],
        dilation: int | Sequence[int] = 1,
        padding: int | Sequence[int] = 0,
        stride: int | Sequence[int] = 1,
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        check_sizes("Fold", 2, output_size=output_size)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """Sum the columns of `input` (N, C · window, windows), or without N."""
        check_input("Fold", input)
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)
