"""Power-average pooling."""

from __future__ import annotations

from collections.abc import Sequence

from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._arguments import check_sizes
from ..._modules.layer import layer
from ..variant import Variant


@layer
class _LPPool(Variant):
    """Base class of power-average poolings."""

    norm_type: float
    kernel_size: int | Sequence[int]
    stride: int | Sequence[int] | None = None
    ceil_mode: bool = False

    def _complete(self) -> None:
        stride = self.kernel_size if self.stride is None else self.stride
        check_sizes(type(self).__name__, self.dims, kernel_size=self.kernel_size, stride=stride)

    def forward(self, input: Tensor) -> Tensor:
        """Pool `input` (N, C, ...) or (C, ...), with one length for each dimension of the windows."""
        return getattr(F, self._operator)(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


@boundary
class LPPool1d(_LPPool, dims=1, operator="lp_pool1d"):
    """Power-average pooling of sequences: the `norm_type`-th root of each window's sum of `norm_type`-th powers.

    Arguments:
        norm_type: the exponent.
        kernel_size: the size of the windows, one number or one per dimension.
        stride: the step between windows; the kernel size if None.
        ceil_mode: round the number of windows up.

    >>> from facula_tensor import tensor
    >>> LPPool1d(2, 2)(tensor([[3.0, 4.0, 0.0, 1.0]]))
    tensor([[5., 1.]])
    """


@boundary
class LPPool2d(_LPPool, dims=2, operator="lp_pool2d"):
    """Power-average pooling of images. Arguments: those of `LPPool1d`."""


@boundary
class LPPool3d(_LPPool, dims=3, operator="lp_pool3d"):
    """Power-average pooling of volumes. Arguments: those of `LPPool1d`."""
