"""Elements selected by a mask: fill, select and scatter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_autograd.extend.modes import active_modes
from facula_errors import ArgumentError, DTypeError, FaculaError, RangeError, UnsupportedError
from facula_errors.extend import trim_traceback
from facula_storage import bool_, float32, float64

from ..._core.call_sites import user_site
from ..._core.errors import named, show
from ..._core.memory import check_overlap, check_writable
from ..._core.promotion import number_for
from ..._core.tensor import Tensor, layout_of_tensor, method, snapshot, steady
from ..._dispatch.arguments import steady_tensor
from ..._dispatch.namespaces import no_record_ops, operators, recorded_ops
from ..._dispatch.overrides import overridable
from ..._dispatch.slow_path.inplace_checks import starts_inplace
from ..._dispatch.slow_path.launching import MISSED, mutated
from ..._dispatch.slow_path.planning import broadcast_shapes
from ..._dispatch.slow_path.writing import write, write_out
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..memory.assignment import assign_inplace
from .where_true import where_true

if TYPE_CHECKING:
    from facula_storage import DType

    from ..._core.types import Number, Operand
    from ..._dispatch.kinds import Steady
    from ..._dispatch.namespaces import Namespace

GREATEST = {float32: 3.4028234663852886e38, float64: 1.7976931348623157e308}
INFINITE = float("inf")


@overridable
@method()
def masked_fill(input: Tensor, mask: Tensor, value: Operand, *, out: Tensor | None = None) -> Tensor:
    """Fill elements of `input` with `value` where `mask` is true; `input` and `mask` broadcast.

    The result has the dtype of `input`. `mask` is bool; `value` is a number that the dtype can represent, or a
    zero-dimensional tensor. Raises TypeError for a mask of another dtype and ValueError if the shapes do not broadcast.

    Arguments:
        input: the tensor.
        mask: the elements to fill.
        value: the fill value.
        out: a tensor for the result; a new one if None.

    >>> from facula_tensor import tensor
    >>> masked_fill(tensor([1.0, 2.0]), tensor([True, False]), 0)
    tensor([0., 2.])
    """
    try:
        if type(value) is float and out is None:
            try:  # the common case: a number that the dtype represents
                most = GREATEST[input._layout.dtype]
                if (-most <= value <= most or value in (INFINITE, -INFINITE)) and mask._layout.dtype is bool_:
                    return recorded_ops.where(mask, value, input)
            except (AttributeError, KeyError):
                pass
        return write_out("masked_fill", _masked_fill_of("masked_fill", input, mask, value), out)
    except FaculaError as error:
        trim_traceback(error)
        raise


def _masked_fill_of(operation: str, input: Tensor, mask: Tensor, value: object) -> Tensor:
    """Compute `masked_fill` for the function named `operation`."""
    input, mask = steady(as_tensor(operation, input)), check_mask(operation, mask)
    return recorded_ops.where(mask, fitting(operation, value, input), input)


def fitting(operation: str, value: object, input: Tensor) -> Number:
    """Convert a number or a zero-dimensional tensor to an element of `input`'s dtype."""
    dtype = layout_of_tensor(input).dtype
    if not isinstance(value, Tensor):
        number = number_for(value, dtype, operation)
        check_room(operation, number, dtype)
        return number
    layout = layout_of_tensor(value)
    if layout.shape:
        raise named(
            ArgumentError(
                f"{operation}: expected value to be a number or a tensor without dimensions; got shape {layout.shape}"
            )
        )
    if layout.dtype.is_complex and not dtype.is_complex:
        raise DTypeError(f"{operation}: a complex value cannot be stored in {dtype.name}; take its real part")
    return value if layout.dtype is dtype else recorded_ops.to(value, (dtype,))


def check_room(operation: str, number: Number, dtype: DType) -> None:
    """Raise an OverflowError if a finite number becomes infinite in a floating dtype."""
    most = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38}.get(dtype.name) or GREATEST.get(dtype)
    if most is not None and abs(number) > most and abs(number) != INFINITE:
        raise RangeError(f"{operation}: {number} does not fit {dtype.name} (up to {most:.6g}); use a wider dtype")


def check_mask(operation: str, mask: Tensor) -> Tensor:
    """Return a snapshot of `mask`; TypeError unless it is a bool tensor."""
    layout = layout_of_tensor(as_tensor(operation, mask))
    if layout.dtype is not bool_:
        raise DTypeError(
            f"{operation}: expected mask to be a bool tensor; got {show(layout)}; compare first, as in x > 0, or "
            "convert with .bool()"
        )
    return steady(mask)


@overridable
@method()
def masked_fill_(self: Tensor, mask: Tensor, value: Operand) -> Tensor:
    """Fill elements of this tensor in place where `mask` is true, and return it. `mask` broadcasts to its shape.

    Arguments:
        mask: the elements to fill.
        value: the fill value.
    """
    try:
        return self if _filled_quickly(self, mask, value) else _fill_inplace(self, mask, value)
    except FaculaError as error:
        trim_traceback(error)
        raise


_plans = operators["where"].table.by_key


