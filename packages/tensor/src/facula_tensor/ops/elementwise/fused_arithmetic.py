"""Fused multiply-add, divide-add and interpolation, in one pass each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import DTypeError, InvalidTypeError
from facula_storage.extend.layouts import COMPLEX, FLOATING, INTEGER

from ..._core.errors import named
from ..._core.promotion import SCALAR_CATEGORY, element, plain_number, result_type
from ..._core.tensor import Tensor, layout_of_tensor
from ..._dispatch.declaration import elementwise
from ..._dispatch.namespaces import identity_grad
from ..._dispatch.written import function
from .pointwise import is_real

if TYPE_CHECKING:
    from facula_storage import DType

    from ..._core.types import Operand, Scalar
    from ..._dispatch.kinds import Checked
    from ..._dispatch.namespaces import Namespace


@elementwise
class _addcmul:
    """input + value * tensor1 * tensor2 for floating dtypes; value is a number."""

    inputs = ("input", "tensor1", "tensor2", "value")
    inplace = False

    vjp_input = identity_grad

    def vjp_tensor1(F, g, tensor2, value):
        return g * tensor2 * value

    def vjp_tensor2(F, g, tensor1, value):
        return g * tensor1 * value


@elementwise
class _addcdiv:
    """input + value * tensor1 / tensor2 for floating dtypes; value is a number."""

    inputs = ("input", "tensor1", "tensor2", "value")
    inplace = False

    vjp_input = identity_grad

    def vjp_tensor1(F, g, tensor2, value):
        return g * value / tensor2

    def vjp_tensor2(F, g, tensor1, tensor2, value):
        slope = tensor1 / tensor2 * value / tensor2
        return -(g * slope)


@elementwise
class _lerp:
    """input + weight * (end - input) for floating dtypes; weight is a number or a tensor."""

    inputs = ("input", "end", "weight")
    inplace = False
    accepts = is_real

    def vjp_input(F, g, weight):
        return g * (1 - weight)

    def vjp_end(F, g, weight):
        return g * weight

    def partial_weight(F, input, end):
        return end - input


def _dtype_and_factor(name: str, operands: tuple[Tensor, ...], value: Scalar | Tensor) -> tuple[DType, complex]:
    """Return the dtype of the result and the factor as a number.

    `value` is the factor as passed to the function `name`. A TypeError is raised unless it is a number whose category
    does not exceed that of the result.
    """
    dtype = result_type(*operands)
    number = plain_number(element(value, name, "value"))
    if number is None:
        raise named(InvalidTypeError(f"{name}: expected value to be a number; got {type(value).__name__}"))
    if SCALAR_CATEGORY[type(number)] > max(dtype.category, INTEGER):
        raise DTypeError(f"{name}: expected a value of the kind of the result, {dtype.name}; got {number!r}")
    return dtype, number


def _fused(
    name: str, pair: str, F: Namespace, input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Scalar
) -> Tensor:
    """Compute `name` in one pass for real floating dtypes; otherwise add `pair` of the last two times `value`.

    All of these are computed in the dtype of the result, which an `input` of another dtype may have widened.
    """
    dtype, number = _dtype_and_factor(name, (input, tensor1, tensor2), value)
    if pair == "div" and dtype.category < FLOATING:
        raise DTypeError(f"{name}: not defined for {dtype.name}; convert with .float() first")
    if FLOATING <= dtype.category < COMPLEX:
        return getattr(F, name)(input, tensor1, tensor2, number)  # type: ignore[no-any-return]
    both = getattr(F, pair)(tensor1.to(dtype), tensor2.to(dtype))
    return F.add(input, both if number == 1 else F.mul(both, number))


def _in_one_dtype(input: Tensor, end: Tensor, weight: Operand) -> tuple[Tensor, Tensor, Operand]:
    """Return the operands of `lerp` in the dtype of the result.

    Raises:
        TypeError: if dtypes differ (except that of a zero-dimensional weight) or are integers, or the weight is neither
            a number nor a tensor.
    """
    dtype = layout_of_tensor(input).dtype
    if not isinstance(weight, Tensor):
        number = plain_number(weight)
        if number is None:
            raise named(
                InvalidTypeError(f"lerp: expected weight to be a number or a Tensor; got {type(weight).__name__}")
            )
        weight = number
    promotes = isinstance(weight, Tensor) and not weight.ndim
    for name, operand in (("end", end), ("weight", None if promotes else weight)):
        if isinstance(operand, Tensor) and layout_of_tensor(operand).dtype is not dtype:
            raise DTypeError(
                f"lerp: expected all in one dtype; got input {dtype.name}, {name} {operand.dtype.name}; "
                "convert with .to()"
            )
    if promotes:
        dtype = result_type(input, end, weight)
    if dtype.category < FLOATING:
        raise DTypeError(f"lerp: not defined for {dtype.name}; convert with .float() first")
    if promotes and isinstance(weight, Tensor):
        return input.to(dtype), end.to(dtype), weight.to(dtype)
    return input, end, weight


@function(method=True, changes=True, out=True, inline=True)
def addcmul(F: Namespace, input: Checked, tensor1: Checked, tensor2: Checked, *, value: Scalar = 1) -> Tensor:
    """Return `input + value * tensor1 * tensor2`. The tensors broadcast and promote.

    Arguments:
        input: a tensor.
        tensor1: a factor.
        tensor2: a factor.
        value: a number; an integer if the result is of an integer dtype.

    >>> from facula_tensor import tensor
    >>> addcmul(tensor([1.0]), tensor([2.0]), tensor([3.0]), value=0.5)
    tensor([4.])
    """
    dtype: Any = getattr(input._layout, "dtype", None)  # None for tensors that override operators
    alike = dtype is getattr(tensor1._layout, "dtype", None) is getattr(tensor2._layout, "dtype", None) is not None
    quick = alike and FLOATING <= dtype.category < COMPLEX and type(value) in (int, float)
    return (
        F.addcmul(input, tensor1, tensor2, value)
        if quick
        else _fused("addcmul", "mul", F, input, tensor1, tensor2, value)
    )


@function(method=True, changes=True, out=True, inline=True)
def addcdiv(F: Namespace, input: Checked, tensor1: Checked, tensor2: Checked, *, value: Scalar = 1) -> Tensor:
    """Return `input + value * tensor1 / tensor2`. The tensors broadcast and promote.

    Arguments:
        input: a tensor of a floating or complex dtype.
        tensor1: the dividend.
        tensor2: the divisor; one of the three dtypes must be floating or complex.
        value: a number.

    >>> from facula_tensor import tensor
    >>> addcdiv(tensor([1.0]), tensor([3.0]), tensor([2.0]), value=2)
    tensor([4.])
    """
    dtype: Any = getattr(input._layout, "dtype", None)  # None for tensors that override operators
    alike = dtype is getattr(tensor1._layout, "dtype", None) is getattr(tensor2._layout, "dtype", None) is not None
    quick = alike and FLOATING <= dtype.category < COMPLEX and type(value) in (int, float)
    return (
        F.addcdiv(input, tensor1, tensor2, value)
        if quick
        else _fused("addcdiv", "div", F, input, tensor1, tensor2, value)
    )


@function(method=True, changes=True, out=True, inline=True)
def lerp(F: Namespace, input: Checked, end: Checked, weight: Operand) -> Tensor:
    """Interpolate: return `input + weight * (end - input)`, which is `input` at weight 0 and `end` at 1.

    Arguments:
        input: a tensor of a floating or complex dtype, which all operands share; the tensors broadcast.
        end: a tensor.
        weight: a number or a tensor; a zero-dimensional tensor may have another dtype and promotes.

    >>> from facula_tensor import tensor
    >>> lerp(tensor([1.0, 2.0]), tensor([3.0, 4.0]), 0.5)
    tensor([2., 3.])
    """
    dtype: Any = getattr(input._layout, "dtype", None)  # None for tensors that override operators
    alike = dtype is getattr(end._layout, "dtype", None) is not None
    quick = alike and dtype.category == FLOATING
    if type(weight) is not float and getattr(getattr(weight, "_layout", None), "dtype", None) is not dtype:
        quick = False
    if not quick:
        input, end, weight = _in_one_dtype(input, end, weight)
        quick = not input.is_complex()
    return F.lerp(input, end, weight) if quick else F.add(input, F.mul(F.sub(end, input), weight))
