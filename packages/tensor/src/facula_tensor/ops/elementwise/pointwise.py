"""Unary functions: exponentials, roots, sine and cosine, and activations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_storage import DType
from facula_storage.extend.layouts import COMPLEX

from ..._core.promotion import floating
from ..._dispatch.declaration import elementwise

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._core.tensor import Tensor
    from ..._core.types import Function
    from ..._dispatch.namespaces import Namespace


def is_real(dtype: DType) -> bool:
    """Return True for any dtype but complex dtypes."""
    return dtype.category != COMPLEX


def unary(what: str, example: str, result: str, **keys: Any) -> Callable[[Function], Function]:
    """Declare an operator on each element, computed in a floating dtype, by the rule of its gradient.

    The operator has the name of the decorated function, which is the VJP rule if it takes `g`, and otherwise the
    partial derivative.

    Arguments:
        what: what the operator returns, for the docstring.
        example: the elements of the tensor in the docstring's example.
        result: those of its result.
        keys: further keys of the declaration.
    """

    def declare(rule: Function) -> Function:
        code = rule.__code__
        real = " Not defined for complex numbers." if keys.get("accepts") is is_real else ""
        doc = f"""Return {what}.

    Integers are computed in the default floating dtype.{real}

    >>> from facula_tensor import tensor
    >>> {code.co_name}(tensor({example}))
    tensor({result})
    """
        kind = "vjp" if "g" in code.co_varnames[: code.co_argcount] else "partial"
        said = {"__doc__": doc, "__module__": rule.__module__, "__place__": (code.co_filename, code.co_firstlineno)}
        return elementwise(type(code.co_name, (), {"compute_dtype": floating, f"{kind}_input": rule, **said, **keys}))

    return declare


@unary("e to the power of each element", "[0.0, 1.0]", "[1.0000, 2.7183]")
def exp(F: Namespace, g: Tensor, out: Tensor) -> Tensor:
    return g * out


@unary(
    "the natural logarithm of each element; -inf at 0, NaN for negative elements (complex: principal branch)",
    "[1.0, 10.0]",
    "[0.0000, 2.3026]",
)
def log(F: Namespace, g: Tensor, input: Tensor) -> Tensor:
    return g / input


@unary(
    "the hyperbolic tangent of each element", "[0.0, 1.0]", "[0.0000, 0.7616]", holomorphic=False
)  # the gradient conjugates
def tanh(F: Namespace, g: Tensor, out: Tensor) -> Tensor:
    return F.tanh_grad(g, out)


@elementwise
class _tanh_grad:
    """g * conj(1 - out * out), in one pass."""

    inputs = ("input", "other")
    holomorphic = False

    def vjp_input(F, g, _input, other):
        return F.conj(F.tanh_grad(F.conj(g), other))

    def vjp_other(F, g, input, other):
        return F.conj(g) * input * F.conj(other) * -2


@elementwise
class relu:
    """Return each element, or 0 if it is negative. The slope at 0 is 0.

    >>> from facula_tensor import tensor
    >>> relu(tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    accepts = is_real

    def vjp_input(F, g, out):
        return F.relu_grad(g, out)


@elementwise
class _relu_grad:
    """g if out > 0, otherwise 0."""

    inputs = ("input", "other")

    def vjp_input(F, g, _input, other):
        return F.relu_grad(g, other)

    def vjp_other(F, g, _input, _other):
        return F.zeros_like(g)


@unary(
    "the square root of each element; NaN for negative elements (complex tensors: principal branch)",
    "[4.0, 2.0]",
    "[2.0000, 1.4142]",
)
def sqrt(F: Namespace, g: Tensor, out: Tensor) -> Tensor:
    return g / (out * 2)


@unary("1 / (1 + exp(-x)) for each element, without overflow", "[0.0, 2.0]", "[0.5000, 0.8808]")
def sigmoid(F: Namespace, g: Tensor, out: Tensor) -> Tensor:
    return g * (out * (1 - out)) if out.is_complex() else F.sigmoid_grad(g, out)


@elementwise
class _sigmoid_grad:
    """g * out * (1 - out) of real numbers, in one pass."""

    inputs = ("input", "other")

    def vjp_input(F, g, _input, other):
        return F.sigmoid_grad(g, other)

    def vjp_other(F, g, input, other):
        return g * input * (1 - other * 2)


@unary("the sine of each element, in radians", "[0.0, 1.0]", "[0.0000, 0.8415]")
def sin(F: Namespace, g: Tensor, input: Tensor) -> Tensor:
    return g * F.cos(input)


@unary("the cosine of each element, in radians", "[0.0, 1.0]", "[1.0000, 0.5403]")
def cos(F: Namespace, g: Tensor, input: Tensor) -> Tensor:
    return -(g * F.sin(input))


@unary("log(1 + x) for each element, accurate near 0", "[0.0, 1.0]", "[0.0000, 0.6931]")
def log1p(F: Namespace, g: Tensor, input: Tensor) -> Tensor:
    return g / (input + 1)


@unary("exp(x) - 1 for each element, accurate near 0", "[0.0, 1.0]", "[0.0000, 1.7183]")
def expm1(F: Namespace, g: Tensor, out: Tensor) -> Tensor:
    return g * (out + 1)


@unary("1 / sqrt(x) for each element", "[4.0]", "[0.5000]")
def rsqrt(F: Namespace, g: Tensor, out: Tensor) -> Tensor:
    return g * -0.5 * (out * (out * out))


@unary("1 / x for each element", "[4.0]", "[0.2500]")
def reciprocal(F: Namespace, g: Tensor, out: Tensor) -> Tensor:
    return -(g * (out * out))
