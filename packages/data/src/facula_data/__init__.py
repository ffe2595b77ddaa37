"""facula_data: datasets, samplers, collation, and a loader that makes batches of samples.

It may import NumPy and facula_errors, no other sibling; samples come in through the array protocols, so tensors,
arrays and numbers all will do. Start reading at `_loader.py` (DataLoader), then `_passes.py` (one epoch) and
`_fetch.py` (from indices to a batch). What sibling packages may use beyond these names is in `extend.py`.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from facula_errors import CorruptFileError
from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

from ._collate import default_collate, default_convert
from ._datasets import ChainDataset, ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset
from ._distributed import DistributedSampler
from ._errors import CollateError, CollateTypeError, WorkerError, WorkerTimeoutError
from ._growth import growing_attributes
from ._loader import DataLoader
from ._mapped_datasets import FilterIterable, MapDataset, MapIterable
from ._meter import Meter
from ._meter_report import EpochReport, LoaderReport
from ._samplers import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from ._shared import SharedList
from ._shared_dict import SharedDict
from ._split import random_split
from ._stacks import StackDataset
from ._worker_info import WorkerInfo, get_worker_info

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
    "DistributedSampler",
    "EpochReport",
    "FilterIterable",
    "IterableDataset",
    "LoaderReport",
    "MapDataset",
    "MapIterable",
    "Meter",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SharedDict",
    "SharedList",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "WorkerError",
    "WorkerInfo",
    "WorkerTimeoutError",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "growing_attributes",
    "random_split",
]


__dir__ = _published(__name__, "files", "transforms")


def __getattr__(name: str) -> "_ModuleType":
    """`files` and `transforms`, which are imported where they are first asked for."""
    if name in ("files", "transforms"):
        from importlib import import_module

        return import_module(f"facula_data.{name}")
    raise AttributeError(f"module 'facula_data' has no attribute {name!r}")
