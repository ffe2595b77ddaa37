"""Converters of elementwise operators, from the names of values to the name of another one."""

from __future__ import annotations

from functools import partial
from math import inf, log, pi, sqrt
from typing import TYPE_CHECKING

from facula_storage import bool_, float64
from facula_storage.extend.layouts import FLOATING

from .._nodes import widened
from .table import FAMILIES, converter, converters

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from facula_storage import DType

    from .._nodes import Builder
    from .table import Call

    Emit: TypeAlias = Callable[..., str]  # (builder, dtype of numbers, *names) -> name; "" to export the parts

elementwise: dict[str, Emit] = {}
AS_NUMBERS = ("sign", "where")  # operators whose nodes do not support bools in onnxruntime
# Operators whose results are bools for operands of all dtypes.
COMPARISONS = ("are_probabilities", "eq", "ge", "gt", "isnan", "le", "lt", "ne")


def emits(*operators: str) -> Callable[[Emit], Emit]:
    """Register the decorated function for elementwise operators."""

    def register(function: Emit) -> Emit:
        for operator in operators:
            elementwise[operator] = function
        return function

    return register


def emits_family(name: str) -> Callable[[Emit], Emit]:
    """Register the decorated function for a family; its first argument is the node of the family."""

    def register(function: Emit) -> Emit:
        for operator, op_type in FAMILIES[name].items():
            elementwise[operator] = partial(function, op_type)
        return function

    return register


@emits_family("each element")
def _node(op_type: str, b: Builder, dtype: DType, *names: str) -> str:
    return b.add(op_type, *names)


@emits_family("numbers or bools")
def _node_or_mask(op_types: str, b: Builder, dtype: DType, *names: str) -> str:
    return b.add(op_types.split()[dtype is bool_], *names)


def call_elementwise(b: Builder, call: Call) -> str:
    """Convert a whole call of an operator in the table above. Integers of less than 32 bits are computed in int32."""
    dtype, result = call.dtype, call.results[0].dtype
    if call.numbers:
        raise call.refuse("it is unknown which of its operands are numbers", "pass tensors in their places")
    if call.operator == "where":
        dtype = result
    taken = widened(dtype) if dtype is not bool_ or call.operator in AS_NUMBERS else bool_
    names = []
    for one, layout in zip(call.operands, call.layouts, strict=True):
        name = one if isinstance(one, str) else b.number(one or 0, taken)
        names.append(name if layout is None or layout.dtype is not dtype else b.cast(name, taken, dtype))
    if call.operator == "where" and dtype is bool_:
        names[0] = call.name(0)
    made = elementwise[call.operator](b, taken, *names)
    computed = bool_ if call.operator in COMPARISONS else taken
    return made and b.cast(made, result, computed)


# ----------------------------------------------------------------------------------------------------- comparisons
@emits_family("comparison")
def _compare(op_types: str, b: Builder, dtype: DType, x: str, y: str) -> str:
    op_type, *negation = op_types.split()
    if dtype is bool_ and op_type != "Equal":
        x, y = [b.add("Cast", one, to=2) for one in (x, y)]
    made = b.add(op_type, x, y)
    return b.add(negation[0], made) if negation else made


# ------------------------------------------------------------------------------------------- exponents and roots
@emits("rsqrt")
def _rsqrt(b: Builder, dtype: DType, x: str) -> str:
    return b.add("Reciprocal", b.add("Sqrt", x))


@emits("square")
def _square(b: Builder, dtype: DType, x: str) -> str:
    return b.add("Mul", x, x)


@emits("exp2")
def _exp2(b: Builder, dtype: DType, x: str) -> str:
    return b.add("Pow", b.number(2, dtype), x)


@emits("expm1")
def _expm1(b: Builder, dtype: DType, x: str) -> str:
    return b.add("Sub", b.add("Exp", x), b.number(1, dtype))


@emits("log1p")
def _log1p(b: Builder, dtype: DType, x: str) -> str:
    return b.add("Log", b.add("Add", x, b.number(1, dtype)))


@emits("log1p_exp")
def _log1p_exp(b: Builder, dtype: DType, x: str) -> str:
    """Emit log(1 + exp(-|x|)), the form in programs."""
    return _log1p(b, dtype, b.add("Exp", b.add("Neg", b.add("Abs", x))))


def _log_of(base: float, b: Builder, dtype: DType, x: str) -> str:
    return b.add("Div", b.add("Log", x), b.number(log(base), dtype))


elementwise["log2"], elementwise["log10"] = partial(_log_of, 2), partial(_log_of, 10)


@emits("logit")
def _logit(b: Builder, dtype: DType, x: str) -> str:
    return b.add("Log", b.add("Div", x, b.add("Sub", b.number(1, dtype), x)))


@emits("logaddexp")
def _logaddexp(b: Builder, dtype: DType, x: str, y: str) -> str:
    return b.add("Add", b.add("Max", x, y), _log1p_exp(b, dtype, b.add("Sub", x, y)))


