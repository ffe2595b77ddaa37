"""`Size`: the type of `tensor.shape`."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, overload

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import SupportsIndex


class Size(tuple[int, ...]):
    """A shape: a tuple of ints with `numel()`. TypeError for entries that are not integers.

    >>> Size((2, 3)).numel()
    6
    """

    __slots__ = ()

    @boundary
    def __new__(cls, sizes: Iterable[SupportsIndex] = ()) -> Size:
        entries = tuple(sizes)
        try:
            return tuple.__new__(cls, map(index, entries))
        except TypeError:
            raise InvalidTypeError(f"Size: expected integers; got {entries!r:.200}") from None

    def numel(self) -> int:
        """Return the number of elements of a tensor of this shape."""
        n = 1
        for size in self:
            n *= size
        return n

    def __repr__(self) -> str:
        return f"facula.Size({list(self)})"

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Size: ...
    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return tuple.__new__(Size, found) if isinstance(index, slice) else found

    def __add__(self, other: tuple[int, ...]) -> Size:  # type: ignore[override]
        return tuple.__new__(Size, tuple.__add__(self, Size(other)))

    def __radd__(self, other: tuple[int, ...]) -> Size:
        return Size(tuple(other) + tuple(self))

    def __mul__(self, times: SupportsIndex) -> Size:
        return tuple.__new__(Size, tuple.__mul__(self, times))

    def __rmul__(self, times: SupportsIndex) -> Size:
        return self * times
