"""Layouts: what a tensor looks like, once for all tensors that look alike."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from ._devices import DTYPES_PER_DEVICE, Device, cpu
from ._dtypes import DType

if TYPE_CHECKING:
    from collections.abc import Callable

LARGEST = (1 << 63) - 1  # bytes and elements are 64-bit signed everywhere below


class Layout:
    """Device, dtype, shape and strides of a tensor, and what follows from them. Immutable.

    Strides count elements. `numel` is the number of elements, `nbytes` numel times the item
    size, `is_contiguous` says that elements lie in row-major order without gaps. `dense` is a
    small code of (device, dtype) when contiguous, else 0: plan tables are indexed by it.
    `take` is the allocation function for `nbytes`: it gives a block or raises IndexError, and
    then `refill()` does.

    Make layouts with `layout_of` and `contiguous`, which give the same object for the same
    arguments; see Note [Interning].
    """

    __slots__ = ("_rows", "_transposed", "dense", "device", "dtype", "is_contiguous", "nbytes", "numel", "shape",
                 "strides", "take")  # fmt: skip

    device: Device
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    numel: int
    nbytes: int
    is_contiguous: bool
    dense: int
    take: Callable[[], tuple[int, Callable[[], object]]]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def extent(self) -> int:
        """Bytes from the first element's first to the last element's last byte; 0 if empty.

        >>> layout_of((2, 3), (6, 2), float32).extent
        44
        """
        if not self.numel:
            return 0
        last = sum((size - 1) * stride for size, stride in zip(self.shape, self.strides, strict=True))
        return (last + 1) * self.dtype.itemsize

    def refill(self) -> tuple[int, Callable[[], object]]:
        """A block for this layout when `take` has none, or while the garbage collector runs.

        Raises MemoryError when the device has no memory left.
        """
        return self.device.backend.allocator.refill(self.nbytes)

    def to_dtype(self, dtype: DType) -> Layout:
        """The same shape and strides with another element type."""
        return layout_of(self.shape, self.strides, dtype, self.device)

    def transposed(self) -> Layout:
        """The layout with all dimensions in reverse order."""
        try:
            return self._transposed
        except AttributeError:
            self._transposed = layout_of(self.shape[::-1], self.strides[::-1], self.dtype, self.device)
            return self._transposed

    def rows(self) -> tuple[Layout, int, int]:
        """Layout of one element along the first dimension, bytes from one to the next, and how many."""
        try:
            return self._rows
        except AttributeError:
            row = layout_of(self.shape[1:], self.strides[1:], self.dtype, self.device)
            self._rows = (row, self.strides[0] * self.dtype.itemsize, self.shape[0])
            return self._rows

    def __repr__(self) -> str:
        gaps = "" if self.is_contiguous else f", strides={self.strides}"
        place = "" if self.device is cpu else f", device='{self.device}'"
        return f"Layout({self.shape}, {self.dtype}{gaps}{place})"

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Layout) and _key(self) == _key(other))

    __hash__ = object.__hash__  # by identity: equal layouts meet again in the table, or through `settle`

    def __reduce__(self) -> tuple:
        return (layout_of, _key(self))

    def __copy__(self) -> Layout:
        return self

    def __deepcopy__(self, memo: dict) -> Layout:
        return self


# Note [Interning]
# ~~~~~~~~~~~~~~~~
# Equal layouts are nearly always the same object, so plans are found by pointer. The table is
# bounded, so identity implies equality and not the converse: the quick path tests identity,
# and a slow one calls `settle`, which makes equal operands share a layout again. (Weak entries
# would cost 45 ns a hit; an unbounded table slows the garbage collector by 2 us a new shape.)
# A full table drops its newest entry, in constant time: shapes that never come back recycle one
# place and leave nothing behind for the collector to walk. Now and then it starts afresh, so that
# a program whose shapes have changed for good gets its quick path back.
# `setdefault` publishes a layout only when it is complete, so no lock is needed.
TABLE_LIMIT = 4096
FRESH_START = 1 << 16

_table: dict[tuple, Layout] = {}
_rows_first: dict[tuple, Layout] = {}
_evictions = count(1).__next__


def _key(layout: Layout) -> tuple:
    return (layout.shape, layout.strides, layout.dtype, layout.device)


def layout_of(shape: tuple[int, ...], strides: tuple[int, ...], dtype: DType, device: Device = cpu) -> Layout:
    """The layout of this shape and these strides (in elements).

    >>> layout_of((2, 3), (3, 1), float32) is contiguous((2, 3), float32)
    True
    """
    key = (shape, strides, dtype, device)
    found = _table.get(key)
    return found if found is not None else _intern(key)


def contiguous(shape: tuple[int, ...], dtype: DType, device: Device = cpu) -> Layout:
    """The row-major layout of this shape.

    >>> contiguous((2, 3), float32).strides
    (3, 1)
    """
    key = (shape, dtype, device)
    found = _rows_first.get(key)
    if found is not None:
        return found
    layout = layout_of(shape, contiguous_strides(shape), dtype, device)
    _bound(_rows_first)
    return _rows_first.setdefault(key, layout)


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Row-major strides in elements; a dimension of length 0 counts as 1.

    >>> contiguous_strides((2, 3, 4))
    (12, 4, 1)
    """
    strides, step = [], 1
    for size in shape[::-1]:
        strides.append(step)
        step *= size or 1
    return tuple(strides[::-1])


def _intern(key: tuple) -> Layout:
    shape, strides, dtype, device = key
    new = Layout()
    new.shape, new.strides, new.dtype, new.device = key
    numel, dense = 1, True
    for size, stride in zip(shape[::-1], strides[::-1], strict=True):
        if stride != numel and size != 1:
            dense = False
        numel *= size
    dense = dense or not numel
    new.numel = numel
    new.nbytes = nbytes = numel * dtype.itemsize
    if nbytes > LARGEST:
        raise OverflowError(f"a tensor of shape {shape} and {dtype} would have {nbytes} bytes; at most {LARGEST} can be")
    new.is_contiguous = dense
    new.dense = device.slot * DTYPES_PER_DEVICE + dtype.code if dense else 0
    new.take = device.backend.allocator.take_for(nbytes)
    _bound(_table)
    return _table.setdefault(key, new)


def _bound(table: dict) -> None:
    if len(table) < TABLE_LIMIT:
        return
    try:
        if _evictions() % FRESH_START:
            table.popitem()
        else:
            table.clear()
    except KeyError:
        pass  # another thread emptied it


def settle(a: Layout, b: Layout) -> Layout | None:
    """One layout for two equal ones, or None where they differ. Callers store it on both tensors."""
    if a is b:
        return a
    if a.shape != b.shape or a.strides != b.strides or a.dtype is not b.dtype or a.device is not b.device:
        return None
    return _table.setdefault(_key(a), a)
