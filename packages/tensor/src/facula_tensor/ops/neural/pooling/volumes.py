"""Pooling of volumes: first of their images, then of depth, in images of (depth, height x width)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from facula_errors.extend import moved
from facula_storage import float64, int64
from facula_storage.extend.layouts import INTEGER

from ...._core.tensor import layout_of_tensor, snapshot
from ...._creation.from_memory import from_numpy
from ...._dispatch.conversions import in_dtype_of
from ...._dispatch.namespaces import no_record_ops
from .integer_means import divisors
from .maxima import greatest

if TYPE_CHECKING:
    from ...._core.tensor import Tensor
    from ...._core.types import Parameters
    from ...._dispatch.namespaces import Namespace


moved(__name__)  # names that pickles of earlier releases have


def deep(F: Namespace, images: Tensor) -> Tensor:
    """Reshape (..., depth, height, width) to images (..., depth, height x width)."""
    *outer, depth, height, width = layout_of_tensor(images).shape
    return F.reshape(images, (*outer, depth, height * width))


def greatest_of_volumes(
    F: Namespace, operation: str, input: Tensor, parameters: Parameters, return_indices: bool
) -> tuple[Tensor, Tensor] | Tensor:
    """Return the maxima of volumes, and their indices if `return_indices`.

    `parameters` are the geometry of windows (None for even ones) and the result's sizes.
    """
    geometry, size = parameters
    planes = depths = None
    if geometry is not None:
        planes = tuple([numbers[1:] for numbers in geometry])
        depths = tuple([(numbers[0], other) for numbers, other in zip(geometry, (1, 1, 0, 1), strict=True)])
    x = in_dtype_of(F, "max_pool2d", input)  # in this dtype two steps equal one
    *outer, depth, height, width = layout_of_tensor(x).shape
    flat, area = (*outer, size[0], size[1] * size[2]), size[1] * size[2]
    if return_indices:
        across, places = F.max_pool2d(x, (planes, size[1:]))
        values, at = F.max_pool2d(deep(F, across), (depths, flat[-2:]))
    else:
        across = greatest(F, x, (planes, size[1:]))
        values = greatest(F, deep(F, across), (depths, flat[-2:]))
    values = F.reshape(values, (*outer, *size))
    values = values if x is input else F.to(values, (layout_of_tensor(input).dtype,))
    if not return_indices:
        return values
    # The second step's index is (depth, position in the pooled plane); the first step has the position in the plane.
    at, places = snapshot(at), snapshot(places)
    if area:
        at = no_record_ops.reshape(at, (*outer, size[0] * area))
        within = no_record_ops.gather(no_record_ops.reshape(places, (*outer, depth * area)), at, (len(outer),))
        at = no_record_ops.add(no_record_ops.mul(no_record_ops.floor_divide(at, area), height * width), within)
    return values, no_record_ops.reshape(at, (*outer, *size))


def means_of_volumes(F: Namespace, operation: str, input: Tensor, parameters: Parameters) -> Tensor:
    """Return the means of volumes; `parameters` are as in `greatest_of_volumes`, for means."""
    geometry, size = parameters
    layout, planes, depths, whole = layout_of_tensor(input), None, None, False
    if geometry is not None:
        kernel, stride, padding, padded, divisor = geometry
        whole = layout.dtype.category == INTEGER
        # Divisors are products of rows, columns and depth; integers are divided last.
        first, second = (1, 1) if whole else (divisor, None if divisor is None else 1)
        planes = kernel[1:], stride[1:], padding[1:], padded, first
        depths = (kernel[0], 1), (stride[0], 1), (padding[0], 0), padded, second
    x = F.to(input, (float64,)) if layout.dtype.category == INTEGER else in_dtype_of(F, "avg_pool2d", input)
    across = F.avg_pool2d(x, (planes, size[1:]))
    made = F.avg_pool2d(deep(F, across), (depths, (size[0], size[1] * size[2])))
    made = F.reshape(made, (*layout.shape[:-3], *size))
    if whole:
        by: Tensor | int | None = divisor
        if by is None:
            along = [
                divisors(*windows, padded=padded)
                for windows in zip(layout.shape[-3:], size, kernel, stride, padding, strict=True)
            ]
            by = from_numpy(np.multiply.outer(np.multiply.outer(*along[:2]), along[2])).to(layout.device)
        made = no_record_ops.trunc_divide(no_record_ops.to(made, (int64,)), by)
    return made if x is input else F.to(made, (layout.dtype,))
