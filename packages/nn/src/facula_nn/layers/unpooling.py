"""Layers that undo pooling of the largest numbers, and pooling by powers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from facula_errors.extend import boundary
from facula_tensor import Tensor

from .. import functional as F
from .._arguments import check_sizes, lengths
from .._layer import layer
from .._module import Module
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


@layer
class _LPPool(Module):
    """Pooling by powers."""

    dims: ClassVar[int]
    _operator: ClassVar[str]
    norm_type: float
    kernel_size: int | Sequence[int]
    stride: int | Sequence[int] | None = None
    ceil_mode: bool = False

    def _complete(self) -> None:
        stride = self.kernel_size if self.stride is None else self.stride
        check_sizes(type(self).__name__, self.dims, kernel_size=self.kernel_size, stride=stride)

    def forward(self, input: Tensor) -> Tensor:
        """`input` (N, C, ...) or (C, ...), with a length for each of the windows' dimensions."""
        return getattr(F, self._operator)(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


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
    _operator = "lp_pool1d"


@boundary
class LPPool2d(_LPPool):
    """The root of the sum of powers `norm_type` of each window of an image. Arguments: those of `LPPool1d`."""

    dims = 2
    _operator = "lp_pool2d"


@boundary
class LPPool3d(_LPPool):
    """The root of the sum of powers `norm_type` of each window of a volume. Arguments: those of `LPPool1d`."""

    dims = 3
    _operator = "lp_pool3d"
