"""`Variable`: gradients for plain Python numbers and for arrays of any library, NumPy's for one.

It needs of an array what the Python operators, `.shape`, `.dtype`, `.sum`, `.reshape` and
`.conjugate` give, and imports no array library itself.
"""

from __future__ import annotations

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from ._array_methods import ArrayMethods
from ._arrays import numpy, shape_of
from ._namespaces import recorded_ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


@boundary
class Variable(ArrayMethods):
    """A number or an array that can be differentiated.

    `value`: a Python number, or an array (kept, not copied). Operators `+ - * / @ **`, negation,
    indexing, `sum` and `reshape` record where an operand requires grad; other operands may be
    plain numbers and arrays. Over NumPy's arrays, so do NumPy's functions and the arrays' methods: the README
    lists them. Other functions: write a `Function`. Comparisons give plain values. Complex gradients follow
    PyTorch's convention: dL/dRe + i dL/dIm.

    >>> x = Variable(3.0, requires_grad=True)
    >>> (x ** 2 + 2 * x).backward()
    >>> x.grad
    Variable(8.0)
    """

    __slots__ = ("__weakref__", "value")

    value: Any

    def __init__(self, value: Any, requires_grad: bool = False) -> None:
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
        """The same value, not connected to what computed it."""
        return Variable(self.value)

    def sum(
        self, axis: int | tuple[int, ...] | None = None, dtype: Any = None, out: None = None, keepdims: bool = False,
        **more: Any,
    ) -> Variable:  # fmt: skip
        """The sum of all elements, or along the axes named. `dtype`, and whatever else `numpy.sum` takes: as there."""
        if more or dtype is not None or out is not None:
            return numpy().sum(self, axis, dtype, out, keepdims, **more)
        if not self.shape:
            return self
        return recorded_ops.sum(self, axis=axis, keepdims=keepdims)

    def reshape(self, *shape: Any, **more: Any) -> Variable:
        """The elements in another shape: integers or one tuple. `order`: as in `numpy.reshape`."""
        if len(shape) == 1:
            (shape,) = shape
        return numpy().reshape(self, shape, **more) if more else recorded_ops.reshape(self, shape=shape)

    def __getitem__(self, key: Any) -> Variable:
        return recorded_ops.index(self, key=key)

    def __add__(self, other: Any) -> Variable:
        return recorded_ops.add(self, operand(other))

    def __sub__(self, other: Any) -> Variable:
        return recorded_ops.sub(self, operand(other))

    def __mul__(self, other: Any) -> Variable:
        return recorded_ops.mul(self, operand(other))

    def __truediv__(self, other: Any) -> Variable:
        return recorded_ops.div(self, operand(other))

    def __matmul__(self, other: Any) -> Variable:
        return recorded_ops.matmul(self, operand(other))

    def __radd__(self, other: Any) -> Variable:
        return recorded_ops.add(operand(other), self)

    def __rsub__(self, other: Any) -> Variable:
        return recorded_ops.sub(operand(other), self)

    def __rmul__(self, other: Any) -> Variable:
        return recorded_ops.mul(operand(other), self)

    def __rtruediv__(self, other: Any) -> Variable:
        return recorded_ops.div(operand(other), self)

    def __rmatmul__(self, other: Any) -> Variable:
        return recorded_ops.matmul(operand(other), self)

    def __pow__(self, exponent: Any) -> Variable:
        if isinstance(exponent, (int, float, complex)):
            return recorded_ops.pow(self, exponent=exponent)
        return numpy().power(self, exponent)

    def __rpow__(self, base: Any) -> Variable:
        return numpy().power(base, self)

    def __neg__(self) -> Variable:
        return recorded_ops.neg(self)

    def __repr__(self) -> str:
        return f"Variable({self.value!r})"

    # ---- NumPy's protocols

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        arithmetic = ARITHMETIC.get(ufunc)
        if arithmetic is not None and method == "__call__" and not kwargs:  # an array's operator, most often
            a, b = inputs
            return arithmetic(operand(a), operand(b))
        from ._numpy import call_ufunc

        return call_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from ._numpy import call_function

        return call_function(function, types, args, kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise InvalidTypeError(
            "numpy.array: expected plain values; got a Variable, whose gradient would be lost. Use numpy.stack or "
            "numpy.concatenate for an array of several Variables, numpy.where instead of assignment to elements; "
            "elsewhere .value (or .detach().value), which is the plain array"
        )


#: The operators above by their ufunc, once NumPy's protocol has been used.
ARITHMETIC: dict[Any, Any] = {}


def operand(other: Any) -> Variable:
    """`other` as a Variable: a number, an array, or a list that NumPy makes an array of."""
    if isinstance(other, Variable):
        return other
    if isinstance(other, (list, tuple)):
        other = numpy().asarray(other)
    return Variable(other)
