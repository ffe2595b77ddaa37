"""Trigonometric and hyperbolic functions, and their inverses. Angles are in radians."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

from facula_errors import DTypeError
from facula_storage import Layout

from ..._core.errors import named
from ..._core.promotion import floating
from ..._core.tensor import Tensor
from ..._dispatch.declaration import elementwise
from ..._dispatch.namespaces import operators
from ..._dispatch.written import function
from .pointwise import is_real, unary

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._core.types import Function
    from ..._dispatch.kinds import Checked
    from ..._dispatch.namespaces import Namespace


@unary("the tangent of each element, in radians", "[0.0, 1.0]", "[0.0000, 1.5574]")
def tan(F: Namespace, g: Tensor, out: Tensor) -> Tensor:
    return g * (out * out + 1)


@unary("the arcsine of each element, from -pi/2 to pi/2; NaN outside [-1, 1]", "[0.0, 1.0]", "[0.0000, 1.5708]")
def asin(F: Namespace, g: Tensor, input: Tensor) -> Tensor:
    return g * F.rsqrt(1 - input * input)


@unary("the arccosine of each element, from 0 to pi; NaN outside [-1, 1]", "[0.0, 1.0]", "[1.5708, 0.0000]")
def acos(F: Namespace, g: Tensor, input: Tensor) -> Tensor:
    return -(g * F.rsqrt(1 - input * input))


@unary("the arctangent of each element, from -pi/2 to pi/2", "[0.0, 1.0]", "[0.0000, 0.7854]")
def atan(F: Namespace, g: Tensor, input: Tensor) -> Tensor:
    return g / (input * input + 1)


@unary("the hyperbolic sine of each element", "[0.0, 1.0]", "[0.0000, 1.1752]")
def sinh(F: Namespace, g: Tensor, input: Tensor) -> Tensor:
    return g * F.cosh(input)


@unary("the hyperbolic cosine of each element", "[0.0, 1.0]", "[1.0000, 1.5431]")
def cosh(F: Namespace, g: Tensor, input: Tensor) -> Tensor:
    return g * F.sinh(input)


@unary("the inverse hyperbolic sine of each element", "[0.0, 1.0]", "[0.0000, 0.8814]")
def asinh(F: Namespace, g: Tensor, input: Tensor) -> Tensor:
    return g * F.rsqrt(input * input + 1)


@unary("the inverse hyperbolic cosine of each element; NaN for elements below 1", "[1.0, 2.0]", "[0.0000, 1.3170]")
def acosh(F: Namespace, g: Tensor, input: Tensor) -> Tensor:
    if not input.is_complex():
        input = abs(input)  # the derivative of the formula outside the domain, as in PyTorch
    return g * (F.rsqrt(input - 1) * F.rsqrt(input + 1))


@unary("the inverse hyperbolic tangent of each element; NaN outside [-1, 1]", "[0.0, 0.5]", "[0.0000, 0.5493]")
def atanh(F: Namespace, g: Tensor, input: Tensor) -> Tensor:
    return g / (1 - input * input)


@elementwise
class atan2:
    """Return the angle of the point (other, input), from -pi to pi: the arctangent of input / other in its quadrant.

    Not defined for complex numbers.

    Arguments:
        input: the y coordinates.
        other: the x coordinates.
        out: the tensor that receives the result; None for a new tensor.

    >>> from facula_tensor import tensor
    >>> atan2(tensor([1.0, 1.0]), tensor([1.0, -1.0]))
    tensor([0.7854, 2.3562])
    """

    inputs = ("input", "other")
    compute_dtype = floating
    accepts = is_real

    def validate_layouts(input, other):
        if not (isinstance(input, Layout) and isinstance(other, Layout)):
            raise named(DTypeError("atan2: expected two tensors; got a number; make it one with tensor()"))

    def partial_input(F, input, other):
        return angle_slope(F, input, other, other)

    def partial_other(F, input, other):
        return -angle_slope(F, input, other, input)


def _scaled_function(name: str, factor: float, doc: str) -> Function:
    """Declare the function and method `name`, with the docstring `doc`, which multiplies by `factor`."""

    def scaled(F: Namespace, input: Checked) -> Tensor:
        """{doc}"""
        dtype = input.dtype
        if not is_real(dtype):
            raise DTypeError(f"{name}: not defined for {dtype.name}; pass real numbers")
        return F.mul(input if dtype.is_floating_point else F.to(input, (floating(dtype),)), factor)

    return function(name=name, method=True, changes=True, out=True, words={"doc": doc})(scaled)


deg2rad: Callable[..., Tensor] = _scaled_function("deg2rad", pi / 180, "Convert angles from degrees to radians.")
rad2deg: Callable[..., Tensor] = _scaled_function("rad2deg", 180 / pi, "Convert angles from radians to degrees.")

arccos: Callable[..., Tensor] = operators["acos"].public
arccosh: Callable[..., Tensor] = operators["acosh"].public
arcsin: Callable[..., Tensor] = operators["asin"].public
arcsinh: Callable[..., Tensor] = operators["asinh"].public
arctan: Callable[..., Tensor] = operators["atan"].public
arctan2: Callable[..., Tensor] = operators["atan2"].public
arctanh: Callable[..., Tensor] = operators["atanh"].public
for _function in (acos, acosh, asin, asinh, atan, atan2, atanh):
    for _underscore in ("", "_"):
        setattr(Tensor, "arc" + _function.__name__[1:] + _underscore, getattr(Tensor, _function.__name__ + _underscore))


def angle_slope(F: Namespace, y: Tensor, x: Tensor, side: Tensor) -> Tensor:
    """Return side / (x^2 + y^2), and 0 at the origin."""
    square = x * x + y * y
    return F.where(square == 0, 0, side / F.where(square == 0, square + 1, square))
