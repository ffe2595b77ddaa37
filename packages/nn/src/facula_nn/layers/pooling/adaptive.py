"""Layers that bring sequences, images and volumes to one size: windows divide them as evenly as can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._arguments import check_sizes
from ..._modules.module import Module

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._types import Pooled


class _AdaptivePool(Module):
    """Windows of such sizes that results have one size."""

    _repr_items = "output_size="
    dims: int
    _operator: str
    output_size: Any  # of integers, or None for the input's own length

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        super().__init__()
        wanted = output_size
        if self.dims > 1:  # None stands for the input's own length
            if isinstance(output_size, (tuple, list)):
                wanted = tuple([1 if one is None else one for one in output_size])
            elif output_size is None:
                wanted = 1
        check_sizes(type(self).__name__, self.dims, output_size=wanted)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """`input` (N, C, ...) or (C, ...), with a length for each of the windows' dimensions."""
        return getattr(F, self._operator)(input, self.output_size)


class _AdaptiveMaxPool(_AdaptivePool):
    """The same, with the places of the largest numbers where they are wanted."""

    def __init__(self, output_size: int | Sequence[int | None] | None, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Pooled:
        """`input` (N, C, ...) or (C, ...), with a length for each of the windows' dimensions."""
        return getattr(F, self._operator)(input, self.output_size, self.return_indices)


@boundary
class AdaptiveAvgPool1d(_AdaptivePool):
    """Means over windows of such sizes that a sequence becomes `output_size` long."""

    dims = 1
    _operator = "adaptive_avg_pool1d"


@boundary
class AdaptiveAvgPool2d(_AdaptivePool):
    """Means over windows of such sizes that the result has size `output_size` (None in a pair: as the input)."""

    dims = 2
    _operator = "adaptive_avg_pool2d"


@boundary
class AdaptiveAvgPool3d(_AdaptivePool):
    """Means over windows of a volume of such sizes that the result has size `output_size` (None: as the input)."""

    dims = 3
    _operator = "adaptive_avg_pool3d"


@boundary
class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """The largest numbers over windows of such sizes that a sequence becomes `output_size` long.

    With `return_indices` also where in its sequence each was, as int64.
    """

    dims = 1
    _operator = "adaptive_max_pool1d"


@boundary
class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """The largest numbers of windows of such sizes that the result has size `output_size`.

    With `return_indices` also where in its image each was, as int64.
    """

    dims = 2
    _operator = "adaptive_max_pool2d"


@boundary
class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """The largest numbers of windows of a volume of such sizes that the result has size `output_size`.

    With `return_indices` also where in its volume each was, as int64.
    """

    dims = 3
    _operator = "adaptive_max_pool3d"
