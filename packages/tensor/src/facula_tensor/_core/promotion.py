"""Type promotion: the dtype that an operator computes in for operands of different dtypes.

The rules are PyTorch's (https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc):
operands with dimensions decide; zero-dimensional tensors matter only if their category is higher (bool <
integer < floating < complex), and Python numbers likewise, after those.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from facula_autograd import is_grad_enabled
from facula_errors import ArgumentError, DTypeError, FaculaError, InvalidTypeError, RangeError
from facula_errors.extend import boundary, trim_traceback, warn
from facula_storage import (
    DType,
    bfloat16,
    bool_,
    dtype_named,
    float16,
    float32,
    float64,
    int16,
    int64,
    uint8,
)
from facula_storage.extend.layouts import BOOL, COMPLEX, FLOATING, INTEGER

from .errors import named, shown
from .tensor import Tensor
from .wrapped import LevelLayout

_default: list[DType] = [float32]  # the default dtype: one entry, which `set_default_dtype` replaces


def get_default_dtype() -> DType:
    """The floating dtype of new tensors and of integer operands in floating operators.

    >>> get_default_dtype()
    facula.float32
    """
    return _default[0]


@boundary
def set_default_dtype(dtype: DType) -> None:
    """Change the default floating dtype; TypeError unless it is a floating one."""
    if not isinstance(dtype, DType) or not dtype.is_floating_point or not dtype.promotes:
        raise InvalidTypeError(f"set_default_dtype: expected a floating dtype that computes; got {dtype!r}")
    _default[0] = dtype


@boundary
def promote_types(type1: DType, type2: DType) -> DType:
    """The smallest dtype that both convert to.

    TypeError where one is for storage (uint16, uint32, uint64, float8), except for such an integer beside a float.

    >>> from facula_storage import int8, float16
    >>> promote_types(uint8, int8), promote_types(int64, float16)
    (facula.int16, facula.float16)
    """
    if not (isinstance(type1, DType) and isinstance(type2, DType)):
        raise InvalidTypeError(
            f"promote_types: expected two dtypes such as facula.float32; got {type1!r} and {type2!r}"
        )
    return type1 if type1 is type2 else _promoted(type1, type2)


@lru_cache(maxsize=512)
def _promoted(a: DType, b: DType) -> DType:
    if a is b:
        return a
    low, high = sorted((a, b), key=lambda dtype: (dtype.category, dtype.itemsize, dtype.is_signed))
    if not (a.promotes and b.promotes):
        if low.category == INTEGER and high.category == FLOATING and high.promotes:
            return high
        raise DTypeError(
            f"promote_types: {low.name} and {high.name} have no common dtype; convert one operand, as with "
            f".to(facula.{(high if high.promotes else low).name})"
        )
    if low.category != high.category:
        # A float and a complex promote to a complex of at least the float's precision; otherwise the higher
        # category wins.
        if high.category == COMPLEX and low.category == FLOATING and low.itemsize > high.to_real().itemsize:
            return high.to_complex() if high.to_real().itemsize >= low.itemsize else low.to_complex()
        return high
    if high.category == INTEGER and low.is_signed != high.is_signed:
        if low is uint8 or high is uint8:
            return int16 if high.itemsize == 1 else high
    if {a, b} == {float16, bfloat16}:
        return float32
    return high


def scalar_dtype(kind: type) -> DType:
    """Return the dtype of a Python number of this type if tensors do not determine it."""
    if kind is bool:
        return bool_
    if kind is int:
        return int64
    return get_default_dtype() if kind is float else get_default_dtype().to_complex()


SCALAR_CATEGORY = {bool: BOOL, int: INTEGER, float: FLOATING, complex: COMPLEX}


def _combine(strong: DType | None, weak: DType | None) -> DType | None:
    """Promote with a weaker operand, which counts only if its category is higher, and then keeps the stronger
    one's precision."""
    if strong is None or weak is None:
        return strong or weak
    if weak.category <= strong.category:
        return strong
    if weak.category == COMPLEX and strong.category == FLOATING:
        return strong.to_complex()
    return weak


def join(dimensioned: DType | None, zero_dim: DType | None, scalar: DType | None) -> DType:
    """Return the result's dtype from the promoted dtypes of the three kinds of operands."""
    joined = _combine(_combine(dimensioned, zero_dim), scalar)
    assert joined is not None
    return joined


