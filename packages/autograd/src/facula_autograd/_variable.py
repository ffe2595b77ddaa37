"""`Variable`: gradients for plain Python numbers and for arrays of any library, NumPy's for one.

It needs of an array what the Python operators, `.shape`, `.dtype`, `.sum`, `.reshape` and
`.conjugate` give, and imports no array library itself.
"""

from __future__ import annotations

import sys

from ._adapters import Adapter, reduces_to, register_adapter
from ._blocks import current_mode, special
from ._graph import Node, Rule, edge_to, record
from ._modes import is_grad_enabled
from ._packing import pack_saved
from ._values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


class Variable(Value):
    """A number or an array that can be differentiated.

    `value`: a Python number, or an array (kept, not copied). Operators `+ - * / @ **`, negation,
    indexing, `sum` and `reshape` record where an operand requires grad; other operands may be
    plain numbers and arrays. Other functions: write a `Function`. Complex gradients follow PyTorch's
    convention: dL/dRe + i dL/dIm.

    >>> x = Variable(3.0, requires_grad=True)
    >>> (x ** 2 + 2 * x).backward()
    >>> x.grad
    Variable(8.0)
    """

    __slots__ = ("__weakref__", "value")
    __array_ufunc__ = None  # let NumPy's operators leave the work to ours

    value: Any

    def __init__(self, value: Any, requires_grad: bool = False) -> None:
        if isinstance(value, Variable):
            value = value.value
        if not isinstance(value, (int, float, complex)) and not hasattr(value, "shape"):
            raise TypeError(f"Variable: expected a number or an array; got {type(value).__name__}")
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

    def sum(self, axis: int | None = None, keepdims: bool = False) -> Variable:
        """The sum of all elements, or along one axis."""
        if not self.shape:
            return self
        return recording.sum(self, axis=axis, keepdims=keepdims)

    def reshape(self, *shape: int) -> Variable:
        """The elements in another shape."""
        return recording.reshape(self, shape=shape)

    def __getitem__(self, key: Any) -> Variable:
        return recording.index(self, key=key)

    def __add__(self, other: Any) -> Variable:
        return recording.add(self, _operand(other))

    def __sub__(self, other: Any) -> Variable:
        return recording.sub(self, _operand(other))

    def __mul__(self, other: Any) -> Variable:
        return recording.mul(self, _operand(other))

    def __truediv__(self, other: Any) -> Variable:
        return recording.div(self, _operand(other))

    def __matmul__(self, other: Any) -> Variable:
        return _matmul(self, _operand(other))

    def __radd__(self, other: Any) -> Variable:
        return recording.add(_operand(other), self)

    def __rsub__(self, other: Any) -> Variable:
        return recording.sub(_operand(other), self)

    def __rmul__(self, other: Any) -> Variable:
        return recording.mul(_operand(other), self)

    def __rtruediv__(self, other: Any) -> Variable:
        return recording.div(_operand(other), self)

    def __rmatmul__(self, other: Any) -> Variable:
        return _matmul(_operand(other), self)

    def __pow__(self, exponent: float) -> Variable:
        if not isinstance(exponent, (int, float, complex)):
            raise TypeError(f"**: expected a plain number as the exponent; got {type(exponent).__name__}")
        return recording.pow(self, exponent=exponent)

    def __neg__(self) -> Variable:
        return recording.neg(self)

    def __repr__(self) -> str:
        return f"Variable({self.value!r})"


def _operand(other: Any) -> Variable:
    return other if isinstance(other, Variable) else Variable(other)


def _matmul(a: Variable, b: Variable) -> Variable:
    if not a.shape or not b.shape:
        raise ValueError(f"@: expected arrays of at least one dimension; got shapes {a.shape} and {b.shape}")
    # A vector is a matrix with one row or column, which goes again afterwards.
    rows = a if len(a.shape) > 1 else a[None, :]
    columns = b if len(b.shape) > 1 else b[:, None]
    product = recording.matmul(rows, columns)
    if rows is not a:
        product = product[..., 0, :]
    return product if columns is b else product[..., 0]


# ---- values


def shape_of(value: Any) -> tuple[int, ...]:
    return getattr(value, "shape", ())


def _library(value: Any) -> Any:
    """The array library that `value` comes from."""
    return sys.modules[type(value).__module__.partition(".")[0]]


def _blank(value: Any) -> Any:
    """Falses in the shape of `value`. Adding them changes nothing but the shape; not even the dtype."""
    return (value != value) & False


