"""Layers that undo pooling of the largest numbers."""

from __future__ import annotations

from collections.abc import Sequence

from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._arguments import lengths
from .pooling import Windows


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

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """`input` (N, C, ...) or (C, ...), and the pooling's indices.

        Arguments:
            input: what the pooling gave.
            indices: the places that the pooling gave.
            output_size: the size of the result; what the windows cover if None.
        """
        return getattr(F, self._operator)(input, indices, self.kernel_size, self.stride, self.padding, output_size)


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
    _operator = "max_unpool1d"


@boundary
class MaxUnpool2d(_MaxUnpool):
    """Zeros with the numbers that `MaxPool2d` took of an image where they were. Arguments: those of `MaxUnpool1d`."""

    dims = 2
    _operator = "max_unpool2d"


@boundary
class MaxUnpool3d(_MaxUnpool):
    """Zeros with the numbers that `MaxPool3d` took of a volume where they were. Arguments: those of `MaxUnpool1d`."""

    dims = 3
    _operator = "max_unpool3d"
