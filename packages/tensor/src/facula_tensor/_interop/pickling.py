"""Copying and pickling of tensors by value, without hooks and graphs.

Note [Shared memory in one pickle]
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
Pickle and deepcopy process a tensor as a `Block`: the bytes of the root of its view family. Tensors of one
family (a matrix, its transpose, a row of it), and others with exactly the same bytes (tied weights, `detach()`
of a whole tensor), refer to one Block, so the memos of pickle and deepcopy keep them shared. As in PyTorch,
pickling a row includes its matrix. A `.clone()` of the row is pickled alone, and so is a detached view.
"""

from __future__ import annotations

from copy import deepcopy
from pickle import PickleBuffer
from typing import Any, SupportsIndex
from weakref import WeakValueDictionary

from facula_autograd.extend.nodes import LEAF, Node
from facula_errors import InvalidValueError, OperationError
from facula_errors.extend import boundary
from facula_storage import Device, Layout, Storage, contiguous, to_numpy, uint8
from facula_storage.extend.memory import allocate

from .._core.errors import show
from .._core.tensor import Tensor, addressable, layout_of_tensor, make, method, snapshot
from .._core.view_family import root_of
from .._dispatch.namespaces import no_record_ops
from .._dispatch.overrides import wrap_layout


class Block:
    """A range of bytes of a storage, the unit of pickle and deepcopy."""

    __slots__ = ("__weakref__", "device", "nbytes", "offset", "storage")

    def __init__(self, storage: Storage, offset: int, nbytes: int, device: Device):
        self.storage, self.offset, self.nbytes, self.device = storage, offset, nbytes, device

    def flat(self) -> Tensor:
        """Return the bytes as a tensor."""
        return make(Tensor, contiguous((self.nbytes,), uint8, self.device), self.storage, self.offset)

    def __deepcopy__(self, memo: dict[int, object]) -> Block:
        storage = no_record_ops.clone(self.flat())._storage
        storage.nbytes = self.nbytes  # as in `block_of`
        return Block(storage, 0, self.nbytes, self.device)

    def __reduce_ex__(self, protocol: int) -> tuple[object, ...]:  # type: ignore[override]
        if self.device.type == "meta":
            return block_of, (None, self.nbytes, self.device)
        flat = self.flat()
        host = flat if self.device.type == "cpu" else no_record_ops.to_device(flat, (Device("cpu"), False))
        elements = to_numpy(host._storage, layout_of_tensor(host), host._offset)
        data = PickleBuffer(elements) if protocol >= 5 else elements.tobytes()  # type: ignore[arg-type]
        return block_of, (data, self.nbytes, self.device)


def block_of(data: bytes | PickleBuffer, nbytes: int, device: Device) -> Block:
    """Unpickle a Block: new memory with these bytes. ValueError if their number is wrong."""
    layout = contiguous((nbytes,), uint8, device)
    storage = allocate(layout)
    storage.nbytes = nbytes  # so that sharing survives another round of pickling
    if data is not None:
        view = memoryview(data).cast("B")
        if view.nbytes != nbytes:
            raise InvalidValueError(f"unpickling a tensor: expected {nbytes} bytes; got {view.nbytes}")
        if nbytes:
            device.backend.copy_in(storage.ptr, view)  # type: ignore[arg-type]
    return Block(storage, 0, nbytes, device)


# Alive while a pickler's or deepcopy's memo refers to them.
_blocks: WeakValueDictionary[tuple[object, ...], Block] = WeakValueDictionary()


def block_under(operation: str, tensor: Tensor) -> tuple[Block, Layout, int]:
    """Return the block of the tensor's view family, and the layout and byte offset of the tensor in it."""
    now = addressable(operation, tensor)
    layout, storage, offset = now._layout, now._storage, now._offset
    base = root_of(tensor)
    root = now if base is tensor else snapshot(base)
    if root._storage is not storage:  # given other memory just now
        root = now
    first, nbytes = root._offset, root._layout.extent
    if hasattr(storage, "nbytes") and not hasattr(storage, "base"):  # its size is known, and it is not borrowed
        first, nbytes = 0, storage.nbytes
    elif not first <= offset <= offset + layout.extent <= first + nbytes:  # `as_strided` may extend beyond the root
        first, nbytes = offset, layout.extent
    elif root is now and layout.numel and nbytes != layout.nbytes:  # gaps, which no tensor shows
        now = no_record_ops.clone(now)
        layout, storage, first = now._layout, now._storage, 0
        offset, nbytes = 0, layout.nbytes
    key = (id(storage), first, nbytes)
    block = _blocks.get(key)
    if block is None:
        block = _blocks[key] = Block(storage, first, nbytes, layout.device)
    return block, layout, offset - first


