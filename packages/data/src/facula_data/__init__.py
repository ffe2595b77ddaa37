"""facula_data: datasets, samplers, collation, and a loader that assembles batches of samples.

The package imports NumPy and facula_errors, and no other sibling; it accepts tensors, arrays and numbers through the
array protocols. Its subpackages, each of which imports only earlier ones: `_sampling` (orders of indices), `_datasets`
(samples by index or as a stream), `_shared` (containers for forked workers), `_batches` (passes, reading, collation),
`_meter` (timing of a pass), `_workers` (threads and processes that prefetch batches), `_loading` (`DataLoader`).
`files` contains datasets that read files, `transforms` functions of samples. Start at `_loading/loader.py`, then
`_batches/passes.py` (one epoch) and `_batches/fetch.py` (from indices to a batch). `extend.py` lists the additional
names for sibling packages.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from facula_errors import CorruptFileError
from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

from ._batches.collate import default_collate, default_convert
from ._datasets.dataset import ChainDataset, ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset
from ._datasets.derived import FilterIterable, MapDataset, MapIterable
from ._datasets.split import random_split
from ._datasets.stack import StackDataset
from ._loading.loader import DataLoader
from ._meter.epoch_report import EpochReport
from ._meter.loader_report import LoaderReport
from ._meter.meter import Meter
from ._sample_errors import CollateError, CollateTypeError
from ._sampling.distributed import DistributedSampler
from ._sampling.samplers import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from ._shared.growth import growing_attributes
from ._shared.shared_dict import SharedDict
from ._shared.shared_list import SharedList
from ._workers.worker_errors import WorkerError, WorkerTimeoutError
from ._workers.worker_info import WorkerInfo, get_worker_info

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
    """Import `files` and `transforms` on first use."""
    if name in ("files", "transforms"):
        from importlib import import_module

        return import_module(f"facula_data.{name}")
    raise AttributeError(f"module 'facula_data' has no attribute {name!r}")
