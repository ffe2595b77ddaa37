"""`resample`: weighted sums along one or two dimensions, as products with sparse matrices, for resizing and padding.

See Note [Taps] in facula_cpu's resample.inc.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from facula_errors import DTypeError, MissingAttributeError
from facula_storage import contiguous, cpu, float32, float64

from ...._core.tensor import layout_of_tensor
from ...._dispatch.declaration import operator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ...._core.tensor import Tensor
    from ...._dispatch.namespaces import Namespace

MOST_TAPS = 12288  # bytes of the weights of columns for which both dimensions of images are one operator


class Taps:
    """A sparse matrix by rows: row i has weights[k] at places[k] for k from starts[i] to starts[i + 1].

    `length` is the number of columns (input elements), `count` that of rows (output elements), and `size` that of taps.
    `resizing` has the arguments of `interpolate`: mode, factor (or None) and align_corners. Matrices are compared by
    identity, so their creators cache them.
    """

    __slots__ = ("_turned", "count", "length", "places", "regular", "resizing", "size", "starts", "weights")

    def __init__(self, length: int, starts: np.ndarray, places: np.ndarray, weights: np.ndarray) -> None:
        self._set(length, len(starts) - 1, len(places), None)
        self.starts: np.ndarray = starts
        self.places: np.ndarray = places
        self.weights: np.ndarray = weights

    def _set(self, length: int, count: int, size: int, regular: tuple[str, float, float, float] | None) -> None:
        self.length, self.count, self.size, self.regular = length, count, size, regular
        self.resizing: tuple[str, float | None, bool] | None = None
        self._turned: Taps | None = None

    @property
    def transposed(self) -> Taps:
        """Return the transpose; its transpose is this matrix."""
        if self._turned is None:
            rows = np.repeat(np.arange(self.count), np.diff(self.starts))
            order = np.argsort(self.places, kind="stable")
            starts = np.concatenate([[0], np.cumsum(np.bincount(self.places, minlength=self.length))])
            turned = Taps(self.count, starts, rows[order], self.weights[order])
            turned._turned = self
            self._turned = turned
        return self._turned


class RegularTaps(Taps):
    """A matrix whose arrays are created when they are first read: backends may compute them from a few numbers.

    Arguments:
        length, count: the numbers of columns and rows.
        width: the number of taps in each row.
        regular: the kind and the numbers, as for the CPU's planner of `resample`.
        find: a function that returns the places (count,), whose weights are 1, or places and weights (count, width).
    """

    __slots__ = ("_find",)

    def __init__(
        self,
        length: int,
        count: int,
        width: int,
        regular: tuple[str, float, float, float],
        find: Callable[[], np.ndarray | tuple[np.ndarray, np.ndarray]],
    ) -> None:
        self._set(length, count, count * width, regular)
        self._find = find

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in ("starts", "places", "weights"):
            raise MissingAttributeError(name)
        found = self._find()
        taps = even_taps(self.length, *(found if isinstance(found, tuple) else (found[:, None],)))
        self.starts, self.places, self.weights = taps.starts, taps.places, taps.weights
        return getattr(self, name)  # type: ignore[no-any-return]


def even_taps(length: int, places: np.ndarray, weights: np.ndarray | None = None) -> Taps:
    """Return a matrix with equally many taps in each row: `places` (count, taps), and `weights`, 1 by default."""
    count, width = places.shape
    weights = np.ones(places.shape) if weights is None else weights
    return Taps(length, np.arange(count + 1) * width, places.ravel(), weights.ravel())


@operator
class _resample:
    """Compute weighted sums of elements along the nonnegative `dim`; float32 and float64.

    With `columns`, a matrix, also along the next dimension, which is the last one: first if `columns_first`.
    """

    parameters = ("dim", "taps", "columns", "columns_first")
    varying = ("taps", "columns")
    holomorphic = False
    row_major = True

    def decompose(F, operands, parameters):
        dtype = layout_of_tensor(operands[0]).dtype
        if dtype not in (float32, float64):
            raise DTypeError(f"resample: defined for float32 and float64; got {dtype.name}; convert with .float()")
        return None

    def outputs(layout, dim, taps, columns, columns_first):
        shape = (*layout.shape[:dim], taps.count, *layout.shape[dim + 1 :])
        if columns is not None:
            shape = (*shape[:-1], columns.count)
        return contiguous(shape, layout.dtype, layout.device)

    def vjp_input(F, g, dim, taps, columns, columns_first):
        if columns is None:
            return F.resample(g, (dim, taps.transposed, None, False))
        return F.resample(g, (dim, taps.transposed, columns.transposed, not columns_first))


def resample_dims(F: Namespace, input: Tensor, steps: tuple[tuple[int, Taps], ...]) -> Tensor:
    """Return weighted sums along several dimensions, one after the other: (dimension, matrix)."""
    layout = layout_of_tensor(input)
    for parameters in launches_of(steps, len(layout.shape) - 1, layout.dtype.itemsize, layout.device is cpu):
        input = F.resample(input, parameters)
    return input


@lru_cache(maxsize=1024)
def launches_of(
    steps: tuple[tuple[int, Taps], ...], last: int, itemsize: int, on_cpu: bool
) -> list[tuple[int, Taps, Taps | None, bool]]:
    """Return the parameters of each `resample`. On the CPU, the last two dimensions are one operator, unless rows are
    long.
    """
    launches: list[tuple[int, Taps, Taps | None, bool]] = []
    place = 0
    while place < len(steps):
        dim, taps = steps[place]
        other, more = steps[place + 1] if place + 1 < len(steps) else (dim, taps)
        rows, columns = (more, taps) if dim == last else (taps, more)
        if {dim, other} == {last - 1, last} and on_cpu and is_short(columns, itemsize):
            launches.append((last - 1, rows, columns, dim == last))
            place += 2
        else:
            launches.append((dim, taps, None, False))
            place += 1
    return launches


def is_short(taps: Taps, itemsize: int) -> bool:
    """Return whether a matrix is small enough for columns."""
    return max(taps.size, taps.length, taps.count) * itemsize <= MOST_TAPS