def _filled_quickly(target: Tensor, mask: Tensor, value: Number) -> bool:
    """Run the common case, known layouts and no recording, by cached plans; return False for other calls."""
    try:
        la = target._layout  # see Note [One moment]
        sa = target._storage
        oa = target._offset
        lm = mask._layout
        sm = mask._storage
        om = mask._offset
        if active_modes or target.node is not None:
            return False
        value = float(value) if type(value) is int else value
        most = GREATEST[la.dtype]
        plan = _plans[(lm, type(value), la), ()]
        if plan.out is not la or not (-most <= value <= most or value in (INFINITE, -INFINITE)):
            return False
        sa.version + 1  # type: ignore[operator]  # read-only memory has version None: a TypeError
        pa = sa.ptr + oa
        pm = sm.ptr + om
        if pa < pm + lm.extent and pm < pa + la.extent:
            return False
        plan.launch(la.numel, pm, pa, pa, value)
    except MISSED as error:
        if hasattr(error, "launched"):
            raise
        return False
    sa.version += 1  # type: ignore[operator]
    sa.mutator = ("masked_fill_", *user_site())
    return True


def _fill_inplace(self: Tensor, mask: Tensor, value: object) -> Tensor:
    """Run `masked_fill_` for calls outside the fast path."""
    check_writable("masked_fill_", self)
    check_covers("masked_fill_", self, check_mask("masked_fill_", mask))
    if starts_inplace("masked_fill_", self, (self, mask, value)):
        return assign_inplace("masked_fill_", self, _masked_fill_of("masked_fill_", self, mask, value))
    there = snapshot(self)
    check_overlap("masked_fill_", there, (snapshot(mask),))
    covering, value = snapshot(mask), fitting("masked_fill_", value, there)
    write(there, no_record_ops.where(covering, value, there))
    mutated(there, "masked_fill_")
    return self


def check_covers(operation: str, self: Tensor, mask: Tensor) -> None:
    """Raise a ValueError unless `mask` broadcasts to the shape of `self`, which is modified in place."""
    shape, covering = tuple(self.shape), tuple(mask.shape)
    if broadcast_shapes(operation, shape, covering) != shape:
        raise ArgumentError(
            f"{operation}: expected a mask that broadcasts to {shape}, the shape of what is changed; got {covering}"
        )


@function(method=True, out=("input", "mask"))
def masked_select(F: Namespace, input: Steady, mask: Tensor) -> Tensor:
    """Return a copy of the elements where `mask` is true, as one dimension in row-major order.

    `mask` is bool; it and `input` broadcast against each other. Gradients flow to the selected elements.

    Arguments:
        mask: the elements to select.

    >>> from facula_tensor import tensor
    >>> masked_select(tensor([1, 2, 3]), tensor([True, False, True]))
    tensor([1, 3])
    """
    mask = check_mask("masked_select", mask)
    if mask.is_meta:
        raise UnsupportedError(
            "masked_select: the result's shape depends on elements, which the meta device lacks; use another device"
        )
    shape = broadcast_shapes("masked_select", tuple(input.shape), tuple(mask.shape))
    places = where_true("nonzero_flat", no_record_ops.expand(mask, shape), ())
    flat = F.reshape(F.expand(input, shape), (-1,))
    return F.take(flat, places, (0,))


@function(method=True, changes=True)
def masked_scatter(operation: str, input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Replace the elements of a copy of `input` where `mask` is true by those of `source`, in row-major order.

    `mask` is bool; it and `input` broadcast against each other. `source` must have the dtype of `input` (TypeError) and
    at least as many elements as are replaced (ValueError).

    Arguments:
        mask: the elements to replace.
        source: the new elements.

    >>> from facula_tensor import tensor
    >>> masked_scatter(tensor([1, 2, 3]), tensor([True, False, True]), tensor([8, 9]))
    tensor([8, 2, 9])
    """
    if operation == "masked_scatter":
        return _masked_scatter_of(operation, input, mask, source)
    check_writable(operation, input)
    check_overlap(operation, snapshot(input), ())
    check_covers(operation, input, check_mask(operation, mask))
    return assign_inplace(operation, input, _masked_scatter_of(operation, input, mask, source))


def _masked_scatter_of(operation: str, input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Compute `masked_scatter` for the function named `operation`."""
    input, mask = steady_tensor(operation, input), check_mask(operation, mask)
    source = steady_tensor(operation, source)
    if source.dtype is not input.dtype:
        raise DTypeError(
            f"{operation}: expected source in the dtype of input, {input.dtype.name}; got {source.dtype.name}; "
            f"convert it with .to(facula.{input.dtype.name})"
        )
    shape = broadcast_shapes(operation, tuple(input.shape), tuple(mask.shape))
    if mask.is_meta:
        raise UnsupportedError(
            f"{operation}: the number of replaced elements depends on elements, which the meta device lacks; "
            "use another device"
        )
    places = where_true("nonzero_flat", no_record_ops.expand(mask, shape), ())
    count = places.numel()
    if count > source.numel():
        raise ArgumentError(
            f"{operation}: expected source to have an element for each of the {count} places where mask is true; "
            f"got {source.numel()}"
        )
    values = recorded_ops.narrow(recorded_ops.reshape(source, (-1,)), 0, 0, count)
    flat = recorded_ops.reshape(recorded_ops.expand(input, shape), (-1,))
    return recorded_ops.reshape(recorded_ops.put(flat, places, values, (0, False, False)), shape)
