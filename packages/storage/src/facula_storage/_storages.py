"""Storages: memory that tensors share. A storage has one buffer at a time, and a version."""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import ref

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError, OperationError, UnsupportedError

from ._bridge import Export, collection_callback
from ._devices import cpu
from ._layouts import Layout, contiguous
from ._recorders import current_recorder, made_elsewhere, next_moment, note_read, recorders
from ._retired import buffer_lock, copying, release_retired, retire

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType


class Storage:
    """A buffer, and how often it was changed.

    `ptr` is the buffer's address, 0 for empty and meta ones, and None for a buffer in another
    physical order (Note [Physical order]). `version` counts in-place changes; it is None for
    read-only memory. The release of the block lies in the slot `__del__`: a C callable, so freeing
    runs no Python code and can swallow no Ctrl-C. Everything else is rare and its slot unset:

    * `nbytes`: bytes of the buffer;
    * `base`: what keeps borrowed memory alive, or the storage whose buffer this one shares;
    * `mutator`: (operator, code object, instruction) of the last in-place change;
    * `physical`: the layout a buffer in another order has, and its address;
    * `exports`: one entry for each live export; `readonly`: why writing is refused.

    Fresh storages are made by `allocate`, or inline where every nanosecond counts.
    """

    __slots__ = ("__del__", "__weakref__", "aliases", "base", "exports", "mutator", "nbytes", "physical", "ptr",
                 "readonly", "version")  # fmt: skip

    ptr: int | None
    version: int | None
    __del__: Callable[[], object]
    base: Any
    mutator: tuple[str, CodeType, int]
    nbytes: int
    physical: tuple[Layout, int]
    exports: list[None]
    readonly: str
    aliases: list[ref[Storage]]

    def __repr__(self) -> str:
        if not hasattr(self, "version"):
            return "<Storage without memory>"
        where = "another physical order" if self.ptr is None else f"{self.ptr:#x}"
        return f"<Storage at {where}, version {self.version}>"

    def __reduce__(self) -> NoReturn:
        raise InvalidTypeError("a Storage cannot be pickled by itself: pickle the tensor, or save it with facula.save")


# Not empty while the cyclic garbage collector runs; see Allocator.refill.
collecting: list[None] = []
gc.callbacks.append(collection_callback(collecting))
os.register_at_fork(after_in_child=collecting.clear)  # another thread's collection does not go on in the child


def allocate(layout: Layout) -> Storage:
    """A storage with uninitialised memory for `layout`; MemoryError when there is none.

    >>> from facula_storage import float32
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
    """A block for `layout`, (address, release): the quick way first, unless the collector runs."""
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
    """A storage over memory that somebody else owns.

    Arguments:
        address: where it begins.
        nbytes: its size in bytes.
        owner: what is kept alive.
        readonly: why the memory must not be written; empty where it may be.
    """
    storage = Storage()
    storage.ptr, storage.__del__, storage.version = address, int, None if readonly else 0
    storage.base, storage.nbytes = owner, nbytes
    if readonly:
        storage.readonly = readonly
    return storage


def root_of(storage: Storage) -> Storage:
    """The storage whose buffer this one shows: itself, or what it is an alias of."""
    while isinstance(base := getattr(storage, "base", None), Storage):
        storage = base
    return storage


def alias(storage: Storage) -> Storage:
    """A storage over the same buffer with a version of its own, as `.data` needs it.

    It follows when the buffer is replaced, and its exports hold the buffer like the root's own.

    >>> from facula_storage import float32
    >>> storage = allocate(contiguous((2,), float32))
    >>> other = alias(storage)
    >>> storage.version += 1
    >>> other.ptr == storage.ptr, other.version
    (True, 0)
    """
    plain_address(storage)
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
        if len(links) > 16 and len(links) & (len(links) - 1) == 0:  # doubling: the dead cost a constant each
            links[:] = [link for link in links if link() is not None]
        return new


def pin(storage: Storage) -> tuple[int, Callable[[], object]]:
    """Note one more export: the plain address, and a C callable that ends the export.

    Until then the buffer stays where it is. Counted at the root, since an alias shows the same buffer;
    under the lock, so that nobody replaces the buffer between the look at its address and the count.
    """
    if recorders:
        note_read("the export of a tensor's memory")
    plain_address(storage)
    with buffer_lock:
        root = root_of(storage)
        try:
            exports = root.exports
        except AttributeError:
            exports = root.exports = []
        exports.append(None)
        return storage.ptr, exports.pop  # type: ignore[return-value]


def replace_buffer(storage: Storage, address: int, release: Callable[[], object], nbytes: int) -> None:
    """Give `storage` and its aliases another buffer; the old one is released when nobody uses it.

    The caller has copied what is to be kept, and is inside no operator that has read the old address.

    Arguments:
        storage: the storage, or an alias of it.
        address: of the new buffer.
        release: the callable that gives the new buffer back.
        nbytes: its size in bytes.

    Raises:
        RuntimeError: the buffer is exported (a NumPy array, memoryview or DLPack consumer is alive) or borrowed; the
            new block is still the caller's.
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
        if hasattr(storage, "physical"):
            del storage.physical
    release_retired()


