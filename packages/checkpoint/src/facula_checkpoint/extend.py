"""What sibling packages may use of facula_checkpoint beyond its public names.

- `replacing` is a descriptor of a file that replaces another one at once or not at all.
- `parse_json` reads strict JSON, and says what is wrong with other texts.
- `resolved` is a path, or an open binary file; `shown` what it is called in messages; `take` and `write_pieces` read
  and write such a file, as many bytes as there are.
- `TensorTable` is the table of the classes and functions that a file of PyTorch's may use, for subclasses that add rows
  (`Global`); `expect`, `attributes`, `attributes_of` and `refuse` check the arguments of their functions, and
  `is_settable` says which attributes a file may set; `Marker` stands for a name, `Pending` for one without a row that
  `getattr` is asked about, `Stored` is a storage of a file, and `Memory` what `relocate` of `load` gives.
- `names_in` lists the classes and functions that such a file uses.
- `write_pytorch` writes such a file; its `reduce` gets a `CheckpointPickler`, and `Block`s say which memory is written.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from facula_errors import MissingAttributeError

from ._streams import resolved, shown, take, write_pieces

if TYPE_CHECKING:
    from ._atomic import replacing
    from ._header import parse_json
    from ._pytorch.outline import names_in
    from ._pytorch.pickling import Block, CheckpointPickler
    from ._pytorch.plain_globals import attributes, expect, is_settable
    from ._pytorch.storages import Memory
    from ._pytorch.tables import Global, Marker, Pending, refuse
    from ._pytorch.tensor_globals import Stored, TensorTable, attributes_of
    from ._pytorch.writing import write_pytorch

__all__ = [
    "Block",
    "CheckpointPickler",
    "Global",
    "Marker",
    "Memory",
    "Pending",
    "Stored",
    "TensorTable",
    "attributes",
    "attributes_of",
    "expect",
    "is_settable",
    "names_in",
    "parse_json",
    "refuse",
    "replacing",
    "resolved",
    "shown",
    "take",
    "write_pieces",
    "write_pytorch",
]

# Loaded when they are first asked for: a program needs few of them.
_LATER = {
    "_atomic": ("replacing",),
    "_header": ("parse_json",),
    "_pytorch.pickling": ("Block", "CheckpointPickler"),
    "_pytorch.plain_globals": ("attributes", "expect", "is_settable"),
    "_pytorch.outline": ("names_in",),
    "_pytorch.storages": ("Memory",),
    "_pytorch.tables": ("Global", "Marker", "Pending", "refuse"),
    "_pytorch.tensor_globals": ("Stored", "TensorTable", "attributes_of"),
    "_pytorch.writing": ("write_pytorch",),
}


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names:
            value = globals()[name] = getattr(import_module(f".{module}", __package__), name)
            return value
    raise MissingAttributeError(f"module {__name__!r} has no attribute {name!r}")
