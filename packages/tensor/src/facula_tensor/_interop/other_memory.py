"""`set_`: replace the memory of a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_autograd import is_grad_enabled
from facula_autograd.extend.nodes import LEAF
from facula_errors import ArgumentError, DTypeError, InvalidTypeError, OperationError
from facula_errors.extend import boundary
from facula_storage import layout_of
from facula_storage.extend.layouts import contiguous_strides
from facula_storage.extend.memory import alias

from .._core.promotion import as_integer
from .._core.sizes import sizes
from .._core.tensor import Tensor, layout_of_tensor, make, method, snapshot, steady
from .._core.view_family import leave_family
from .._creation.filled import empty
from .._dispatch.view_call import as_tensor
from ..ops.memory.detach import become
from ..ops.shape.as_strided import as_strided
from .untyped_storage import TypedStorage, UntypedStorage

if TYPE_CHECKING:
    from facula_storage import Layout

    from .._core.types import Lengths


@method()
@boundary
def set_(
    self: Tensor,
    source: Tensor | UntypedStorage | TypedStorage | None = None,
    storage_offset: int = 0,
    size: Lengths | None = None,
    stride: Lengths | None = None,
) -> Tensor:
    """Replace the memory of this tensor by that of another tensor or part of a storage; return this tensor.

    Without `source` it becomes empty. For a storage it shows `size` elements (by default all) at `stride` from
    `storage_offset`. The dtype does not change. As after `x.data = source`, changes are visible on both sides
    but counted separately.

    Arguments:
        source: a tensor or a storage; no memory if None.
        storage_offset: the position of the first element, in elements.
        size: the shape; all elements in one dimension if None.
        stride: the strides, in elements; row-major if None.

    >>> from facula_tensor import ones, zeros
    >>> zeros(2).set_(ones(3))
    tensor([1., 1., 1.])
    """
    self = as_tensor("set_", self)
    own = layout_of_tensor(self)
    if self.node is not None and (self.node is not LEAF or is_grad_enabled()):
        raise OperationError(
            "set_: this tensor wants a gradient, that would not fit other memory; use .detach(), or no_grad() of a leaf"
        )
    if source is None:
        new = empty(0, dtype=own.dtype, device=own.device)
    elif isinstance(source, Tensor):
        new = snapshot(source)
        if new.dtype is not own.dtype or new.device is not own.device:
            raise DTypeError(
                f"set_: expected memory of {own.dtype.name} on '{own.device}'; got {new.dtype.name} on '{new.device}'"
            )
        if size is not None:
            new = as_strided(new, size, _strides(size, stride), storage_offset)
    elif isinstance(source, (UntypedStorage, TypedStorage)):
        new = _shown(source, storage_offset, size, stride, own)
    else:
        raise InvalidTypeError(f"set_: expected a tensor or a storage; got {type(source).__name__}")
    storage = alias(new._storage)
    layout, offset = new._layout, new._offset
    become(self, layout, storage, offset, "set_")
    leave_family(self)
    return self


def _strides(size: Lengths, stride: Lengths | None) -> tuple[int, ...]:
    """Return the requested strides; row-major if None."""
    return contiguous_strides(sizes("set_", (size,))) if stride is None else sizes("set_", (stride,))


def _shown(
    source: UntypedStorage | TypedStorage,
    storage_offset: int,
    size: Lengths | None,
    stride: Lengths | None,
    own: Layout,
) -> Tensor:
    """Return a part of a storage, as elements of a layout's dtype."""
    flat = (source.untyped() if isinstance(source, TypedStorage) else source)._bytes
    item = own.dtype.itemsize
    start = as_integer(storage_offset, "set_", "storage_offset")
    room = flat.numel() // item
    if not 0 <= start <= room:
        raise ArgumentError(f"set_: expected storage_offset from 0 to {room}; got {start}")
    shape = (room - start,) if size is None else sizes("set_", (size,))
    layout = layout_of(shape, _strides(shape, stride), own.dtype, own.device)
    if layout.numel and start * item + layout.extent > flat.numel():
        raise ArgumentError(
            f"set_: size {shape} and stride {layout.strides} from {start} on reach outside the {flat.numel()} bytes of "
            "the storage; use a smaller size"
        )
    now = steady(flat)
    return make(Tensor, layout, now._storage, now._offset + start * item)
