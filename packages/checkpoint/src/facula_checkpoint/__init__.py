"""facula_checkpoint: tensors in files, as safetensors; nested containers of them without pickle.

What it is: saves that replace a file at once or not at all, memory-mapped loads, and a reader that
refuses damaged, hostile and foreign files whole. It knows names, layouts and storages, no tensors.
May import: facula_storage, facula_errors; nothing else of facula.
Where next: `_loading.py` (files of any format), `_header.py` (safetensors, and what is refused), `_reading.py`,
`_writing.py`, `_atomic.py` (how a file is replaced), `_structure.py` and `_nested.py` (containers), `_pytorch/`.
"""

from facula_errors.extend import published as _published
from facula_errors.extend import register as _register
from facula_errors.extend import settle as _settle

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

# Imported when they are first asked for: a program that loads a checkpoint of PyTorch's does not wait for them.
_LATER = {
    "Parts": "_parts",
    "load_file": "_reading",
    "load_metadata": "_reading",
    "save": "_nested",
    "save_file": "_writing",
}

__version__ = "0.1.0"

__all__ = ["CheckpointError", "Parts", "load", "load_file", "load_metadata", "save", "save_file"]


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = found
    _settle(__name__, name, found)
    return found


__dir__ = _published(__name__)
