"""Storages in memory that processes share: moved there, sent as a handle, received without a copy.

Needs the package facula-multiprocessing, which nothing else of this one imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from facula_errors import OperationError
from facula_multiprocessing.extend import Handle, SharedBlock, block_under, new_block, receive, register_reduction, send

from ._dtypes import uint8
from ._layouts import contiguous
from ._retired import buffer_lock
from ._storages import Storage, allocate, borrow, capacity, check_replaceable, host_view, plain_address, replace_buffer
from ._storages import root_of as _root_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["is_shared", "move_to_shared_memory", "register_reduction"]


def is_shared(storage: Storage) -> bool:
    """Whether the buffer lies in memory that other processes can be sent."""
    return _block(storage) is not None


def move_to_shared_memory(storage: Storage) -> None:
    """Give a storage in host memory, and its aliases, a buffer that other processes can be sent; it stays there.

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
    while True:
        plain_address(storage)
        root = _root_of(storage)
        nbytes = capacity(root)
        if not nbytes or is_shared(root):
            return
        check_replaceable(root)
        block = new_block(nbytes)  # which waits for locks of its own, so not under ours
        with buffer_lock:
            if root.ptr is None or capacity(root) != nbytes or is_shared(root):
                continue  # another thread was here
            check_replaceable(root)
            _copy(root, nbytes, block)
            replace_buffer(root, block.address, int, nbytes)
            root.base = block  # so it stays in this memory from now on
            return


def _block(storage: Storage) -> SharedBlock | None:
    base = getattr(_root_of(storage), "base", None)
    if isinstance(base, SharedBlock):
        return base
    return block_under(base) if isinstance(base, np.ndarray) else None


def _copy(root: Storage, nbytes: int, block: SharedBlock) -> None:
    address = root.ptr
    if address:
        block.array()[:nbytes] = host_view(address, contiguous((nbytes,), uint8), root)


def _reduce(storage: Storage) -> tuple[Callable[..., Storage], tuple[object, ...]]:
    plain_address(storage)
    root = _root_of(storage)
    nbytes = capacity(root)
    readonly = getattr(root, "readonly", "") if root.version is None else ""
    if not nbytes:
        return _rebuild, (None, 0, 0, readonly)
    try:
        move_to_shared_memory(root)
    except OperationError:  # somebody else's memory, or seen by others: a copy goes
        block = new_block(nbytes)
        _copy(root, nbytes, block)
        return _rebuild, (send(block), 0, nbytes, readonly)
    shared = _block(root)
    if shared is None:  # without an address: it was empty
        return _rebuild, (None, 0, 0, readonly)
    assert root.ptr is not None
    return _rebuild, (send(shared), root.ptr - shared.address, nbytes, readonly)


def _rebuild(handle: Handle | None, start: int, nbytes: int, readonly: str) -> Storage:
    if handle is None:
        return allocate(contiguous((0,), uint8))
    block = receive(handle)
    return borrow(block.address + start, nbytes, block, readonly)


register_reduction(Storage, _reduce)


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