@emits("hypot")
def _hypot(b: Builder, dtype: DType, x: str, y: str) -> str:
    return b.add("Sqrt", b.add("Add", b.add("Mul", x, x), b.add("Mul", y, y)))


@emits("squared_difference")
def _squared_difference(b: Builder, dtype: DType, x: str, y: str) -> str:
    return _square(b, dtype, b.add("Sub", x, y))


@emits("logaddexp2")
def _logaddexp2(b: Builder, dtype: DType, x: str, y: str) -> str:
    scale = b.number(log(2), dtype)
    return b.add("Div", _logaddexp(b, dtype, b.add("Mul", x, scale), b.add("Mul", y, scale)), scale)


@emits("xlog1py")
def _xlog1py(b: Builder, dtype: DType, x: str, y: str) -> str:
    return _xlogy(b, dtype, x, b.add("Add", y, b.number(1, dtype)))


@emits("entr")
def _entr(b: Builder, dtype: DType, x: str) -> str:
    below = b.add("Less", x, b.number(0, dtype))
    return b.add("Where", below, b.number(-inf, dtype), b.add("Neg", _xlogy(b, dtype, x, x)))


@emits("sinc")
def _sinc(b: Builder, dtype: DType, x: str) -> str:
    angle = b.add("Mul", x, b.number(pi, dtype))
    one, at_zero = b.number(1, dtype), b.add("Equal", x, b.number(0, dtype))
    return b.add("Where", at_zero, one, b.add("Div", b.add("Sin", angle), angle))


@emits("ndtr")
def _ndtr(b: Builder, dtype: DType, x: str) -> str:
    share = b.add("Erf", b.add("Div", x, b.number(sqrt(2), dtype)))
    return b.add("Mul", b.add("Add", share, b.number(1, dtype)), b.number(0.5, dtype))


@emits("xlogy")
def _xlogy(b: Builder, dtype: DType, x: str, y: str) -> str:
    zero = b.number(0, dtype)
    return b.add("Where", b.add("Equal", x, zero), zero, b.add("Mul", x, b.add("Log", y)))


@emits("erfc")
def _erfc(b: Builder, dtype: DType, x: str) -> str:
    return b.add("Sub", b.number(1, dtype), b.add("Erf", x))


@emits("atan2")
def _atan2(b: Builder, dtype: DType, y: str, x: str) -> str:
    """Emit the angle of (x, y): that of y / x, plus half a turn for negative x; a quarter turn for x = 0."""
    zero, half = b.number(0, dtype), b.number(pi, dtype)
    turned = b.add("Where", b.add("Less", y, zero), b.add("Neg", half), half)
    angle = b.add("Atan", b.add("Div", y, x))
    angle = b.add("Where", b.add("Less", x, zero), b.add("Add", angle, turned), angle)
    return b.add("Where", b.add("And", b.add("Equal", x, zero), b.add("Equal", y, zero)), zero, angle)


# ------------------------------------------------------------------------------------------------- whole numbers
@emits_family("rounding")
def _rounded(op_type: str, b: Builder, dtype: DType, x: str) -> str:
    return b.add(op_type, x) if dtype.category == FLOATING else x


@emits("trunc")
def _trunc(b: Builder, dtype: DType, x: str) -> str:
    return b.add("Mul", b.add("Sign", x), b.add("Floor", b.add("Abs", x))) if dtype.category == FLOATING else x


@emits("frac")
def _frac(b: Builder, dtype: DType, x: str) -> str:
    return b.add("Sub", x, _trunc(b, dtype, x))


@emits("floor_divide")
def _floor_divide(b: Builder, dtype: DType, x: str, y: str) -> str:
    if dtype.category == FLOATING:
        return b.add("Floor", b.add("Div", x, y))
    return b.add("Div", b.add("Sub", x, b.add("Mod", x, y)), y)


@emits("trunc_divide")
def _trunc_divide(b: Builder, dtype: DType, x: str, y: str) -> str:
    made = b.add("Div", x, y)
    return _trunc(b, dtype, made) if dtype.category == FLOATING else made


@emits("remainder")
def _remainder(b: Builder, dtype: DType, x: str, y: str) -> str:
    if dtype.category == FLOATING:
        return b.add("Sub", x, b.add("Mul", _floor_divide(b, dtype, x, y), y))
    return b.add("Mod", x, y)


@emits("fmod")
def _fmod(b: Builder, dtype: DType, x: str, y: str) -> str:
    return b.add("Mod", x, y, fmod=1)


# ------------------------------------------------------------------------------------------------------- clamping
@emits("clamp", "hardtanh")
def _clamp(b: Builder, dtype: DType, x: str, low: str, high: str) -> str:
    first, last = b.constant_of(low), b.constant_of(high)
    if first is None or last is None:
        return b.add("Min", b.add("Max", x, low), high)
    return b.add("Clip", x, "" if first == -inf else low, "" if last == inf else high)


