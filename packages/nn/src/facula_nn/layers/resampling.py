"""Layers that resize sequences, images and volumes."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from .. import functional as F
from .._arguments import check_input
from .._modules.module import Module


@boundary
class Upsample(Module):
    """`functional.interpolate` to a size or by a factor: (N, C, ...) to (N, C, ...).

    mode: "nearest", "linear", "bilinear", "bicubic", "trilinear", depending on the number of dimensions.

    Arguments:
        size: the lengths of the result.
        scale_factor: alternatively, the factor of the lengths.
        mode: the interpolation algorithm.
        align_corners: align the corners of the input and the result.
        recompute_scale_factor: recompute the factor from the rounded lengths.

    >>> from facula_tensor import tensor
    >>> Upsample(scale_factor=2)(tensor([[[1.0, 3.0]]]))
    tensor([[[1., 1., 3., 3.]]])
    """

    scale_factor: float | Sequence[float] | None

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size, self.mode, self.align_corners = size, mode, align_corners
        self.recompute_scale_factor = recompute_scale_factor
        _check(type(self).__name__, "size", size, "an integer or several", int)
        _check(type(self).__name__, "scale_factor", scale_factor, "a number or several", float)
        if isinstance(scale_factor, (tuple, list)):
            scale_factor = tuple([float(factor) for factor in scale_factor])
        self.scale_factor = float(scale_factor) if isinstance(scale_factor, int) and scale_factor else scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Resize `input` (N, C, L), (N, C, H, W) or (N, C, D, H, W)."""
        check_input(type(self).__name__, input)
        return F.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )

    def extra_repr(self) -> str:
        """Return the factor or the size, and the mode."""
        wanted = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor}"
        return f"{wanted}, mode={self.mode!r}"


@boundary
class UpsamplingNearest2d(Upsample):
    """Resize images by nearest-neighbour interpolation."""

    def __init__(
        self, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
    ) -> None:
        super().__init__(size, scale_factor, "nearest")


@boundary
class UpsamplingBilinear2d(Upsample):
    """Resize images by bilinear interpolation with aligned corners."""

    def __init__(
        self, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
    ) -> None:
        super().__init__(size, scale_factor, "bilinear", True)


def _check(layer: str, argument: str, value: object, expected: str, kind: type) -> None:
    """Raise TypeError unless a value is None, a number, a list or tuple of numbers, or a tensor of one number."""
    for number in value if isinstance(value, (tuple, list)) and value else (value,):
        if isinstance(number, Tensor) or (number is None and value is None):
            continue
        if not isinstance(number, Integral if kind is int else Real):
            raise InvalidTypeError(f"{layer}: expected {argument} to be {expected}, or None; got {value!r:.60}")
