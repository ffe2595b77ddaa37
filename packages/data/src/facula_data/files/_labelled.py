"""Datasets of equally sized images in arrays, with a label for each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from facula_errors import CorruptFileError, FaculaError, UnsupportedError
from facula_errors.extend import boundary, trim_traceback

from .. import _checks
from .._arrays import take_rows
from .._types import Batch, Index, Sample
from ._file_errors import Path
from ._transformed import TransformedDataset


def checked_labels(operation: str, path: str, labels: np.ndarray, classes: int) -> np.ndarray:
    """Return `labels` after checking that all of them are class indices."""
    wrong = (labels < 0) | (labels >= classes)
    if wrong.any():
        place = int(wrong.argmax())
        raise CorruptFileError(
            operation, path, f"sample {place}", f"expected labels from 0 to {classes - 1}; got {labels[place]}",
            "check that it is the right file",
        )  # fmt: skip
    return labels


@boundary
class LabelledArrays(TransformedDataset[tuple[Any, Any]]):
    """Images and labels; sample i is (array (channels, height, width), int), each after its transform.

    Subclasses define `_arrays()`, which returns the images in one or several arrays, and `_labels()`.
    """

    classes: Sequence[str]

    def _arrays(self) -> list[np.ndarray]:
        raise UnsupportedError(f"{type(self).__name__}: expected a method _arrays")

    def _labels(self) -> np.ndarray:
        raise UnsupportedError(f"{type(self).__name__}: expected a method _labels")

    def __len__(self) -> int:
        return len(self._labels())

    @property
    def thread_safe(self) -> bool:
        """Whether several threads may read the dataset at once: if its transforms are thread-safe."""
        return self._transforms_are_thread_safe()

    def __getitem__(self, index: Index) -> tuple[Sample, Sample]:
        try:
            place = _checks.position(type(self).__name__, index, len(self))
            within = place
            for array in self._arrays():
                if within < len(array):
                    break
                within -= len(array)
            return self._transformed(np.array(array[within]), int(self._labels()[place]), f"sample {place}")
        except FaculaError as error:
            trim_traceback(error)
            raise

    def get_batch(self, indices: np.ndarray) -> Batch:
        """Return the collated samples by one fancy index per array, or NotImplemented if there is a transform."""
        if self._transform is not None or self._target_transform is not None:
            return NotImplemented
        count = len(self)
        if ((indices < -count) | (indices >= count)).any():
            for index in indices.tolist():
                _checks.position(type(self).__name__, index, count)
        places = np.where(indices < 0, indices + count, indices)
        labels = take_rows(self._labels(), places).astype(np.int64)
        arrays = self._arrays()
        if len(arrays) == 1:
            return [take_rows(arrays[0], places), labels]
        pictures = np.empty((len(places), *arrays[0].shape[1:]), arrays[0].dtype)
        start = 0
        for array in arrays:
            here = (places >= start) & (places < start + len(array))
            pictures[here] = array[places[here] - start]
            start += len(array)
        return [pictures, labels]

    @property
    def class_to_idx(self) -> dict[str, int]:
        """A dict from the name of each class to its label."""
        return {name: place for place, name in enumerate(self.classes)}

    @property
    def targets(self) -> np.ndarray:
        """The labels, int64 (samples,)."""
        return self._labels().astype(np.int64)

    def __repr__(self) -> str:
        shape = self._arrays()[0].shape[1:]
        return f"{type(self).__name__}({len(self)} samples: {shape} uint8, {len(self.classes)} classes)"


@boundary
class _TwoParts(LabelledArrays):
    """A dataset with a training part and a test part; subclasses define `_read`, which reads one of them."""

    root: str
    train: bool
    _label_array: np.ndarray

    mirrors: ClassVar[Sequence[str]]  # addresses of folders with the files, which `download=True` tries in this order
    _checksums: ClassVar[dict[str, str]]  # MD5 by name of the files there

    def __init__(
        self,
        root: Path,
        train: bool = True,
        transform: Callable[..., Sample] | None = None,
        target_transform: Callable[..., Sample] | None = None,
        download: bool = False,
    ) -> None:
        name = type(self).__name__
        super().__init__(transform, target_transform)
        self.root, self.train = os.fspath(root), _checks.truth(name, "train", train)
        if _checks.truth(name, "download", download):
            self._download(name)
        try:
            self._read(name)
        except CorruptFileError as error:
            remedy = f"{error.remedy}; to download the file again, remove it and pass download=True"
            raise CorruptFileError(name, error.path, error.place, error.problem, remedy) from None

    def _download(self, name: str) -> None:
        raise UnsupportedError(f"{name}: expected a method _download")

    def _read(self, name: str) -> None:
        raise UnsupportedError(f"{name}: expected a method _read")

    def _labels(self) -> np.ndarray:
        return self._label_array
