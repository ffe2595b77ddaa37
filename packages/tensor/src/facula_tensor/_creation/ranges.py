"""New tensors of evenly spaced numbers, and the identity matrix."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import ArgumentError, InvalidTypeError, NoMemoryError
from facula_storage import Device, DType, contiguous, cpu, int64, layout_of, meta
from facula_storage import from_numpy as storage_from_numpy
from facula_storage.extend.layouts import INTEGER
from facula_storage.extend.recording import note_constant, recorders

from .._core.allocation import place_of
from .._core.default_device import other_defaults
from .._core.foreign import tensor_over
from .._core.promotion import as_dtype, as_end, as_integer, as_number, check_scalar, get_default_dtype, number_for
from .._core.tensor import Tensor, make
from .._dispatch.namespaces import no_record_ops
from .._dispatch.written import maker
from .filled import empty, zeros
from .filling import fill_snapshot

if TYPE_CHECKING:
    from .._core.types import DeviceLike, DTypeLike, Scalar


@maker()
def arange(
    start: Scalar | Tensor | None = None,
    end: Scalar | Tensor | None = None,
    step: Scalar | Tensor = 1,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Return numbers from `start` (0 by default) to `end` (exclusive) at distances of `step`.

    ValueError if `step` is 0 or has the wrong sign.

    Arguments:
        start: the first number; a single argument is `end`.
        end: the bound, exclusive.
        step: the distance between numbers; may be negative.
        dtype: the dtype of the result; if None int64 for integers, otherwise the default floating dtype.

    >>> arange(3)
    tensor([0, 1, 2])
    """
    made = (start, end, step, type(start), type(end), type(step), dtype, device)
    known = _known("arange", made)
    if known is not None:
        return known
    if end is None:
        start, end = None, start
    if end is None:
        raise InvalidTypeError("arange: expected end to be a number; got none; as in arange(3), or arange(1, 3)")
    return _arange(made, 0 if start is None else start, end, step, dtype, device)


