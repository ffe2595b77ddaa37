"""Operands of the slow path: coercion to tensors and numbers on one device, and promotion to one dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import DTypeError, InvalidTypeError, OperationError
from facula_storage import bfloat16, float16, float32, int64, uint64
from facula_storage.extend.layouts import COMPLEX, FLOATING, INTEGER

from ..._core.foreign import operand_of
from ..._core.promotion import SCALAR_CATEGORY, check_scalar, join, plain_number, promote_types, scalar_dtype
from ..._core.tensor import Tensor
from ..namespaces import recorded_ops

if TYPE_CHECKING:
    from facula_storage import Device, DType

    from ..._core.types import Operands
    from ..namespaces import Namespace
    from ..operator import Operator


REFLECTED = tuple(
    [f"__r{name}__" for name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()]
)
ORDERS = {name: f"__{name}__" for name in "lt le gt ge".split()}


def has_operators(kind: type, op: Operator) -> bool:
    """Return whether objects of a foreign type may implement a Python operator themselves."""
    if op.name in ("eq", "ne"):
        return True
    if kind.__module__ == "builtins":  # strings and containers implement some, but only for their own type
        return False
    if op.name in ORDERS:
        return any([getattr(kind, name) is not getattr(object, name) for name in ORDERS.values()])
    return any([name in vars(base) for base in kind.__mro__ for name in REFLECTED])  # not those of its metaclass


def repeats(value: object, count: Tensor) -> bool:
    """Return whether Python can repeat a sequence by the number in a tensor, as in `[0] * count`."""
    return isinstance(value, (list, tuple, str, bytes)) and count.numel() == 1 and count.dtype.category == INTEGER


def coerce(op: Operator, operands: Operands) -> Operands:
    """Coerce operands to tensors and Python numbers on one device; NumPy arrays become tensors, NumPy scalars
    Python numbers."""
    ready: list[Any] = []
    tensors = [a for a in operands if isinstance(a, Tensor)]
    if not tensors and operands:
        raise InvalidTypeError(f"{op.name}: expected '{name_of(op, 0)}' to be a Tensor; got {describe(operands[0])}")
    if any([isinstance(a, np.ndarray) for a in operands]):
        saved = any([a.node is not None for a in tensors])
        operands = tuple([operand_of(a, copy=saved) if isinstance(a, np.ndarray) else a for a in operands])
    device = next((a.device for a in tensors if a.ndim), tensors[0].device if tensors else None)
    for position, a in enumerate(operands):
        if isinstance(a, Tensor):
            if a.device is not device:
                if a.ndim or not op.elementwise:
                    raise elsewhere(op, device, position, a.device)
                a = recorded_ops.to_device(a, (device, False))
        elif a is None and name_of(op, position) in op.optional:
            pass
        elif not op.elementwise:
            if op.name == "matmul" and has_operators(type(a), op):
                return NotImplemented
            raise InvalidTypeError(f"{op.name}: expected '{name_of(op, position)}' to be a Tensor; got {describe(a)}")
        elif type(a) not in SCALAR_CATEGORY:
            number = plain_number(a)
            if number is not None:
                a = number
            elif op.arity == 2 and (has_operators(type(a), op) or (op.name == "mul" and repeats(a, tensors[0]))):
                return NotImplemented
            else:
                raise InvalidTypeError(
                    f"{op.name}: expected '{name_of(op, position)}' to be a Tensor or a number; got {describe(a)}"
                )
        ready.append(a)
    return tuple(ready)


def elsewhere(op: Operator, device: Device | None, position: int, other: Device) -> OperationError:
    """Return the error for an operand on another device than the previous ones."""
    return OperationError(
        f"{op.name}: expected all tensors on one device; got '{device}' and '{other}' ('{name_of(op, position)}'); "
        "move one with .to(...)"
    )


def name_of(op: Operator, position: int) -> str:
    """Return the name of an operand in messages."""
    return op.inputs[position] if op.arity >= 0 else f"{op.inputs[0]}[{position}]"


def describe(value: object) -> str:
    """Return the text of a foreign value in messages."""
    if isinstance(value, Tensor):
        return f"Tensor {value.dtype.name} {tuple(value.shape)}"
    text = repr(value)
    if value is None:
        return text
    return f"{type(value).__name__} {text}" if len(text) <= 60 else type(value).__name__


def promote(op: Operator, operands: Operands, F: Namespace) -> Operands:
    """Cast tensors to the dtype that the operator computes in, and numbers to its category."""
    kinds: list[DType | None] = [None, None, None]
    first = op.mask_operands  # leading operands that do not take part in promotion (the condition of `where`)
    for a in operands[first:]:
        if isinstance(a, Tensor):
            dtype, place = a.dtype, 0 if a.ndim else 1
        else:
            dtype, place = scalar_dtype(type(a)), 2
        known = kinds[place]
        kinds[place] = dtype if known is None else promote_types(known, dtype)
    joined = join(*kinds)
    compute = op.compute_dtype(joined)
    if op.accepts is not None and not op.accepts(compute):
        remedy = "take its abs()" if compute.category == COMPLEX else "convert, for example with .float()"
        raise DTypeError(f"{op.name}: not defined for {compute.name}; {remedy}")
    if op.widens and compute in (float16, bfloat16):
        return tuple([widen(op, place, a, compute, F) for place, a in enumerate(operands)])
    return (*operands[:first], *(cast(op, a, compute, F) for a in operands[first:]))


def widen(op: Operator, place: int, a: Tensor, half: DType, F: Namespace) -> Tensor:
    """Convert an operand next to half-precision ones. A zero-dimensional operand of another dtype keeps the
    precision of the computation, so that a float16 loss times a scale of 70000 is not infinite. PyTorch does
    this only for the second operand.
    """
    if place not in op.widens or not isinstance(a, Tensor) or a.ndim or a.dtype is half:
        return cast(op, a, half, F)
    return a if a.dtype is float32 else F.to(a, (float32,))


def cast(op: Operator, a: Tensor, dtype: DType, F: Namespace) -> Tensor:
    """Convert an operand to `dtype`: a tensor by `to`, a number to the Python type of the category."""
    if isinstance(a, Tensor):
        return a if a.dtype is dtype else F.to(a, (dtype,))
    if dtype.category == COMPLEX:
        return complex(a)
    if dtype.category == FLOATING:
        return float(a)
    number = int(a)
    if op.low_bits and dtype.category == INTEGER and not dtype.is_signed:
        number &= (1 << 8 * dtype.itemsize) - 1
    if dtype is uint64 and number >> 63 == 1:
        return number - (1 << 64)  # launches take integers as signed integers with the same bits
    check_scalar(number, dtype if op.result_dtype(dtype) is dtype else int64, op.name)
    return number if dtype.category else bool(a)
