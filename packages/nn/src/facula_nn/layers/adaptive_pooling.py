"""Layers that bring sequences, images and volumes to one size: windows divide them as evenly as can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors.extend import boundary
from facula_tensor import Tensor

from .. import functional as F
from .._module import Module

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
]


class _AdaptivePool(Module):
    """What they have in common."""

    output_size: Any

    def extra_repr(self) -> str:
        """The size."""
        return f"output_size={self.output_size}"


@boundary
class AdaptiveAvgPool1d(_AdaptivePool):
    """Means over windows of such sizes that a sequence becomes `output_size` long."""

    def __init__(self, output_size: int | Sequence[int]) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """`input` (N, C, L) or (C, L)."""
        return F.adaptive_avg_pool1d(input, self.output_size)


@boundary
class AdaptiveAvgPool2d(_AdaptivePool):
    """Means over windows of such sizes that the result has size `output_size` (None in a pair: as the input)."""

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """`input` (N, C, H, W) or (C, H, W)."""
        return F.adaptive_avg_pool2d(input, self.output_size)


@boundary
class AdaptiveAvgPool3d(_AdaptivePool):
    """Means over windows of a volume of such sizes that the result has size `output_size` (None: as the input)."""

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """`input` (N, C, D, H, W) or (C, D, H, W)."""
        return F.adaptive_avg_pool3d(input, self.output_size)


@boundary
class AdaptiveMaxPool1d(_AdaptivePool):
    """The largest numbers over windows of such sizes that a sequence becomes `output_size` long.

    With `return_indices` also where in its sequence each was, as int64.
    """

    def __init__(self, output_size: int | Sequence[int], return_indices: bool = False) -> None:
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def forward(self, input: Tensor) -> Tensor | Any:  # a pair with return_indices
        """`input` (N, C, L) or (C, L)."""
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


@boundary
class AdaptiveMaxPool2d(_AdaptivePool):
    """The largest numbers of windows of such sizes that the result has size `output_size`.

    With `return_indices` also where in its image each was, as int64.
    """

    def __init__(self, output_size: int | Sequence[int | None] | None, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def forward(self, input: Tensor) -> Tensor | Any:  # a pair with return_indices
        """`input` (N, C, H, W) or (C, H, W)."""
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


@boundary
class AdaptiveMaxPool3d(_AdaptivePool):
    """The largest numbers of windows of a volume of such sizes that the result has size `output_size`.

    With `return_indices` also where in its volume each was, as int64.
    """

    def __init__(self, output_size: int | Sequence[int | None] | None, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def forward(self, input: Tensor) -> Tensor | Any:  # a pair with return_indices
        """`input` (N, C, D, H, W) or (C, D, H, W)."""
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)