def _arange(
    made: tuple[object, ...], start: Any, end: Any, step: Any, dtype: DTypeLike | None, device: DeviceLike | None
) -> Tensor:
    """Return the result of `arange` for the arguments `made`, with all numbers given."""
    if not type(start) is type(end) is type(step) is int:
        given = (("start", start), ("end", end), ("step", step))
        start, end, step = [as_number(argument, "arange", name) for name, argument in given]
        for number in (start, end, step):
            if isinstance(number, complex) or number - number != 0:
                raise ArgumentError(f"arange: expected finite real numbers; got {number}")
    if dtype is None:
        dtype = get_default_dtype() if any([isinstance(number, float) for number in (start, end, step)]) else int64
    dtype = as_dtype(dtype, "arange")
    if dtype is int64:
        start, end, step = int(start), int(end), int(step)
    if step == 0 or (end - start) * step < 0:
        raise ArgumentError(
            f"arange: from {start} to {end} in steps of {step} never reaches end; step must lead from start to end"
        )
    integers = all([isinstance(number, int) for number in (start, end, step)])
    count = -((start - end) // step) if integers else int(np.ceil((end - start) / step))
    if count >> 60:  # eight bytes for each element
        raise ArgumentError(
            f"arange: {count} numbers from {start} to {end} are more than memory can hold; use a larger step"
        )
    if dtype.category == INTEGER and not integers:
        start, step = int(start), int(step)
    if count and dtype.category == INTEGER:
        for end_ in (start, start + (count - 1) * step):
            check_scalar(int(end_), dtype, "arange")
    place = place_of(device)
    if place is meta:
        return empty(count, dtype=dtype, device=meta)
    if start == 0 and step == 1 and integers and place is cpu and count <= MOST_COUNTED and not recorders:
        counted = make(Tensor, contiguous((count,), int64), _counted()._storage)
        counted = no_record_ops.clone(counted) if dtype is int64 else no_record_ops.to(counted, (dtype,))
        return _keep("arange", made, counted)
    if integers:
        integers = max(abs(start), abs(end)) < 1 << 63
    try:
        values = start + np.arange(count, dtype=np.int64 if integers else np.float64) * step
    except (MemoryError, ValueError):  # a ValueError for more than the address space
        raise no_memory("arange", count, dtype) from None
    return _keep("arange", made, _from_own(values, dtype, place))


@maker()
def linspace(
    start: Scalar | Tensor,
    end: Scalar | Tensor,
    steps: int,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Return `steps` evenly spaced numbers from `start` to `end` (inclusive).

    OverflowError if the dtype cannot represent them.

    Arguments:
        start: the first number.
        end: the last number.
        steps: the number of elements.
        dtype: the dtype of the result; the default floating dtype, or the corresponding complex one, if None.

    >>> linspace(0, 1, 3)
    tensor([0.0000, 0.5000, 1.0000])
    """
    made = (start, end, steps, type(start), type(end), type(steps), dtype, device)
    known = _known("linspace", made)
    if known is not None:
        return known
    ends = [as_end(argument, "linspace", name) for name, argument in (("start", start), ("end", end))]
    if dtype is None:
        dtype = get_default_dtype()
        if any(isinstance(end_, complex) for end_ in ends):
            dtype = dtype.to_complex()
    dtype = as_dtype(dtype, "linspace")
    steps = as_integer(steps, "linspace", "steps")
    if steps < 0:
        raise ArgumentError(f"linspace: expected steps of at least 0; got {steps}")
    if dtype.category == INTEGER:
        ends = [number_for(end_, dtype, "linspace") for end_ in ends]
    if place_of(device) is meta:
        return empty(steps, dtype=dtype, device=meta)
    first, last = ends
    step = (last - first) / (steps - 1) if steps > 1 else 0
    try:
        places, half = np.arange((steps + 1) // 2), steps // 2  # from each end
        values = np.concatenate((first + step * places, last - step * places[:half][::-1]))
    except (MemoryError, ValueError):
        raise no_memory("linspace", steps, dtype) from None
    return _keep("linspace", made, _from_own(values, dtype, place_of(device)))


@maker()
def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Return a matrix with ones on the diagonal and zeros elsewhere.

    Arguments:
        n: the number of rows.
        m: the number of columns; `n` if None.

    >>> eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    made = (n, m, None, type(n), type(m), None, dtype, device)
    known = _known("eye", made)
    if known is not None:
        return known
    n = as_integer(n, "eye", "n")
    m = n if m is None else as_integer(m, "eye", "m")
    if n < 0 or m < 0:
        raise ArgumentError(f"eye: expected lengths of at least 0; got {n} and {m}")
    result = zeros(n, m, dtype=dtype, device=device)
    if min(n, m):
        layout = result._layout
        diagonal = layout_of((min(n, m),), (m + 1,), layout.dtype, layout.device)
        fill_snapshot(make(Tensor, diagonal, result._storage), 1)
    return _keep("eye", made, result)


# Small tensors that programs make repeatedly from the same numbers are copied from a cached one. The key
# contains the numbers' types, since 1, 1.0 and True are equal. 0.0 and -0.0 are equal too, so they are not
# cached.
MOST_KEPT, KEPT_BYTES = 256, 1 << 13
MOST_COUNTED = 1 << 14
_saved_of: dict[tuple[object, ...], Tensor] = {}
_made_once: set[tuple[object, ...]] = set()
_NUMBERS = {int, float, type(None), None}


def _known(operation: str, made: tuple[object, ...]) -> Tensor | None:
    """Return a copy of the cached CPU result for these arguments; None if not cached or not applicable."""
    # A recording must not depend on the cache's contents: checked calls compare recordings.
    if recorders or other_defaults:
        return None
    try:
        return no_record_ops.clone(_saved_of[operation, get_default_dtype(), made])
    except (KeyError, TypeError):
        return None


def _keep(operation: str, made: tuple[object, ...], tensor: Tensor) -> Tensor:
    """Cache a copy of the result for these arguments the second time, if it is small and they are plain numbers.
    Return `tensor`."""
    layout, dtype, device = tensor._layout, *made[6:]
    if (
        layout.nbytes <= KEPT_BYTES
        and layout.device is cpu
        and layout.dtype.numpy is not None
        and _NUMBERS.issuperset(made[3:6])
        and not any([type(argument) is float and argument == 0 for argument in made[:3]])
        and (dtype is None or isinstance(dtype, DType))
        and device is None
        and not recorders  # a recorder would attribute the read of its elements to the program
    ):
        key = (operation, get_default_dtype(), made)
        if key not in _made_once:  # perhaps one of many that never recur
            if len(_made_once) >= MOST_KEPT:
                _made_once.clear()
            _made_once.add(key)
            return tensor
        if len(_saved_of) >= MOST_KEPT:
            _saved_of.clear()
        # NumPy memory, so that the cache does not occupy blocks
        storage, layout = storage_from_numpy(tensor.numpy().copy())
        _saved_of[key] = make(Tensor, layout, storage)
    return tensor


@lru_cache(maxsize=1)
def _counted() -> Tensor:
    """Return the integers from 0; private."""
    return tensor_over(np.arange(MOST_COUNTED))


def _from_own(array: np.ndarray, dtype: DType, device: Device) -> Tensor:
    """Return a new tensor with the elements of an unshared array, cast."""
    source = tensor_over(array)
    note_constant(source._storage)
    result = no_record_ops.clone(source) if source.dtype is dtype else no_record_ops.to(source, (dtype,))
    return result if device is cpu else no_record_ops.to_device(result, (device, False))


def no_memory(operation: str, count: int, dtype: DType) -> MemoryError:
    """Return the error for `count` numbers that NumPy could not allocate."""
    gib = count * dtype.itemsize / (1 << 30)
    return NoMemoryError(
        f"{operation}: expected {gib:,.1f} GiB more host memory for {dtype.name} ({count},); ask for fewer numbers"
    )
