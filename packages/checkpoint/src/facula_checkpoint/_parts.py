"""The parts of a tensor that are saved and loaded: a storage, the layout in it, and the offset."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from facula_errors import InvalidTypeError, InvalidValueError
from facula_storage import Layout, Storage, contiguous, cpu, layout_of, meta, to_buffer, to_numpy, uint8
from facula_storage.extend.memory import allocate, capacity

if TYPE_CHECKING:
    from collections.abc import Iterator

Parts: TypeAlias = tuple[Storage, Layout, int]
"""The parts of a tensor: (storage, layout, offset in bytes of the first element)."""
Place: TypeAlias = tuple[object, ...]  # equal for tensors with the same elements in the same order

_GATHERED = 16 << 20  # bytes of a strided tensor that are copied at a time


def check_parts(parts: object, operation: str, where: str) -> Parts:
    """Return `parts` if it is a tensor with elements within its storage; otherwise raise TypeError or ValueError."""
    if not is_parts(parts):
        raise InvalidTypeError(
            f"{operation}: {where} is {type(parts).__name__}; expected (Storage, Layout, offset in bytes)"
        )
    storage, layout, offset = parts
    if layout.device is meta:
        raise InvalidValueError(
            f"{operation}: {where} is on device 'meta' and has no elements; make it on another device"
        )
    held = capacity(storage)
    if offset < 0 or (held and offset + layout.extent > held):
        raise InvalidValueError(
            f"{operation}: {where} begins at byte {offset} and spans {layout.extent}; its storage has {held} bytes"
        )
    return parts


def is_parts(value: object) -> TypeGuard[Parts]:
    """Return whether `value` is a (Storage, Layout, int)."""
    return (
        isinstance(value, tuple)
        and len(value) == 3
        and isinstance(value[0], Storage)
        and isinstance(value[1], Layout)
        and type(value[2]) is int
    )


def place_of(parts: Parts) -> Place:
    """Return a key that is equal for tensors with the same elements in the same order, while both are alive.

    The key uses the address, not the storage, because an alias of a storage is another object over the same memory.
    """
    storage, layout, offset = parts
    address = storage.ptr + offset
    return (address, layout.shape, layout.strides, layout.dtype, layout.device)


def elements(parts: Parts) -> Iterator[memoryview | bytes]:
    """Iterate over the tensor's bytes in row-major order, in pieces; contiguous tensors are not copied."""
    if parts[1].device is not cpu:
        parts = _on_host(parts)
    storage, layout, offset = parts
    if not layout.numel:
        return
    if layout.is_contiguous:
        yield memoryview(to_buffer(storage, contiguous((layout.nbytes,), uint8), offset))
        return
    array = to_numpy(storage, _numpy_layout(layout), offset)
    rows = max(1, _GATHERED // (layout.nbytes // layout.shape[0]))
    for start in range(0, layout.shape[0], rows):
        yield array[start : start + rows].tobytes()


def _numpy_layout(layout: Layout) -> Layout:
    """Return a layout of the same bytes in a NumPy dtype: bytes along a new last dimension if NumPy lacks the dtype."""
    if layout.dtype.numpy is not None:
        return layout
    itemsize = layout.dtype.itemsize
    strides = tuple([step * itemsize for step in layout.strides])
    return layout_of((*layout.shape, itemsize), (*strides, 1), uint8, layout.device)


def _on_host(parts: Parts) -> Parts:
    """Copy to host memory, including gaps."""
    storage, layout, offset = parts
    raw = contiguous((layout.extent,), uint8)
    copy = allocate(raw)
    layout.device.backend.copy_out(storage.ptr + offset, memoryview(to_buffer(copy, raw)))
    return copy, layout_of(layout.shape, layout.strides, layout.dtype), 0