def capacity(storage: Storage) -> int:
    """Bytes of the buffer, which may be more than any tensor shows of it; 0 for empty and meta ones.

    >>> from facula_storage import float32
    >>> capacity(allocate(contiguous((2, 3), float32))) >= 24
    True
    """
    storage = root_of(storage)
    try:
        return storage.nbytes
    except AttributeError:
        return getattr(storage.__del__, "nbytes", 0)


def check_replaceable(storage: Storage) -> None:
    """RuntimeError that says why the buffer of this storage, or of what it is an alias of, must stay where it is."""
    storage = root_of(storage)
    if getattr(storage, "exports", None):
        raise OperationError(
            f"the memory is in use by {len(storage.exports)} export(s) (a NumPy array, memoryview or DLPack consumer); "
            "delete them, or work on a clone"
        )
    if hasattr(storage, "base"):
        raise OperationError(
            f"the memory belongs to {type(storage.base).__name__}, not to this storage; work on a clone"
        )


# Note [Physical order]
# ~~~~~~~~~~~~~~~~~~~~~
# A kernel may leave its result in the order that suits it (channels-last under a tensor that is
# contiguous to the user). The order belongs to the buffer: layouts never mention it. Such a buffer
# holds one whole tensor and has no plain address, so whatever asks for one fails to get it and comes
# here: the elements are copied to a new buffer in plain order, swapped in only if the old one is
# still there. From then on the storage is plain for good. No version changes: no element did.
def order_buffer(storage: Storage, logical: Layout, physical: Layout) -> None:
    """Put the elements of a plain, fresh buffer into another physical order: for kernels' results and tests.

    Arguments:
        storage: owns its buffer alone; the buffer is neither exported nor in another order already.
        logical: the contiguous layout that users see.
        physical: the same shape with other strides, without gaps.

    Raises:
        ValueError: the layouts are others than these.
        RuntimeError: the buffer is not fresh.
    """
    same = (physical.shape, physical.dtype, physical.device) == (logical.shape, logical.dtype, logical.device)
    if not (same and logical.is_contiguous and physical.extent == logical.nbytes):
        raise InvalidValueError(
            f"order_buffer: expected a contiguous layout and one of the same shape with other strides and no gaps; "
            f"got {logical} and {physical}"
        )
    with buffer_lock:
        check_replaceable(storage)
        if storage.ptr is None or hasattr(storage, "base") or any(link() for link in getattr(storage, "aliases", ())):
            raise OperationError(
                "order_buffer: expected the buffer of a fresh result; this one has aliases, is one, or is in another "
                "order already"
            )
        address, release = take_block(physical)
        try:
            _copy(storage.ptr, logical, address, physical)
        except BaseException:
            release()
            raise
        old = storage.__del__
        storage.physical, storage.__del__ = (physical, address), release
        storage.ptr = None
        old()


def plain_address(storage: Storage) -> int:
    """The address of the storage's buffer, after putting it in plain order if it is not."""
    address = storage.ptr
    return address if address is not None else _restore(storage)


def _restore(storage: Storage) -> int:
    note_read("a buffer that is put in plain order")
    while storage.ptr is None:
        try:
            physical, ordered = storage.physical
        except AttributeError:
            continue  # another thread has just done it
        logical = contiguous(physical.shape, physical.dtype, physical.device)
        # Allocating may run a finaliser or wait for a lock of the allocator's, so not under ours. `unused` is what
        # is to be released in the end: the new block if another thread was first, or the copy failed.
        address, unused = take_block(logical)
        try:
            with buffer_lock:
                if storage.ptr is None:
                    copying.append(None)
                    try:
                        _copy(ordered, physical, address, logical)
                    finally:
                        copying.pop()
                if storage.ptr is None:
                    old = storage.__del__
                    storage.__del__, unused = unused, int
                    storage.ptr = address
                    del storage.physical
                    retire(old)
                release_retired()
        finally:
            unused()
    return storage.ptr


def _copy(source: int, source_layout: Layout, target: int, target_layout: Layout) -> None:
    device = source_layout.device
    reorder = getattr(device.backend, "reorder", None)
    if reorder is not None:
        reorder(source, source_layout, target, target_layout)
    elif device is not cpu:
        raise UnsupportedError(f"the backend of device '{device}' has no `reorder`: it cannot put buffers in order")
    elif source_layout.numel:
        host_view(target, target_layout)[...] = host_view(source, source_layout)


def host_view(
    address: int, layout: Layout, owner: object = None, released: Callable[[], object] = int, readonly: bool = False
) -> np.ndarray:
    """A NumPy array over host memory; bfloat16, which NumPy lacks, is shown as uint16.

    Arguments:
        address: of the first element.
        layout: dtype, shape and strides.
        owner: what keeps the memory alive; by default the caller does.
        released: called when the array and all its views are gone.
        readonly: refuse writes.
    """
    dtype = layout.dtype.numpy or np.dtype("uint16")
    memory = Export(owner, released, address, "B", 1, (layout.extent,), (1,), readonly)
    strides = tuple([step * dtype.itemsize for step in layout.strides])
    return np.ndarray(layout.shape, dtype, memory, 0, strides)  # type: ignore[arg-type]