def _propagating_nan(op_type: str, b: Builder, dtype: DType, x: str, y: str) -> str:
    if dtype is bool_:
        return b.add("Or" if op_type == "Max" else "And", x, y)
    made = b.add(op_type, x, y)
    if dtype.category != FLOATING:
        return made
    return b.add("Where", b.add("IsNaN", x), y, b.add("Where", b.add("IsNaN", y), x, made))


elementwise["fmax"], elementwise["fmin"] = partial(_propagating_nan, "Max"), partial(_propagating_nan, "Min")


@emits("nan_to_num")
def _nan_to_num(b: Builder, dtype: DType, x: str, nan: str, high: str, low: str) -> str:
    for sign, number in ((1, high), (-1, low)):
        x = b.add("Where", b.add("Equal", x, b.number(sign * inf, dtype)), number, x)
    return b.add("Where", b.add("IsNaN", x), nan, x)


# ---------------------------------------------------------------------------------------------------- activations
@emits("relu")
def _relu(b: Builder, dtype: DType, x: str) -> str:
    return b.add("Relu", x) if dtype.category == FLOATING else b.add("Max", x, b.number(0, dtype))


@emits("silu")
def _silu(b: Builder, dtype: DType, x: str) -> str:
    return b.add("Mul", x, b.add("Sigmoid", x))


@emits("gelu")
def _gelu(b: Builder, dtype: DType, x: str) -> str:
    if b.opset >= 20:
        return b.add("Gelu", x)
    share = b.add("Add", b.add("Erf", b.add("Div", x, b.number(sqrt(2), dtype))), b.number(1, dtype))
    return b.add("Mul", b.add("Mul", x, share), b.number(0.5, dtype))


@emits("gelu_tanh")
def _gelu_tanh(b: Builder, dtype: DType, x: str) -> str:
    if b.opset >= 20:
        return b.add("Gelu", x, approximate="tanh")
    cube = b.add("Mul", b.add("Mul", x, b.add("Mul", x, x)), b.number(0.044715, dtype))
    share = b.add("Tanh", b.add("Mul", b.add("Add", x, cube), b.number(sqrt(2 / pi), dtype)))
    return b.add("Mul", b.add("Mul", x, b.add("Add", share, b.number(1, dtype))), b.number(0.5, dtype))


@emits("leaky_relu")
def _leaky_relu(b: Builder, dtype: DType, x: str, slope: str) -> str:
    number = b.constant_of(slope)
    if number is not None and dtype is not float64:
        return b.add("LeakyRelu", x, alpha=float(number))
    return b.add("Where", b.add("Less", x, b.number(0, dtype)), b.add("Mul", x, slope), x)


@emits("elu")
def _elu(b: Builder, dtype: DType, x: str, alpha: str) -> str:
    number = b.constant_of(alpha)
    return "" if number is None else b.add("Elu", x, alpha=float(number))


@emits("softplus")
def _softplus(b: Builder, dtype: DType, x: str, beta: str, threshold: str) -> str:
    return b.add("Softplus", x) if (b.constant_of(beta), b.constant_of(threshold)) == (1, 20) else ""


@emits("hardsigmoid")
def _hardsigmoid(b: Builder, dtype: DType, x: str) -> str:
    return b.add("HardSigmoid", x, alpha=1 / 6, beta=0.5)


@emits("log_sigmoid")
def _log_sigmoid(b: Builder, dtype: DType, x: str) -> str:
    return b.add("Neg", b.add("Softplus", b.add("Neg", x)))


# ------------------------------------------------------------------------------------------ three or more operands
@emits("add_scaled")
def _add_scaled(b: Builder, dtype: DType, x: str, y: str, alpha: str) -> str:
    return b.add("Add", x, b.add("Mul", y, alpha))


@emits("addcmul")
def _addcmul(b: Builder, dtype: DType, x: str, first: str, second: str, value: str) -> str:
    return b.add("Add", x, b.add("Mul", b.add("Mul", first, second), value))


@emits("addcdiv")
def _addcdiv(b: Builder, dtype: DType, x: str, first: str, second: str, value: str) -> str:
    return b.add("Add", x, b.add("Mul", b.add("Div", first, second), value))


@emits("lerp")
def _lerp(b: Builder, dtype: DType, x: str, end: str, weight: str) -> str:
    return b.add("Add", x, b.add("Mul", weight, b.add("Sub", end, x)))


@converter("fill")
def _fill(b: Builder, call: Call) -> str:
    """Convert a fill with a number."""
    made = call.results[0]
    name = b.number(call.operands[0], made.dtype) if call.operands else b.number(call.numbers[0], made.dtype)  # type: ignore[arg-type]
    return b.add("Expand", name, b.integers(*made.shape)) if made.shape else name


@converter("copy")
def _copy(b: Builder, call: Call) -> str:
    """Convert a copy to another memory order or dtype: values have no memory order."""
    name, given, made = call.name(0), call.layout(), call.results[0]
    name = b.cast(name, made.dtype, given.dtype)
    return name if given.shape == made.shape else b.add("Expand", name, b.integers(*made.shape))


for _name in elementwise:
    converters[_name] = call_elementwise
