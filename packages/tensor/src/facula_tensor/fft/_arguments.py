"""Shared helpers of the Fourier transforms: argument parsing, and padding or trimming of operands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import ArgumentError, DTypeError, InvalidIndexError
from facula_storage.extend.layouts import COMPLEX, FLOATING

from .._core.errors import named
from .._core.formats import check_storage
from .._core.promotion import as_dtype, as_integer, floating, get_default_dtype
from .._core.tensor import Tensor, check_dim, layout_of_tensor, steady
from .._creation.filled import finish
from .._creation.from_data import tensor
from .._dispatch.namespaces import recorded_ops
from .._dispatch.slow_path.writing import write_out
from .._dispatch.view_call import as_tensor
from ..ops.fft import OPPOSITE

if TYPE_CHECKING:
    from .._core.types import DeviceLike, Dims, DTypeLike, Lengths


def operand(name: str, input: Tensor, kind: str) -> Tensor:
    """Return a snapshot in single or double precision: `kind` is "complex", "real" (complex input raises) or "any"."""
    x = steady(as_tensor(name, input))
    dtype = layout_of_tensor(x).dtype
    if dtype.category < FLOATING:
        dtype = floating(dtype)
    if dtype.itemsize == 2:
        raise DTypeError(f"{name}: not defined for {dtype.name}, which is too narrow; convert with .float()")
    if kind == "real" and dtype.category == COMPLEX:
        raise DTypeError(f"{name}: expected real numbers; got {dtype.name}; take x.real")
    if kind == "complex":
        dtype = dtype.to_complex()
    return x if layout_of_tensor(x).dtype is dtype else recorded_ops.to(x, (dtype,))


def scaling(name: str, norm: str | None) -> str:
    """Return the normalization mode after checking it."""
    if norm is None:
        return "backward"
    if not isinstance(norm, str) or norm not in OPPOSITE:
        raise ArgumentError(f"{name}: expected norm to be 'backward', 'forward' or 'ortho'; got {norm!r}")
    return str(norm)


def lengths(name: str, x: Tensor, n: Any, dim: Any, several: bool) -> tuple[tuple[int, ...], list[int | None]]:
    """Return the non-negative dimensions to transform and the length of each, None for the operand's length."""
    ndim = layout_of_tensor(x).ndim
    if not several:
        if not ndim:
            raise ArgumentError(f"{name}: expected at least 1 dimension; got a number")
        return (check_dim(name, dim, ndim),), [None if n is None else as_integer(n, name, "n")]
    sizes = None if n is None else [as_integer(size, name, "s") for size in (n if hasattr(n, "__iter__") else (n,))]
    if dim is None:
        count = ndim if sizes is None else len(sizes)
        if count > ndim:
            raise ArgumentError(f"{name}: expected s to have at most {ndim} lengths; got {count}")
        dims = tuple(range(ndim - count, ndim))
    else:
        dims = check_dims(name, dim, ndim)
    if len(set(dims)) != len(dims):
        raise ArgumentError(f"{name}: dim {dim} names a dimension twice; name each once")
    if sizes is None:
        return dims, [None] * len(dims)
    if len(sizes) != len(dims):
        raise ArgumentError(f"{name}: expected as many lengths as dimensions; got s {sizes} and dim {dim}")
    return dims, [None if size == -1 else size for size in sizes]


def check_dims(name: str, dim: Any, ndim: int) -> tuple[int, ...]:
    """Return `dim`, an integer or several, as a tuple of non-negative dimensions."""
    given = tuple(dim) if hasattr(dim, "__iter__") else (dim,)
    if given and not ndim:
        raise named(InvalidIndexError(f"{name}: expected at least 1 dimension, to take dim {dim}; got a number"))
    return tuple([check_dim(name, axis, ndim) for axis in given])


