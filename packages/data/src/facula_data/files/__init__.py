"""Datasets of files: image folders, MNIST, CIFAR, CSV, Parquet, tar archives, mapped arrays, tokens.

All of them can be pickled to workers and forked: see Note [Files of datasets] in `files/_local_file.py`. Damaged files
raise `CorruptFileError`, which names the file, the place and a remedy. Pillow and pyarrow are imported only by the
datasets that need them. The imports are those of the package. Start at `_idx.py`, the shortest format, or `_shards.py`,
the streams.
"""

from facula_errors import CorruptFileError
from facula_errors.extend import published as _published

from ._cifar import CIFAR10, CIFAR100
from ._csv import CSVFile
from ._decode import decode_image, decode_npy, decode_text
from ._folder import IMG_EXTENSIONS, DatasetFolder, ImageFolder
from ._idx import read_idx
from ._memory_mapped import MemoryMapped, TokenFile
from ._mnist import KMNIST, MNIST, FashionMNIST
from ._parquet import ParquetFile
from ._shards import DECODERS, TarShards

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "DECODERS",
    "IMG_EXTENSIONS",
    "KMNIST",
    "MNIST",
    "CSVFile",
    "CorruptFileError",
    "DatasetFolder",
    "FashionMNIST",
    "ImageFolder",
    "MemoryMapped",
    "ParquetFile",
    "TarShards",
    "TokenFile",
    "decode_image",
    "decode_npy",
    "decode_text",
    "read_idx",
]


__dir__ = _published(__name__)
