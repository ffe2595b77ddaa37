"""Dtypes that a kernel does not know, in one that it does: half precisions in float32, integers in a wide one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import DTypeError
from facula_storage import DType, float32, float64, int64
from facula_storage.extend import FLOATING, INTEGER

from .._core.tensor import layout_of_tensor
from .._creation.from_data import from_numpy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core.tensor import Tensor
    from .._core.types import Operands, Parameters
    from .._dispatch.namespaces import Namespace


def widened(
    F: Namespace, name: str, operands: Operands, parameters: Parameters, called: str, of_integers: DType = float64
) -> Sequence[Tensor] | Tensor:
    """The operator on operands in the kernel's dtype, its first result in theirs; TypeError for bool and complex."""
    dtype = layout_of_tensor(operands[0]).dtype
    if dtype.category not in (FLOATING, INTEGER):
        raise DTypeError(f"{called}: not defined for {dtype.name}; convert with .float()")
    wide = float32 if dtype.category == FLOATING else of_integers
    made = getattr(F, name)(*[None if one is None else F.to(one, (wide,)) for one in operands], parameters)
    if isinstance(made, (tuple, list)):
        return (F.to(made[0], (dtype,)), *made[1:])
    return F.to(made, (dtype,))


def whole_means(F: Namespace, input: Tensor, geometry: tuple[Any, ...] | None, size: tuple[int, int]) -> Tensor:
    """`avg_pool2d` of integers: exact sums, up to 2**53, divided and cut towards 0; TypeError for adaptive windows."""
    layout = layout_of_tensor(input)
    if geometry is None:
        raise DTypeError(f"adaptive_avg_pool: not defined for {layout.dtype.name}; convert with .float()")
    kernel, stride, padding, padded, divisor = geometry
    sums = F.avg_pool2d(F.to(input, (float64,)), ((kernel, stride, padding, padded, 1), size))
    by = divisor
    if divisor is None:
        along = [
            divisors(*one, padded=padded) for one in zip(layout.shape[-2:], size, kernel, stride, padding, strict=True)
        ]
        by = from_numpy(np.multiply.outer(*along)).to(layout.device)
    return F.to(F.trunc_divide(F.to(sums, (int64,)), by), (layout.dtype,))


def divisors(length: int, count: int, taps: int, step: int, padding: int, *, padded: bool) -> np.ndarray:
    """The number of elements of each of `count` windows, with the padding or without.

    >>> divisors(5, 3, 3, 2, 1, padded=False)
    array([2, 3, 2])
    """
    start = np.arange(count) * step - padding
    if padded:
        return np.minimum(start + taps, length + padding) - start
    return np.minimum(start + taps, length) - np.maximum(start, 0)
