"""Layers that invert max pooling."""

from __future__ import annotations

from collections.abc import Sequence

from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._arguments import lengths
from .pooling import Windows


class _MaxUnpool(Windows):
    """Base class of the inverses of max pooling."""

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

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Place the elements of `input` (N, C, ...) or (C, ...) at the pooling's indices.

        Arguments:
            input: the result of the pooling.
            indices: the indices that the pooling returned.
            output_size: the size of the result; the region that the windows cover if None.
        """
        return getattr(F, self._operator)(input, indices, self.kernel_size, self.stride, self.padding, output_size)


@boundary
class MaxUnpool1d(_MaxUnpool, dims=1, operator="max_unpool1d"):
    """Restore the maxima of `MaxPool1d` at their original positions in a sequence of zeros.

    `forward(input, indices, output_size=None)`; the sizes are those of the pooling.

    Arguments:
        kernel_size: the size of the pooling's windows, one number or one per dimension.
        stride: the step between windows; the kernel size if None.
        padding: the padding of the pooling at both ends of each dimension.

    >>> from facula_tensor import tensor
    >>> MaxUnpool1d(2)(tensor([[3.0, 2.0]]), tensor([[1, 2]]))
    tensor([[0., 3., 2., 0.]])
    """


@boundary
class MaxUnpool2d(_MaxUnpool, dims=2, operator="max_unpool2d"):
    """Restore the maxima of `MaxPool2d` at their positions in images of zeros. Arguments: those of `MaxUnpool1d`."""


@boundary
class MaxUnpool3d(_MaxUnpool, dims=3, operator="max_unpool3d"):
    """Restore the maxima of `MaxPool3d` at their positions in volumes of zeros. Arguments: those of `MaxUnpool1d`."""
