"""PyTorch's format before version 1.6: five consecutive pickles, then each storage after its length."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .machine import Machine
from .opcodes import OPCODES
from .skimming import Skim
from .storages import Place
from .tables import PickleError, Table, Value, refuse, shown

if TYPE_CHECKING:
    from .sources import Source

MAGIC = 0x1950A86A20F9469CFC6C
MAGIC_BYTES = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
PROTOCOL = 1001
FIRST_WINDOW = 1 << 20  # bytes read initially to find the end of the pickles


class Legacy:
    """The locations of the parts of a file.

    Fields:
        data: the bytes that contain the pickles.
        start: the offset of the pickle of the saved object.
        places: the place of each storage by its key.
        end: the end of the file.
        skimmed: the names and storages that the pickle uses.
    """

    data: bytes
    start: int

    def __init__(self, source: Source) -> None:
        window = min(FIRST_WINDOW, source.size)
        while True:
            self.data = source.read(0, window)
            try:
                keys, position = self._pickles()
                break
            except PickleError:
                if window >= source.size:
                    raise
                window = min(window * 8, source.size)
        self.places: dict[str, Place] = {}
        for key in keys:
            count, itemsize = self.skimmed.storages[key]
            (stored,) = (int.from_bytes(source.read(position, 8), "little"),)
            begin, nbytes = position + 8, count * itemsize
            if stored != count or begin + nbytes > source.size:
                refuse(f"its storage {key!r:.50} should have {count} elements, and has {stored}, or it is truncated")
            self.places[key] = Place(begin, nbytes, nbytes)
            position = begin + nbytes
        self.end = position

    def _pickles(self) -> tuple[list[str], int]:
        """Return the keys of the storages in order, and the offset of the first storage."""
        if not self.data.startswith(MAGIC_BYTES):
            refuse("it is a pickle that torch.save did not write; tensors pickled by themselves are not loaded: "
                   "load it where it was written, and save it with torch.save")  # fmt: skip
        protocol, position = _plain(self.data, len(MAGIC_BYTES))
        if type(protocol) is not int or protocol != PROTOCOL:
            refuse(f"it is of PyTorch's legacy format {shown(protocol)}; expected {PROTOCOL}")
        system, position = _plain(self.data, position)
        if type(system) is not dict or system.get("little_endian") is not True:
            refuse("it was written on a big-endian machine")
        self.start = position
        self.skimmed = Skim()
        machine = Machine(self.data, position, self.skimmed, self.skimmed.persistent)
        machine.run(OPCODES)
        keys, position = _plain(self.data, machine.position)
        if type(keys) is not list or not all(type(key) is str for key in keys) or len(set(keys)) != len(keys):
            refuse("its list of storages is damaged")
        if set(keys) != set(self.skimmed.storages):
            refuse("its list of storages differs from that of its pickle")
        return keys, position

    def locate(self, key: str) -> Place:
        """Return the place of a storage."""
        place = self.places.get(key)
        if place is None:
            refuse(f"it has no storage {shown(key)}")
        return place


def _plain(data: bytes, start: int) -> tuple[Value, int]:
    """Read a pickle of plain values, and return the value and its end."""
    machine = Machine(data, start, Table({}), lambda identifier: refuse("its header refers to a storage"))
    return machine.run(OPCODES), machine.position