def _like_scalar(value: Any, like: Any) -> Any:
    """A Python number with the precision of `like`'s elements, so that it does not widen them."""
    if not isinstance(value, float) or not hasattr(like, "dtype") or hasattr(value, "dtype"):
        return value
    return like.dtype.type(value)


def _reduce(value: Any, like: Any) -> Any:
    """`value`, summed over what was broadcast to it from the shape of `like`, and real where `like` is."""
    shape = shape_of(like)
    extra = len(shape_of(value)) - len(shape)
    if extra:
        value = value.sum(axis=tuple(range(extra)))
    grown = tuple(k for k, n in enumerate(shape) if n == 1 and value.shape[k] != 1)
    if grown:
        value = value.sum(axis=grown, keepdims=True)
    return value.real if _is_complex(value) and not _is_complex(like) else value


def _is_complex(value: Any) -> bool:
    return isinstance(value, complex) or getattr(getattr(value, "dtype", None), "kind", "") == "c"


def _place(value: Any, like: Any, key: Any) -> Any:
    """Zeros in the shape of `like`, with `value` added at `key`."""
    library = _library(like)
    out = library.zeros(like.shape, getattr(value, "dtype", like.dtype))
    library.add.at(out, key, value)
    return out


# ---- operators: what they compute, and their rules in terms of each other


