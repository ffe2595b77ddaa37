"""Memory-mapped datasets: arrays and windows of tokens in files."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import CorruptFileError, FaculaError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary, trim_traceback

from .. import _checks
from .._arrays import host_view, take_rows
from .._datasets.dataset import Dataset
from .._types import Batch, Index
from ._file_errors import Path, path_of
from ._local_file import TRUNCATED, MappedArray, plain_dtype
from ._npy import MAGIC, mapped_npy

if TYPE_CHECKING:
    from numpy.typing import DTypeLike


def _begins_as_npy(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC


@boundary
class MemoryMapped(Dataset[Any]):
    """Rows of an array in a memory-mapped file: only the requested rows are read.

    Arguments:
        path: a `.npy` file, or a raw file with the array's bytes, which requires `dtype`.
        dtype: the dtype of the elements of a raw file; None for `.npy`. `">f4"` is big-endian.
        shape: the shape of the array in a raw file; -1 as the first size takes all rows of the file. By default (-1,).
        offset: the offset of the array in a raw file.

    Sample i is row i, a read-only view of the file; copy it to keep it. Collation copies. Each process opens the file
    by itself, so the dataset can be pickled and forked. Do not truncate the file while it is in use: the operating
    system would end the process.

    Raises:
        CorruptFileError: the file is shorter than the array, or its header is invalid.
        ValueError: `dtype`, `shape` or `offset` is invalid.
        OSError: the file does not exist.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".npy") as file:
    ...     np.save(file, np.arange(6).reshape(3, 2))
    ...     file.flush()
    ...     data = MemoryMapped(file.name)
    ...     len(data), data[-1].tolist()
    (3, [4, 5])
    """

    path: str

    def __init__(
        self, path: Path, dtype: DTypeLike | None = None, shape: Sequence[int] | None = None, *, offset: int = 0
    ) -> None:
        self.path = path_of("MemoryMapped", path)
        _checks.whole_number("MemoryMapped", "offset", offset, 0)
        if dtype is None:
            if shape is not None or offset:
                raise InvalidValueError(
                    f"MemoryMapped: expected dtype with shape and offset; got dtype=None, shape={shape}, "
                    f"offset={offset}"
                )
            self._mapped = mapped_npy("MemoryMapped", self.path)
        else:
            found = plain_dtype("MemoryMapped", dtype)
            sizes = _checked_shape(self.path, shape, found, offset)
            self._mapped = MappedArray("MemoryMapped", self.path, found, sizes, offset)
        if not self._mapped.shape:
            raise CorruptFileError(
                "MemoryMapped", self.path, "", "expected an array of rows; got one of no dimensions", "reshape it"
            )

    @property
    def array(self) -> np.ndarray:
        """The whole array, read-only."""
        return self._mapped.array

    def __len__(self) -> int:
        return self._mapped.shape[0]

    @property
    def thread_safe(self) -> bool:
        """Whether several threads may read the dataset at once: always, because reading changes no state."""
        return True

    def __getitem__(self, index: Index) -> Any:
        try:
            if isinstance(index, (int, np.integer)):
                _checks.position("MemoryMapped", index, len(self))
            return self._mapped.array[index]
        except FaculaError as error:
            trim_traceback(error)
            raise

    def get_batch(self, indices: np.ndarray) -> Batch:
        """Return the collated samples, by one fancy index."""
        view = host_view(self._mapped.array)
        if view is None:
            return NotImplemented
        try:
            return take_rows(view, indices)
        except IndexError:
            for index in indices.tolist():
                _checks.position("MemoryMapped", index, len(self))
            raise

    def __repr__(self) -> str:
        return f"MemoryMapped({self._mapped.dtype} {self._mapped.shape} in {self.path})"


def _checked_shape(path: str, shape: Sequence[int] | None, dtype: np.dtype, offset: int) -> tuple[int, ...]:
    try:
        sizes = tuple(operator.index(size) for size in ((-1,) if shape is None else shape))
    except TypeError:
        raise InvalidTypeError(f"MemoryMapped: expected shape to be integers; got shape={shape!r}") from None
    if not sizes or any(size < 0 for size in sizes[1:]) or sizes[0] < -1:
        raise InvalidValueError(f"MemoryMapped: expected sizes of at least 0, the first may be -1; got shape={shape}")
    if sizes[0] != -1:
        return sizes
    row = dtype.itemsize
    for size in sizes[1:]:
        row *= size
    there = os.path.getsize(path) - offset
    if row == 0 or there < 0 or there % row:
        problem = f"expected rows of {row} bytes ({dtype} {sizes[1:]}) from byte {offset} on; there are {there} bytes"
        raise CorruptFileError("MemoryMapped", path, "", problem, "check dtype and shape; or the file is truncated")
    return (there // row, *sizes[1:])


@boundary
class TokenFile(Dataset[np.ndarray]):
    """Windows of a flat file of tokens, for training language models; sample i is int64 (length + 1,).

    A sample is `tokens[i * stride : i * stride + length + 1]`: `sample[:-1]` is the input, `sample[1:]` the target.

    Arguments:
        path: a raw file that contains only tokens, or a one-dimensional `.npy` file.
        length: the length of the windows, without the token that follows.
        dtype: the dtype of the tokens in a raw file: uint16, uint32, int32, or another integer dtype; a `.npy` file
            stores its own.
        stride: the number of tokens from one window to the next; by default `length`, so that each token is predicted
            once.
        offset: the offset of the tokens in a raw file, in bytes.
        vocabulary: the number of distinct tokens: a token that is negative or not smaller is an error. None disables
            the check.

    Each process maps the file into memory by itself. Tokens at the end that do not fill a window are left out.

    Raises:
        CorruptFileError: the file has fewer tokens than one window, ends within a token, or contains a token beyond the
            vocabulary.
        OSError: the file does not exist.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     np.arange(10, dtype="uint16").tofile(file)
    ...     file.flush()
    ...     data = TokenFile(file.name, length=4)
    ...     len(data), data[1].tolist()
    (2, [4, 5, 6, 7, 8])
    """

    path: str
    length: int
    stride: int
    vocabulary: int | None

    def __init__(
        self,
        path: Path,
        length: int,
        dtype: DTypeLike = "uint16",
        *,
        stride: int | None = None,
        offset: int = 0,
        vocabulary: int | None = None,
    ) -> None:
        name = "TokenFile"
        self.path, self.length = path_of(name, path), _checks.whole_number(name, "length", length, 1)
        self.stride = self.length if stride is None else _checks.whole_number(name, "stride", stride, 1)
        _checks.whole_number(name, "offset", offset, 0)
        self.vocabulary = None if vocabulary is None else _checks.whole_number(name, "vocabulary", vocabulary, 1)
        if not offset and _begins_as_npy(self.path):
            self._mapped = mapped_npy(name, self.path)
        else:
            found = plain_dtype(name, dtype)
            there = os.path.getsize(self.path) - offset
            if there < 0 or there % found.itemsize:
                problem = (
                    f"expected whole tokens of {found.itemsize} bytes from byte {offset} on; there are {there} bytes"
                )
                raise CorruptFileError(name, self.path, "", problem, f"check dtype and offset; or {TRUNCATED}")
            self._mapped = MappedArray(name, self.path, found, (there // found.itemsize,), offset)
        if self._mapped.dtype.kind not in "iu" or len(self._mapped.shape) != 1:
            got = f"{self._mapped.dtype} {self._mapped.shape}"
            raise InvalidTypeError(f"{name}: expected integers of one dimension; got {got} in {self.path}")
        tokens = self._mapped.shape[0]
        if tokens <= self.length:
            problem = f"expected at least length + 1 = {self.length + 1} tokens; got {tokens}"
            raise CorruptFileError(name, self.path, "", problem, "pass a smaller length")
        self._count = (tokens - self.length - 1) // self.stride + 1

    @property
    def tokens(self) -> np.ndarray:
        """All tokens in the file's dtype, read-only."""
        return self._mapped.array

    def __len__(self) -> int:
        return self._count

    def _checked(self, windows: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """Return `windows` (count, length + 1) after checking that all tokens are in the vocabulary."""
        if self.vocabulary is not None:
            wrong = (windows < 0) | (windows >= self.vocabulary)
            if wrong.any():
                row, column = np.argwhere(wrong)[0].tolist()
                problem = f"expected tokens from 0 to {self.vocabulary - 1}; got {windows[row, column]}"
                place = f"token {int(starts[row]) + column}"
                raise CorruptFileError("TokenFile", self.path, place, problem, "check dtype, offset and vocabulary")
        return windows

    @property
    def thread_safe(self) -> bool:
        """Whether several threads may read the dataset at once: always, because reading changes no state."""
        return True

    def __getitem__(self, index: Index) -> np.ndarray:
        try:
            start = _checks.position("TokenFile", index, self._count) * self.stride
            window = self._mapped.array[start : start + self.length + 1].astype(np.int64)
            return self._checked(window[np.newaxis], np.array([start]))[0]
        except FaculaError as error:
            trim_traceback(error)
            raise

    def get_batch(self, indices: np.ndarray) -> Batch:
        """Return the collated samples, int64 (batch, length + 1), by one fancy index."""
        if ((indices < -self._count) | (indices >= self._count)).any():
            for index in indices.tolist():
                _checks.position("TokenFile", index, self._count)
        starts = np.where(indices < 0, indices + self._count, indices) * self.stride
        windows = np.lib.stride_tricks.sliding_window_view(self._mapped.array, self.length + 1)
        return self._checked(windows[starts].astype(np.int64), starts)

    def __repr__(self) -> str:
        return f"TokenFile({self._count} windows of {self.length} + 1 of {self._mapped.shape[0]} tokens in {self.path})"
