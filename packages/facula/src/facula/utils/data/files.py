"""Datasets of files: the names of facula_data.files, whose arrays a `DataLoader` makes tensors of."""

from facula_data.files import (
    CIFAR10,
    CIFAR100,
    DECODERS,
    IMG_EXTENSIONS,
    KMNIST,
    MNIST,
    CorruptFileError,
    CSVFile,
    DatasetFolder,
    FashionMNIST,
    ImageFolder,
    MemoryMapped,
    ParquetFile,
    TarShards,
    TokenFile,
    decode_image,
    decode_npy,
    decode_text,
    read_idx,
)

from ..._names import publish

__all__ = [
    "CIFAR10", "CIFAR100", "DECODERS", "IMG_EXTENSIONS", "KMNIST", "MNIST", "CSVFile", "CorruptFileError",
    "DatasetFolder", "FashionMNIST", "ImageFolder", "MemoryMapped", "ParquetFile", "TarShards", "TokenFile",
    "decode_image", "decode_npy", "decode_text", "read_idx",
]  # fmt: skip

publish(__name__)
