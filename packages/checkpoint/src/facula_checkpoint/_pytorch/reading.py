"""Reading of PyTorch's files, in the zip and the legacy format, as the object that was saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._errors import CheckpointError
from .machine import Machine
from .opcodes import OPCODES
from .storages import Storages, check_bools
from .tables import PickleError, Value, refuse, shown
from .tensor_globals import StorageClass, TensorTable, is_class, parse_identifier, storage_kind
from .zip_directory import Directory

if TYPE_CHECKING:
    from collections.abc import Callable

    from .sources import Source
    from .storages import Memory, Place, Relocate

MAX_SMALL = 1000  # maximum bytes of a member with a single setting
MAX_PICKLE = 1 << 32


def read_pytorch(
    source: Source, table: TensorTable, mapped: bool = False, readonly: str = "", relocate: Relocate | None = None
) -> Value:
    """Read the object in a file; raise CheckpointError for any invalidity before returning.

    Arguments:
        source: the file.
        table: the names that its pickle may use.
        mapped, readonly, relocate: see `Storages`.
    """
    failed: list[Exception] = []

    def relocated(fetch: Callable[[], Memory], nbytes: int, location: str) -> Memory | None:
        try:
            return relocate(fetch, nbytes, location)  # type: ignore[misc]
        except Exception as error:  # raised by the caller's function, so the pickle is not at fault
            failed.append(error)
            raise

    try:
        start = Start(source)
        storages = Storages(source, start.locate, mapped, readonly, None if relocate is None else relocated)

        def persistent(identifier: Value) -> Value:
            if is_class(identifier):
                return identifier[1]
            kind, key, location, count = parse_identifier(identifier)
            if not isinstance(kind, StorageClass):
                storage_kind(kind)
                refuse(f"its pickle has a storage of the class {kind}")
            nbytes = count * kind.dtype.itemsize
            return table.storage(storages.get(key, nbytes, location), kind.dtype)

        value = Machine(start.pickle, start.begin, table, persistent).run(OPCODES)
        table.finish()
        storages.finish()
        check_bools(table.bools)
        table.complete()
        source.finish(start.end)
        return value
    except PickleError as error:
        if failed and not isinstance(failed[0], PickleError):
            raise failed[0] from None
        raise CheckpointError(source.name, str(error)) from None


class Start:
    """The parts of a file that are needed to run its pickle.

    Fields:
        pickle: the bytes that contain the pickle.
        begin: the offset of the pickle.
        locate: returns the place of a storage by its key.
        end: the end of the file.
    """

    pickle: bytes
    begin: int
    end: int
    locate: Callable[[str], Place]

    def __init__(self, source: Source) -> None:
        start = source.read(0, 512)
        if start[:2] == b"PK":
            self._zip(Directory(source))
        elif start[:1] == b"\x80":
            from .legacy import Legacy

            legacy = Legacy(source)
            self.pickle, self.begin, self.locate, self.end = legacy.data, legacy.start, legacy.locate, legacy.end
        else:
            refuse("it is neither a zip archive nor a pickle")

    def _zip(self, directory: Directory) -> None:
        folder = _folder(directory)
        order = f"{folder}/byteorder"
        if order in directory.members and directory.read(order, MAX_SMALL).strip() != b"little":
            refuse("it was written on a big-endian machine; load and save it there with torch.save(...)")
        self.pickle, self.begin, self.end = directory.read(f"{folder}/data.pkl", MAX_PICKLE), 0, directory.end

        def locate(key: str) -> Place:
            member = directory.members.get(f"{folder}/data/{key}")
            if member is None:
                refuse(f"its pickle has a storage {shown(key)}, which the archive lacks")
            return member

        self.locate = locate


def _folder(directory: Directory) -> str:
    """Return the folder that contains all members; raise a PickleError that names the kind of other archives."""
    names = directory.members
    if "graph.json" in names:
        refuse("it is a graph that facula.jit.save wrote; load it with facula.jit.load")
    found = [name.removesuffix("/data.pkl") for name in names if name.endswith("/data.pkl") and name.count("/") == 1]
    if any(name.endswith("/constants.pkl") or "/code/" in name for name in names):
        refuse("it is a TorchScript archive, a program; load it with torch.jit.load, and save its state_dict()")
    if any(name.endswith(".npy") for name in names):
        refuse("it is a NumPy .npz archive; load it with numpy.load")
    if len(found) != 1:
        refuse(f"it is a zip archive with {len(found)} members FOLDER/data.pkl; expected one, as torch.save writes it")
    return found[0]
