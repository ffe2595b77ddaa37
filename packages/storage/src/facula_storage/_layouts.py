"""Layouts: device, dtype, shape and strides, shared by all tensors with equal ones."""

from __future__ import annotations

from itertools import count
from math import prod
from typing import TYPE_CHECKING

from facula_errors import FaculaError, InvalidIndexError, InvalidTypeError, InvalidValueError, NumberOverflowError
from facula_errors.extend import trim_traceback

from ._block_observers import block_observers, observe_layout
from ._bridge import find_layout, use_layouts
from ._devices import Device, cpu
from ._dtypes import DTYPES_PER_DEVICE, DType
from ._immutable import Immutable, write
from ._retired import retired, try_release_retired

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias, TypeVar

    Key: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], DType, Device]
    K = TypeVar("K")

MAX_BYTES = (1 << 63) - 1  # bytes and elements are 64-bit signed integers at all lower levels
DENSE_PLACES = 256  # in a plan table: eight devices


class Layout(Immutable):
    """Device, dtype, shape and strides of a tensor, and derived values. Immutable.

    Strides count elements. `numel` is the number of elements, and `nbytes` is numel times the item size.
    `is_contiguous` is true if elements are in row-major order without gaps. `dense` is a small code of (device, dtype)
    for contiguous layouts, and 0 for others and for devices after the eighth: it is the index into plan tables.
    `extent` is the number of bytes from the start of the first element to the end of the last element, 0 if empty.
    `by_row` caches the result of `rows()`. `take_block` is the allocation function for `nbytes`: it returns a block or
    raises IndexError; in that case call `refill()`.

    Create layouts with `layout_of` and `contiguous`, which return the same object for the same arguments; see Note
    [Interning].

    >>> from facula_storage import float32
    >>> layout = layout_of((2, 3), (1, 2), float32)
    >>> layout, layout.numel, layout.nbytes, layout.is_contiguous
    (Layout((2, 3), facula.float32, strides=(1, 2)), 6, 24, False)
    >>> layout_of((2, 3), (6, 2), float32).extent
    44
    """

    __slots__ = (
        "by_row", "dense", "device", "dtype", "extent", "is_contiguous", "nbytes", "numel", "shape", "strides",
        "take_block",
    )  # fmt: skip

    device: Device  # resolved
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    numel: int
    nbytes: int
    extent: int
    is_contiguous: bool
    dense: int
    take_block: Callable[[], tuple[int, Callable[[], object]]]
    by_row: tuple[Layout, int, int]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def refill(self) -> tuple[int, Callable[[], object]]:
        """Return a block for this layout if `take_block` has none, or while the garbage collector runs.

        Raises MemoryError if the device has no memory left.
        """
        if retired:
            try_release_retired()  # Note [Quiet moments]
        block = self.device.backend.allocator.refill(self.nbytes)
        return block_observers[0].wrap_block(block, self) if block_observers else block

    def to_dtype(self, dtype: DType) -> Layout:
        """Return the layout with the same shape and strides and another dtype."""
        return layout_of(self.shape, self.strides, dtype, self.device)

    def transposed(self) -> Layout:
        """Return the layout with all dimensions in reverse order."""
        # Not cached here: the two would form a reference cycle, which only the collector could free.
        return layout_of(self.shape[::-1], self.strides[::-1], self.dtype, self.device)

    def first_rows(self, count: int) -> Layout:
        """Return the layout of the first `count` entries along the first dimension, at most its length.

        >>> from facula_storage import float32
        >>> contiguous((5, 3), float32).first_rows(2)
        Layout((2, 3), facula.float32)
        """
        return layout_of((count, *self.shape[1:]), self.strides, self.dtype, self.device)

    def rows(self) -> tuple[Layout, int, int]:
        """Return the layout of one element along the first dimension, bytes between elements, and their number.

        Raises IndexError if there is no dimension.

        >>> from facula_storage import float32
        >>> contiguous((2, 3), float32).rows()
        (Layout((3,), facula.float32), 12, 2)
        """
        try:
            return self.by_row
        except AttributeError:
            if not self.shape:
                raise InvalidIndexError("rows: expected at least one dimension; got shape ()") from None
            row = layout_of(self.shape[1:], self.strides[1:], self.dtype, self.device)
            by_row = (row, self.strides[0] * self.dtype.itemsize, self.shape[0])
            write(self, "by_row", by_row)
            return by_row

    def __repr__(self) -> str:
        gaps = "" if self.is_contiguous else f", strides={self.strides}"
        place = "" if self.device is cpu else f", device='{self.device}'"
        return f"Layout({self.shape}, {self.dtype}{gaps}{place})"

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Layout) and _key(self) == _key(other))

    if TYPE_CHECKING:

        def __hash__(self) -> int: ...

    else:
        __hash__ = object.__hash__  # by identity: equal layouts are unified by the table or `layout_of`

    def __reduce__(self) -> tuple[object, ...]:
        return (layout_of, _key(self))

    def __copy__(self) -> Layout:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Layout:
        return self


# Note [Interning]
# ~~~~~~~~~~~~~~~~
# Equal layouts are nearly always the same object, so plans are found by pointer. The table is bounded, so identity
# implies equality, but not conversely: the fast path compares identity, and the slow path uses the table's object, so
# that equal operands share a layout again. (Weak entries would cost 45 ns per hit; an unbounded table slows the garbage
# collector by 2 us per new shape.) A full table evicts its newest entries, so that shapes that never recur reuse a few
# places and leave no objects for the collector to traverse. It evicts many entries at once, so that the layouts of one
# step of a program (a new batch size, for example) survive the step. Occasionally the table is cleared, so that a
# program whose shapes have changed permanently returns to the fast path. Row-major layouts are found by shape alone
# (`_rows_first`), and also under their strides after a lookup with strides. The two tables evict different entries, so
# each miss in one consults the other: otherwise `contiguous` and `layout_of` would return two objects for one layout
# for the rest of the program. `find_layout` publishes a layout only when it is complete,
# and runs no Python code between its last lookup and the insertion, so no lock is needed.
TABLE_LIMIT = 3072
SHAPES_LIMIT = 1536  # of `_rows_first`, which may keep layouts that the other table has evicted
CLEAR_INTERVAL = 1 << 16
DROPPED = 128  # entries per eviction

