"""The operators of `Variable` for numbers and arrays of any library, with rules written in terms of each other.

NumPy's own functions are declared in `functions/`.
"""

from __future__ import annotations

import operator
import sys
from sys import _getframe

from facula_errors import InvalidValueError

from .._adapters import Adapter, reduces_to, register_adapter
from .._graph.node import LEAF, Node, Rule, record
from .._modes.grad_mode import is_grad_enabled
from .._modes.mode_state import active_modes, current_mode
from .._saved_values.packing import pack_saved
from .arrays import dtype_of, false_like, is_complex, library_of, like_scalar, numpy, place, reduce_to, shape_of
from .variable import Variable, computed, no_record_ops, recorded_ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from .._graph.node import Pairs
    from .._types import AnyValue, Array, Slot
    from .variable import Namespace

    class Operand(Protocol):
        """A Variable, as seen by rules."""

        value: Array

        @property
        def shape(self) -> tuple[int, ...]: ...

    Makers = tuple[Callable[[], Variable], ...]
    Gradients = Makers | Callable[[], Variable]


_methods = Variable.__init__.__globals__


def _operator(name: str, fresh: bool, compute: Callable[..., Array]) -> Callable[[Callable[..., Gradients]], Rule]:
    """Define an operator. Decorates the rule `(F, node, g, *operands, **parameters) -> gradients`."""

    def define(gradients: Callable[..., Gradients]) -> Rule:
        def backward(F: Namespace, node: Node, g: Variable) -> Pairs:
            makers = gradients(F, g, *node.s0, **node.s1)
            if not isinstance(makers, tuple):
                makers = (makers,)
            edges = (node.e0, node.e1)
            return [(e, make()) for e, make in zip(edges, makers, strict=False) if e is not None]

        rule = Rule(name, backward, fresh, True)

        def plain(*operands: Variable, **parameters: object) -> Variable:
            return computed(compute(*[v.value for v in operands], **parameters))

        def recorded(*operands: Variable, **parameters: object) -> Variable:
            if active_modes and (stand_in := current_mode().compute):
                (out,) = stand_in(name, lambda: (plain(*operands, **parameters),), operands, parameters.values())
            else:
                out = computed(compute(*[v.value for v in operands], **parameters))
            edges: list[AnyValue] = [v if v.node is LEAF else v.node for v in operands]
            wanted = edges[0] is not None or edges[-1] is not None
            if wanted and (not active_modes or is_grad_enabled()):
                node = record(out, rule, 1)
                frame = _getframe(2)
                if frame.f_globals is _methods:  # the boundary around the method
                    frame = frame.f_back or frame
                node.code, node.lasti = frame.f_code, frame.f_lasti
                node.e0, node.e1 = edges if len(edges) == 2 else (edges[0], None)
                node.s0, node.s1 = operands, parameters
                if active_modes and (hooks := current_mode().saved_hooks):
                    pack_saved(node, hooks, Variable)
            return out

        setattr(no_record_ops, name, plain)
        setattr(recorded_ops, name, recorded)
        return rule

    return define


@_operator("add", False, operator.add)
def _add(F: Namespace, g: Variable, a: Operand, b: Operand) -> Gradients:
    return lambda: F.reduce(g, like=a.value), lambda: F.reduce(g, like=b.value)


@_operator("sub", False, operator.sub)
def _sub(F: Namespace, g: Variable, a: Operand, b: Operand) -> Gradients:
    return lambda: F.reduce(g, like=a.value), lambda: F.neg(F.reduce(g, like=b.value))


@_operator("mul", True, operator.mul)
def _mul(F: Namespace, g: Variable, a: Operand, b: Operand) -> Gradients:
    return (lambda: F.reduce(F.mul(g, F.conj(b)), like=a.value),
            lambda: F.reduce(F.mul(g, F.conj(a)), like=b.value))  # fmt: skip


@_operator("div", True, operator.truediv)
def _div(F: Namespace, g: Variable, a: Operand, b: Operand) -> Gradients:
    return (lambda: F.reduce(F.div(g, F.conj(b)), like=a.value),
            lambda: F.reduce(F.neg(F.mul(g, F.conj(F.div(F.div(a, b), b)))), like=b.value))  # fmt: skip


def _matmul(a: Array, b: Array) -> Array:
    if not shape_of(a) or not shape_of(b):
        raise InvalidValueError(
            f"@: expected arrays of at least one dimension; got shapes {shape_of(a)} and {shape_of(b)}"
        )
    return a @ b


