"""facula_data: datasets, samplers, collation, and a loader that makes batches of samples.

It may import NumPy and facula_errors, no other sibling; samples come in through the array protocols, so tensors,
arrays and numbers all will do. Start reading at `_loader.py` (DataLoader), then `_passes.py` (one epoch) and
`_fetch.py` (from indices to a batch). What sibling packages may use beyond these names is in `extend.py`.
"""

from facula_errors.extend import register as _register

from ._collate import default_collate, default_convert
from ._datasets import ChainDataset, ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset
from ._distributed import DistributedSampler
from ._errors import CollateError, CollateTypeError, WorkerError, WorkerTimeoutError
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
from ._worker_info import WorkerInfo, get_worker_info

_register("facula_data")

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "CollateError",
    "CollateTypeError",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
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
    "random_split",
]


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
