"""Tables of PyTorch's names, for errors about missing ones, and the classes of named results.

`PyTorchNames` and `PAGE` are for errors about names of PyTorch, `table_sections` and `table_rows` read its tables,
`present` returns the names that `dir` shows for an object.
"""

from facula_errors.extend import imported_later

from .._core.names import PAGE, PyTorchNames, present, table_rows, table_sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..ops.return_types import return_types

__all__ = [
    "PAGE",
    "PyTorchNames",
    "present",
    "return_types",
    "table_rows",
    "table_sections",
]

__getattr__ = imported_later(__name__, {"..ops.return_types": ("return_types",)})
