"""Storages: memory that tensors share. A storage has one buffer at a time, and a version."""

from __future__ import annotations

import gc
import sys
from threading import RLock, get_ident
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from ._bridge import Export
from ._layouts import Layout, contiguous

if TYPE_CHECKING:
    from collections.abc import Callable


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
    mutator: tuple[str, Any, int]
    nbytes: int
    physical: tuple[Layout, int]
    exports: list
    readonly: str
    aliases: list[ref]

    def __repr__(self) -> str:
        where = "another physical order" if self.ptr is None else f"{self.ptr:#x}"
        return f"<Storage at {where}, version {self.version}>"

    def __reduce__(self) -> tuple:
        raise TypeError("a Storage cannot be pickled by itself: pickle the tensor, or save it with facula.save")


# One lock for the rare things that replace a buffer: re-entrant, since restoring may happen inside.
changing = RLock()


def allocate(layout: Layout) -> Storage:
    """A storage with uninitialised memory for `layout`; MemoryError when there is none."""
    storage = Storage()
    storage.ptr, storage.__del__ = layout.refill() if collecting else take(layout)
    storage.version = 0
    return storage


def take(layout: Layout) -> tuple[int, Callable[[], object]]:
    """A block for `layout`, the quick way first."""
    try:
        return layout.take()
    except IndexError:
        return layout.refill()


def borrow(address: int, nbytes: int, owner: object, readonly: str = "") -> Storage:
    """A storage over memory that somebody else owns.

    `owner` is kept alive. `readonly`, where not empty, says why the memory cannot be written.
    """
    storage = Storage()
    storage.ptr, storage.__del__, storage.version = address, int, None if readonly else 0
    storage.base, storage.nbytes = owner, nbytes
    if readonly:
        storage.readonly = readonly
    return storage


def alias(storage: Storage) -> Storage:
    """A storage over the same buffer with a version of its own, as `.data` needs it.

    It follows when the buffer is replaced.
    """
    with changing:
        root = storage
        while isinstance(getattr(root, "base", None), Storage):
            root = root.base
        new = Storage()
        new.ptr, new.__del__, new.version, new.base = plain_address(storage), int, storage.version and 0, root
        for name in ("nbytes", "readonly"):
            if hasattr(storage, name):
                setattr(new, name, getattr(storage, name))
        kept = [link for link in getattr(root, "aliases", ()) if link() is not None]
        root.aliases = [*kept, ref(new)]
        return new


# Note [Replacing a buffer]
# ~~~~~~~~~~~~~~~~~~~~~~~~~
# `resize_` and `share_memory_` give a storage another buffer while other threads may be inside an
# operator that has read the old address. Operators read each address once, with no call between
# the reading and the launch, so a thread either has the old address and is inside an operator's
# frame, or will read the new one. Nobody asks on the hot path: the old block is retired here, and
# released when `sys._current_frames()`, read under the GIL, shows no other thread inside a module
# that launches (`launching_modules`). Retired blocks are looked at again at the next replacement
# and whenever `release_retired` is called.
launching_modules: set[str] = set()
_retired: list[Callable[[], object]] = []


def replace_buffer(storage: Storage, address: int, release: Callable[[], object], nbytes: int) -> None:
    """Give `storage` and its aliases another buffer; the old one is released when nobody uses it.

    The caller has copied what is to be kept. RuntimeError where the buffer is exported (NumPy
    array, memoryview or DLPack consumer alive) or borrowed.
    """
    with changing:
        while isinstance(getattr(storage, "base", None), Storage):
            storage = storage.base
        check_replaceable(storage)
        release_retired()
        old = storage.__del__
        storage.ptr, storage.__del__ = address, release
        storage.nbytes = nbytes
        for link in getattr(storage, "aliases", ()):
            follower = link()
            if follower is not None:
                follower.ptr, follower.nbytes = address, nbytes
        _retired.append(old)
        release_retired()


def check_replaceable(storage: Storage) -> None:
    """RuntimeError that says why the buffer of this storage must stay where it is."""
    if getattr(storage, "exports", None):
        raise RuntimeError(
            f"the memory is in use by {len(storage.exports)} export(s) (a NumPy array, memoryview or DLPack consumer); "
            "delete them, or work on a clone"
        )
    if hasattr(storage, "base"):
        raise RuntimeError(
            f"the memory belongs to {type(storage.base).__name__}, not to this storage; work on a clone"
        )


def release_retired() -> int:
    """Release retired blocks that no thread can be using; how many are left."""
    with changing:
        if _retired and not _others_launching():
            while _retired:
                _retired.pop()()
        return len(_retired)


def _others_launching() -> bool:
    me = get_ident()
    for thread, frame in sys._current_frames().items():
        while thread != me and frame is not None:
            if frame.f_globals.get("__name__") in launching_modules:
                return True
            frame = frame.f_back  # type: ignore[assignment]
    return False


# Note [Physical order]
# ~~~~~~~~~~~~~~~~~~~~~
# A kernel may leave its result in the order that suits it (channels-last under a tensor that is
# contiguous to the user). The order belongs to the buffer: layouts never mention it. Such a buffer
# holds one whole tensor and has no plain address, so whatever asks for one fails to get it and comes
# here: the elements are copied to a new buffer in plain order, swapped in only if the old one is
# still there. From then on the storage is plain for good. No version changes: no element did.
def order_buffer(storage: Storage, logical: Layout, physical: Layout) -> None:
    """Put the elements of a plain, fresh buffer into the order of `physical`.

    For kernels' results and tests: `logical` is the contiguous layout users see, `physical` has the
    same shape and other strides without gaps.
    """
    address, release = take(physical)
    _copy(storage.ptr or 0, logical, address, physical)
    old = storage.__del__
    storage.physical, storage.__del__ = (physical, address), release
    storage.ptr = None
    old()


def plain_address(storage: Storage) -> int:
    """The address of the storage's buffer, after putting it in plain order if it is not."""
    address = storage.ptr
    if address is not None:
        return address
    with changing:
        if storage.ptr is None:
            physical, ordered = storage.physical
            logical = contiguous(physical.shape, physical.dtype, physical.device)
            address, release = logical.refill() if collecting else take(logical)
            _copy(ordered, physical, address, logical)
            _retired.append(storage.__del__)
            storage.__del__ = release
            storage.ptr = address
            del storage.physical
            release_retired()
        return storage.ptr  # type: ignore[return-value]


def _copy(source: int, source_layout: Layout, target: int, target_layout: Layout) -> None:
    reorder = getattr(source_layout.device.backend, "reorder", None)
    if reorder is not None:
        reorder(source, source_layout, target, target_layout)
    elif source_layout.numel:
        host_view(target, target_layout)[...] = host_view(source, source_layout)


def host_view(
    address: int, layout: Layout, owner: object = None, released: Callable = int, readonly: bool = False
) -> np.ndarray:
    """A NumPy array over host memory, which `owner` keeps alive (else the caller does).

    bfloat16, which NumPy lacks, is shown as uint16. `released` is called when the array and all
    its views are gone.
    """
    dtype = layout.dtype.numpy or np.dtype("uint16")
    memory = Export(owner, released, address, "B", 1, (layout.extent,), (1,), readonly)
    strides = tuple([step * dtype.itemsize for step in layout.strides])
    return np.ndarray(layout.shape, dtype, memory, 0, strides)


# Not empty while the cyclic garbage collector runs; see Allocator.refill.
collecting: list[None] = []


def _on_collection(phase: str, info: dict) -> None:
    if phase == "start":
        collecting.append(None)
    elif collecting:
        collecting.pop()


gc.callbacks.append(_on_collection)