_table: dict[Key, Layout] = {}
_rows_first: dict[tuple[tuple[int, ...], DType, Device], Layout] = {}
_evictions = count(1).__next__


def _key(layout: Layout) -> Key:
    return (layout.shape, layout.strides, layout.dtype, layout.device)


def layout_of(shape: tuple[int, ...], strides: tuple[int, ...], dtype: DType, device: Device = cpu) -> Layout:
    """Return the layout of this shape and these strides, the same object for the same arguments.

    Arguments:
        shape: the length of each dimension.
        strides: the step along each dimension, in elements.
        dtype: the dtype of the elements.
        device: the device of the memory; the layout's device is `device.resolved`.

    Raises:
        ValueError: a number is negative, or the number of strides differs from the number of dimensions.
        OverflowError: sizes, strides or the spanned bytes do not fit in 64 bits.

    >>> from facula_storage import float32
    >>> layout_of((2, 3), (3, 1), float32) is contiguous((2, 3), float32)
    True
    """
    try:
        found: Layout | None = find_layout(shape, strides, dtype, device)
        if found is not None:
            return found
        if (place := device.resolved) is not device:
            return layout_of(shape, strides, dtype, place)
        return layout_of(*_as_integers(shape, strides, dtype), dtype, device)
    except FaculaError as error:
        trim_traceback(error)
        raise


def contiguous(shape: tuple[int, ...], dtype: DType, device: Device = cpu) -> Layout:
    """Return the row-major layout of a shape. Errors as for `layout_of`.

    Arguments:
        shape: the length of each dimension.
        dtype: the dtype of the elements.
        device: the device of the memory; the layout's device is `device.resolved`.

    >>> from facula_storage import float32
    >>> contiguous((2, 3), float32).strides
    (3, 1)
    """
    try:
        found: Layout | None = find_layout(shape, None, dtype, device)
        if found is not None:
            return found
        if (place := device.resolved) is not device:
            return contiguous(shape, dtype, place)
        try:
            strides = contiguous_strides(shape)
        except TypeError:
            raise _not_integers(shape, ()) from None
        return layout_of(shape, strides, dtype, device)
    except FaculaError as error:
        trim_traceback(error)
        raise


def contiguous_of_integers(shape: object, dtype: DType) -> Layout | None:
    """Return the row-major layout on the CPU; None unless `shape` is a tuple of ints whose sizes fit."""
    found: Layout | None = find_layout(shape, None, dtype, cpu)
    return found


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return row-major strides in elements; a dimension of length 0 counts as 1.

    >>> contiguous_strides((2, 3, 4))
    (12, 4, 1)
    """
    strides, step = [], 1
    for size in shape[::-1]:
        strides.append(step)
        step *= size or 1
    return tuple(strides[::-1])


def _as_integers(
    shape: tuple[int, ...], strides: tuple[int, ...], dtype: DType
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return numbers that are not int, for example NumPy's integers, as ints; raise an error for others."""
    try:
        for size, stride in zip(shape, strides, strict=True):
            size | stride  # TypeError for fractions
    except ValueError:
        raise InvalidValueError(
            f"layout: expected one stride a dimension; got shape {shape}, strides {strides}"
        ) from None
    except TypeError:
        raise _not_integers(shape, strides) from None
    shape, strides = tuple(map(int, shape)), tuple(map(int, strides))
    if min((*shape, *strides, 0)) < 0:
        raise InvalidValueError(
            f"layout: expected sizes and strides of 0 or more; got shape {shape}, strides {strides}"
        )
    _check_size(shape, strides, dtype)
    return shape, strides


def _not_integers(shape: object, strides: object) -> TypeError:
    return InvalidTypeError(f"layout: expected tuples of integers; got shape {shape!r}, strides {strides!r}")


def known_layouts() -> list[Layout]:
    """Return the layouts in the tables."""
    return [*_table.copy().values(), *_rows_first.copy().values()]


def _check_size(shape: tuple[int, ...], strides: tuple[int, ...], dtype: DType) -> None:
    numel = prod(shape)
    span = sum([(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]) + 1 if numel else 0
    largest = max(numel, span, *shape, *strides) * dtype.itemsize
    if largest > MAX_BYTES:
        raise NumberOverflowError(
            f"layout: shape {shape} with strides {strides} of {dtype.name} needs numbers of bytes up to {largest}; "
            f"expected at most {MAX_BYTES}"
        )


def _make_room(table: dict[K, Layout]) -> None:
    try:
        if _evictions() % CLEAR_INTERVAL:
            for _ in range(DROPPED):
                table.popitem()
        else:
            table.clear()
    except KeyError:
        pass  # another thread emptied it


def forget_layouts() -> None:
    """Clear the tables: layouts are created again on the next use."""
    _table.clear()
    _rows_first.clear()


def use_tables() -> None:
    """Let `find_layout` use the tables."""
    tables, observers = (_table, _rows_first, _make_room), (block_observers, observe_layout)
    use_layouts(Layout, tables, cpu, observers, TABLE_LIMIT, SHAPES_LIMIT, DTYPES_PER_DEVICE, DENSE_PLACES)


use_tables()
