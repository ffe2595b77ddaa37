"""Storages: memory that tensors share. A storage has one buffer at a time, and a version."""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import ref

import numpy as np

from facula_errors import InvalidTypeError, OperationError

from ._bridge import Export, collection_callback
from ._layouts import Layout
from ._recorders import current_recorder, made_elsewhere, next_moment, note_read, recorders
from ._retired import buffer_lock, release_retired, retire

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType


class Storage:
    """A buffer and its version.

    `ptr` is the buffer's address, 0 for empty and meta storages. `version` counts in-place changes; it is None for
    read-only memory. The slot `__del__` contains the release of the block: a C callable, so that freeing runs no Python
    code and cannot swallow a Ctrl-C. The other slots are rarely set:

    * `nbytes`: bytes of the buffer;
    * `base`: the owner of borrowed memory, or the storage whose buffer this one shares;
    * `mutator`: (operator, code object, instruction) of the last in-place change;
    * `exports`: one entry for each live export; `readonly`: the reason why writing is rejected.

    New storages are created by `allocate`, or inline on the hottest paths.
    """

    __slots__ = ("__del__", "__weakref__", "aliases", "base", "exports", "mutator", "nbytes", "ptr", "readonly",
                 "version")  # fmt: skip

    ptr: int
    version: int | None
    __del__: Callable[[], object]
    base: Any
    mutator: tuple[str, CodeType, int]
    nbytes: int
    exports: list[None]
    readonly: str
    aliases: list[ref[Storage]]

    def __repr__(self) -> str:
        if not hasattr(self, "version"):
            return "<Storage without memory>"
        return f"<Storage at {self.ptr:#x}, version {self.version}>"

    def __reduce__(self) -> NoReturn:
        raise InvalidTypeError(
            "Storage: it cannot be pickled by itself; pickle the tensor, or save it with facula.save"
        )


# Not empty while the cyclic garbage collector runs, or while other code has an entry with its own key; see
# Allocator.refill.
collecting: dict[object, None] = {}
gc.callbacks.append(collection_callback(collecting))
os.register_at_fork(after_in_child=collecting.clear)  # another thread's collection does not continue in the child


def allocate(layout: Layout) -> Storage:
    """Allocate a storage with uninitialized memory for `layout`; raise MemoryError if there is none.

    >>> from facula_storage import contiguous, float32
    >>> storage = allocate(contiguous((2, 3), float32))
    >>> storage.ptr % 64, storage.version
    (0, 0)
    """
    storage = Storage()
    storage.ptr, storage.__del__ = take_block(layout)
    storage.version = 0
    if recorders:
        recorder = current_recorder()
        if recorder is None:
            made_elsewhere[storage] = next_moment()
        else:
            recorder.allocated(storage, layout)
    return storage


def take_block(layout: Layout) -> tuple[int, Callable[[], object]]:
    """Return a block for `layout`, (address, release), on the fast path unless the collector runs."""
    try:
        if collecting:
            return layout.refill()
        try:
            return layout.take_block()
        except IndexError:
            return layout.refill()
    except MemoryError as error:
        error.purpose = f"{layout.dtype.name} {layout.shape}"  # type: ignore[attr-defined]  # for the message
        raise


def borrow(address: int, nbytes: int, owner: object, readonly: str = "") -> Storage:
    """Return a storage over memory with another owner.

    Arguments:
        address: the start of the memory.
        nbytes: its size in bytes.
        owner: the object to keep alive.
        readonly: the reason why the memory must not be written; empty if it is writable.
    """
    storage = Storage()
    storage.ptr, storage.__del__, storage.version = address, int, None if readonly else 0
    storage.base, storage.nbytes = owner, nbytes
    if readonly:
        storage.readonly = readonly
    return storage


def root_of(storage: Storage) -> Storage:
    """Return the storage that owns the buffer of this one: itself, or the storage of which it is an alias."""
    while isinstance(base := getattr(storage, "base", None), Storage):
        storage = base
    return storage


