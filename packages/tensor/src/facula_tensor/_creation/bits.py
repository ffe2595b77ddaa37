"""Reinterpretation of bits as another dtype."""

from __future__ import annotations

from facula_errors import ArgumentError
from facula_storage import DType, bool_, layout_of, meta, uint8

from .._core.tensor import Tensor, layout_of_tensor, make, snapshot
from .._core.wrapped import innermost
from .._dispatch.namespaces import no_record_ops


def reinterpreted(input: Tensor, dtype: DType) -> Tensor:
    """Return the bits of `input` as elements of `dtype`: another tensor over the same memory, without history."""
    now = snapshot(input)
    layout = layout_of_tensor(now)
    old, new = layout.dtype.itemsize, dtype.itemsize
    shape, strides = layout.shape, layout.strides
    what = f"view: {layout.dtype.name} as {dtype.name}, of another size,"
    if old != new and not shape:
        raise ArgumentError(f"{what} needs at least 1 dimension; got a number; use .reshape(1) first")
    level = innermost((now,))
    if level is not None:
        return level.constant_of(reinterpreted(level.value(now), dtype))
    if old != new:
        if strides[-1] != 1:
            raise ArgumentError(
                f"{what} needs stride 1 in the last dimension; got strides {strides}; use .contiguous()"
            )
    if new > old:
        ratio = new // old
        if shape[-1] % ratio:
            raise ArgumentError(f"{what} needs a multiple of {ratio} elements in the last dimension; got shape {shape}")
        if now._offset % new or any([step % ratio for step in strides[:-1]]):
            raise ArgumentError(
                f"{what} needs rows that begin at a multiple of {ratio} elements; got storage_offset "
                f"{now._offset // old} and strides {strides}; use .clone()"
            )
        shape, strides = (*shape[:-1], shape[-1] // ratio), (*[step // ratio for step in strides[:-1]], 1)
    elif new < old:
        ratio = old // new
        shape, strides = (*shape[:-1], shape[-1] * ratio), (*[step * ratio for step in strides[:-1]], 1)
    result = make(Tensor, layout_of(shape, strides, dtype, layout.device), now._storage, now._offset)
    if dtype is bool_ and layout.dtype is not bool_ and layout.device is not meta:
        if no_record_ops.any(no_record_ops.gt(reinterpreted(now, uint8), 1), (tuple(range(len(shape))), False)).item():
            raise ArgumentError("view: expected bytes of 0 and 1 to be seen as bool; got others; use .bool()")
    return result
