"""Layers that undo pooling of the largest numbers, and pooling by powers."""

from __future__ import annotations

from collections.abc import Sequence

from facula_errors.extend import boundary
from facula_tensor import Tensor

from .. import functional as F
from .._arguments import check_sizes, lengths
from .._module import Module
from .pooling import Windows

__all__ = ["LPPool1d", "LPPool2d", "LPPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]


class _MaxUnpool(Windows):
    """Pooling of the largest numbers undone."""

    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | Sequence[int] = 0,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size = lengths(name, "kernel_size", kernel_size, self.dims)
        self.stride = lengths(name, "stride", kernel_size if stride is None else stride, self.dims)
        self.padding = lengths(name, "padding", padding, self.dims)


class _LPPool(Module):
    """Pooling by powers."""

    _repr_format = "norm_type={0.norm_type}, kernel_size={0.kernel_size}, stride={0.stride}, ceil_mode={0.ceil_mode}"
    dims: int
    norm_type: float
    kernel_size: int | Sequence[int]
    stride: int | Sequence[int] | None
    ceil_mode: bool

    def __init__(
        self,
        norm_type: float,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        check_sizes(name, self.dims, kernel_size=kernel_size, stride=kernel_size if stride is None else stride)
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode


@boundary
class MaxUnpool1d(_MaxUnpool):
    """Zeros with the numbers that `MaxPool1d` took of a sequence where they were.

    `forward(input, indices, output_size=None)`; sizes are those of the pooling.

    Arguments:
        kernel_size: the size of the pooling's windows, a number or one a dimension.
        stride: the step between them; their size if None.
        padding: the places that the pooling added at both ends of each dimension.

    >>> from facula_tensor import tensor
    >>> MaxUnpool1d(2)(tensor([[3.0, 2.0]]), tensor([[1, 2]]))
    tensor([[0., 3., 2., 0.]])
    """

    dims = 1

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """`input` (N, C, L) or (C, L), and the pooling's indices.

        Arguments:
            input: what the pooling gave.
            indices: the places that the pooling gave.
            output_size: the size of the result; what the windows cover if None.
        """
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


@boundary
class MaxUnpool2d(_MaxUnpool):
    """Zeros with the numbers that `MaxPool2d` took of an image where they were. Arguments: those of `MaxUnpool1d`."""

    dims = 2

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """`input` (N, C, H, W) or (C, H, W), and the pooling's indices.

        Arguments:
            input: what the pooling gave.
            indices: the places that the pooling gave.
            output_size: the size of the result; what the windows cover if None.
        """
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


@boundary
class MaxUnpool3d(_MaxUnpool):
    """Zeros with the numbers that `MaxPool3d` took of a volume where they were. Arguments: those of `MaxUnpool1d`."""

    dims = 3

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """`input` (N, C, D, H, W) or (C, D, H, W), and the pooling's indices.

        Arguments:
            input: what the pooling gave.
            indices: the places that the pooling gave.
            output_size: the size of the result; what the windows cover if None.
        """
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


@boundary
class LPPool1d(_LPPool):
    """The root of the sum of powers `norm_type` of each window of a sequence.

    Arguments:
        norm_type: the power.
        kernel_size: the size of windows, a number or one a dimension.
        stride: the step between windows; their size if None.
        ceil_mode: round the number of windows up.

    >>> from facula_tensor import tensor
    >>> LPPool1d(2, 2)(tensor([[3.0, 4.0, 0.0, 1.0]]))
    tensor([[5., 1.]])
    """

    dims = 1

    def forward(self, input: Tensor) -> Tensor:
        """`input` (N, C, L) or (C, L)."""
        return F.lp_pool1d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


@boundary
class LPPool2d(_LPPool):
    """The root of the sum of powers `norm_type` of each window of an image. Arguments: those of `LPPool1d`."""

    dims = 2

    def forward(self, input: Tensor) -> Tensor:
        """`input` (N, C, H, W) or (C, H, W)."""
        return F.lp_pool2d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


@boundary
class LPPool3d(_LPPool):
    """The root of the sum of powers `norm_type` of each window of a volume. Arguments: those of `LPPool1d`."""

    dims = 3

    def forward(self, input: Tensor) -> Tensor:
        """`input` (N, C, D, H, W) or (C, D, H, W)."""
        return F.lp_pool3d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)
