"""A pickle read without building what it describes: which names it uses, which storages, which tensors where."""

from __future__ import annotations

from facula_storage import dtype_named

from .tables import Global, Marker, Table, Value, refuse, shown
from .tensor_globals import STORAGES

_UNKNOWN_SIZES = {"UntypedStorage": 1, "QInt8Storage": 1, "QUInt8Storage": 1, "QInt32Storage": 4,
                  "QUInt4x2Storage": 1, "QUInt2x4Storage": 1}  # fmt: skip


class Skimmed(dict[Value, Value]):
    """What stands for an object that a pickle describes: the call that would make it, and its state."""

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
    """What stands for a storage: its class, the device, and the size of an element."""

    __slots__ = ("itemsize", "kind", "location")

    def __init__(self, kind: str, location: str, itemsize: int) -> None:
        self.kind, self.location, self.itemsize = kind, location, itemsize


class Skim(Table):
    """A table that has every name, and calls nothing.

    Fields:
        names: the names that the pickle uses.
        storages: the number of elements and the size of one, by the storages' keys.
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
        """The object for a persistent id, which is noted."""
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


def storage_kind(kind: Marker) -> str:
    """`torch FloatStorage` -> `Float`; PickleError for a class that is none of PyTorch's storages."""
    module, _, last = kind.name.partition(" ")
    short = last.removesuffix("Storage")
    if module not in ("torch", "torch.cuda", "torch.storage") or short not in STORAGES:
        refuse(f"its pickle has a storage of the class {kind}")
    return short


def is_class(identifier: Value) -> bool:
    """Whether a persistent id is a class with its source code, as the legacy format has for modules."""
    return type(identifier) is tuple and len(identifier) == 4 and identifier[0] == "module"


def parse_identifier(identifier: Value) -> tuple[Marker, str, str, int]:
    """The class, key, device and number of elements in a persistent id."""
    if type(identifier) is not tuple or len(identifier) not in (5, 6) or identifier[0] != "storage":
        refuse(f"its pickle asks for {shown(identifier)}; expected a storage")
    _, kind, key, location, count, *view = identifier
    if not isinstance(kind, Marker) or type(key) is not str or type(location) is not str or type(count) is not int:
        refuse("its pickle asks for a storage that is not described by class, key, device and number of elements")
    if any(one is not None for one in view):
        refuse("its pickle has a view of a storage, which PyTorch 0.1 wrote; load and save it with a newer PyTorch")
    if not 0 <= count < 1 << 60 or len(key) > 200 or len(location) > 100:
        refuse(f"its pickle has a storage {key!r:.50} of {count} elements")
    return kind, key, location, count


def _set_state(instance: Value, state: Value) -> None:
    if isinstance(instance, Skimmed):
        instance.state = state
