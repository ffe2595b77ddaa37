"""Average pooling of integers: sums, divided and truncated towards 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import DTypeError
from facula_storage import float64, int64

from ...._core.tensor import layout_of_tensor
from ...._creation.from_memory import from_numpy

if TYPE_CHECKING:
    from ...._core.tensor import Tensor
    from ...._dispatch.namespaces import Namespace


def whole_means(F: Namespace, input: Tensor, geometry: tuple[Any, ...] | None, size: tuple[int, int]) -> Tensor:
    """Compute `avg_pool2d` of integers: exact sums up to 2**53, truncated quotients; TypeError for adaptive windows."""
    layout = layout_of_tensor(input)
    if geometry is None:
        raise DTypeError(f"adaptive_avg_pool: not defined for {layout.dtype.name}; convert with .float()")
    kernel, stride, padding, padded, divisor = geometry
    sums = F.avg_pool2d(F.to(input, (float64,)), ((kernel, stride, padding, padded, 1), size))
    by = divisor
    if divisor is None:
        along = [
            divisors(*windows, padded=padded)
            for windows in zip(layout.shape[-2:], size, kernel, stride, padding, strict=True)
        ]
        by = from_numpy(np.multiply.outer(*along)).to(layout.device)
    return F.to(F.trunc_divide(F.to(sums, (int64,)), by), (layout.dtype,))


def divisors(length: int, count: int, taps: int, step: int, padding: int, *, padded: bool) -> np.ndarray:
    """Return the number of elements of each of `count` windows, with or without the padding.

    >>> divisors(5, 3, 3, 2, 1, padded=False)
    array([2, 3, 2])
    """
    start = np.arange(count) * step - padding
    if padded:
        return np.minimum(start + taps, length + padding) - start
    return np.minimum(start + taps, length) - np.maximum(start, 0)
