"""New tensors of evenly spaced numbers, and the identity matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import ArgumentError, InvalidTypeError
from facula_storage import Device, DType, contiguous, cpu, float32, float64, int64, layout_of, meta
from facula_storage import from_numpy as storage_from_numpy
from facula_storage.extend.layouts import INTEGER
from facula_storage.extend.plans import PlanTable
from facula_storage.extend.recording import note_constant, recorders

from .._core.allocation import fresh, place_of
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
    numbers = start, start + max(count - 1, 0) * step, step
    return _keep("arange", made, _spaced("arange", count, count, numbers, integers, dtype, place_of(device)))


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
    first, last = ends
    numbers = first, last, (last - first) / (steps - 1) if steps > 1 else 0
    integers = all([type(number) is int for number in numbers])
    result = _spaced("linspace", steps, (steps + 1) // 2, numbers, integers, dtype, place_of(device))
    return _keep("linspace", made, result)


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


_ranges = PlanTable("range")


def _spaced(
    operation: str, count: int, half: int, numbers: tuple[Any, Any, Any], integers: bool, dtype: DType, place: Device
) -> Tensor:
    """Return a new tensor of evenly spaced numbers, which are computed from the nearer end.

    Arguments:
        operation: the name of the function, for errors.
        count: the number of elements.
        half: the number of elements that are computed from the first number.
        numbers: the first number, the last one, and the distance.
        integers: whether they are computed as int64 if possible; otherwise in float64 or complex128.
        dtype: the dtype of the result.
        place: its device.
    """
    if place is meta:
        return empty(count, dtype=dtype, device=meta)
    first, last, step = numbers
    if integers and all([-(1 << 63) <= end < 1 << 63 for end in (first, last)]):
        numbers = first, last, (step + (1 << 63)) % (1 << 64) - (1 << 63)  # sums and products are modulo 2 ** 64, too
    else:
        integers = False
    is_complex = complex in map(type, numbers)
    if is_complex or recorders:  # recordings treat NumPy's memory as a constant
        first, last, step = np.array(numbers, np.int64 if integers else np.complex128 if is_complex else np.float64)
        places = np.arange(count)
        with np.errstate(all="ignore"):
            values = tensor_over(np.where(places < half, first + step * places, last - step * places[::-1]))
    else:
        kind = int64 if integers else dtype if dtype is float32 else float64
        values = fresh(contiguous((count,), kind), operation)
        layout = values._layout
        launch = _ranges.dense[layout.dense]
        if launch is None:
            plan = cpu.backend.plan("range", (), (layout,), ())
            _ranges.add_dense(_ranges.dense, layout.dense, plan)
            launch = plan.launch
        launch(count, values._storage.ptr, half, count - 1, *numbers)
    if recorders:
        note_constant(values._storage)
        values = no_record_ops.clone(values)
    if values.dtype is not dtype:
        values = no_record_ops.to(values, (dtype,))
    return values if place is cpu else no_record_ops.to_device(values, (place, False))
