"""Images, or other files, in one folder per class."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from errno import ENOENT, ENOTDIR
from typing import Any, TypeAlias, overload

import numpy as np

from facula_errors import FaculaError, FileError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary, trim_traceback

from .. import _checks
from .._types import Index, Sample
from ._decode import decode_image
from ._file_errors import Path, unreadable
from ._transformed import TransformedDataset

# The suffixes of files that `ImageFolder` reads.
IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")
Pair: TypeAlias = tuple[str, int]


class PackedSamples(Sequence[Pair]):
    """(path, class index) of many files in one block of memory that reference counting does not modify.

    Forked workers therefore share it, whereas they would copy a list page by page by reading it. Equal to a list of the
    same pairs.
    """

    __slots__ = ("_ends", "_labels", "_text")

    def __init__(self, pairs: Sequence[Pair]) -> None:
        paths = [os.fsencode(path) for path, _ in pairs]
        self._text = np.frombuffer(b"".join(paths), np.uint8)
        self._ends = np.cumsum([0, *map(len, paths)], dtype=np.int64)
        self._labels = np.array([label for _, label in pairs], dtype=np.int64)

    @property
    def labels(self) -> np.ndarray:
        """The class indices, int64, read-only."""
        view = self._labels.view()
        view.flags.writeable = False
        return view

    def __len__(self) -> int:
        return len(self._labels)

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> list[Pair]: ...
    def __getitem__(self, index: int | slice) -> Pair | list[Pair]:
        if isinstance(index, slice):
            return [self[place] for place in range(len(self))[index]]
        place = _checks.position("samples", index, len(self))
        path = self._text[self._ends[place] : self._ends[place + 1]].tobytes()
        return os.fsdecode(path), int(self._labels[place])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (list, PackedSamples)):
            return len(self) == len(other) and all(mine == two for mine, two in zip(self, other, strict=True))
        return NotImplemented

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:3]))
        return f"[{shown}{', …' if len(self) > 3 else ''}]"


def _checked_folder(operation: str, root: Path) -> str:
    text = os.fspath(root)
    if not os.path.isdir(text):
        there = os.path.exists(text)
        problem = "expected a folder; got a file" if there else "there is no such folder"
        raise FileError(ENOTDIR if there else ENOENT, f"{operation}: {problem}; pass the classes' parent folder", text)
    return text


def _walk(folder: str) -> Iterator[str]:
    """Iterate over all files below a folder, sorted by folder, then by name; each folder is visited only once."""
    pending, seen = [folder], set()
    found: list[tuple[str, list[str]]] = []
    while pending:
        here = pending.pop()
        about = os.stat(here)
        if (about.st_dev, about.st_ino) in seen:
            continue
        seen.add((about.st_dev, about.st_ino))
        with os.scandir(here) as listed:
            entries = list(listed)
        found.append((here, sorted(entry.name for entry in entries if entry.is_file())))
        pending += sorted((entry.path for entry in entries if entry.is_dir()), reverse=True)
    for here, names in sorted(found):
        yield from (os.path.join(here, name) for name in names)


@boundary
class DatasetFolder(TransformedDataset[tuple[Any, Any]]):
    """Files in one folder per class; sample i is (result of `loader` for the path, class index).

    Arguments:
        root: the folder that contains the classes' folders. Their sorted names are the classes, and the files below
            them, at any depth and also sorted, are their samples.
        loader: reads a file, given its path.
        extensions: the suffixes of the names of sample files, compared without case.
        transform: applied to the loaded data; if it has a parameter `rng`, it also receives a numpy.random.Generator.
        target_transform: applied to the class index.
        is_valid_file: a predicate of a path that selects samples; excludes `extensions`.
        allow_empty: whether a class may have no samples.

    Attributes: `classes`, `class_to_idx`, `samples` (pairs of path and class index), `targets` (class indices).

    Raises:
        OSError: the folder does not exist, contains no folder, or a class has no samples.
        ValueError: both `extensions` and `is_valid_file` are given, or neither.

    Source: torchvision.datasets.DatasetFolder.
    """

    root: str
    extensions: tuple[str, ...]
    allow_empty: bool
    classes: list[str]
    class_to_idx: dict[str, int]
    samples: PackedSamples

    def __init__(
        self,
        root: Path,
        loader: Callable[[str], Sample],
        extensions: str | Sequence[str] | None = None,
        transform: Callable[..., Sample] | None = None,
        target_transform: Callable[..., Sample] | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> None:
        name = type(self).__name__
        super().__init__(transform, target_transform)
        if not callable(loader):
            raise InvalidTypeError(f"{name}: expected loader to be callable; got {loader!r:.80}")
        if (extensions is None) == (is_valid_file is None):
            raise InvalidValueError(
                f"{name}: expected either extensions or is_valid_file; got extensions={extensions!r} and "
                f"is_valid_file={is_valid_file!r:.80}"
            )
        endings = (extensions,) if isinstance(extensions, str) else tuple(extensions or ())
        self.root, self.loader, self.extensions = _checked_folder(name, root), loader, endings
        self.allow_empty = _checks.truth(name, "allow_empty", allow_empty)
        self.classes, self.class_to_idx = self.find_classes(self.root)
        self.samples = PackedSamples(self._made(is_valid_file))

    def find_classes(self, directory: str) -> tuple[list[str], dict[str, int]]:
        """Return the names of the classes, and the index of each; subclasses may override it.

        Raises:
            FileNotFoundError: the folder contains no folders.
        """
        with os.scandir(directory) as entries:
            classes = sorted(entry.name for entry in entries if entry.is_dir())
        if not classes:
            message = f"{type(self).__name__}: expected a folder for each class; there is no folder in it"
            raise FileError(ENOENT, message, directory)
        return classes, {name: place for place, name in enumerate(classes)}

    def _made(self, is_valid: Callable[[str], bool] | None) -> list[Pair]:
        endings = tuple(ending.lower() for ending in self.extensions)
        found: list[Pair] = []
        for name, label in sorted(self.class_to_idx.items()):
            before = len(found)
            folder = os.path.join(self.root, name)
            try:
                paths = list(_walk(folder))
            except OSError as error:
                raise unreadable(type(self).__name__, error.filename or folder, error) from None
            for path in paths:
                if is_valid(path) if is_valid is not None else path.lower().endswith(endings):
                    found.append((path, label))
            if len(found) == before and not self.allow_empty:
                wanted = f"whose names end in {', '.join(endings)}" if endings else "that is_valid_file accepts"
                message = f"{type(self).__name__}: expected files {wanted} for each class; there are none"
                raise FileError(ENOENT, f"{message}; allow_empty=True lets a class be empty", folder)
        return found

    @property
    def targets(self) -> np.ndarray:
        """The class index of each sample, int64."""
        return self.samples.labels

    @property
    def imgs(self) -> PackedSamples:
        """An alias of `samples`, for compatibility."""
        return self.samples

    def __len__(self) -> int:
        return len(self.samples)

    @property
    def thread_safe(self) -> bool:
        """Whether several threads may read the dataset at once: if its transforms are thread-safe.

        `loader` is assumed to be thread-safe.
        """
        return self._transforms_are_thread_safe()

    def __getitem__(self, index: Index) -> tuple[Sample, Sample]:
        try:
            path, label = self.samples[_checks.position(type(self).__name__, index, len(self.samples))]
            try:
                data = self.loader(path)
            except FaculaError:
                raise  # the error names the file
            except Exception as error:
                error.add_note(f"{type(self).__name__}: raised by the loader, reading {path}")
                raise
            return self._transformed(data, label, path)
        except FaculaError as error:
            trim_traceback(error)
            raise

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} samples of {len(self.classes)} classes in {self.root})"


@boundary
class ImageFolder(DatasetFolder):
    """Images in one folder per class; sample i is (uint8 (3, height, width), class index).

    Arguments:
        root: the folder that contains the classes' folders. Their sorted names are the classes.
        transform: applied to the image; if it has a parameter `rng`, it also receives a numpy.random.Generator.
        target_transform: applied to the class index.
        loader: reads an image, given its path; by default `decode_image`, which requires Pillow.
        is_valid_file: a predicate of a path that selects samples; by default the suffix must be in `IMG_EXTENSIONS`.
        allow_empty: whether a class may have no images.

    Attributes: `classes`, `class_to_idx`, `samples` (pairs of path and class index), `targets` (class indices).

    Raises:
        OSError: the folder does not exist, contains no folder, or a class has no images.
        CorruptFileError: a sample is not an image or truncated; raised when it is read, and names the file.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as root:
    ...     for name, pixels in ("dark", bytes(12)), ("light", bytes([250] * 12)):
    ...         os.mkdir(f"{root}/{name}")
    ...         with open(f"{root}/{name}/0.ppm", "wb") as file:
    ...             _ = file.write(b"P6 2 2 255 " + pixels)
    ...     data = ImageFolder(root)
    ...     data.classes, len(data), data[1][0].shape, data[1][1]
    (['dark', 'light'], 2, (3, 2, 2), 1)

    Source: torchvision.datasets.ImageFolder, whose samples are Pillow images.
    """

    def __init__(
        self,
        root: Path,
        transform: Callable[..., Sample] | None = None,
        target_transform: Callable[..., Sample] | None = None,
        loader: Callable[[str], Sample] = decode_image,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> None:
        extensions = IMG_EXTENSIONS if is_valid_file is None else None
        super().__init__(root, loader, extensions, transform, target_transform, is_valid_file, allow_empty)
