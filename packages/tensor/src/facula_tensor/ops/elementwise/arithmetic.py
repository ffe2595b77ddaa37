"""Addition, subtraction, multiplication, elementwise extremes, and signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import DTypeError, InvalidTypeError
from facula_storage import DType, Layout, bool_, int64
from facula_storage.extend.layouts import BOOL

from ..._core.tensor import Tensor
from ..._dispatch.declaration import elementwise, under
from ..._dispatch.namespaces import composite, identity_grad, operators, zero_grad
from ..._dispatch.slow_path.alpha import with_alpha
from ..._dispatch.written import function
from .complex_views import magnitude
from .pointwise import is_real

if TYPE_CHECKING:
    from ..._core.types import Function, Operand, Scalar
    from ..._dispatch.kinds import Checked
    from ..._dispatch.namespaces import Namespace


def numeric(dtype: DType) -> bool:
    """Return True for any dtype but bool."""
    return dtype.category != BOOL


@elementwise
class add:
    """Add the elements of each pair; for bool, logical or.

    Operands broadcast and promote. Integers wrap. Raises ValueError if the shapes do not broadcast.

    >>> from facula_tensor import tensor
    >>> tensor([1.0, 2.0]) + 10
    tensor([11., 12.])
    """

    inputs = ("input", "other")
    dunders = ("__add__", "__radd__")
    inplace_dunders = ("__iadd__",)
    scaled = 1  # accepts alpha, a factor of the other operand
    vjp_input = vjp_other = identity_grad


@elementwise
class sub:
    """Subtract the second element of each pair from the first. Not defined for bool.

    >>> from facula_tensor import tensor
    >>> 1 - tensor([1.0, 2.0])
    tensor([ 0., -1.])
    """

    inputs = ("input", "other")
    dunders = ("__sub__",)
    reflected = ("__rsub__",)
    inplace_dunders = ("__isub__",)
    scaled = -1
    accepts = numeric
    vjp_input = identity_grad

    def validate_values(*operands):
        if any(isinstance(operand, bool) or getattr(operand, "dtype", None) is bool_ for operand in operands):
            raise DTypeError(
                "sub: not defined for bool; convert with .long(), or use ^ (logical_xor), or ~ to invert a mask"
            )

    def vjp_other(F, g):
        return -g


@elementwise
class _add_scaled:
    """input + other * alpha in one pass: `add` and `sub` with a factor, which is a number."""

    inputs = ("input", "other", "alpha")

    vjp_input = identity_grad

    def vjp_other(F, g, alpha):
        return g * alpha


@function(method=True)
def positive(input: Checked) -> Tensor:
    """Return `input` itself, as `+input` does. Bool raises a TypeError.

    >>> from facula_tensor import tensor
    >>> positive(tensor([-1.0]))
    tensor([-1.])
    """
    if input.dtype.category == BOOL:
        raise DTypeError("positive: not defined for bool; convert with .long(), or use ~ to invert a mask")
    return input


@function(overridable=True)
def rsub(F: Namespace, input: Checked, other: Operand, *, alpha: Scalar = 1) -> Tensor:
    """Return `other - alpha * input`: `sub` with its operands exchanged, and with its errors.

    Arguments:
        input: the subtrahend.
        other: the minuend.
        alpha: the factor of `input`.

    >>> from facula_tensor import tensor
    >>> rsub(tensor([1.0, 2.0]), 5, alpha=2)
    tensor([3., 1.])
    """
    if type(alpha) is not int or alpha != 1:
        return with_alpha(operators["sub"], other, input, alpha, None)
    return F.sub(other, input)


@elementwise
class mul:
    """Multiply the elements of each pair; for bool, logical and.

    >>> from facula_tensor import tensor
    >>> tensor([1.0, 2.0]) * tensor([[1.0], [10.0]])
    tensor([[ 1.,  2.],
            [10., 20.]])
    """

    inputs = ("input", "other")
    dunders = ("__mul__", "__rmul__")
    inplace_dunders = ("__imul__",)
    widens = ("input", "other")

    def vjp_input(F, g, _input, other):
        return g * other

    def vjp_other(F, g, input, _other):
        return g * input


def tensors_only(operation: str, *operands: object) -> None:
    """Raise a TypeError if an operand is a number, which has no layout."""
    if not all(isinstance(operand, Layout) for operand in operands):
        raise InvalidTypeError(f"{operation}: expected two tensors; for a tensor and a number use clamp()")


def _extreme(name: str, which: str, step: int, result: str) -> Function:
    @elementwise
    @under(
        name,
        f"""Return the {which} element of each pair; NaN propagates. Equal elements share the gradient.

    >>> from facula_tensor import tensor
    >>> {name}(tensor([1.0, 5.0]), tensor([3.0, 4.0]))
    tensor({result})
    """,
    )
    class body:
        inputs = ("input", "other")
        accepts = is_real

        def validate_layouts(*operands):
            tensors_only(name, *operands)

        def vjp_input(F, g, input, other):
            return F.larger_grad(g, *(input, other)[::step])

        def vjp_other(F, g, input, other):
            return F.larger_grad(g, *(other, input)[::step])

    return body


maximum = _extreme("maximum", "larger", 1, "[3., 5.]")
minimum = _extreme("minimum", "smaller", -1, "[1., 4.]")


@elementwise
class _larger_grad:
    """0 if first < second, half of input if they are equal, otherwise input, also at NaN."""

    inputs = ("input", "first", "second")
    inplace = False

    def vjp_input(F, g, first, second):
        return F.larger_grad(g, first, second)

    vjp_first = vjp_second = zero_grad


@elementwise
class neg:
    """Return the negative of each element. Not defined for bool.

    >>> from facula_tensor import tensor
    >>> -tensor([1.0, -2.0])
    tensor([-1.,  2.])
    """

    dunders = ("__neg__",)
    accepts = numeric

    def vjp_input(F, g):
        return -g


def bool_to_int64(dtype: DType) -> DType:
    """Return int64 for bool, and other dtypes unchanged."""
    return int64 if dtype is bool_ else dtype


@elementwise
class square:
    """Return the square of each element; int64 for bool.

    >>> from facula_tensor import tensor
    >>> square(tensor([1.0, -3.0]))
    tensor([1., 9.])
    """

    compute_dtype = bool_to_int64

    def vjp_input(F, g, input):
        return g * (input * 2)


@elementwise
class abs:
    """Return the magnitude of each element, which is real for complex elements. The slope at 0 is 0.

    >>> from facula_tensor import tensor
    >>> abs(tensor([-1.5, 2.0]))
    tensor([1.5000, 2.0000])
    """

    dunders = ("__abs__",)
    accepts = numeric
    result_dtype = magnitude
    inplace = True
    holomorphic = False

    def vjp_input(F, g, input):
        return g * F.direction(input)


@elementwise
class sign:
    """Return -1, 0 or 1 for negative, zero and positive elements; NaN for NaN.

    >>> from facula_tensor import tensor
    >>> sign(tensor([-3.0, 0.0, 2.0]))
    tensor([-1.,  0.,  1.])
    """

    accepts = is_real

    vjp_input = zero_grad


# ------------------------------------------------------------------------ composites of derivative rules
def _declare_composites() -> None:
    @composite
    def direction(F: Namespace, x: Tensor) -> Tensor:
        """Return x / |x|, and 0, with a slope of 0, at 0."""
        if not x.is_complex():
            return F.sign(x)
        size = F.abs(x)
        none = F.eq(size, 0)
        # Divide by 1 at 0: `where` would discard the quotient 0 / 0, but the next derivative would still be NaN.
        return F.div(F.where(none, 0, x), F.where(none, F.add(F.zeros_like(size), 1), size))


_declare_composites()
