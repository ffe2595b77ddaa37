"""Names of facula_checkpoint for sibling packages, in addition to the public API.

- `replacing` opens a file that replaces another one atomically.
- `parse_json` parses strict JSON with errors that name the file.
- `resolved` returns a path or an open binary file; `shown` names it in messages; `take` and `write_pieces` read and
  write such a file completely.
- `TensorTable` is the table of the classes and functions that a file of PyTorch may use, for subclasses that add rows
  (`Global`). `expect`, `attributes`, `attributes_of` and `refuse` check the arguments of their functions, and
  `is_settable` decides which attributes a file may set. `Marker` is the object for a name, `Pending` for one without
  a row that becomes an argument of `getattr`, `Stored` a storage of a file, and `Memory` the result of `relocate` of
  `load`.
- `encode_structure` and `decode_structure` convert nested containers to and from JSON and named tensors.
- `names_in` lists the classes and functions that such a file uses.
- `write_pytorch` writes such a file; its `reduce` receives a `CheckpointPickler`, and `Block`s describe the memory.
"""

from typing import TYPE_CHECKING

from facula_errors.extend import imported_later

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
    from ._structure import decode_structure, encode_structure

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
    "decode_structure",
    "encode_structure",
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

# Imported on first use, because a program needs few of them.
__getattr__ = imported_later(
    __name__,
    {
        "._atomic": ("replacing",),
        "._header": ("parse_json",),
        "._pytorch.pickling": ("Block", "CheckpointPickler"),
        "._pytorch.plain_globals": ("attributes", "expect", "is_settable"),
        "._pytorch.outline": ("names_in",),
        "._pytorch.storages": ("Memory",),
        "._pytorch.tables": ("Global", "Marker", "Pending", "refuse"),
        "._pytorch.tensor_globals": ("Stored", "TensorTable", "attributes_of"),
        "._pytorch.writing": ("write_pytorch",),
        "._structure": ("decode_structure", "encode_structure"),
    },
)