@boundary
def result_type(*operands: object, tensor: object = None, other: object = None) -> DType:
    """Return the dtype that an elementwise operator on these tensors and numbers computes in.

    >>> from facula_tensor import ones, int32
    >>> result_type(ones(2, dtype=int32), 1.5)
    facula.float32
    """
    operands += tuple([operand for operand in (tensor, other) if operand is not None])
    if not operands:
        raise InvalidTypeError("result_type: expected tensors, dtypes and numbers; got none")
    kinds: list[DType | None] = [None, None, None]
    for operand in operands:
        if isinstance(operand, Tensor):
            dtype, place = operand.dtype, 0 if operand.ndim else 1
        elif isinstance(operand, DType):
            dtype, place = operand, 0
        elif (number := plain_number(operand)) is not None:
            dtype, place = scalar_dtype(type(number)), 2
        else:
            error = InvalidTypeError(f"result_type: expected tensors, dtypes and numbers; got {type(operand).__name__}")
            raise named(error)
        known = kinds[place]
        kinds[place] = dtype if known is None else promote_types(known, dtype)
    return join(*kinds)


def can_cast(from_: DType, to: DType) -> bool:
    """Return whether values may be stored in a dtype: never in a lower category (float to integer, complex to real).

    >>> can_cast(float32, int64), can_cast(int64, float16)
    (False, True)
    """
    try:
        for dtype in (from_, to):
            if not isinstance(dtype, DType):
                raise InvalidTypeError(
                    f"can_cast: expected two dtypes such as facula.float32; got {from_!r} and {to!r}"
                )
        return from_.category <= to.category
    except FaculaError as error:
        trim_traceback(error)
        raise


def floating(dtype: DType) -> DType:
    """Return `dtype` if it is floating or complex, otherwise the default floating dtype."""
    return dtype if dtype.category >= FLOATING else get_default_dtype()


def accumulating(dtype: DType) -> DType:
    """Return the dtype of a sum: int64 for integers and bool."""
    return dtype if dtype.category >= FLOATING else int64


def plain_number(value: object) -> bool | int | float | complex | None:
    """Convert a NumPy scalar, or an instance of a subclass such as an IntEnum, to a Python number; None for
    other values."""
    if type(value) in SCALAR_CATEGORY:
        return value  # type: ignore[return-value]
    if isinstance(value, np.generic):
        value = value.item()
    return next((kind(value) for kind in SCALAR_CATEGORY if isinstance(value, kind)), None)  # type: ignore[arg-type]


def _described(value: object) -> str:
    """Format an argument's type and value, or dtype and shape, for messages."""
    return shown(value) if isinstance(value, Tensor) else f"{type(value).__name__} {value!r:.200}"


def lost_derivative(value: Tensor) -> str:
    """Return the derivative that is lost if a tensor's element is read as a number: "gradient", "tangent" or ""."""
    recording = is_grad_enabled()
    while True:
        level = value._layout.level if isinstance(value._layout, LevelLayout) else None
        if level is None or level.open:
            if recording and value.node is not None:
                return "gradient"
            if level is not None and level.tangent(value) is not None:
                return "tangent"
        if level is None or level.traces:
            return ""
        value = level.value(value)


def element(value: object, operation: str, argument: str, gradient: str = "refused") -> Any:
    """Return the element of a zero-dimensional tensor or array, for use as a number; other values unchanged.

    TypeError if the tensor requires a gradient, which would be lost. Warn once for each argument where PyTorch
    accepts the loss: for the tangents of forward mode, and if `gradient` is "ignored".
    """
    if not isinstance(value, Tensor):
        return value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value
    if value.ndim:
        return value
    lost = lost_derivative(value)
    if lost == "gradient" and gradient == "refused":
        raise named(
            InvalidTypeError(
                f"{operation}: expected {argument} to be a number; got a tensor that requires a gradient, which would "
                "be lost; give .detach() or .item() for the value alone, or compute with tensors, as by mul()"
            )
        )
    if lost and (operation, argument) not in _warned:
        _warned.add((operation, argument))
        warn(f"{operation}: {argument} is taken as a number, and its {lost} is lost; give .detach() or .item()")
    return value.item()


_warned: set[tuple[str, str]] = set()