class Namespace:
    """The operators in one of two forms: which record, or which do not."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"Variable has no operator {name!r}")


raw, recording = Namespace(), Namespace()


def _operator(name: str, fresh: bool, compute: Callable[..., Any]) -> Callable[[Callable[..., Any]], Rule]:
    """Define an operator; decorates the rule `(F, node, g, *operands, **parameters) -> gradients`."""

    def define(gradients: Callable[..., Any]) -> Rule:
        def backward(F: Any, node: Node, g: Any) -> tuple:
            makers = gradients(F, g, *node.s0, **node.s1)
            if not isinstance(makers, tuple):
                makers = (makers,)
            edges = (node.e0, node.e1)
            return tuple((e, make()) for e, make in zip(edges, makers, strict=False) if e is not None)

        rule = Rule(name, backward, fresh, True)

        def plain(*operands: Variable, **parameters: Any) -> Variable:
            return Variable(compute(*[v.value for v in operands], **parameters))

        def recorded(*operands: Variable, **parameters: Any) -> Variable:
            out = plain(*operands, **parameters)
            edges = [edge_to(v) for v in operands]
            if any(e is not None for e in edges) and is_grad_enabled():
                node = record(out, rule, 3)  # the caller of the method
                node.e0, node.e1 = edges if len(edges) == 2 else (edges[0], None)
                node.s0, node.s1 = operands, parameters
                if special and (hooks := current_mode().saved_hooks):
                    pack_saved(node, hooks, Variable)
            return out

        setattr(raw, name, plain)
        setattr(recording, name, recorded)
        return rule

    return define


@_operator("add", False, lambda a, b: a + b)
def _add(F, g, a, b):
    return lambda: F.reduce(g, like=a.value), lambda: F.reduce(g, like=b.value)


@_operator("sub", False, lambda a, b: a - b)
def _sub(F, g, a, b):
    return lambda: F.reduce(g, like=a.value), lambda: F.neg(F.reduce(g, like=b.value))


@_operator("mul", True, lambda a, b: a * b)
def _mul(F, g, a, b):
    return (lambda: F.reduce(F.mul(g, F.conj(b)), like=a.value),
            lambda: F.reduce(F.mul(g, F.conj(a)), like=b.value))  # fmt: skip


@_operator("div", True, lambda a, b: a / b)
def _div(F, g, a, b):
    return (lambda: F.reduce(F.div(g, F.conj(b)), like=a.value),
            lambda: F.reduce(F.neg(F.mul(g, F.conj(F.div(F.div(a, b), b)))), like=b.value))  # fmt: skip


@_operator("matmul", True, lambda a, b: a @ b)
def _matmul_rule(F, g, a, b):
    return (lambda: F.reduce(F.matmul(g, F.swap(F.conj(b))), like=a.value),
            lambda: F.reduce(F.matmul(F.swap(F.conj(a)), g), like=b.value))  # fmt: skip


@_operator("neg", True, lambda a: -a)
def _neg(F, g, a):
    return lambda: F.neg(g)


@_operator("pow", True, lambda a, exponent: a**exponent)
def _pow(F, g, a, exponent):
    return lambda: F.mul(g, F.conj(F.mul(Variable(exponent), F.pow(a, exponent=exponent - 1))))


@_operator("conj", False, lambda a: a.conjugate() if _is_complex(a) else a)
def _conj(F, g, a):
    return lambda: F.conj(g)


@_operator("swap", False, lambda a: a.swapaxes(-1, -2))
def _swap(F, g, a):
    return lambda: F.swap(g)


@_operator("reshape", False, lambda a, shape: a.reshape(shape))
def _reshape(F, g, a, shape):
    return lambda: F.reshape(g, shape=a.shape) if g.shape else F.expand(g, like=a.value)


@_operator("reduce", False, _reduce)
def _reduce_rule(F, g, a, like):
    return lambda: F.expand(g, like=a.value)


@_operator("expand", False, lambda a, like: _like_scalar(a, like) + _blank(like))
def _expand(F, g, a, like):
    return lambda: F.reduce(g, like=a.value)


@_operator("sum", True, lambda a, axis, keepdims: a.sum(axis=axis, keepdims=keepdims))
def _sum(F, g, a, axis, keepdims):
    if axis is None:
        return lambda: F.expand(g, like=a.value)
    shape = tuple(1 if k == axis % len(a.shape) else n for k, n in enumerate(a.shape))
    return lambda: F.expand(F.reshape(g, shape=shape) if g.shape and not keepdims else g, like=a.value)


@_operator("index", True, lambda a, key: a[key])
def _index(F, g, a, key):
    return lambda: F.place(g, like=a.value, key=key)


@_operator("place", False, _place)
def _place_rule(F, g, a, like, key):
    return lambda: F.index(g, key=key)


@_operator("clone", False, lambda a: a.copy() if hasattr(a, "copy") else a)
def _clone(F, g, a):
    return lambda: g


class _VariableAdapter(Adapter):
    """How the engine handles Variables."""

    raw, recording = raw, recording

    def add(self, a: Variable, b: Variable) -> Variable:
        return raw.add(a, b)

    def add_into(self, a: Variable, b: Variable) -> Variable:
        a.value += b.value  # in the array's memory, or a new number: either way `a` is ours
        return a

    def clone(self, v: Variable) -> Variable:
        return raw.clone(v)

    def ones_like(self, v: Variable) -> Variable:
        return Variable(_blank(v.value) + _like_scalar(1.0, v.value))

    def zeros_like(self, v: Variable) -> Variable:
        return self.zeros(self.metadata(v))

    def zeros(self, metadata: Any) -> Variable:
        shape, dtype, library = metadata
        return Variable(sys.modules[library].zeros(shape, dtype) if shape else 0.0)

    def alias(self, v: Variable) -> Variable:
        return Variable(v.value)

    def metadata(self, v: Variable) -> Any:
        # Numbers, and arrays without dimensions, which NumPy turns into each other, are all alike.
        return (v.shape, _dtype(v.value), _library(v.value).__name__ if v.shape else None)

    def expected(self, metadata: Any, v: Variable, reduce: bool = False) -> Variable:
        shape, dtype, _ = metadata
        if v.shape != shape:
            if not reduce or not reduces_to(v.shape, shape):
                raise ValueError(f"expected shape {shape}; got {v.shape}")
            v = recording.reduce(v, like=self.zeros(metadata).value)
        if shape and _dtype(v.value) != dtype and v.node is None:
            real = _is_complex(v.value) and dtype.kind != "c"
            return Variable((v.value.real if real else v.value).astype(dtype))
        return v

    def differentiable(self, v: Variable) -> bool:
        return getattr(_dtype(v.value), "kind", "f") in "fc"

    def is_scalar(self, v: Variable) -> bool:
        return all(n == 1 for n in v.shape) and not _is_complex(v.value)

    def describe(self, v: Variable) -> str:
        return f"a {v.value.dtype} array of shape {v.shape}" if v.shape else f"the number {v.value}"

    def is_finite(self, v: Variable, nan: bool = True, inf: bool = True) -> bool:
        value = v.value
        bad = ((value != value) & nan) | ((abs(value) == float("inf")) & inf)
        return not (bad.any() if v.shape else bad)

    def nbytes(self, v: Variable) -> int:
        return getattr(v.value, "nbytes", sys.getsizeof(v.value))

    def elements(self, v: Variable) -> list:
        if v.shape:
            return v.value.reshape(-1).tolist()
        return [v.value.item() if hasattr(v.value, "item") else v.value]

    def from_elements(self, like: Variable, elements: Sequence) -> Variable:
        if not like.shape:
            return Variable(elements[0])
        return Variable(_library(like.value).array(elements, like.value.dtype).reshape(like.shape))


def _dtype(value: Any) -> Any:
    return value.dtype if shape_of(value) else None


register_adapter(Variable, _VariableAdapter())
