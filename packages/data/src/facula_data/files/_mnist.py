"""MNIST, and datasets with files of the same names."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from facula_errors import CorruptFileError
from facula_errors.extend import boundary

from ._file_errors import missing
from ._idx import is_gzip, map_idx, read_idx
from ._labelled import _TwoParts, checked_labels
from ._local_file import MappedArray

SIDE = 28  # pixels


@boundary
class MNIST(_TwoParts):
    """Handwritten digits: 60,000 for training, 10,000 for testing; sample i is (uint8 (1, 28, 28), label).

    Arguments:
        root: a folder with the four files, `train-images-idx3-ubyte` and so on, compressed (`.gz`) or not; or a folder
            that contains such a folder as `raw`, or as `MNIST/raw` like torchvision.
        train: True for the training part, False for the test part.
        transform: applied to the image; if it has a parameter `rng`, it also receives a numpy.random.Generator.
        target_transform: applied to the label.
        download: must be False; download the files yourself.

    Uncompressed files are mapped into memory, not read.

    Raises:
        CorruptFileError: a file is not an IDX file, is truncated, or contains images or labels of another kind or
            number.
        OSError: a file is missing.
        NotImplementedError: `download=True`.

    Source: torchvision.datasets.MNIST; Y. LeCun, C. Cortes, C. Burges, The MNIST database of handwritten digits.
    """

    classes: Sequence[str] = (
        "0 - zero", "1 - one", "2 - two", "3 - three", "4 - four", "5 - five", "6 - six", "7 - seven", "8 - eight",
        "9 - nine",
    )  # fmt: skip
    address = "https://yann.lecun.com/exdb/mnist"

    def _read(self, name: str) -> None:
        part = "train" if self.train else "t10k"
        pictures, labels = self._found(f"{part}-images-idx3-ubyte"), self._found(f"{part}-labels-idx1-ubyte")
        self._picture_file: MappedArray | np.ndarray = read_idx(pictures) if is_gzip(pictures) else map_idx(pictures)
        shape, dtype = self._picture_file.shape, self._picture_file.dtype
        if dtype != np.uint8 or shape[1:] != (SIDE, SIDE):
            problem = f"expected uint8 pictures of {SIDE} × {SIDE}; got {dtype} {shape}"
            raise CorruptFileError(name, pictures, "byte 4", problem, "check that it is the right file")
        self._label_array = read_idx(labels).copy()
        if self._label_array.dtype != np.uint8 or self._label_array.shape != shape[:1]:
            problem = f"expected {shape[0]} labels, uint8, as there are pictures; got {self._label_array.dtype} "
            problem += f"{self._label_array.shape}"
            raise CorruptFileError(name, labels, "byte 4", problem, f"check that it belongs to {pictures}")
        checked_labels(name, labels, self._label_array, len(self.classes))

    def _found(self, file: str) -> str:
        folders = [os.path.join(self.root, type(self).__name__, "raw"), os.path.join(self.root, "raw"), self.root]
        for folder in folders:
            for ending in ("", ".gz"):
                path = os.path.join(folder, file + ending)
                if os.path.isfile(path):
                    return path
        remedy = f"it, or {file}.gz, should be in one of {', '.join(folders)}; {self.address} has it"
        raise missing(type(self).__name__, os.path.join(folders[0], file), remedy)

    def _arrays(self) -> list[np.ndarray]:
        return [self.data[:, np.newaxis]]

    @property
    def data(self) -> np.ndarray:
        """All images, uint8 (samples, 28, 28), read-only if they are mapped."""
        file = self._picture_file
        return file.array if isinstance(file, MappedArray) else file


class FashionMNIST(MNIST):
    """Images of clothes in MNIST's format. The arguments are those of `MNIST`.

    Source: torchvision.datasets.FashionMNIST; Xiao et al., Fashion-MNIST, 2017.
    """

    classes: Sequence[str] = (
        "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
    )  # fmt: skip
    address = "https://github.com/zalandoresearch/fashion-mnist"


class KMNIST(MNIST):
    """Kuzushiji characters (cursive Japanese) in MNIST's format. The arguments are those of `MNIST`.

    Source: torchvision.datasets.KMNIST; Clanuwat et al., Deep learning for classical Japanese literature, 2018.
    """

    classes: Sequence[str] = ("o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo")
    address = "https://codh.rois.ac.jp/kmnist"
