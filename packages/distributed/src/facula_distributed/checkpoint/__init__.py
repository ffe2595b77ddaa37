"""facula_distributed.checkpoint: checkpoints that all ranks write and read together, under PyTorch's names.

A checkpoint is a directory: a safetensors file of each rank, and an index, which is written last. It loads on any
number of ranks. Start at Note [Sharded checkpoints] in `_index.py`, then `_saving.py` and `_loading.py`; `state_dict`
has functions that get and set the states of models and optimizers.
"""

from facula_errors.extend import published as _published

from ._loading import StateMismatchError, load
from ._saving import async_save, save
from ._storage import FileSystemReader, FileSystemWriter

__all__ = ["FileSystemReader", "FileSystemWriter", "StateMismatchError", "async_save", "load", "save"]

__dir__ = _published(__name__)