@_operator("matmul", True, _matmul)
def _matmul_rule(F: Namespace, g: Variable, a: Operand, b: Operand) -> Gradients:
    left, right = len(a.shape) == 1, len(b.shape) == 1
    if left and right:
        return (lambda: F.reduce(F.mul(g, F.conj(b)), like=a.value),
                lambda: F.reduce(F.mul(g, F.conj(a)), like=b.value))  # fmt: skip
    # A vector is treated as a matrix with one row or column.
    row, column = (..., None, slice(None)), (..., None)
    h = F.index(g, key=row) if left else F.index(g, key=column) if right else g

    def by_left() -> Variable:
        columns = F.index(b, key=column) if right else b
        return F.reduce(F.matmul(h, F.swap(F.conj(columns))), like=a.value)

    def by_right() -> Variable:
        rows = F.index(a, key=row) if left else a
        product = F.matmul(F.swap(F.conj(rows)), h)
        return F.reduce(F.index(product, key=(..., 0)) if right else product, like=b.value)

    return by_left, by_right


@_operator("neg", True, operator.neg)
def _neg(F: Namespace, g: Variable, a: Operand) -> Gradients:
    return lambda: F.neg(g)


@_operator("pow", True, lambda a, exponent: a**exponent)
def _pow(F: Namespace, g: Variable, a: Operand, exponent: float) -> Gradients:
    if not exponent:  # the gradient is 0, even at 0
        return lambda: F.mul(g, Variable(false_like(a.value)))
    return lambda: F.mul(g, F.conj(F.mul(Variable(exponent), F.pow(a, exponent=exponent - 1))))


@_operator("conj", False, lambda a: a.conjugate() if is_complex(a) else a)
def _conj(F: Namespace, g: Variable, a: Operand) -> Gradients:
    return lambda: F.conj(g)


@_operator("swap", False, lambda a: a.swapaxes(-1, -2))
def _swap(F: Namespace, g: Variable, a: Operand) -> Gradients:
    return lambda: F.swap(g)


@_operator("reshape", False, lambda a, shape: a.reshape(shape))
def _reshape(F: Namespace, g: Variable, a: Operand, shape: object) -> Gradients:
    return lambda: F.reshape(g, shape=a.shape) if g.shape else F.expand(g, like=a.value)


@_operator("reduce", False, reduce_to)
def _reduce_rule(F: Namespace, g: Variable, a: Operand, like: Array) -> Gradients:
    return lambda: F.convert(F.expand(g, like=a.value), like=a.value)


@_operator("convert", False, reduce_to)
def _convert(F: Namespace, g: Variable, a: Operand, like: Array) -> Gradients:
    return lambda: F.convert(g, like=a.value)


@_operator("expand", False, lambda a, like: like_scalar(a, like) + false_like(like))
def _expand(F: Namespace, g: Variable, a: Operand, like: Array) -> Gradients:
    return lambda: F.reduce(g, like=a.value)


@_operator("sum", True, lambda a, axis, keepdims: a.sum(axis=axis, keepdims=keepdims))
def _sum(F: Namespace, g: Variable, a: Operand, axis: int | tuple[int, ...] | None, keepdims: bool) -> Gradients:
    if axis is None:
        return lambda: F.expand(g, like=a.value)
    summed = {k % len(a.shape) for k in (axis if isinstance(axis, tuple) else (axis,))}
    shape = tuple(1 if k in summed else n for k, n in enumerate(a.shape))
    return lambda: F.expand(F.reshape(g, shape=shape) if g.shape and not keepdims else g, like=a.value)


@_operator("index", True, lambda a, key: a[key])
def _index(F: Namespace, g: Variable, a: Operand, key: object) -> Gradients:
    return lambda: F.place(g, like=a.value, key=key)


@_operator("place", False, place)
def _place_rule(F: Namespace, g: Variable, a: Operand, like: Array, key: object) -> Gradients:
    return lambda: F.index(g, key=key)


@_operator("clone", False, lambda a: a.copy() if hasattr(a, "copy") else a)
def _clone(F: Namespace, g: Variable, a: Operand) -> Gradients:
    return lambda: g


def _reduce_plainly(a: Variable, like: Array) -> Variable:
    value = reduce_to(a.value, like)
    return a if value is a.value else computed(value)


def _conj_plainly(a: Variable) -> Variable:
    return computed(a.value.conjugate()) if is_complex(a.value) else a


