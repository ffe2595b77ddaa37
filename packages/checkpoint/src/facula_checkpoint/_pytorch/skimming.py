"""Reading of a pickle without building its object: the names, storages and tensors that it uses."""

from __future__ import annotations

from facula_storage import dtype_named

from .tables import Global, Marker, Table, Value, refuse, shown
from .tensor_globals import STORAGES, is_class, parse_identifier, storage_kind

_UNKNOWN_SIZES = {"UntypedStorage": 1, "QInt8Storage": 1, "QUInt8Storage": 1, "QInt32Storage": 4,
                  "QUInt4x2Storage": 1, "QUInt2x4Storage": 1}  # fmt: skip


class Skimmed(dict[Value, Value]):
    """A placeholder for an object of a pickle: the call that would create it, and its state."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __init__(self, name: str, arguments: tuple[Value, ...]) -> None:
        super().__init__()
        self.name, self.arguments = name, arguments
        self.state: Value = None
        self.appended: list[Value] = []

    def __eq__(self, other: object) -> bool:
        return self is other

    def extend(self, values: list[Value]) -> None:
        self.appended.extend(values)


class SkimmedStorage:
    """A placeholder for a storage: its class, the device, and the size of an element."""

    __slots__ = ("itemsize", "kind", "location")

    def __init__(self, kind: str, location: str, itemsize: int) -> None:
        self.kind, self.location, self.itemsize = kind, location, itemsize


class Skim(Table):
    """A table that contains every name and calls none.

    Fields:
        names: the names that the pickle uses.
        storages: the number of elements and the element size, by the storages' keys.
    """

    def __init__(self) -> None:
        super().__init__({})
        self.names: dict[str, None] = {}
        self.storages: dict[str, tuple[int, int]] = {}

    def find(self, module: str, name: str, owner: bool = False) -> Global:
        called = f"{module} {name}"
        self.names[called] = None
        row = self.rows.get(called)
        if row is None:

            def make(*arguments: Value, **keywords: Value) -> Skimmed:
                return Skimmed(called, arguments)

            row = Global(Marker(called), call=make, new=make, build=_set_state, instance=Skimmed, named=True)
            self.rows[called] = row
        return row

    def persistent(self, identifier: Value) -> Value:
        """Return the object for a persistent id and record the storage."""
        if is_class(identifier):
            return identifier[1]
        kind, key, location, count = parse_identifier(identifier)
        size = _UNKNOWN_SIZES.get(kind.name.rpartition(" ")[2])
        if size is None:
            size = dtype_named(STORAGES[storage_kind(kind)]).itemsize
        known = self.storages.setdefault(key, (count, size))
        if known[0] * known[1] != count * size:
            refuse(f"its pickle has a storage {shown(key)} in two sizes")
        return SkimmedStorage(kind.name, location, size)


def _set_state(instance: Value, state: Value) -> None:
    if isinstance(instance, Skimmed):
        instance.state = state
