"""Files with random access that support pickling, forks and threads.

Note [Files of datasets]: a dataset is pickled to workers, inherited by forked workers, and used by several threads at
once. Therefore no dataset uses the position of an open file: descriptors are opened on first use, left out of pickles,
and read by `pread`, which neither uses nor moves the position that forked processes share. Mapped files have no
position.
"""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING

import numpy as np

from facula_errors import CorruptFileError, InvalidTypeError, InvalidValueError, OperationError

from ._file_errors import Path, path_of, unreadable

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

TRUNCATED = "the file is truncated: copy or download it again"


class LocalFile:
    """A file with random access; see Note [Files of datasets]."""

    __slots__ = ("__weakref__", "_descriptor", "operation", "path", "size")

    path: str

    def __init__(self, operation: str, path: Path) -> None:
        self.operation = operation
        self.path = path_of(operation, path)
        self.size = os.path.getsize(self.path)
        self._descriptor: int | None = None

    def __getstate__(self) -> tuple[str, str, int]:
        return self.operation, self.path, self.size

    def __setstate__(self, state: tuple[str, str, int]) -> None:
        self.operation, self.path, self.size = state
        self._descriptor = None

    def _open(self) -> int:
        try:
            descriptor = os.open(self.path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0))
        except OSError as error:
            raise unreadable(self.operation, self.path, error) from None
        size = os.fstat(descriptor).st_size
        if size != self.size:
            os.close(descriptor)
            raise OperationError(
                f"{self.operation}: expected the {self.size} bytes from which the dataset was made; got {size} "
                f"bytes in {self.path}; make the dataset again"
            )
        weakref.finalize(self, os.close, descriptor)
        self._descriptor = descriptor
        return descriptor

    def read(self, offset: int, count: int) -> bytes:
        """Return up to `count` bytes from `offset` on; fewer only at the end of the file."""
        descriptor = self._descriptor
        if descriptor is None:
            descriptor = self._open()
        parts: list[bytes] = []
        try:
            while count > 0:
                part = _read_at(descriptor, self.path, count, offset)
                if not part:
                    break
                parts.append(part)
                offset, count = offset + len(part), count - len(part)
        except OSError as error:
            raise unreadable(self.operation, self.path, error) from None
        return parts[0] if len(parts) == 1 else b"".join(parts)


def _read_at(descriptor: int, path: str, count: int, offset: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(descriptor, count, offset)
    with open(path, "rb") as file:  # Windows lacks pread
        file.seek(offset)
        return file.read(count)


class MappedArray:
    """An array in a file, mapped into memory on first use; see Note [Files of datasets].

    Arguments:
        operation: the prefix of error messages.
        path: the file.
        dtype: the dtype of the elements, in the file's byte order.
        shape: the shape of the array.
        offset: the offset of its first byte in the file.
        order: "C" or "F", as in NumPy.

    Raises:
        CorruptFileError: the file ends before the array does.
    """

    __slots__ = ("_array", "dtype", "offset", "operation", "order", "path", "shape")

    path: str

    def __init__(
        self, operation: str, path: Path, dtype: np.dtype, shape: tuple[int, ...], offset: int = 0, order: str = "C"
    ) -> None:
        self.operation, self.path = operation, path_of(operation, path)
        self.dtype, self.shape, self.offset, self.order = dtype, shape, offset, order
        self._array: np.ndarray | None = None
        size, end = os.path.getsize(self.path), offset + count_of(shape) * dtype.itemsize
        if size < end:
            raise CorruptFileError(
                operation, self.path, f"byte {size}", f"expected {end} bytes for {dtype} {shape}; got {size}", TRUNCATED
            )

    def __getstate__(self) -> tuple[object, ...]:
        return self.operation, self.path, self.dtype, self.shape, self.offset, self.order

    def __setstate__(self, state: tuple[object, ...]) -> None:
        self.__init__(*state)  # type: ignore[misc]  # what __getstate__ gave; the file may have changed since

    @property
    def array(self) -> np.ndarray:
        """The array, read-only."""
        if self._array is None:
            if count_of(self.shape) == 0:  # an empty array cannot be mapped
                array = np.empty(self.shape, self.dtype)
            else:
                order = "F" if self.order == "F" else "C"
                try:
                    mapped = np.memmap(self.path, self.dtype, "r", self.offset, self.shape, order)  # type: ignore[call-overload]
                except OSError as error:
                    raise unreadable(self.operation, self.path, error) from None
                array = mapped.view(np.ndarray)
            array.flags.writeable = False
            self._array = array
        return self._array


def count_of(shape: tuple[int, ...]) -> int:
    """Return the number of elements; Python's integers do not overflow."""
    count = 1
    for size in shape:
        count *= size
    return count


def plain_dtype(operation: str, dtype: DTypeLike) -> np.dtype:
    """Return `dtype` after checking that its elements have a fixed size and contain no references.

    Raises:
        TypeError: NumPy has no such dtype.
        ValueError: the elements are Python objects or have no size.
    """
    try:
        found = np.dtype(dtype)
    except TypeError:
        raise InvalidTypeError(f"{operation}: expected a dtype of NumPy's; got dtype={dtype!r}") from None
    if found.hasobject or not found.itemsize:
        raise InvalidValueError(f"{operation}: expected a dtype of numbers, whose size is known; got dtype={found!r}")
    return found
