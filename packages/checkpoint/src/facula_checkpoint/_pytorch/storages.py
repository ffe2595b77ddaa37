"""The storages of a file: memory that is read at once, or mapped, each once however many tensors show it."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

from facula_storage import Device, Storage, contiguous, cpu, from_buffer, to_buffer, to_numpy, uint8
from facula_storage.extend import allocate, borrow

from .sources import TRUNCATED, FileSource, Source
from .tables import refuse, shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from .._parts import Parts

    Relocate: TypeAlias = "Callable[[Callable[[], Memory], int, str], Memory]"


# Note [Checksums]
# ~~~~~~~~~~~~~~~~
# The directory of a zip archive has a CRC-32 of each member. PyTorch does not look at them when it loads, and writes 0
# where `torch.serialization.set_crc32_options(False)` was called. zlib computes about 4 GB a second, which is a third
# of the time of a load. So `load` compares the pickle and, of files up to this size, the storages; the command
# `python -m facula_checkpoint check` compares everything. Mapped storages are not read, so they are not compared.
MAX_CHECKED = 1 << 26


class Memory:
    """A storage, the number of its bytes that the file has, and where they are."""

    __slots__ = ("device", "nbytes", "storage")

    def __init__(self, storage: Storage, nbytes: int, device: Device) -> None:
        self.storage, self.nbytes, self.device = storage, nbytes, device


class Place:
    """Where a storage lies in a file: the first byte, the number of bytes, and of those when they are unpacked.

    `checksum` is their CRC-32, or 0 where the file has none; `header` is where the member of an archive begins.
    """

    __slots__ = ("begin", "checksum", "deflated", "header", "nbytes", "packed")

    def __init__(
        self, begin: int, packed: int, nbytes: int, deflated: bool = False, checksum: int = 0, header: int = 0
    ) -> None:
        self.begin, self.packed, self.nbytes = begin, packed, nbytes
        self.deflated, self.checksum, self.header = deflated, checksum, header


class Storages:
    """Gives the memory of each storage, once.

    Arguments:
        source: the file.
        locate: the place of a storage, by its key.
        mapped: map the file instead of reading it.
        readonly: why mapped memory must not be written; empty where it may be, which never changes the file.
        relocate: takes a function that gives memory on the CPU, its number of bytes, and the name of the device that
            it was saved from; gives the memory that is wanted. None leaves it on the CPU.
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
        """The memory of the storage `key`; PickleError where the file has less than `nbytes` of it."""
        memory = self.memories.get(key)
        if memory is None:
            place = self.locate(key)
            if place.nbytes < nbytes:
                refuse(
                    f"its pickle has a storage {shown(key)} of {nbytes} bytes, of which the file has {place.nbytes}: "
                    "it is truncated or damaged"
                )
            if self.relocate is None:
                memory = self._on_cpu(key, place)
            else:
                memory = self.relocate(lambda: self._now(key, place), place.nbytes, location)
            self.memories[key] = memory
        elif memory.nbytes < nbytes:
            refuse(f"its pickle has a storage {shown(key)} of {memory.nbytes} bytes, and again of {nbytes}")
        return memory

    def finish(self) -> None:
        """Read what `get` has made memory for."""
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
            import mmap  # a library of its own, which is loaded in a quarter of a millisecond

            access = mmap.ACCESS_READ if self.readonly else mmap.ACCESS_COPY
            try:
                memory = mmap.mmap(self.source.file, self.source.size, access=access)
            except ValueError:  # it became shorter since its size was asked
                refuse(TRUNCATED)
            self.whole, _ = from_buffer(memory, uint8)
        address = self.whole.ptr + place.begin  # type: ignore[operator]
        return borrow(address, place.nbytes, self.whole, self.readonly)


def compare(what: str, checksum: int, place: Place) -> None:
    """Refuse bytes that do not have their checksum: Note [Checksums]."""
    if place.checksum not in (0, checksum):
        refuse(f"its {what} has another checksum than it was written with: the file is damaged")


def inflated(source: Source, place: Place) -> bytes:
    """The bytes of a deflated member: as many as the directory says, or PickleError."""
    machine = zlib.decompressobj(-15)
    try:
        data = machine.decompress(source.read(place.begin, place.packed), place.nbytes + 1)
    except zlib.error as error:
        refuse(f"a member that is compressed is damaged: {error}")
    if len(data) != place.nbytes or not machine.eof:
        refuse("a member that is compressed has another size than the directory says")
    return data


def check_bools(parts: list[Parts]) -> None:
    """Refuse bytes other than 0 and 1 in bool tensors: kernels are compiled for the C type. Each byte is read once."""
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
