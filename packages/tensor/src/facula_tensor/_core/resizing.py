"""Memory of tensors that changes: `resize_`, which enlarges the storage if necessary, and memory that is freed for a
time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, OperationError, UnsupportedError
from facula_errors.extend import boundary
from facula_storage import contiguous, uint8
from facula_storage.extend.memory import buffer_lock, capacity, check_replaceable, replace_buffer, take_block
from facula_storage.extend.recording import note_read

from .errors import relabel, show
from .formats import check_format
from .sizes import sizes
from .tensor import Tensor, layout_of_tensor, make, method, snapshot
from .wrapped import LevelLayout, WrappedLayout, no_address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import DType

    from .types import Lengths, MemoryFormat


@method()
@boundary
def resize_(
    self: Tensor, *shape: Lengths, size: Lengths | None = None, memory_format: MemoryFormat | None = None
) -> Tensor:
    """Change this tensor's shape, contiguous, over the same storage; return the tensor.

    Elements keep their positions in memory; new ones are uninitialised. A storage that is too small gets a
    larger buffer, which its other tensors then share; it never shrinks. RuntimeError for a tensor that requires
    a gradient and, if more memory is needed, for memory that is exported (to NumPy, DLPack) or borrowed. Not
    differentiable, as in PyTorch.

    >>> from facula_tensor import tensor
    >>> tensor([1, 2, 3, 4]).resize_(2, 2)
    tensor([[1, 2],
            [3, 4]])
    """
    wanted = sizes("resize_", shape, size)
    if check_format("resize_", memory_format, len(wanted)):
        raise UnsupportedError(f"resize_: gives contiguous tensors alone; got memory_format={memory_format!r}")
    if min(wanted, default=0) < 0:
        raise ArgumentError(f"resize_: expected lengths of at least 0; got {wanted}")
    now = snapshot(self)
    old = layout_of_tensor(now)
    if self.node is not None:
        raise OperationError(
            f"resize_: this tensor ({show(old)}) wants a gradient, which would not fit it; use .detach()"
        )
    try:
        resized(self, now, wanted)
    except OverflowError as error:
        relabel(error, "resize_")
        raise
    return self


def resized(tensor: Tensor, now: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Change the shape of `tensor`, of which `now` is a snapshot; return a new snapshot."""
    if isinstance(tensor._layout, LevelLayout):
        no_address("resize_")
    wrapped = type(tensor._layout) is WrappedLayout
    while True:
        layout = contiguous(shape, now._layout.dtype, now._layout.device)
        if layout.numel and layout.device.type != "meta":
            reserve(now, now._offset + layout.nbytes)
        new: Any = WrappedLayout(layout) if wrapped else layout
        storage, offset = now._storage, now._offset
        if tensor._storage is storage and tensor._offset == offset:  # with no call from here to the store
            tensor._layout = new
            return make(Tensor, layout, storage, offset)
        now = snapshot(tensor)  # another thread gave it other memory


def reserve(tensor: Tensor, nbytes: int) -> None:
    """Ensure that the storage of `tensor` has at least `nbytes`, preserving its contents."""
    storage = tensor._storage
    if capacity(storage) >= nbytes:
        return
    note_read("resize_")
    try:
        check_replaceable(storage)
    except RuntimeError as error:
        raise OperationError(
            f"resize_: the storage would need {nbytes} bytes instead of {capacity(storage)}; {error}"
        ) from None
    # Allocated before taking the lock: allocation may run a finaliser, or wait for the allocator's lock.
    device = layout_of_tensor(tensor).device
    try:
        address, unused = take_block(contiguous((nbytes,), uint8, device))
    except Exception as error:
        relabel(error, "resize_")
        raise
    try:
        with buffer_lock:
            kept = capacity(storage)
            if kept < nbytes:  # otherwise another thread was first
                if kept:
                    flat = contiguous((kept,), uint8, device)
                    plan = device.backend.plan("copy", (flat,), (flat,), ())
                    plan.launch(kept, storage.ptr, address)
                replace_buffer(storage, address, unused, nbytes)
                unused = int
    finally:
        unused()


def tensors_at(block: Tensor, places: Sequence[tuple[int, DType, tuple[int, ...]]]) -> list[Tensor]:
    """Return contiguous tensors in the memory of a block, with its storage.

    Arguments:
        block: the block.
        places: the start in bytes, a multiple of the size of an element, the dtype and the shape of each.

    >>> from facula_tensor import float32, zeros
    >>> tensors_at(zeros(4), [(4, float32, (2,))])
    [tensor([0., 0.])]
    """
    now = snapshot(block)
    device = layout_of_tensor(now).device
    return [
        make(Tensor, contiguous(shape, dtype, device), now._storage, now._offset + start)
        for start, dtype, shape in places
    ]


FREED = -1  # the version of a storage without its memory: no graph saved a value of this version


def free_memory(tensor: Tensor) -> None:
    """Free the memory of a tensor, and of all tensors over its storage, until `take_memory`.

    Do not read or write it meanwhile. A backward pass that needs the tensor raises MutationError.

    >>> from facula_tensor import ones
    >>> x = ones(3)
    >>> free_memory(x)
    >>> take_memory(x, version=0)
    >>> x.fill_(2)
    tensor([2., 2., 2.])
    """
    storage = snapshot(tensor)._storage
    if capacity(storage):
        replace_buffer(storage, 0, int, 0)
    storage.version = FREED


def take_memory(tensor: Tensor, version: int) -> None:
    """Give a tensor memory, uninitialized, if it has none since `free_memory`.

    Arguments:
        tensor: the tensor, whose elements are the last of the storage.
        version: the version of the storage, which backward passes compare with that of saved values.
    """
    now = snapshot(tensor)
    layout = layout_of_tensor(now)
    if not capacity(now._storage) and layout.numel:
        nbytes = now._offset + layout.nbytes
        address, release = take_block(contiguous((nbytes,), uint8, layout.device))
        replace_buffer(now._storage, address, release, nbytes)
    now._storage.version = version
