"""Tensors shared with other processes: storages in shared memory, and transfer through queues and pipes.

The package facula-multiprocessing is imported on first use, through `facula_storage.sharing`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from facula_autograd.extend.nodes import LEAF, Node
from facula_errors import MissingPackageError, OperationError
from facula_errors.extend import boundary
from facula_storage import Layout, Storage, contiguous, cpu, uint8

from .._core.errors import show
from .._core.parameter import Parameter
from .._core.tensor import Tensor, layout_of_tensor, make, method, snapshot
from .pickling import Block, as_class, attributes
from .untyped_storage import TypedStorage, UntypedStorage

if TYPE_CHECKING:
    from types import ModuleType

    from facula_storage import Device


@method()
@boundary
def share_memory_(self: Tensor) -> Tensor:
    """Move this tensor's storage, and its gradient's, to shared memory; return the tensor.

    This moves all tensors over the storage. Storages in shared memory and on other devices are not moved.

    Raises:
        RuntimeError: a NumPy array or another library sees the memory, or owns it.
        MemoryError: there is too little memory.

    >>> from facula_tensor import zeros
    >>> zeros(3).share_memory_().is_shared()
    True
    """
    share(self)
    grad = getattr(self, "_grad", None)
    if grad is not None:
        share(grad)
    return self


@method()
@boundary
def is_shared(self: Tensor) -> bool:
    """Return whether the memory is shared memory, as after `share_memory_()`, which needs no copy for other
    processes."""
    if "facula_multiprocessing" not in sys.modules:
        return False
    return _sharing_of_storages().is_shared(snapshot(self)._storage)


def _sharing_of_storages() -> ModuleType:
    try:
        from facula_storage import sharing
    except ModuleNotFoundError as error:
        if error.name != "facula_multiprocessing":
            raise
        raise MissingPackageError(
            "sharing memory: the package facula-multiprocessing is missing; install it from where facula-tensor came "
            "from",
            name=error.name,
        ) from None
    return sharing


def share(tensor: Tensor) -> None:
    """Move the storage of a tensor in host memory to shared memory."""
    sharing = _sharing_of_storages()
    now = snapshot(tensor)
    if now._layout.device is not cpu:
        return
    try:
        sharing.move_to_shared_memory(now._storage)
    except OperationError as error:
        raise OperationError(f"share_memory_: {show(now._layout)} cannot be shared; {error}") from None


def empty_shared(nbytes: int) -> Tensor:
    """Return a vector of uninitialized bytes in shared memory. MemoryError if there is too little.

    >>> empty_shared(8).is_shared()
    True
    """
    storage = _sharing_of_storages().allocate_shared(nbytes)
    return make(Tensor, contiguous((nbytes,), uint8), storage, 0)


def register_reductions() -> None:
    """Make tensors sent to other processes share their memory. Further calls have no effect."""
    register_reduction = _sharing_of_storages().register_reduction
    for kind in (Tensor, Parameter):
        register_reduction(kind, _reduce)
    register_reduction(Block, _reduce_block)
    register_reduction(UntypedStorage, lambda storage: (UntypedStorage, (storage._bytes,)))
    register_reduction(TypedStorage, lambda storage: (TypedStorage, (storage._elements,)))


def _reduce(tensor: Tensor) -> object:
    if type(tensor.node) is Node:
        raise OperationError(
            f"sending a tensor: expected a leaf; this one requires a gradient, whose history stays in this process "
            f"({show(layout_of_tensor(tensor))}, computed by {tensor.node.name()} at {tensor.node.where}); send "
            ".detach() of it, and its gradient back"
        )
    now = snapshot(tensor)
    if now._layout.device is not cpu:
        return tensor.__reduce_ex__(5)
    wanted = tensor.node is LEAF
    return _rebuild, (type(tensor), now._layout, now._storage, now._offset, wanted, attributes(tensor))


def _rebuild(
    kind: type,
    layout: Layout,
    storage: Storage,
    offset: int,
    requires_grad: bool,
    attributes: dict[str, object] | None,
) -> Tensor:
    return as_class(kind, make(Tensor, layout, storage, offset), requires_grad, attributes)


def _reduce_block(block: Block) -> object:
    if block.device is not cpu:
        return block.__reduce_ex__(5)
    return _rebuild_block, (block.storage, block.offset, block.nbytes, block.device)


def _rebuild_block(storage: Storage, offset: int, nbytes: int, device: Device) -> Block:
    return Block(storage, offset, nbytes, device)
