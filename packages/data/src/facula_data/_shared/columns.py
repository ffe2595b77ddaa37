"""Columns: a list of elements encoded once into a few NumPy arrays, and decoded on access.

Note [Copy on read]
~~~~~~~~~~~~~~~~~~~
A forked worker shares its parent's memory until it writes to it. Python writes even when a program only reads: each
object has a reference count next to its value. A worker that iterates over a list of a million strings copies the pages
of all of them, and so does every other worker. In a column, elements are bytes between offsets in two arrays. Each
access creates a new object that is freed with the sample, so the shared pages are never written. The arrays are
read-only.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from reprlib import repr as shown
from typing import Any, Protocol

import numpy as np

from facula_errors import InvalidTypeError

from .._arrays import NUMBERS

Element = Any  # containers accept elements of any type

FIXED_SIZE = NUMBERS + "SUV"  # kinds of dtype whose elements are stored inline in the array
PYTHON_NUMBERS: dict[type, type] = {bool: np.bool_, int: np.int64, float: np.float64, complex: np.complex128}


class Column(Protocol):
    """The protocol of a sequence of encoded elements."""

    kind: str

    def __len__(self) -> int: ...

    def get(self, index: int) -> Element:
        """Return the element at an index that is known to be in range."""

    def take(self, indices: range) -> Column:
        """Return a column of only these elements."""

    @property
    def nbytes(self) -> int:
        """The number of bytes of the arrays."""


def frozen(array: np.ndarray) -> np.ndarray:
    """Make `array` read-only and return it."""
    array.flags.writeable = False
    return array


class Numbers:
    """Python or NumPy numbers of one type, or arrays of one dtype and shape, as one array.

    Arguments:
        kind: a description of the elements, for messages.
        array: the elements along its first dimension.
        form: "Python" for Python numbers, "scalars" for NumPy scalars, "arrays" for read-only views of the array.
    """

    __slots__ = ("array", "form", "kind")

    def __init__(self, kind: str, array: np.ndarray, form: str) -> None:
        self.kind, self.array, self.form = kind, frozen(array), form

    def __len__(self) -> int:
        return len(self.array)

    def get(self, index: int) -> Element:
        if self.form == "Python":
            return self.array.item(index)
        return self.array[index] if self.form == "scalars" else self.array[index, ...]

    def take(self, indices: range) -> Numbers:
        return Numbers(self.kind, self.array[as_slice(indices)].copy(), self.form)

    @property
    def nbytes(self) -> int:
        return self.array.nbytes

    def __reduce__(self) -> tuple[object, ...]:
        return Numbers, (self.kind, self.array, self.form)


class Texts:
    """Elements of variable length, stored as bytes between two offsets: str, bytes or pickled objects.

    Arguments:
        kind: "str", "bytes" or "pickled objects", which selects the decoder.
        data: the concatenated bytes of all elements, uint8.
        offsets: the start of each element, and the end of the last one, uint32 or int64.
    """

    __slots__ = ("_bytes", "_decode", "_ends", "data", "kind", "offsets")

    def __init__(self, kind: str, data: np.ndarray, offsets: np.ndarray) -> None:
        self.kind, self.data, self.offsets = kind, frozen(data), frozen(offsets)
        self._bytes, self._ends = self.data.data, self.offsets.data  # faster to index than arrays
        self._decode = DECODERS[kind]

    def __len__(self) -> int:
        return len(self._ends) - 1

    def get(self, index: int) -> Element:
        return self._decode(self._bytes[self._ends[index] : self._ends[index + 1]])

    def take(self, indices: range) -> Texts:
        return from_bytes(self.kind, [self._bytes[self._ends[i] : self._ends[i + 1]] for i in indices])

    @property
    def nbytes(self) -> int:
        return self.data.nbytes + self.offsets.nbytes

    def __reduce__(self) -> tuple[object, ...]:
        return Texts, (self.kind, self.data, self.offsets)


class Tuples:
    """Tuples of one length, stored as one column for each position, for example paths and labels.

    Arguments:
        columns: one for each position, all of one length; at least one.
    """

    __slots__ = ("columns", "kind")

    def __init__(self, columns: tuple[Column, ...]) -> None:
        self.columns = columns
        self.kind = f"({', '.join([column.kind for column in columns])}) tuples"

    def __len__(self) -> int:
        return len(self.columns[0])

    def get(self, index: int) -> Element:
        return tuple([column.get(index) for column in self.columns])

    def take(self, indices: range) -> Tuples:
        return Tuples(tuple([column.take(indices) for column in self.columns]))

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self.columns)

    def __reduce__(self) -> tuple[object, ...]:
        return Tuples, (self.columns,)


def _decode_text(buffer: memoryview) -> str:
    return str(buffer, "utf-8", "surrogatepass")


DECODERS: dict[str, Any] = {"str": _decode_text, "bytes": bytes, "pickled objects": pickle.loads}


def as_slice(indices: range) -> slice:
    """Return the slice that selects the elements at these indices, which must be non-negative."""
    stop = indices.stop if indices.stop >= 0 else None  # negative for a descending range that includes index 0
    return slice(indices.start, stop, indices.step) if len(indices) else slice(0, 0)


def from_bytes(kind: str, pieces: Sequence[bytes | memoryview]) -> Texts:
    """Return the column whose elements have these bytes."""
    ends = np.zeros(len(pieces) + 1, np.int64)
    np.cumsum([len(piece) for piece in pieces], out=ends[1:])
    data = np.frombuffer(b"".join(pieces), np.uint8)
    return Texts(kind, data, ends.astype(np.uint32) if ends[-1] < 1 << 32 else ends)


def encode(operation: str, elements: list[Element]) -> Column:
    """Encode these elements as the column that uses the least memory: see `SharedList`.

    Raises:
        TypeError: an element cannot be pickled. The message begins with `operation`.
    """
    types = set(map(type, elements))
    if len(types) == 1:
        (cls,) = types
        found = _column_of(operation, cls, elements)
        if found is not None:
            return found
    pieces = []
    for element in elements:
        try:
            pieces.append(pickle.dumps(element, pickle.HIGHEST_PROTOCOL))
        except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
            raise InvalidTypeError(
                f"{operation}: expected elements that can be pickled; got {shown(element)} in element {len(pieces)}: "
                f"{error}; store its parts instead"
            ) from error
    return from_bytes("pickled objects", pieces)


def _column_of(operation: str, cls: type, elements: list[Element]) -> Column | None:
    """Return the column of elements that all have this exact type, or None if they must be pickled."""
    if cls in PYTHON_NUMBERS:
        try:
            return Numbers(cls.__name__, np.array(elements, PYTHON_NUMBERS[cls]), "Python")
        except OverflowError:  # integers of more than 64 bits
            return None
    if cls is str:
        return from_bytes("str", [element.encode("utf-8", "surrogatepass") for element in elements])
    if cls is bytes:
        return from_bytes("bytes", elements)
    first = elements[0]
    if cls is np.ndarray or (issubclass(cls, np.generic) and first.dtype.kind in NUMBERS):
        alike = (
            first.dtype.kind in FIXED_SIZE
            and not first.dtype.hasobject
            and all(element.shape == first.shape and element.dtype == first.dtype for element in elements)
        )
        if alike:
            stacked = np.empty((len(elements), *first.shape), first.dtype)
            for index, element in enumerate(elements):
                stacked[index] = element
            if cls is np.ndarray:
                return Numbers(f"{first.dtype} {first.shape} arrays", stacked, "arrays")
            return Numbers(str(first.dtype), stacked, "scalars")
    if cls is tuple and first and all(len(element) == len(first) for element in elements):
        return Tuples(tuple([encode(operation, list(place)) for place in zip(*elements, strict=True)]))
    return None
