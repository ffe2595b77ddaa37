"""Fractional max pooling of images and volumes by arbitrary ratios, with randomly placed windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._arguments import lengths
from ..._fractional_pooling import output_sizes
from ..variant import Variant

if TYPE_CHECKING:
    from ..._types import Pooled


class _FractionalMaxPool(Variant):
    """Base class with the geometry, specified by sizes or by ratios."""

    kernel_size: tuple[int, ...]
    _random_samples: Tensor | None
    output_size: tuple[int, ...] | None
    output_ratio: Sequence[float] | None

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        output_size: int | Sequence[int] | None = None,
        output_ratio: float | Sequence[float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        name, dims = type(self).__name__, self.dims
        if output_size is not None and output_ratio is not None:
            raise InvalidValueError(
                f"{name}: expected output_size or output_ratio; got both, {output_size} and {output_ratio}"
            )
        output_sizes(name, dims, output_size, output_ratio)
        self.kernel_size = lengths(name, "kernel_size", kernel_size, dims)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else lengths(name, "output_size", output_size, dims)
        self.output_ratio = (output_ratio,) * dims if isinstance(output_ratio, (int, float)) else output_ratio

    def forward(self, input: Tensor) -> Pooled:
        """Pool `input` (N, C, ...) or (C, ...), with one length for each dimension of the windows."""
        options = self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples
        return getattr(F, self._operator)(input, *options)


@boundary
class FractionalMaxPool2d(_FractionalMaxPool, dims=2, operator="fractional_max_pool2d"):
    """The maxima of randomly placed windows: (N, C, H, W) to (N, C, *output_size), or without N.

    Arguments:
        kernel_size: the size of the windows, an integer or a pair.
        output_size: the size of the result, an integer or a pair; or None.
        output_ratio: alternatively, the size of the result as fractions of the input's, between 0 and 1.
        return_indices: also return the indices of the maxima in their images.
        _random_samples: numbers in [0, 1), (N, C, 2), instead of random ones.

    Raises:
        ValueError: both size and ratio are given, or neither.

    B. Graham: Fractional max-pooling, 2015.

    >>> from facula_tensor import rand
    >>> FractionalMaxPool2d(2, output_ratio=0.75)(rand(1, 8, 8)).shape
    facula.Size([1, 6, 6])
    """


@boundary
class FractionalMaxPool3d(_FractionalMaxPool, dims=3, operator="fractional_max_pool3d"):
    """The maxima of randomly placed windows of volumes; otherwise like `FractionalMaxPool2d`.

    Sizes and ratios are one number or three; the random samples are (N, C, 3).
    Arguments: those of `FractionalMaxPool2d`.
    """
