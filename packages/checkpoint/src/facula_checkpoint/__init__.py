"""facula_checkpoint: tensors in files, as safetensors; nested containers of them without pickle.

What it is: saves that replace a file at once or not at all, memory-mapped loads, and a reader that
refuses damaged, hostile and foreign files whole. It knows names, layouts and storages, no tensors.
May import: facula_storage, facula_errors; nothing else of facula.
Where next: `_header.py` (the format, and what is refused), `_reading.py`, `_writing.py`,
`_atomic.py` (how a file is replaced), `_structure.py` and `_nested.py` (containers).
"""

from facula_errors.extend import register as _register

from ._errors import CheckpointError
from ._nested import load, save
from ._parts import Parts
from ._reading import load_file, load_metadata
from ._writing import save_file

_register("facula_checkpoint")

__version__ = "0.1.0"

__all__ = ["CheckpointError", "Parts", "load", "load_file", "load_metadata", "save", "save_file"]


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