@method("__reduce_ex__")
@boundary
def reduce_tensor(tensor: Tensor, protocol: SupportsIndex) -> tuple[object, ...]:
    """The result of `__reduce_ex__`. RuntimeError for a tensor that is not a leaf and requires a gradient."""
    check_copied("pickle", tensor)
    block, layout, offset = block_under("pickle", tensor)
    return rebuild, (type(tensor), block, layout, offset, tensor.node is LEAF, attributes(tensor))


def rebuild(
    cls: type, block: Block, layout: Layout, offset: int, requires_grad: bool, attributes: dict[str, object] | None
) -> Tensor:
    """Return a tensor of class `cls` over a block, from byte `offset`. ValueError if the layout extends beyond it."""
    if (
        not 0 <= offset <= block.nbytes - layout.extent
        or offset % layout.dtype.itemsize
        or layout.device is not block.device
    ):
        raise InvalidValueError(
            f"unpickling a tensor: {layout} from byte {offset} on does not fit {block.nbytes} bytes on device "
            f"'{block.device}'; the pickle is damaged"
        )
    return as_class(cls, make(Tensor, layout, block.storage, block.offset + offset), requires_grad, attributes)


@method("__copy__")
@boundary
def copy_tensor(tensor: Tensor) -> Tensor:
    """`copy.copy`: another tensor over the same memory, sharing its version."""
    check_copied("copy", tensor)
    return as_class(type(tensor), snapshot(tensor), tensor.node is LEAF, attributes(tensor))


@method("__deepcopy__")
@boundary
def deepcopy_tensor(tensor: Tensor, memo: dict[int, object]) -> Tensor:
    """`copy.deepcopy`: a copy in memory of its own, with a copy of its `.grad`."""
    check_copied("deepcopy", tensor)
    block, layout, offset = block_under("deepcopy", tensor)
    new = rebuild(type(tensor), deepcopy(block, memo), layout, offset, tensor.node is LEAF, None)
    memo[id(tensor)] = new
    grad = getattr(tensor, "_grad", None)
    if grad is not None:
        new._grad = deepcopy(grad, memo)
    extra = attributes(tensor)
    if extra:
        new.__dict__.update(deepcopy(extra, memo))
    return new


def check_copied(operation: str, tensor: Tensor) -> None:
    """Raise RuntimeError if copying would lose the tensor's history."""
    if type(tensor.node) is Node:
        raise OperationError(
            f"{operation}: expected a leaf; this tensor requires a gradient, which the copy would lose "
            f"({show(layout_of_tensor(tensor))}, computed by {tensor.node.name()} at {tensor.node.where}); "
            "pass .detach() of the tensor, as in plt.plot(x.detach()), or call .clone(), which keeps its history"
        )


def attributes(tensor: Tensor) -> dict[str, object] | None:
    """Return the attributes that users stored on the tensor, or None."""
    return tensor._own_attributes or None


def as_class(cls: type, tensor: Tensor, requires_grad: bool, attributes: dict[str, object] | None) -> Any:
    """Return a tensor as an instance of another class, with attributes.

    Arguments:
        cls: the class.
        tensor: the tensor, whose memory is shared.
        requires_grad: whether the result is a leaf that requires a gradient.
        attributes: of its `__dict__`.
    """
    if cls is not Tensor:
        tensor = wrap_layout(make(cls, tensor._layout, tensor._storage, tensor._offset))
    if attributes:
        tensor.__dict__.update(attributes)
    return tensor.requires_grad_() if requires_grad else tensor
