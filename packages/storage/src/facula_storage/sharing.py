"""Storages in shared memory: moved there, sent as a handle, received without a copy.

Requires the package facula-multiprocessing, which no other module of this package imports.
"""

from __future__ import annotations

from ctypes import memmove
from typing import TYPE_CHECKING

import numpy as np

from facula_errors import OperationError
from facula_errors.extend import published
from facula_multiprocessing.extend import Handle, SharedBlock, block_under, new_block, receive, register_reduction, send

from ._dtypes import uint8
from ._layouts import contiguous
from ._retired import buffer_lock
from ._storages import Storage, allocate, borrow, capacity, check_replaceable, replace_buffer
from ._storages import root_of as _root_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["allocate_shared", "is_shared", "move_to_shared_memory", "register_reduction"]


def is_shared(storage: Storage) -> bool:
    """Return whether the buffer is in memory that can be sent to other processes."""
    return _block(_root_of(storage)) is not None


def move_to_shared_memory(storage: Storage) -> None:
    """Move the buffer of a storage in host memory, and of its aliases, to shared memory, where it stays.

    Raises:
        RuntimeError: the buffer is exported (a NumPy array, memoryview or DLPack consumer is alive) or borrowed.
        SharedMemoryError: there is too little memory.

    >>> from facula_storage import contiguous, float32
    >>> from facula_storage.extend import allocate
    >>> storage = allocate(contiguous((3,), float32))
    >>> move_to_shared_memory(storage)
    >>> is_shared(storage)
    True
    """
    _moved(_root_of(storage))


def allocate_shared(nbytes: int) -> Storage:
    """Return a storage of at least one byte, uninitialized, in shared memory.

    >>> is_shared(allocate_shared(8))
    True
    """
    block = new_block(max(nbytes, 1))
    return borrow(block.address, block.nbytes, block)


def _moved(root: Storage) -> SharedBlock | None:
    """Move a root storage to a shared block and return the block; None if the storage is empty."""
    while True:
        nbytes = capacity(root)
        if not nbytes or (block := _block(root)) is not None:
            return block if nbytes else None
        check_replaceable(root)
        block = new_block(nbytes)  # not under our lock, because it waits for other locks
        with buffer_lock:
            if capacity(root) != nbytes or _block(root) is not None:
                continue  # another thread was faster
            check_replaceable(root)
            _copy(root, nbytes, block)
            replace_buffer(root, block.address, int, nbytes)
            root.base = block  # the memory now stays in place
            return block


def _block(root: Storage) -> SharedBlock | None:
    base = getattr(root, "base", None)
    if isinstance(base, SharedBlock):
        return base
    return block_under(base) if isinstance(base, np.ndarray) else None


def _copy(root: Storage, nbytes: int, block: SharedBlock) -> None:
    if root.ptr:
        memmove(block.address, root.ptr, nbytes)


def _reduce(storage: Storage) -> tuple[Callable[..., Storage], tuple[object, ...]]:
    root = _root_of(storage)
    readonly = getattr(root, "readonly", "") if root.version is None else ""
    try:
        shared = _moved(root)
    except OperationError:  # memory with another owner, or exported memory: send a copy
        nbytes = capacity(root)
        block = new_block(nbytes)
        _copy(root, nbytes, block)
        return _rebuild, (send(block), 0, nbytes, readonly)
    if shared is None:
        return _rebuild, (None, 0, 0, readonly)
    return _rebuild, (send(shared), root.ptr - shared.address, capacity(root), readonly)


def _rebuild(handle: Handle | None, start: int, nbytes: int, readonly: str) -> Storage:
    if handle is None:
        return allocate(contiguous((0,), uint8))
    block = receive(handle)
    return borrow(block.address + start, nbytes, block, readonly)


register_reduction(Storage, _reduce)


__dir__ = published(__name__)