def alias(storage: Storage) -> Storage:
    """Return a storage over the same buffer with a separate version, as required by `.data`.

    It follows replacements of the buffer, and its exports pin the buffer like those of the root.

    >>> from facula_storage import contiguous, float32
    >>> storage = allocate(contiguous((2,), float32))
    >>> other = alias(storage)
    >>> storage.version += 1
    >>> other.ptr == storage.ptr, other.version
    (True, 0)
    """
    with buffer_lock:
        root = root_of(storage)
        new = Storage()
        new.ptr, new.__del__, new.version, new.base = root.ptr, int, storage.version and 0, root
        for name in ("nbytes", "readonly"):
            if hasattr(storage, name):
                setattr(new, name, getattr(storage, name))
        try:
            links = root.aliases
        except AttributeError:
            links = root.aliases = []
        links.append(ref(new))
        # at powers of two, so that removing dead links has constant amortized cost
        if len(links) > 16 and len(links) & (len(links) - 1) == 0:
            links[:] = [link for link in links if link() is not None]
        return new


def pin(storage: Storage) -> tuple[int, Callable[[], object]]:
    """Count one more export; return the address, and a C callable that ends the export.

    Until then the buffer cannot be replaced. The count is kept at the root, since an alias shares its buffer, and
    updated under the lock, so that no thread replaces the buffer between reading its address and counting.
    """
    if recorders:
        note_read("the export of a tensor's memory")
    with buffer_lock:
        root = root_of(storage)
        try:
            exports = root.exports
        except AttributeError:
            exports = root.exports = []
        exports.append(None)
        return storage.ptr, exports.pop


def replace_buffer(storage: Storage, address: int, release: Callable[[], object], nbytes: int) -> None:
    """Replace the buffer of `storage` and its aliases; the old one is released when no thread uses it.

    The caller has copied the contents to keep, and is not inside an operator that has read the old address.

    Arguments:
        storage: the storage, or an alias of it.
        address: the address of the new buffer.
        release: the callable that releases the new buffer.
        nbytes: its size in bytes.

    Raises:
        RuntimeError: the buffer is exported (a NumPy array, memoryview or DLPack consumer is alive) or borrowed; the
            caller still owns the new block.
    """
    with buffer_lock:
        storage = root_of(storage)
        check_replaceable(storage)
        old = storage.__del__
        for link in getattr(storage, "aliases", ()):
            follower = link()
            if follower is not None:
                follower.ptr, follower.nbytes = address, nbytes
        storage.ptr, storage.__del__, storage.nbytes = address, release, nbytes
        retire(old)
    release_retired()


def capacity(storage: Storage) -> int:
    """Return the bytes of the buffer, which may exceed the extent of its tensors; 0 for empty and meta storages.

    >>> from facula_storage import contiguous, float32
    >>> capacity(allocate(contiguous((2, 3), float32))) >= 24
    True
    """
    storage = root_of(storage)
    try:
        return storage.nbytes
    except AttributeError:
        return getattr(storage.__del__, "nbytes", 0)


def check_replaceable(storage: Storage) -> None:
    """Raise RuntimeError if the buffer of this storage, or of its root, cannot be replaced."""
    storage = root_of(storage)
    if getattr(storage, "exports", None):
        raise OperationError(
            f"the memory is in use by {len(storage.exports)} export(s) "
            "(a NumPy array, memoryview or DLPack consumer); delete them, or work on a clone"
        )
    if hasattr(storage, "base"):
        raise OperationError(
            f"the memory belongs to {type(storage.base).__name__}, not to this storage; work on a clone"
        )


def host_view(
    address: int, layout: Layout, owner: object = None, released: Callable[[], object] = int, readonly: bool = False
) -> np.ndarray:
    """Return a NumPy array over host memory; dtypes that NumPy lacks are represented by unsigned integers.

    Arguments:
        address: the address of the first element.
        layout: dtype, shape and strides.
        owner: the object that keeps the memory alive; by default the caller is responsible.
        released: called when the array and all its views have been freed.
        readonly: whether to reject writes.
    """
    dtype = layout.dtype.numpy or np.dtype(f"u{layout.dtype.itemsize}")
    memory = Export(owner, released, address, "B", 1, (layout.extent,), (1,), readonly)
    strides = tuple([step * dtype.itemsize for step in layout.strides])
    return np.ndarray(layout.shape, dtype, memory, 0, strides)  # type: ignore[arg-type]
