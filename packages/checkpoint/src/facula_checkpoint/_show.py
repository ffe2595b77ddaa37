"""The contents of a file as lines of text: tensors by their paths, and the names that a pickle uses."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from ._errors import CheckpointError
from ._loading import PYTORCH_MAGICS
from ._nested import STRUCTURE
from ._pytorch.outline import skim
from ._pytorch.skimming import Skimmed, SkimmedStorage
from ._pytorch.sources import FileSource
from ._pytorch.tables import Marker, PickleError, refuse
from ._pytorch.tensor_globals import STORAGES
from ._pytorch.zip_directory import Directory
from ._reading import read
from ._streams import opened

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_WIDTH = 60  # of a column
MAX_PATH = 300  # characters of the path of a tensor: a deeply nested one repeats the paths of all its containers
_TENSORS = ("_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_qtensor")
_UNNAMED = frozenset({"_parameters", "_buffers", "_modules"})  # the dicts in which a module stores its members


class Row(NamedTuple):
    """A tensor: path, dtype, shape, bytes of its elements (if known), and a note."""

    name: str
    dtype: str
    shape: str
    nbytes: int
    note: str


def described(path: str) -> Iterator[str]:
    """Iterate over the lines for a file; raise CheckpointError if it cannot be read."""
    with opened(path) as (file, size):
        source = FileSource(path, file, size)
        if source.read(0, 2) in PYTORCH_MAGICS:
            value, names = skim(source)
            storages = sum([count * itemsize for count, itemsize in names.storages.values()])
            kind = "PyTorch's zip format" if source.read(0, 2) == b"PK" else "PyTorch's format before version 1.6"
            yield f"{printable(path)}: {kind}, {size} bytes, {storages} of them in {len(names.storages)} storages"
            yield from table(rows(value))
            yield f"  names: {', '.join(sorted({printable(name.replace(' ', '.')) for name in names.names})) or 'none'}"
            return
    tensors, metadata = read("show", path, True, False)
    yield f"{printable(path)}: safetensors, {size} bytes"
    yield from table(
        Row(printable(name), layout.dtype.name, shape_of(layout.shape), layout.nbytes, "")
        for name, (_, layout, _) in tensors.items()
    )
    for key, text in metadata.items():
        yield f"  {printable(key)}: {'containers of tensors' if key == STRUCTURE else printable(text)}"


def checked(path: str) -> str:
    """Verify the checksums of a file and return a line; raise CheckpointError for mismatches or other formats."""
    with opened(path) as (file, size):
        source = FileSource(path, file, size)
        try:
            if source.read(0, 2) != b"PK":
                refuse("it has no checksums, which only zip archives have")
            directory = Directory(source)
            count = directory.check()
        except PickleError as error:
            raise CheckpointError(path, str(error)) from None
    return f"{printable(path)}: {count} of {len(directory.members)} records have a checksum, all as they were written"


def table(found: Iterator[Row]) -> Iterator[str]:
    """Format rows in columns, followed by their number."""
    listed = list(found)
    widths = [min(MAX_WIDTH, max([len(str(row[column])) for row in listed], default=0)) for column in range(3)]
    for row in listed:
        columns = [str(row[column]).ljust(widths[column]) for column in range(3)]
        yield f"  {'  '.join(columns)}  {row.nbytes} bytes{row.note and ', '}{row.note}"
    yield f"  {len(listed)} tensors, {sum([row.nbytes for row in listed])} bytes"


def rows(value: Any) -> Iterator[Row]:
    """Iterate over the tensors in a skimmed value."""
    visited: set[int] = set()
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        name, node = waiting.pop()
        if not isinstance(node, (dict, list, tuple, set, frozenset)) or id(node) in visited:
            continue
        visited.add(id(node))
        if isinstance(node, Skimmed):
            row = row_of(name, node)
            if row is not None:
                yield row
                continue
        waiting += reversed(list(members(name, node)))


def members(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Iterate over the values in a container or an object, with their paths."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield way(name, "" if key in _UNNAMED else key if isinstance(key, str) else key_name(key)), member
    if isinstance(value, Skimmed):
        yield from [(name, argument) for argument in (*value.arguments, value.state)]
        value = value.appended
    if isinstance(value, (list, tuple)):
        yield from [(way(name, str(place)), member) for place, member in enumerate(value)]


def way(name: str, step: str) -> str:
    """Return the path of a member: the path of its container, and a step."""
    longer = ".".join(filter(None, (name, printable(step))))
    return longer if len(longer) <= MAX_PATH else f"{longer[: MAX_PATH - 3]}..."


def row_of(name: str, value: Skimmed) -> Row | None:
    """Return the row of a tensor, or None for other values."""
    kind, arguments = value.name.rpartition(" ")[2], value.arguments
    note = ""
    if kind.startswith("_rebuild_parameter") and arguments and isinstance(arguments[0], Skimmed):
        kind, arguments, note = arguments[0].name.rpartition(" ")[2], arguments[0].arguments, "parameter"
    if kind == "_rebuild_from_type_v2" and len(arguments) == 4 and isinstance(arguments[0], Marker):
        note = f"class {printable(str(arguments[1]))}"
        kind, arguments = arguments[0].name.rpartition(" ")[2], arguments[2]
    if kind == "_rebuild_meta_tensor_no_storage" and len(arguments) == 4:
        dtype = printable(str(arguments[0])).strip("<>").removeprefix("torch ")
        return Row(name, dtype, shape_of(arguments[1]), 0, "on meta, without elements")
    if kind not in _TENSORS or len(arguments) < 4 or not isinstance(arguments[0], SkimmedStorage):
        return None
    storage = arguments[0]
    short = storage.kind.rpartition(" ")[2].removesuffix("Storage")
    dtype, count = STORAGES.get(short, short), shape_of(arguments[2])
    if kind == "_rebuild_tensor_v3" and len(arguments) > 6:
        dtype = printable(str(arguments[6])).strip("<>").removeprefix("torch ")
    notes = [note, "" if storage.location == "cpu" else f"on {printable(storage.location)}"]
    nbytes = prod(arguments[2]) * storage.itemsize if count != "?" else 0
    return Row(name, dtype, count, nbytes, ", ".join(filter(None, notes)))


def shape_of(shape: Any) -> str:
    """Format a shape; "?" for other values."""
    if isinstance(shape, Skimmed) and shape.arguments:  # a Size
        shape = shape.arguments[0]
    plain = isinstance(shape, (tuple, list)) and all(type(size) is int for size in shape)
    return str(tuple(shape)) if plain and len(shape) <= 64 else "?"


def key_name(key: object) -> str:
    """Format a key of a dict that is not a string."""
    if isinstance(key, Skimmed):
        return f"<{key.name.rpartition(' ')[2].removeprefix('_rebuild_')}>"
    return repr(key) if isinstance(key, (int, float, bool, type(None))) else f"<{type(key).__name__}>"


def printable(text: str) -> str:
    """Escape unprintable characters of an untrusted text, which a terminal could interpret as commands."""
    short = text if len(text) <= 300 else f"{text[:300]}..."
    return "".join(
        [character if character.isprintable() else character.encode("unicode_escape").decode() for character in short]
    )
