"""Values that nodes save, for packages that record operators.

- The rule checks saved values with `check_saved`, or compares versions and calls `raise_mutated`.
- If `current_mode().saved_hooks` is not None, the operator ends with `pack_saved(node, hooks, TheValueClass)`. For
  values saved outside `s0` and `s1`: `pack_value`, and `unpack_with` with a function that reverses it.
"""

from .._saved_values.packing import Packed, pack_saved, pack_value, unpack_value, unpack_with
from .._saved_values.versions import check_saved, raise_mutated

__all__ = [
    "Packed",
    "check_saved",
    "pack_saved",
    "pack_value",
    "raise_mutated",
    "unpack_value",
    "unpack_with",
]
