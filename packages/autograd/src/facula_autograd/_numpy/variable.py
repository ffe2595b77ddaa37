"""`Variable`: gradients for plain Python numbers and for arrays of any library, such as NumPy's.

An array must support the Python operators, `.shape`, `.dtype`, `.sum`, `.reshape` and `.conjugate`. This module imports
no array library itself.
"""

from __future__ import annotations

from importlib import import_module

from facula_errors import InvalidTypeError, MissingAttributeError
from facula_errors.extend import boundary

from .array_methods import ArrayMethods
from .arrays import numpy, shape_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from .._graph.node import Node, _Leaf
    from .._types import AnyValue, Ufunc


class Namespace:
    """The operators of Variables in one of two forms. `_numpy/operators.py` defines them."""

    def __getattr__(self, name: str) -> Callable[..., Variable]:
        raise MissingAttributeError(f"Variable has no operator {name!r}")


#: The operators without recording, and those that record.
no_record_ops, recorded_ops = Namespace(), Namespace()


@boundary
class Variable(ArrayMethods):
    """A number or an array that can be differentiated.

    `value` is a Python number, or an array (kept, not copied). The operators `+ - * / @ **`, negation, indexing, `sum`
    and `reshape` record if an operand requires grad; other operands may be plain numbers and arrays. Over NumPy's
    arrays, NumPy's functions and array methods record too: the README lists them. For other functions, write a
    `Function`. Comparisons return plain values. Complex gradients follow PyTorch's convention: dL/dRe + i dL/dIm.

    >>> x = Variable(3.0, requires_grad=True)
    >>> (x ** 2 + 2 * x).backward()
    >>> x.grad
    Variable(8.0)
    """

    __slots__ = ("__weakref__", "value")

    value: AnyValue
    node: Node | _Leaf | None

    def __init__(self, value: object, requires_grad: bool = False) -> None:
        if isinstance(value, Variable):
            value = value.value
        if not isinstance(value, (int, float, complex)) and not hasattr(value, "shape"):
            raise InvalidTypeError(f"Variable: expected a number or an array; got {type(value).__name__}")
        self.value, self.node = value, None
        if requires_grad:
            self.requires_grad_()

    @property
    def shape(self) -> tuple[int, ...]:
        """The value's shape; () for a number."""
        return shape_of(self.value)

    def detach(self) -> Variable:
        """Return the same value, detached from the graph."""
        return Variable(self.value)

    def sum(
        self, axis: int | tuple[int, ...] | None = None, dtype: object = None, out: None = None, keepdims: bool = False,
        **more: object,
    ) -> Variable:  # fmt: skip
        """Return the sum of all elements, or along some axes.

        Arguments:
            axis: the axis or axes to sum along; all if None.
            dtype: as in `numpy.sum`, like the other arguments.
            keepdims: keep the axes, with length 1.
        """
        if more or dtype is not None or out is not None:
            return numpy().sum(self, axis, dtype, out, keepdims, **more)  # type: ignore[return-value]
        if not self.shape:
            return self
        return recorded_ops.sum(self, axis=axis, keepdims=keepdims)

    def reshape(self, *shape: object, **more: object) -> Variable:
        """Return the elements in another shape, given as integers or one tuple. `order`: as in `numpy.reshape`."""
        sizes = shape[0] if len(shape) == 1 else shape
        if more:
            return numpy().reshape(self, sizes, **more)  # type: ignore[return-value]
        return recorded_ops.reshape(self, shape=sizes)

    def __getitem__(self, key: object) -> Variable:
        return recorded_ops.index(self, key=key)

    def __add__(self, other: object) -> Variable:
        return recorded_ops.add(self, operand(other))

    def __sub__(self, other: object) -> Variable:
        return recorded_ops.sub(self, operand(other))

    def __mul__(self, other: object) -> Variable:
        return recorded_ops.mul(self, operand(other))

    def __truediv__(self, other: object) -> Variable:
        return recorded_ops.div(self, operand(other))

    def __matmul__(self, other: object) -> Variable:
        return recorded_ops.matmul(self, operand(other))

    def __radd__(self, other: object) -> Variable:
        return recorded_ops.add(operand(other), self)

    def __rsub__(self, other: object) -> Variable:
        return recorded_ops.sub(operand(other), self)

    def __rmul__(self, other: object) -> Variable:
        return recorded_ops.mul(operand(other), self)

    def __rtruediv__(self, other: object) -> Variable:
        return recorded_ops.div(operand(other), self)

    def __rmatmul__(self, other: object) -> Variable:
        return recorded_ops.matmul(operand(other), self)

    def __pow__(self, exponent: object) -> Variable:
        if isinstance(exponent, (int, float, complex)):
            return recorded_ops.pow(self, exponent=exponent)
        return numpy().power(self, exponent)  # type: ignore[return-value]

    def __rpow__(self, base: object) -> Variable:
        return numpy().power(base, self)  # type: ignore[return-value]

    def __neg__(self) -> Variable:
        return recorded_ops.neg(self)

    def __repr__(self) -> str:
        return f"Variable({self.value!r})"

    # ---- NumPy's protocols

    def __array_ufunc__(self, ufunc: Ufunc, method: str, *inputs: object, **kwargs: object) -> object:
        arithmetic = ARITHMETIC.get(ufunc)
        if arithmetic is not None and method == "__call__" and not kwargs:  # usually an array's operator
            a, b = inputs
            return arithmetic(operand(a), operand(b))
        return _numpy_protocol("ufunc")(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Ufunc, types: object, args: object, kwargs: object) -> object:
        return _numpy_protocol("function")(function, types, args, kwargs)

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        raise InvalidTypeError(
            "numpy.array: expected plain values; got a Variable, whose gradient would be lost. Use numpy.stack or "
            "numpy.concatenate for an array of several Variables, numpy.where instead of assignment to elements; "
            "elsewhere .value (or .detach().value), which is the plain array"
        )


def computed(value: AnyValue) -> Variable:
    """Return a Variable of an operator's result, a number or an array: a faster `Variable(value)`."""
    out: Variable = _new(Variable)
    out.value, out.node = value, None
    return out


_new = object.__new__

#: The handlers of NumPy's protocols, "ufunc" and "function". `functions/` sets them.
PROTOCOLS: dict[str, Callable[..., object]] = {}


def _numpy_protocol(name: str) -> Callable[..., object]:
    """Return the handler of a protocol. The declarations of NumPy's functions are loaded on NumPy's first call."""
    if name not in PROTOCOLS:
        import_module(".functions", __package__)
    return PROTOCOLS[name]


#: The operators above by their ufunc, after the first use of NumPy's protocol.
ARITHMETIC: dict[Ufunc, Callable[..., Variable]] = {}


def operand(other: object) -> Variable:
    """Return `other` as a Variable; it may be a number, an array, or a list that NumPy converts."""
    if isinstance(other, Variable):
        return other
    if type(other) in (float, int):
        return computed(other)
    if isinstance(other, (list, tuple)):
        other = numpy().asarray(other)
    return Variable(other)
