"""Layouts: what a tensor looks like, once for all tensors that look alike."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from facula_errors import FaculaError, InvalidIndexError, InvalidTypeError, InvalidValueError, NumberOverflowError
from facula_errors.extend import trim_traceback

from ._devices import Device, cpu
from ._dtypes import DTYPES_PER_DEVICE, DType
from ._immutable import Immutable, write
from ._retired import look_again, retired

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias, TypeVar

    Key: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], DType, Device]
    K = TypeVar("K")

LARGEST = (1 << 63) - 1  # bytes and elements are 64-bit signed everywhere below
SURELY_FITS = LARGEST >> 6  # elements, of any dtype
DENSE_PLACES = 256  # in a plan table: eight devices


class Layout(Immutable):
    """Device, dtype, shape and strides of a tensor, and what follows from them. Immutable.

    Strides count elements. `numel` is the number of elements, `nbytes` numel times the item
    size, `is_contiguous` says that elements lie in row-major order without gaps. `dense` is a
    small code of (device, dtype) when contiguous, else 0 (also for devices after the eighth): plan
    tables are indexed by it.
    `extent` is the number of bytes from the first element's first to the last element's last, 0 if empty.
    `by_row` is what `rows()` gave, unset until then. `take_block` is the allocation function for `nbytes`: it
    gives a block or raises IndexError, and then `refill()` does.

    Make layouts with `layout_of` and `contiguous`, which give the same object for the same
    arguments; see Note [Interning].

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

    device: Device
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
        """A block for this layout when `take_block` has none, or while the garbage collector runs.

        Raises MemoryError when the device has no memory left.
        """
        if retired:
            look_again()  # Note [Quiet moments]
        return self.device.backend.allocator.refill(self.nbytes)

    def to_dtype(self, dtype: DType) -> Layout:
        """The same shape and strides with another element type."""
        return layout_of(self.shape, self.strides, dtype, self.device)

    def transposed(self) -> Layout:
        """The layout with all dimensions in reverse order."""
        # Not kept here: the two would keep each other, a cycle that only the collector could free.
        return layout_of(self.shape[::-1], self.strides[::-1], self.dtype, self.device)

    def first_rows(self, count: int) -> Layout:
        """The layout of as many rows of this one: `count` entries along the first dimension, at most what it has.

        >>> from facula_storage import float32
        >>> contiguous((5, 3), float32).first_rows(2)
        Layout((2, 3), facula.float32)
        """
        shape = (count, *self.shape[1:])
        key = (shape, self.strides, self.dtype, self.device)
        found = _table.get(key)
        if found is not None:
            return found
        return _intern(key, self.numel // self.shape[0] * count if self.is_contiguous and count > 0 else None)

    def rows(self) -> tuple[Layout, int, int]:
        """Layout of one element along the first dimension, bytes from one to the next, and how many.

        IndexError where there is no dimension.

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
        __hash__ = object.__hash__  # by identity: equal layouts meet again in the table, or through `layout_of`

    def __reduce__(self) -> tuple[object, ...]:
        return (layout_of, _key(self))

    def __copy__(self) -> Layout:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Layout:
        return self


class Draft(Layout):
    """A layout that is being filled in, before anybody else sees it; then its class becomes Layout."""

    __slots__ = ()
    # Both, so that the class is as quick as if nothing had ever been forbidden.
    __setattr__ = object.__setattr__  # type: ignore[assignment]
    __delattr__ = object.__delattr__  # type: ignore[assignment]


# Note [Interning]
# ~~~~~~~~~~~~~~~~
# Equal layouts are nearly always the same object, so plans are found by pointer. The table is
# bounded, so identity implies equality and not the converse: the quick path tests identity,
# and a slow one asks for the table's own, so that equal operands share a layout again. (Weak entries
# would cost 45 ns a hit; an unbounded table slows the garbage collector by 2 us a new shape.)
# A full table drops its newest entries: shapes that never come back recycle a few places and leave
# nothing behind for the collector to walk. It drops many at once, so that those of one step of a
# program (a new batch size, say) live for the step. Now and then it starts afresh, so that a program
# whose shapes have changed for good gets its quick path back.
# Row-major layouts are found by shape alone (`_rows_first`), and under their strides as well once
# somebody asks so. The two tables drop different entries, so each miss in one looks into the other:
# else `contiguous` and `layout_of` would give two objects for one layout as long as the program runs.
# `setdefault` publishes a layout only when it is complete, so no lock is needed.
TABLE_LIMIT = 3072
SHAPES_LIMIT = 1536  # of `_rows_first`, which may keep layouts that the other table has dropped
FRESH_START = 1 << 16
DROPPED = 128  # at once

_table: dict[Key, Layout] = {}
_rows_first: dict[tuple[tuple[int, ...], DType, Device], Layout] = {}
_evictions = count(1).__next__


def _key(layout: Layout) -> Key:
    return (layout.shape, layout.strides, layout.dtype, layout.device)


def layout_of(shape: tuple[int, ...], strides: tuple[int, ...], dtype: DType, device: Device = cpu) -> Layout:
    """The layout of this shape and these strides: always the same object for the same arguments.

    Arguments:
        shape: the length of each dimension.
        strides: the step along each dimension, in elements.
        dtype: the type of the elements.
        device: where they are.

    Raises:
        ValueError: a number is negative, or there are not as many strides as dimensions.
        OverflowError: sizes, strides or the bytes they span do not fit in 64 bits.

    >>> from facula_storage import float32
    >>> layout_of((2, 3), (3, 1), float32) is contiguous((2, 3), float32)
    True
    """
    try:
        key = (shape, strides, dtype, device)
        found = _table.get(key)
        return found if found is not None else _intern(key)
    except FaculaError as error:
        trim_traceback(error)
        raise


def contiguous(shape: tuple[int, ...], dtype: DType, device: Device = cpu) -> Layout:
    """The row-major layout of a shape. Errors as for `layout_of`.

    Arguments:
        shape: the lengths of the dimensions.
        dtype: the elements' type.
        device: where the memory is.

    >>> from facula_storage import float32
    >>> contiguous((2, 3), float32).strides
    (3, 1)
    """
    try:
        key = (shape, dtype, device)
        found = _rows_first.get(key)
        if found is not None:
            return found
        strides: tuple[int, ...] = ()
        step, seen = 1, 0
        try:
            for size in shape[::-1]:
                strides = (step, *strides)
                step *= size or 1
                seen |= size  # negative if any is; TypeError for fractions
        except TypeError:
            raise _not_integers(shape, strides) from None
        layout = _table.get((shape, strides, dtype, device))
        if layout is None:
            if seen < 0 or step > SURELY_FITS or type(step) is not int or type(shape) is not tuple:
                return layout_of(shape, strides, dtype, device)  # refused there, or made with care
            layout = _make(shape, strides, dtype, device, 0 if 0 in shape else step, True)
        if len(_rows_first) >= SHAPES_LIMIT:
            _make_room(_rows_first)
        return _rows_first.setdefault(key, layout)
    except FaculaError as error:
        trim_traceback(error)
        raise


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


def _intern(key: Key, numel: int | None = None) -> Layout:
    """Find the layout of this key in the other table, or make it, and put it into this one.

    `numel` is given for what is known to be row-major without gaps and to fit: nothing is left to check.
    """
    shape, strides, dtype, device = key
    layout = _rows_first.get((shape, dtype, device))
    if layout is None or layout.strides != strides:
        if numel is not None:
            return _publish(key, _make(shape, strides, dtype, device, numel, True))
        layout = _checked(*key)
        if layout.shape is not shape:
            return layout
    return _publish(key, layout)


def _publish(key: Key, layout: Layout) -> Layout:
    """Put a layout into the table; the one that is there already wins, and is returned."""
    if len(_table) >= TABLE_LIMIT:
        _make_room(_table)
    return _table.setdefault(key, layout)


def _checked(shape: tuple[int, ...], strides: tuple[int, ...], dtype: DType, device: Device) -> Layout:
    """A new layout, in no table; of numbers that are not int, the one of equal ints."""
    numel, dense, seen = 1, True, 0
    try:
        for size, stride in zip(shape[::-1], strides[::-1], strict=True):
            if stride != numel and size != 1:
                dense = False
            numel *= size
            seen |= size | stride  # negative if any is, else at least the largest; TypeError for fractions
    except ValueError:
        raise InvalidValueError(
            f"layout: expected one stride a dimension; got shape {shape}, strides {strides}"
        ) from None
    except TypeError:
        raise _not_integers(shape, strides) from None
    if type(seen) is not int or type(shape) is not tuple:  # NumPy's numbers, say: equal, but not what users should see
        return layout_of(tuple(map(int, shape)), tuple(map(int, strides)), dtype, device)
    itemsize = dtype.itemsize
    if seen < 0:
        raise InvalidValueError(
            f"layout: expected sizes and strides of 0 or more; got shape {shape}, strides {strides}"
        )
    if (seen * seen << 6 | numel) * itemsize > LARGEST:  # quick, and never too small: 64 dimensions at most
        _check_size(shape, strides, numel, dtype)
    return _make(shape, strides, dtype, device, numel, dense or not numel)


def _not_integers(shape: object, strides: object) -> TypeError:
    return InvalidTypeError(f"layout: expected tuples of integers; got shape {shape!r}, strides {strides!r}")


def _make(
    shape: tuple[int, ...], strides: tuple[int, ...], dtype: DType, device: Device, numel: int, dense: bool
) -> Layout:
    """A new layout of numbers that have been checked."""
    new = Draft()
    new.shape = shape
    new.strides = strides
    new.dtype = dtype
    new.device = device
    new.numel = numel
    new.nbytes = nbytes = numel * dtype.itemsize
    if dense:
        new.extent = nbytes
    else:
        last = 0
        for size, stride in zip(shape, strides, strict=True):
            last += (size - 1) * stride
        new.extent = (last + 1) * dtype.itemsize
    new.is_contiguous = dense
    code = device.slot * DTYPES_PER_DEVICE + dtype.code
    new.dense = code if dense and code < DENSE_PLACES else 0
    new.take_block = (device._backend or device.backend).allocator.take_for(nbytes)
    new.__class__ = Layout  # type: ignore[assignment]
    return new


def _check_size(shape: tuple[int, ...], strides: tuple[int, ...], numel: int, dtype: DType) -> None:
    span = sum([(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]) + 1 if numel else 0
    largest = max(numel, span, *shape, *strides) * dtype.itemsize
    if largest > LARGEST:
        raise NumberOverflowError(
            f"layout: shape {shape} with strides {strides} of {dtype.name} needs numbers of bytes up to {largest}; "
            f"expected at most {LARGEST}"
        )


def _make_room(table: dict[K, Layout]) -> None:
    try:
        if _evictions() % FRESH_START:
            for _ in range(DROPPED):
                table.popitem()
        else:
            table.clear()
    except KeyError:
        pass  # another thread emptied it


def forget_layouts() -> None:
    """Empty the tables: every layout is made anew when it is next asked for."""
    _table.clear()
    _rows_first.clear()
