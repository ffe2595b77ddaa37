"""SharedList: a list that does not grow in worker processes, see Note [Copy on read]."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from reprlib import repr as shown
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .. import _checks
from . import mapped_files as _mapped
from .columns import Column, Element, encode

if TYPE_CHECKING:
    from typing import Self

T_co = TypeVar("T_co", covariant=True)
Path_ = str | os.PathLike[str]

SHOWN = 3  # elements in a repr


def readable(nbytes: int) -> str:
    """Format a number of bytes for people.

    >>> readable(640), readable(1536), readable(3 << 30)
    ('640 B', '1.5 KiB', '3 GiB')
    """
    size, unit = float(nbytes), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if size < 1000:
            break
        size, unit = size / 1024, larger
    return f"{size:.3g} {unit}"


def equal(element: Element, other: Element) -> bool:
    """Return whether two elements are equal; arrays are equal if dtype, shape and all elements are."""
    if isinstance(element, np.ndarray) or isinstance(other, np.ndarray):
        if type(element) is not type(other) or element.dtype != other.dtype or element.shape != other.shape:
            return False
        return bool((element == other).all())
    return element is other or bool(element == other)


def as_path(operation: str, file: object) -> Path:
    """Return the absolute path of an argument `file`."""
    if not isinstance(file, (str, os.PathLike)):
        raise InvalidTypeError(f"{operation}: expected file to be a path; got file={file!r:.80}")
    return Path(os.path.abspath(os.fspath(file)))


def map_again(operation: str, path: Path, expected: str, contents: object) -> tuple[Any, tuple[Path, bytes]]:
    """Write contents to a file, if given, and map it; return the mapped contents, and the file with its token.

    Arguments:
        operation: the prefix of error messages.
        path: the file.
        expected: the name of the class of the contents.
        contents: the contents to write; None maps the existing file.
    """
    if contents is not None:
        _mapped.write(operation, path, (expected, contents))
    (written, found), token = _mapped.read(operation, path)
    if written != expected:
        raise InvalidValueError(f"{operation}: expected the file of a {expected}; {str(path)!r} is of a {written}")
    return found, (path, token)


@boundary
class SharedList(Sequence[T_co]):
    """An immutable list, stored in a few arrays so that it does not grow in forked workers.

    A list of Python objects grows: reading an object writes its reference count, so each worker copies the pages.
    SharedList encodes elements once, and each access creates a new object, about as fast as unpickling it.

    Numbers of one type become an array, and so do arrays of one dtype and shape, which are returned as read-only views.
    Strings and bytes become bytes and offsets, and tuples of one length become a column for each position. Other
    elements are pickled one by one, so an object that two elements shared is duplicated. Slices are SharedLists over
    the same memory. A SharedList equals a list with equal elements; arrays are equal if dtype, shape and all numbers
    are.

    Arguments:
        elements: the elements to store.
        file: the path of a file to store and map the elements. All processes then share its memory with any start
            method, and pickles contain only the file's name. None uses memory of this process, which forked workers
            share.

    Raises:
        TypeError: `elements` is not iterable, or an element cannot be pickled.
        OSError: the file cannot be written.

    >>> names = SharedList(["ant", "bee", "cat", "dog"])
    >>> names[1], names[-2:], len(names), "cat" in names
    ('bee', SharedList(['cat', 'dog'], 2 str, 32 B), 4, True)
    >>> names == ["ant", "bee", "cat", "dog"]
    True
    """

    __slots__ = ("__weakref__", "_column", "_file", "_indices")

    def __init__(self, elements: Iterable[T_co] = (), *, file: Path_ | None = None) -> None:
        if isinstance(elements, Mapping) or not isinstance(elements, Iterable):
            remedy = "; SharedDict holds a mapping" if isinstance(elements, Mapping) else ""
            raise InvalidTypeError(f"SharedList: expected elements to be an iterable; got {shown(elements)}{remedy}")
        path = None if file is None else as_path("SharedList", file)
        self._column: Column = encode("SharedList", list(elements))
        self._indices = range(len(self._column))
        self._file: tuple[Path, bytes] | None = None
        if path is not None:
            self._column, self._file = map_again("SharedList", path, "SharedList", self._column)

    @classmethod
    def open(cls, file: Path_) -> SharedList[Any]:
        """Map a file that was written with `file=` and return its list.

        The file may contain pickled objects, which can run any code: open only files that you trust.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file has other contents.
        """
        found, place = map_again("SharedList.open", as_path("SharedList.open", file), "SharedList", None)
        return cls._of(found, range(len(found)), place)

    @classmethod
    def _of(cls, column: Column, indices: range, file: tuple[Path, bytes] | None) -> Self:
        made = cls.__new__(cls)
        made._column, made._indices, made._file = column, indices, file
        return made

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, index: int) -> T_co: ...

    @overload
    def __getitem__(self, index: slice) -> Self: ...

    def __getitem__(self, index: int | slice) -> T_co | Self:
        if isinstance(index, slice):
            return self._of(self._column, self._indices[index], self._file)
        return self._column.get(self._indices[_checks.position("SharedList", index, len(self._indices))])  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[T_co]:
        return map(self._column.get, self._indices)

    def __reversed__(self) -> Iterator[T_co]:
        return map(self._column.get, reversed(self._indices))

    def __contains__(self, value: object) -> bool:
        return any(equal(element, value) for element in self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (SharedList, list)):
            return NotImplemented
        return len(self) == len(other) and all(map(equal, self, other))

    __hash__ = None  # type: ignore[assignment]  # as of a list

    @property
    def nbytes(self) -> int:
        """The bytes of memory or of the file that the elements occupy; for a slice, those of the sliced list."""
        return self._column.nbytes

    @property
    def file(self) -> Path | None:
        """The mapped file, or None."""
        return None if self._file is None else self._file[0]

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self  # the list is immutable

    def __reduce__(self) -> tuple[object, ...]:
        if self._file is not None:
            return _reopened, (type(self), *self._file, self._indices)
        column = self._column
        if len(self) < len(column):
            column = column.take(self._indices)
            return _remade, (type(self), column, range(len(column)))
        return _remade, (type(self), column, self._indices)

    def __repr__(self) -> str:
        parts = [shown(element) for element in islice(self, SHOWN)] + ["..."] * (len(self) > SHOWN)
        kind = f"{len(self)} {self._column.kind}" if len(self) else "empty"
        file = "" if self._file is None else f", file={str(self._file[0])!r}"
        return f"{type(self).__name__}([{', '.join(parts)}], {kind}, {readable(self.nbytes)}{file})"


def _remade(cls: type[SharedList[Any]], column: Column, indices: range) -> SharedList[Any]:
    return cls._of(column, indices, None)


def _reopened(cls: type[SharedList[Any]], path: Path, token: bytes, indices: range) -> SharedList[Any]:
    (_, column), _ = _mapped.read(cls.__name__, path, token)
    return cls._of(column, indices, (path, token))
