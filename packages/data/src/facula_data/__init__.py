"""facula_data: datasets, samplers, collation, and a loader that makes batches of samples.

It may import NumPy and facula_errors, no other sibling; samples come in through the array protocols, so tensors,
arrays and numbers all will do. Start reading at `_loader.py` (DataLoader), then `_passes.py` (one epoch) and
`_fetch.py` (from indices to a batch). What sibling packages may use beyond these names is in `extend.py`.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from facula_errors.extend import register as _register

from ._collate import default_collate, default_convert
from ._datasets import ChainDataset, ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset
from ._errors import CollateError, CollateTypeError
from ._file_errors import CorruptFileError
from ._loader import DataLoader
from ._samplers import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from ._split import random_split
from ._stacks import StackDataset

if _TYPE_CHECKING:
    from types import ModuleType as _ModuleType

    from . import files as files
    from . import transforms as transforms

_register("facula_data")

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "CollateError",
    "CollateTypeError",
    "ConcatDataset",
    "CorruptFileError",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "default_collate",
    "default_convert",
    "random_split",
]


def __dir__() -> list[str]:
    return sorted({*__all__, "files", "transforms", *(name for name in globals() if name.startswith("__"))})


def __getattr__(name: str) -> "_ModuleType":
    """`files` and `transforms`, which are imported where they are first asked for."""
    if name in ("files", "transforms"):
        from importlib import import_module

        return import_module(f"facula_data.{name}")
    raise AttributeError(f"module 'facula_data' has no attribute {name!r}")
