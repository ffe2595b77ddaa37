"""CIFAR-10 and CIFAR-100, in their Python version (pickles) and their binary version."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from facula_errors import CorruptFileError
from facula_errors.extend import boundary

from ._decode import whole_file
from ._file_errors import missing
from ._labelled import _TwoParts, checked_labels
from ._local_file import MappedArray
from ._unpickle import Value, unpickle

PIXELS = 3 * 32 * 32
SHAPE = (3, 32, 32)
MAX_BYTES = 1 << 29  # limit for a pickle; the largest has 155 MB
URL = "https://www.cs.toronto.edu/~kriz/"
WRONG_FILE_REMEDY = "check that it is the right file"


@boundary
class CIFAR10(_TwoParts):
    """Images of ten classes: 50,000 for training, 10,000 for testing; sample i is (uint8 (3, 32, 32), label).

    Arguments:
        root: the folder `cifar-10-batches-py` or `cifar-10-batches-bin`, or its parent folder.
        train: True for the training part, False for the test part.
        transform: applied to the image; if it has a parameter `rng`, it also receives a numpy.random.Generator.
        target_transform: applied to the label.
        download: if the files are missing, download and unpack the archive of the Python version in `root`. An
            interrupted download continues in the next call.

    The files of the Python version are pickles. A restricted unpickler reads them: it supports containers, text,
    numbers and NumPy arrays, and executes no code. The files of the binary version are mapped into memory, not read.

    Raises:
        CorruptFileError: a file is truncated, belongs to another dataset, or contains unexpected values.
        OSError: a file is missing, or cannot be downloaded.

    Source: torchvision.datasets.CIFAR10; A. Krizhevsky, Learning multiple layers of features from tiny images, 2009.
    """

    classes: Sequence[str] = (
        "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck",
    )  # fmt: skip
    _folders: ClassVar[tuple[str, str]] = ("cifar-10-batches-py", "cifar-10-batches-bin")
    _parts: ClassVar[dict[bool, tuple[str, ...]]] = {
        True: tuple(f"data_batch_{number}" for number in range(1, 6)),
        False: ("test_batch",),
    }
    _names: ClassVar[tuple[str, str, str]] = ("batches.meta", "label_names", "batches.meta.txt")
    mirrors = (URL,)
    _checksums: ClassVar[dict[str, str]] = {"cifar-10-python.tar.gz": "c58f30108f718f92721af3b95e74349a"}
    _key: ClassVar[str] = "labels"
    _label_bytes: ClassVar[int] = 1  # before the pixels of a record; the last one is the label
    _count: ClassVar[int] = 10

    def _read(self, name: str) -> None:
        folder, ending = self._found(self._parts[self.train][0])
        self._files: list[MappedArray | np.ndarray] = []
        labels: list[np.ndarray] = []
        for part in self._parts[self.train]:
            path = os.path.join(folder, part + ending)
            pictures, numbers = self._mapped(path) if ending else self._unpickled(path)
            self._files.append(pictures)
            labels.append(checked_labels(name, path, numbers, self._count))
        self._label_array = np.concatenate(labels)
        self.classes = self._class_names(folder, binary=bool(ending))

    def _download(self, name: str) -> None:
        from ._download import fetch, unpack  # imported here because most programs do not download

        parts, place = self._parts[self.train], self._place(self._parts[self.train][0])
        if place is None or not all(os.path.isfile(os.path.join(place[0], part + place[1])) for part in parts):
            ((archive, checksum),) = self._checksums.items()
            path = os.path.join(self.root, archive)
            fetch(name, {path: checksum}, self.mirrors)
            unpack(name, path, place[0] if place and not place[1] else os.path.join(self.root, self._folders[0]))

    def _place(self, part: str) -> tuple[str, str] | None:
        """Return the folder of the files and the suffix of their names, or None."""
        for folder in (self.root, *(os.path.join(self.root, name) for name in self._folders)):
            for ending in ("", ".bin"):
                if os.path.isfile(os.path.join(folder, part + ending)):
                    return folder, ending
        return None

    def _found(self, part: str) -> tuple[str, str]:
        """Return the folder of the files and the suffix of their names."""
        place = self._place(part)
        if place is None:
            remedy = f"it, or {part}.bin, should be in {self.root}, or in its folder {' or '.join(self._folders)}"
            remedy += f"; pass download=True, or unpack {self._address()} there"
            raise missing(type(self).__name__, os.path.join(self.root, part), remedy)
        return place

    def _address(self) -> str:
        return self.mirrors[0] + next(iter(self._checksums))

    def _unpickle(self, path: str) -> Value:
        name = type(self).__name__
        if not os.path.isfile(path):
            raise missing(name, path, f"pass download=True, or unpack {self._address()} again")
        return unpickle(name, path, whole_file(name, path, MAX_BYTES))

    def _unpickled(self, path: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the images and labels of a pickle."""
        content = self._unpickle(path)
        content = content if isinstance(content, dict) else {}
        data, labels = content.get("data"), content.get(self._key)
        if not isinstance(data, np.ndarray) or data.dtype != np.uint8 or data.shape[1:] != (PIXELS,):
            got = f"{data.dtype} {data.shape}" if isinstance(data, np.ndarray) else type(data).__name__
            problem = f"expected 'data' to be uint8 (samples, {PIXELS}); got {got}"
            raise CorruptFileError(type(self).__name__, path, "", problem, WRONG_FILE_REMEDY)
        integers = isinstance(labels, list) and all(type(label) is int and abs(label) < 1 << 31 for label in labels)
        if not integers or len(labels) != len(data):  # type: ignore[arg-type]  # a list, as said above
            got = f"{len(labels)} values" if isinstance(labels, list) else type(labels).__name__
            problem = f"expected {self._key!r} to be a list of {len(data)} integers; got {got}"
            raise CorruptFileError(type(self).__name__, path, "", problem, WRONG_FILE_REMEDY)
        return data.reshape(-1, *SHAPE), np.array(labels, dtype=np.int64)

    def _mapped(self, path: str) -> tuple[MappedArray, np.ndarray]:
        """Return the records and labels of a binary file; a record consists of the labels and the pixels."""
        name, record = type(self).__name__, self._label_bytes + PIXELS
        if not os.path.isfile(path):
            raise missing(name, path, f"pass download=True, or unpack {self._address()} again")
        size = os.path.getsize(path)
        if size % record or not size:
            problem = f"expected records of {record} bytes each; got {size} bytes"
            raise CorruptFileError(name, path, f"byte {size - size % record}", problem, WRONG_FILE_REMEDY)
        records = MappedArray(name, path, np.dtype(np.uint8), (size // record, record))
        return records, records.array[:, self._label_bytes - 1].astype(np.int64)

    def _class_names(self, folder: str, binary: bool) -> Sequence[str]:
        """Return the class names from the file next to the data, or the defaults if there is no such file."""
        pickled, key, text = self._names
        path = os.path.join(folder, text if binary else pickled)
        if not os.path.isfile(path):
            return type(self).classes
        if binary:
            lines = whole_file(type(self).__name__, path, 1 << 16).decode("ascii", "replace").split("\n")
            names: Value = [line.strip() for line in lines if line.strip()]
        else:
            content = self._unpickle(path)
            names = content.get(key) if isinstance(content, dict) else None
        if not isinstance(names, list) or len(names) != self._count or not all(type(name) is str for name in names):
            problem = f"expected the names of {self._count} classes; got {names!r:.80}"
            raise CorruptFileError(type(self).__name__, path, "", problem, WRONG_FILE_REMEDY)
        return names

    def _arrays(self) -> list[np.ndarray]:
        skipped = self._label_bytes
        return [
            file.array[:, skipped:].reshape(-1, *SHAPE) if isinstance(file, MappedArray) else file
            for file in self._files
        ]

    @property
    def data(self) -> np.ndarray:
        """All images in one new array, uint8 (samples, 32, 32, 3), as in torchvision."""
        return np.concatenate(self._arrays()).transpose(0, 2, 3, 1)


class CIFAR100(CIFAR10):
    """Images of a hundred classes: 50,000 for training, 10,000 for testing. The arguments are those of `CIFAR10`.

    The folders are `cifar-100-python` and `cifar-100-binary`. Labels are the fine ones; `classes` contains their names,
    read from the file `meta` or `fine_label_names.txt` next to the data.

    Source: torchvision.datasets.CIFAR100.
    """

    classes: Sequence[str] = tuple(f"class {number}" for number in range(100))
    _folders = ("cifar-100-python", "cifar-100-binary")
    _parts: ClassVar[dict[bool, tuple[str, ...]]] = {True: ("train",), False: ("test",)}
    _names = ("meta", "fine_label_names", "fine_label_names.txt")
    _key = "fine_labels"
    _label_bytes = 2
    _count = 100
    _checksums: ClassVar[dict[str, str]] = {"cifar-100-python.tar.gz": "eb9058c3a382ffc7106e4002c42a8d85"}