def as_number(value: object, operation: str, argument: str, gradient: str = "refused") -> Any:
    """Return `value`, a number or a zero-dimensional tensor, as a Python number; TypeError naming the argument."""
    number = plain_number(value)
    if number is None:
        number = plain_number(element(value, operation, argument, gradient))
    if number is None:
        raise named(InvalidTypeError(f"{operation}: expected {argument} to be a number; got {_described(value)}"))
    return number


def as_end(value: object, operation: str, argument: str) -> Any:
    """`as_number` for an end of a range: a RuntimeError for a tensor with dimensions, a warning for a lost gradient."""
    if isinstance(value, Tensor) and value.ndim:
        shape = tuple(value.shape)
        raise ArgumentError(f"{operation}: expected {argument} to be a number; got a tensor of shape {shape}; index it")
    return as_number(value, operation, argument, "ignored")


def as_real(value: object, operation: str, argument: str) -> float:
    """Return `value`, a number or a zero-dimensional tensor, as a float or an int; TypeError naming the argument.

    Arguments:
        value: the number, real; or a tensor of no dimensions.
        operation: how the error begins.
        argument: the argument's name, for the error.
    """
    value = element(value, operation, argument)
    number = plain_number(value)
    if number is None or isinstance(number, complex):
        raise named(InvalidTypeError(f"{operation}: expected {argument} to be a real number; got {_described(value)}"))
    return number


def real_or_tensor(value: object, operation: str, argument: str) -> float | Tensor:
    """Like `as_real`, but return a tensor that may be differentiated unchanged: the caller computes with it."""
    if isinstance(value, Tensor) and not value.ndim and lost_derivative(value):
        return value
    return as_real(value, operation, argument)


def as_integer(value: Any, operation: str, argument: str) -> int:
    """Return `value` as an int; TypeError naming the argument."""
    try:
        return value.__index__()
    except (AttributeError, TypeError):
        raise named(
            InvalidTypeError(f"{operation}: expected {argument} to be an integer; got {_described(value)}")
        ) from None


def number_for(value: object, dtype: DType, operation: str, argument: str = "the value") -> Any:
    """Return `value` as the Python number stored in memory of `dtype`: bool, int, float or complex. Fractions
    are truncated. TypeError for values that are not numbers and for complex numbers in a real dtype;
    ArgumentError for NaN and infinity in an integer dtype; OverflowError for numbers outside the dtype's range.
    """
    number = as_number(value, operation, argument)
    category = dtype.category
    if isinstance(number, complex) and category != COMPLEX:
        raise named(
            DTypeError(f"{operation}: {number} is complex and cannot be stored in {dtype.name}; use .real first")
        )
    if category == BOOL:
        return bool(number)
    if category == INTEGER:
        if number - number != 0:
            raise named(
                ArgumentError(f"{operation}: {number} cannot be stored in {dtype.name}; expected a finite number")
            )
        check_scalar(int(number), dtype, operation)
        return int(number)
    try:
        return float(number) if category == FLOATING else complex(number)
    except OverflowError:
        raise named(
            RangeError(
                f"{operation}: an integer of {number.bit_length()} bits does not fit {dtype.name}; use a smaller one"
            )
        ) from None


def check_scalar(value: int, dtype: DType, operation: str) -> None:
    """Raise OverflowError if a Python integer is outside the range of an integer dtype."""
    if dtype.category != INTEGER:
        return
    bits = dtype.itemsize * 8
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.is_signed else (0, (1 << bits) - 1)
    if not low <= value <= high:
        remedy = "use a wider dtype" if -(1 << 63) <= value < 1 << 63 else "use a floating dtype"
        raise named(RangeError(f"{operation}: {value} does not fit {dtype.name} ({low} to {high}); {remedy}"))


def as_dtype(dtype: object, operation: str) -> DType:
    """Return the dtype for a dtype, its name, or the Python type of a number; TypeError otherwise."""
    if isinstance(dtype, DType):
        return dtype
    if isinstance(dtype, type) and dtype in SCALAR_CATEGORY:
        return {bool: bool_, int: int64, float: float64, complex: dtype_named("complex128")}[dtype]
    if isinstance(dtype, str):
        try:
            return dtype_named(dtype.removeprefix("facula.").removeprefix("torch."))
        except TypeError as error:
            raise named(InvalidTypeError(f"{operation}: {error}")) from None
    raise named(InvalidTypeError(f"{operation}: expected dtype such as facula.float32; got {_described(dtype)}"))