def cut_or_padded(name: str, x: Tensor, dim: int, length: int | None) -> Tensor:
    """Return `x` trimmed or zero-padded to `length` along a dimension."""
    now = layout_of_tensor(x).shape[dim]
    wanted = now if length is None else length
    if wanted < 1:
        raise ArgumentError(f"{name}: expected at least 1 element to transform along dimension {dim}; got {wanted}")
    if wanted < now:
        return recorded_ops.narrow(x, dim, 0, wanted)
    return recorded_ops.with_zeros(x, dim, wanted - now)


def complex_fft(
    name: str,
    input: Tensor,
    n: Lengths | None,
    dim: Dims | None,
    norm: str | None,
    inverse: bool,
    *,
    several: bool = False,
) -> Tensor:
    """Compute a complex-to-complex transform (the `fft` family)."""
    x, how = operand(name, input, "any"), scaling(name, norm)
    dims, sizes = lengths(name, x, n, dim, several)
    for at, size in zip(dims, sizes, strict=True):
        x = cut_or_padded(name, x, at, size)
    return (
        recorded_ops.fft_complex(x, (dims, inverse, how)) if dims else operand(name, recorded_ops.clone(x), "complex")
    )


def from_real(
    name: str,
    input: Tensor,
    n: Lengths | None,
    dim: Dims | None,
    norm: str | None,
    *,
    several: bool = False,
    hermitian: bool = False,
) -> Tensor:
    """Compute a transform of real input (the `rfft` family).

    With `hermitian` compute the `ihfft` family: conjugated, with the scaling of an inverse transform.
    """
    x, how = operand(name, input, "real"), scaling(name, norm)
    dims, sizes = lengths(name, x, n, dim, several)
    if not dims:
        raise ArgumentError(f"{name}: expected at least 1 dimension to transform; got dim {dim}")
    for at, size in zip(dims, sizes, strict=True):
        x = cut_or_padded(name, x, at, size)
    result = recorded_ops.fft_from_real(x, (dims, OPPOSITE[how] if hermitian else how))
    return recorded_ops.conj(result) if hermitian else result


def to_real(
    name: str,
    input: Tensor,
    n: Lengths | None,
    dim: Dims | None,
    norm: str | None,
    *,
    several: bool = False,
    hermitian: bool = False,
) -> Tensor:
    """Compute a transform to real output (the `irfft` family).

    With `hermitian` compute the `hfft` family: of conjugated input, with the scaling of a forward transform.
    """
    x, how = operand(name, input, "complex"), scaling(name, norm)
    dims, sizes = lengths(name, x, n, dim, several)
    if not dims:
        raise ArgumentError(f"{name}: expected at least 1 dimension to transform; got dim {dim}")
    last = sizes[-1]
    length = 2 * (layout_of_tensor(x).shape[dims[-1]] - 1) if last is None else last
    if length < 1:
        raise ArgumentError(f"{name}: expected at least 1 element in the result; got {length}")
    for at, size in zip(dims, [*sizes[:-1], length // 2 + 1], strict=True):
        x = cut_or_padded(name, x, at, size)
    if hermitian:
        x, how = recorded_ops.conj(x), OPPOSITE[how]
    return recorded_ops.fft_to_real(x, (dims, length, how))


def frequencies(
    name: str,
    half: bool,
    n: int,
    d: float,
    *,
    out: Tensor | None,
    dtype: DTypeLike | None,
    layout: object,
    device: DeviceLike | None,
    requires_grad: bool,
) -> Tensor:
    """Return the frequencies of a transform of n elements."""
    if n < 0:
        raise ArgumentError(f"{name}: expected n of at least 0; got {n}")
    if layout is not None:
        check_storage(name, layout, False)
    with np.errstate(all="ignore"):  # a step of 0 divides by zero
        if n:
            values = (np.fft.rfftfreq if half else np.fft.fftfreq)(n, 1.0) / d
        else:  # n = 0 has one frequency, 0 / 0
            values = np.full(1 if half else 0, np.nan)
    kind = get_default_dtype() if dtype is None else as_dtype(dtype, name)
    if kind.category < FLOATING:
        raise DTypeError(f"{name}: expected dtype to be floating or complex; got {kind.name}")
    return finish(write_out(name, tensor(values, dtype=kind, device=device), out), requires_grad, name)
