"""Sums with products and with quotients, and interpolation, in one pass each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import DTypeError, InvalidTypeError
from facula_errors.extend import boundary
from facula_storage.extend import COMPLEX, FLOATING, INTEGER

from .._core.promotion import SCALAR_CATEGORY, plain_number, result_type
from .._core.tensor import Tensor, method
from .._dispatch.declaration import elementwise
from .._dispatch.namespaces import may_alias_grad, recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .._dispatch.writing import write_out
from .in_place import in_place_of
from .pointwise import real

if TYPE_CHECKING:
    from facula_storage import DType

    from .._core.types import Operand, Scalar

__all__ = ["addcdiv", "addcmul", "lerp"]


@elementwise
class _addcmul:
    """input + value * tensor1 * tensor2 of floating dtypes; value is a number."""

    inputs = ("input", "tensor1", "tensor2", "value")
    inplace = False

    @may_alias_grad
    def vjp_input(F, g, input_layout):
        return F.sum_to(g, input_layout)

    def vjp_tensor1(F, g, tensor2, value, tensor1_layout):
        return F.sum_to(F.mul(F.mul(g, tensor2), value), tensor1_layout)

    def vjp_tensor2(F, g, tensor1, value, tensor2_layout):
        return F.sum_to(F.mul(F.mul(g, tensor1), value), tensor2_layout)


@elementwise
class _addcdiv:
    """input + value * tensor1 / tensor2 of floating dtypes; value is a number."""

    inputs = ("input", "tensor1", "tensor2", "value")
    inplace = False

    @may_alias_grad
    def vjp_input(F, g, input_layout):
        return F.sum_to(g, input_layout)

    def vjp_tensor1(F, g, tensor2, value, tensor1_layout):
        return F.sum_to(F.div(F.mul(g, value), tensor2), tensor1_layout)

    def vjp_tensor2(F, g, tensor1, tensor2, value, tensor2_layout):
        slope = F.div(F.mul(F.div(tensor1, tensor2), value), tensor2)
        return F.sum_to(F.neg(F.mul(g, slope)), tensor2_layout)


@elementwise
class _lerp:
    """input + weight * (end - input) of floating dtypes; weight is a number or a tensor."""

    inputs = ("input", "end", "weight")
    inplace = False
    accepts = real

    def vjp_input(F, g, weight, input_layout):
        return F.sum_to(F.mul(g, F.sub(1, weight) if isinstance(weight, Tensor) else 1 - weight), input_layout)

    def vjp_end(F, g, weight, end_layout):
        return F.sum_to(F.mul(g, weight), end_layout)

    def vjp_weight(F, g, input, end, weight_layout):
        return F.sum_to(F.mul(g, F.sub(end, input)), weight_layout)


def _operands(name: str, operands: tuple[Tensor, ...], value: Scalar | Tensor) -> tuple[DType, complex]:
    """The dtype of the result and the factor, a number; TypeError where it is none, or of a higher kind.

    `value` is the factor as the caller of the function `name` gave it.
    """
    dtype = result_type(*[as_tensor(name, one) for one in operands])
    if isinstance(value, Tensor) and not value.ndim and value.node is None:
        value = value.item()
    number = plain_number(value)
    if number is None:
        raise InvalidTypeError(f"{name}: expected value to be a number; got {type(value).__name__}")
    if SCALAR_CATEGORY[type(number)] > max(dtype.category, INTEGER):
        raise DTypeError(f"{name}: expected a value of the kind of the result, {dtype.name}; got {number!r}")
    return dtype, number


@overridable
@method()
@boundary
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """`input + value * tensor1 * tensor2`. The tensors broadcast and promote.

    Arguments:
        input: a tensor.
        tensor1: a factor.
        tensor2: a factor.
        value: a number.
        out: a tensor that takes the result, or None.

    >>> from facula_tensor import tensor
    >>> addcmul(tensor([1.0]), tensor([2.0]), tensor([3.0]), value=0.5)
    tensor([4.])
    """
    dtype, number = _operands("addcmul", (input, tensor1, tensor2), value)
    if FLOATING <= dtype.category < COMPLEX:
        return write_out("addcmul", recorded_ops.addcmul(input, tensor1, tensor2, number), out)
    product = recorded_ops.mul(tensor1, tensor2)
    return write_out(
        "addcmul", recorded_ops.add(input, product if number == 1 else recorded_ops.mul(product, number)), out
    )


@overridable
@method()
@boundary
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """`input + value * tensor1 / tensor2`. The tensors broadcast and promote.

    Arguments:
        input: a tensor of a floating or complex dtype.
        tensor1: the dividend.
        tensor2: the divisor; not both integers.
        value: a number.
        out: a tensor that takes the result, or None.

    >>> from facula_tensor import tensor
    >>> addcdiv(tensor([1.0]), tensor([3.0]), tensor([2.0]), value=2)
    tensor([4.])
    """
    dtype, number = _operands("addcdiv", (input, tensor1, tensor2), value)
    if max(result_type(tensor1, tensor2).category, dtype.category) < FLOATING:
        raise DTypeError(f"addcdiv: not defined for {dtype.name}; convert with .float() first")
    if dtype.category < COMPLEX:
        return write_out("addcdiv", recorded_ops.addcdiv(input, tensor1, tensor2, number), out)
    quotient = recorded_ops.div(tensor1, tensor2)
    return write_out(
        "addcdiv", recorded_ops.add(input, quotient if number == 1 else recorded_ops.mul(quotient, number)), out
    )


@overridable
@method()
@boundary
def lerp(input: Tensor, end: Tensor, weight: Operand, *, out: Tensor | None = None) -> Tensor:
    """`input + weight * (end - input)`: from `input` at 0 to `end` at 1.

    Arguments:
        input: a tensor of a floating or complex dtype, which all share; the tensors broadcast.
        end: a tensor.
        weight: a number or a tensor.
        out: a tensor that takes the result, or None.

    >>> from facula_tensor import tensor
    >>> lerp(tensor([1.0, 2.0]), tensor([3.0, 4.0]), 0.5)
    tensor([2., 3.])
    """
    dtype = as_tensor("lerp", input).dtype
    for name, one in (("end", end), ("weight", weight)):
        if name == "weight" and not isinstance(one, Tensor):
            number = plain_number(one)
            if number is None:
                raise InvalidTypeError("lerp: expected weight to be a number or a Tensor")
            weight = number
            continue
        found = as_tensor("lerp", one).dtype
        if found is not dtype:
            raise DTypeError(
                f"lerp: expected all in one dtype; got input {dtype.name}, {name} {found.name}; convert with .to()"
            )
    if dtype.category < FLOATING:
        raise DTypeError(f"lerp: not defined for {dtype.name}; convert with .float() first")
    if dtype.category < COMPLEX:
        return write_out("lerp", recorded_ops.lerp(input, end, weight), out)
    return write_out("lerp", recorded_ops.add(input, recorded_ops.mul(recorded_ops.sub(end, input), weight)), out)


for _function in (addcdiv, addcmul, lerp):
    in_place_of(_function)
