"""Discrete Fourier transforms. They are linear with symmetric matrices, so the gradient is another transform."""

from __future__ import annotations

from ..variable import operand
from .table import FUNCTIONS, np, operator, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._types import Array, Ufunc

F = np.fft


def _fft(function: Ufunc, many: bool) -> None:
    def transposed(k: int, g: Array, y: Array, x: Array, **parameters: object) -> Array:
        return np.conj(function(np.conj(g), **parameters))

    call = operator(function, transposed)

    def transform(a: Array, n: int | None = None, axis: int = -1, norm: object = None) -> Array:
        return call(a, axis=axis, norm=norm) if n is None else call(_resized(a, n, axis), axis=axis, norm=norm)

    def transform_many(a: Array, s: object = None, axes: object = (-2, -1) if function.__name__[-1] == "2" else None,
                       norm: object = None) -> Array:  # fmt: skip
        if s is not None:
            raise refusal(function, "s=", "slice or pad the array before")
        return call(a, axes=axes, norm=norm)

    FUNCTIONS[function] = transform_many if many else transform


def _resized(a: Array, n: int, axis: int) -> Array:
    """Return `a`, truncated or padded with zeros to length `n` along one axis."""
    axis, here = axis % a.ndim, (slice(None),) * (axis % a.ndim)
    a = a[(*here, slice(n))]
    return np.pad(a, [(0, n - a.shape[axis] if k == axis else 0) for k in range(a.ndim)])


for _function in (F.fft, F.ifft):
    _fft(_function, many=False)
for _function in (F.fft2, F.ifft2, F.fftn, F.ifftn):
    _fft(_function, many=True)


def _rfft(a: Array, n: int | None = None, axis: int = -1, norm: object = None) -> Array:
    a = operand(a)
    n = a.shape[axis] if n is None else n
    return F.fft(a, n, axis, norm)[((slice(None),) * (axis % a.ndim) + (slice(n // 2 + 1),))]


FUNCTIONS[F.rfft] = _rfft
