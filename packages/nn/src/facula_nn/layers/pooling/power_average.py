"""Pooling by powers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._arguments import check_sizes
from ..._modules.layer import layer
from ..._modules.module import Module


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
