"""facula_checkpoint: tensors in safetensors files, and nested containers of tensors without pickle.

The package saves files atomically, loads them memory-mapped, and rejects damaged, hostile and foreign files completely.
It handles names, layouts and storages, but no tensors. It imports facula_storage and facula_errors, and no other
sibling. Start at `_loading.py` (files of any format), then `_header.py` (safetensors and its validation),
`_reading.py`, `_writing.py`, `_atomic.py` (replacing a file), `_structure.py` and `_nested.py` (containers),
`_pytorch/`.
"""

from facula_errors.extend import imported_later as _imported_later
from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

from ._errors import CheckpointError
from ._loading import load

_register("facula_checkpoint")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._nested import save as save
    from ._parts import Parts as Parts
    from ._reading import load_file as load_file
    from ._reading import load_metadata as load_metadata
    from ._writing import save_file as save_file

__version__ = "0.1.0"

__all__ = ["CheckpointError", "Parts", "load", "load_file", "load_metadata", "save", "save_file"]

# Imported on first use, so that a program that only loads PyTorch's checkpoints does not wait for these modules.
__getattr__ = _imported_later(
    __name__,
    {
        "._nested": ("save",),
        "._parts": ("Parts",),
        "._reading": ("load_file", "load_metadata"),
        "._writing": ("save_file",),
    },
)
__dir__ = _published(__name__)
