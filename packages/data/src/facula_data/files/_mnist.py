"""MNIST, and datasets with files of the same names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from facula_errors import CorruptFileError
from facula_errors.extend import boundary

from ._file_errors import missing
from ._idx import is_gzip, map_idx, read_idx
from ._labelled import _TwoParts, checked_labels
from ._local_file import MappedArray

SIDE = 28  # pixels
FILES = [f"{part}-{kind}-ubyte.gz" for part in ("train", "t10k") for kind in ("images-idx3", "labels-idx1")]


def _four_files(*checksums: str) -> dict[str, str]:
    """Return the MD5 of each file, by name."""
    return dict(zip(FILES, checksums, strict=True))


@boundary
class MNIST(_TwoParts):
    """Handwritten digits: 60,000 for training, 10,000 for testing; sample i is (uint8 (1, 28, 28), label).

    Arguments:
        root: a folder with the four files, `train-images-idx3-ubyte` and so on, compressed (`.gz`) or not; or a folder
            that contains such a folder as `raw`, or as `MNIST/raw` like torchvision.
        train: True for the training part, False for the test part.
        transform: applied to the image; if it has a parameter `rng`, it also receives a numpy.random.Generator.
        target_transform: applied to the label.
        download: download the files that are missing, compressed, into `root`/MNIST/raw; the folder is named after the
            class. An interrupted download continues in the next call. The checksums of compressed files that exist are
            compared with those of the official files.

    Uncompressed files are mapped into memory, not read.

    Raises:
        CorruptFileError: a file is not an IDX file, is truncated, contains images or labels of another kind or number,
            or has another checksum.
        OSError: a file is missing, or cannot be downloaded.

    Source: torchvision.datasets.MNIST; Y. LeCun, C. Cortes, C. Burges, The MNIST database of handwritten digits.
    """

    classes: Sequence[str] = (
        "0 - zero", "1 - one", "2 - two", "3 - three", "4 - four", "5 - five", "6 - six", "7 - seven", "8 - eight",
        "9 - nine",
    )  # fmt: skip
    mirrors: ClassVar[Sequence[str]] = (
        "https://ossci-datasets.s3.amazonaws.com/mnist/", "http://yann.lecun.com/exdb/mnist/",
    )  # fmt: skip
    _checksums = _four_files(
        "f68b3c2dcbeaaa9fbdd348bbdeb94873", "d53e105ee54ea40749a09fcbcd1e9432",
        "9fb629c4189551a2d022fa330f9573f3", "ec29112dd5afa0611ce80d1b7f02629c",
    )  # fmt: skip

    def _download(self, name: str) -> None:
        from ._download import fetch  # imported here because most programs do not download

        paths = {}
        for file, checksum in self._checksums.items():
            place = self._place(file[:-3]) or os.path.join(self._folders()[0], file)
            if place.endswith(file):  # there are no checksums of uncompressed files
                paths[place] = checksum
        needed = " and ".join([f"{file}.gz" for file in self._needed()])
        fetch(name, paths, self.mirrors, f"; without download=True, train={self.train} needs only {needed}")

    def _read(self, name: str) -> None:
        pictures, labels = self._found(*self._needed())
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

    def _needed(self) -> list[str]:
        """Return the names of the uncompressed files with the images and the labels."""
        part = "train" if self.train else "t10k"
        return [f"{part}-images-idx3-ubyte", f"{part}-labels-idx1-ubyte"]

    def _folders(self) -> list[str]:
        return [os.path.join(self.root, type(self).__name__, "raw"), os.path.join(self.root, "raw"), self.root]

    def _place(self, file: str) -> str | None:
        """Return the path of a file, compressed or not, or None."""
        paths = [os.path.join(folder, file + ending) for folder in self._folders() for ending in ("", ".gz")]
        return next((path for path in paths if os.path.isfile(path)), None)

    def _found(self, *files: str) -> list[str]:
        """Return the paths of files, or raise an error that names all missing ones."""
        places, folders = [self._place(file) for file in files], self._folders()
        absent = [file for file, place in zip(files, places, strict=True) if place is None]
        if absent:
            remedy = f"{' and '.join(absent)}, or the same with .gz, should be in one of {', '.join(folders)}; pass "
            remedy += f"download=True, or get {', '.join(f'{self.mirrors[0]}{file}.gz' for file in absent)}"
            raise missing(type(self).__name__, os.path.join(folders[0], absent[0]), remedy)
        return [place for place in places if place is not None]

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
    mirrors = ("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",)
    _checksums = _four_files(
        "8d4fb7e6c68d591d4c3dfef9ec88bf0d", "25c81989df183df01b3e8a0aad5dffbe",
        "bef4ecab320f06d8554ea6380940ec79", "bb300cfdad3c16e7a12a480ee83cd310",
    )  # fmt: skip


class KMNIST(MNIST):
    """Kuzushiji characters (cursive Japanese) in MNIST's format. The arguments are those of `MNIST`.

    Source: torchvision.datasets.KMNIST; Clanuwat et al., Deep learning for classical Japanese literature, 2018.
    """

    classes: Sequence[str] = ("o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo")
    mirrors = ("http://codh.rois.ac.jp/kmnist/dataset/kmnist/",)
    _checksums = _four_files(
        "bdb82020997e1d708af4cf47b453dcf7", "e144d726b3acfaa3e44228e80efcd344",
        "5c965bf0a639b31b8f53240b1b52f4d7", "7320c461ea6c1c855c0b718fb2a4b134",
    )  # fmt: skip
