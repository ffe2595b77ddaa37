"""`resample`: weighted sums along a dimension, as products with a sparse matrix, for resizing and padding.

See Note [Taps] in facula_cpu's resample.inc.
"""

from __future__ import annotations

import numpy as np

from facula_errors import DTypeError
from facula_storage import contiguous, float32, float64

from ...._core.tensor import layout_of_tensor
from ...._dispatch.declaration import operator


class Taps:
    """A sparse matrix by rows: row i has weights[k] at places[k] for k from starts[i] to starts[i + 1].

    `length` is the number of columns (input elements), and `count` that of rows (output elements). `resizing` has the
    arguments of `interpolate`: mode, factor (or None) and align_corners. Matrices are compared by identity, so their
    creators cache them.
    """

    __slots__ = ("_turned", "count", "length", "places", "resizing", "starts", "weights")

    def __init__(self, length: int, starts: np.ndarray, places: np.ndarray, weights: np.ndarray) -> None:
        self.length: int = length
        self.count: int = len(starts) - 1
        self.starts: np.ndarray = starts
        self.places: np.ndarray = places
        self.weights: np.ndarray = weights
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


def even_taps(length: int, places: np.ndarray, weights: np.ndarray | None = None) -> Taps:
    """Return a matrix with equally many taps in each row: `places` (count, taps), and `weights`, 1 by default."""
    count, width = places.shape
    weights = np.ones(places.shape) if weights is None else weights
    return Taps(length, np.arange(count + 1) * width, places.ravel(), weights.ravel())


@operator
class _resample:
    """Compute weighted sums of elements along the nonnegative `dim`; float32 and float64."""

    parameters = ("dim", "taps")
    holomorphic = False
    row_major = True

    def decompose(F, operands, parameters):
        dtype = layout_of_tensor(operands[0]).dtype
        if dtype not in (float32, float64):
            raise DTypeError(f"resample: defined for float32 and float64; got {dtype.name}; convert with .float()")
        return None

    def outputs(layout, dim, taps):
        shape = (*layout.shape[:dim], taps.count, *layout.shape[dim + 1 :])
        return contiguous(shape, layout.dtype, layout.device)

    def vjp_input(F, g, dim, taps):
        return F.resample(g, (dim, taps.transposed))
