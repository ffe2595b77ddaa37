"""The storages of a file: read into memory or mapped, once per storage for any number of tensors."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

from facula_storage import Device, Storage, contiguous, cpu, from_buffer, to_buffer, to_numpy, uint8
from facula_storage.extend.memory import allocate, borrow

from .sources import TRUNCATED, FileSource, Source
from .tables import refuse, shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from .._parts import Parts

    Relocate: TypeAlias = "Callable[[Callable[[], Memory], int, str], Memory | None]"


# Note [Checksums]
# ~~~~~~~~~~~~~~~~
# The directory of a zip archive contains a CRC-32 of each member. PyTorch ignores them on loading, and writes 0 after
# `torch.serialization.set_crc32_options(False)`. zlib computes about 4 GB per second, a third of the time of a load.
# Therefore `load` verifies the pickle and, in files up to this size, the storages; the command `python -m
# facula_checkpoint check` verifies everything. Mapped storages are not read, so they are not verified.
MAX_CHECKED = 1 << 26


class Memory:
    """A storage, the number of its bytes in the file, and its device."""

    __slots__ = ("device", "nbytes", "storage")

    def __init__(self, storage: Storage, nbytes: int, device: Device) -> None:
        self.storage, self.nbytes, self.device = storage, nbytes, device


class Place:
    """The location of a storage in a file: the first byte, and its packed and unpacked size in bytes.

    `checksum` is its CRC-32, or 0 if the file has none; `header` is the start of the archive member.
    """

    __slots__ = ("begin", "checksum", "deflated", "header", "nbytes", "packed")

    def __init__(
        self, begin: int, packed: int, nbytes: int, deflated: bool = False, checksum: int = 0, header: int = 0
    ) -> None:
        self.begin, self.packed, self.nbytes = begin, packed, nbytes
        self.deflated, self.checksum, self.header = deflated, checksum, header


class Storages:
    """The memory of each storage, created once.

    Arguments:
        source: the file.
        locate: returns the place of a storage by its key.
        mapped: map the file instead of reading it.
        readonly: the reason why mapped memory is read-only; empty if it is writable, which never changes the file.
        relocate: receives a function that returns memory on the CPU, the number of bytes, and the name of the device
            from which it was saved; returns the requested memory, or None to leave it on the CPU.
    """

    def __init__(
        self, source: Source, locate: Callable[[str], Place], mapped: bool, readonly: str, relocate: Relocate | None
    ) -> None:
        self.source, self.locate, self.mapped, self.relocate = source, locate, mapped, relocate
        self.readonly = readonly
        self.memories: dict[str, Memory] = {}
        self.pending: list[tuple[memoryview, int]] = []
        self.unchecked: list[tuple[str, memoryview, Place]] = []
        self.whole: Storage | None = None

    def get(self, key: str, nbytes: int, location: str) -> Memory:
        """Return the memory of the storage `key`; raise PickleError if the file has fewer than `nbytes` of it."""
        memory = self.memories.get(key)
        if memory is None:
            place = self.locate(key)
            if place.nbytes < nbytes:
                refuse(
                    f"its pickle has a storage {shown(key)} of {nbytes} bytes, of which the file has {place.nbytes}: "
                    "it is truncated or damaged"
                )
            if self.relocate is not None:
                memory = self.relocate(lambda: self._now(key, place), place.nbytes, location)
            self.memories[key] = memory = self._on_cpu(key, place) if memory is None else memory
        elif memory.nbytes < nbytes:
            refuse(f"its pickle has a storage {shown(key)} of {memory.nbytes} bytes, and again of {nbytes}")
        return memory

    def finish(self) -> None:
        """Read the contents of the memory that `get` allocated."""
        wanted, self.pending = self.pending, []
        self.source.fill_all(wanted)
        unchecked, self.unchecked = self.unchecked, []
        for key, view, place in unchecked:
            compare(f"storage {key!r:.50}", zlib.crc32(view), place)

    def _now(self, key: str, place: Place) -> Memory:
        memory = self._on_cpu(key, place)
        self.finish()
        return memory

    def _on_cpu(self, key: str, place: Place) -> Memory:
        if self.mapped and not place.deflated and place.begin % 8 == 0 and place.nbytes:
            return Memory(self._mapped(place), place.nbytes, cpu)
        layout = contiguous((place.nbytes,), uint8)
        storage = allocate(layout)
        storage.nbytes = place.nbytes
        if place.nbytes:
            view = memoryview(to_buffer(storage, layout))
            if place.deflated:
                view[:] = inflated(self.source, place)
            else:
                self.pending.append((view, place.begin))
            if place.checksum and self.source.size <= MAX_CHECKED:
                self.unchecked.append((key, view, place))
        return Memory(storage, place.nbytes, cpu)

    def _mapped(self, place: Place) -> Storage:
        if self.whole is None:
            if not isinstance(self.source, FileSource):
                refuse("only a file that is given by its path can be mapped")
            import mmap  # an extension module, which takes a quarter of a millisecond to load

            access = mmap.ACCESS_READ if self.readonly else mmap.ACCESS_COPY
            try:
                memory = mmap.mmap(self.source.file, self.source.size, access=access)
            except ValueError:  # the file was truncated after its size was read
                refuse(TRUNCATED)
            self.whole, _ = from_buffer(memory, uint8)
        address = self.whole.ptr + place.begin  # type: ignore[operator]
        return borrow(address, place.nbytes, self.whole, self.readonly)


def compare(what: str, checksum: int, place: Place) -> None:
    """Raise PickleError for bytes that do not match their checksum: Note [Checksums]."""
    if place.checksum not in (0, checksum):
        refuse(f"its {what} has another checksum than it was written with: the file is damaged")


def inflated(source: Source, place: Place) -> bytes:
    """Decompress a deflated member; raise PickleError unless its size matches the directory."""
    machine = zlib.decompressobj(-15)
    try:
        data = machine.decompress(source.read(place.begin, place.packed), place.nbytes + 1)
    except zlib.error as error:
        refuse(f"a member that is compressed is damaged: {error}")
    if len(data) != place.nbytes or not machine.eof:
        refuse("a member that is compressed has another size than the directory says")
    return data


def check_bools(parts: list[Parts]) -> None:
    """Raise PickleError for bytes other than 0 and 1 in bool tensors, because kernels assume C's type.

    Each byte is read once.
    """
    spans = sorted([(id(storage), offset, layout.extent, storage) for storage, layout, offset in parts],
                   key=lambda span: span[:2])  # fmt: skip
    checked, end = 0, 0
    for key, offset, extent, storage in spans:
        begin, last = (max(offset, end) if key == checked else offset), offset + extent
        if last > begin:
            largest = int(np.max(to_numpy(storage, contiguous((last - begin,), uint8), begin)))
            if largest > 1:
                refuse(f"a bool tensor has a byte {largest}; expected 0 and 1")
        checked, end = key, last if key != checked else max(last, end)