# Most gradients are real and were never broadcast; these shortcuts serve them.
vars(no_record_ops).update(conj=_conj_plainly, reduce=_reduce_plainly, convert=_reduce_plainly)


class _VariableAdapter(Adapter):
    """The adapter of Variables."""

    no_record_ops, recorded_ops = no_record_ops, recorded_ops

    def add(self, a: Variable, b: Variable) -> Variable:
        return no_record_ops.add(a, b)

    def unstack(self, v: Variable) -> list[Variable]:
        return [v[place] for place in range(len(v.value))]

    def stack(self, values: list[Variable]) -> Variable:
        return numpy().stack(values)  # type: ignore[return-value,attr-defined]  # dispatches to Variable's protocol

    def add_into(self, a: Variable, b: Variable) -> Variable:
        a.value += b.value  # in the array's memory, or a new number: the engine owns `a` in either case
        return a

    def clone(self, v: Variable) -> Variable:
        return no_record_ops.clone(v)

    def copy_into(self, target: Variable, v: Variable) -> Variable:
        if target.shape:
            target.value[...] = v.value
        else:
            target.value = v.value
        return target

    def ones_like(self, v: Variable) -> Variable:
        return Variable(false_like(v.value) + like_scalar(1.0, v.value))

    def zeros_like(self, v: Variable) -> Variable:
        return self.zeros(self.metadata(v))

    def zeros(self, metadata: Slot) -> Variable:
        shape, dtype, library = metadata
        return Variable(sys.modules[library].zeros(shape, dtype) if shape else 0.0)

    def alias(self, v: Variable) -> Variable:
        return Variable(v.value)

    def metadata(self, v: Variable) -> tuple[object, ...]:
        # Numbers and arrays without dimensions count as equal, since NumPy converts between them.
        return (v.shape, dtype_of(v.value), library_of(v.value).__name__ if v.shape else None)

    def fit_gradient(self, metadata: Slot, v: Variable, reduce: bool = False) -> Variable:
        shape, dtype, _ = metadata
        if v.shape != shape:
            if not reduce or not reduces_to(v.shape, shape):
                raise InvalidValueError(f"expected shape {shape}; got {v.shape}")
            v = recorded_ops.reduce(v, like=self.zeros(metadata).value)
        if shape and dtype_of(v.value) != dtype and v.node is None:
            real = is_complex(v.value) and dtype.kind != "c"
            return Variable((v.value.real if real else v.value).astype(dtype))
        return v

    def differentiable(self, v: Variable) -> bool:
        return getattr(dtype_of(v.value), "kind", "f") in "fc"

    def is_scalar(self, v: Variable) -> bool:
        return all(n == 1 for n in v.shape) and not is_complex(v.value)

    def describe(self, v: Variable) -> str:
        return f"a {v.value.dtype} array of shape {v.shape}" if v.shape else f"the number {v.value}"

    def is_finite(self, v: Variable, nan: bool = True, inf: bool = True) -> bool:
        value: Array = v.value
        bad = ((value != value) & nan) | ((abs(value) == float("inf")) & inf)
        return not (bad.any() if v.shape else bad)

    def nbytes(self, v: Variable) -> int:
        return getattr(v.value, "nbytes", sys.getsizeof(v.value))

    def to_bytes(self, v: Variable) -> memoryview:
        return memoryview(library_of(v.value).ascontiguousarray(v.value)).cast("B")  # type: ignore[arg-type]

    def from_bytes(self, metadata: Slot, fill: Callable[[memoryview], None]) -> Variable:
        shape, dtype, library = metadata
        value = sys.modules[library].empty(shape, dtype)
        fill(memoryview(value).cast("B"))
        return Variable(value)

    def memory(self, v: Variable) -> tuple[object, int]:
        value = v.value
        if not hasattr(value, "nbytes"):  # a number, which many Variables may share
            return v, sys.getsizeof(value)
        while getattr(value, "base", None) is not None and hasattr(value.base, "nbytes"):
            value = value.base
        return value, value.nbytes

    def elements(self, v: Variable) -> list[complex]:
        if v.shape:
            return v.value.reshape(-1).tolist()
        return [v.value.item() if hasattr(v.value, "item") else v.value]

    def from_elements(self, like: Variable, elements: Sequence[complex]) -> Variable:
        if not like.shape:
            return Variable(elements[0])
        return Variable(library_of(like.value).array(elements, like.value.dtype).reshape(like.shape))


register_adapter(Variable, _VariableAdapter())
