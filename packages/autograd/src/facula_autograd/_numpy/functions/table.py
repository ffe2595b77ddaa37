"""The table of NumPy's functions with their implementations for Variables, and the ways to declare entries.

Note [NumPy is the namespace]
A rule is plain NumPy code, without an operator namespace. In an ordinary backward pass it receives plain arrays, at
NumPy's own cost. Under `create_graph` it receives Variables, and the same lines are recorded through this table. The
result is then summed over broadcast dimensions, and converted to the operand's dtype: rules handle neither.
"""

from __future__ import annotations

from importlib import import_module

from facula_errors import InvalidTypeError

from ..._graph.node import LEAF, Node, Rule, record
from ..._modes.grad_mode import is_grad_enabled
from ..._modes.mode_state import active_modes, current_mode
from ..._saved_values.packing import pack_saved
from ..arrays import is_complex, place, shape_of
from ..variable import Variable, computed, operand, recorded_ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar, overload

    from ..._types import AnyValue, Array, Leaf, NumPy, PlainArray, Ufunc
    from ..variable import Namespace

    C = TypeVar("C", bound=Callable[..., object])

np: NumPy = import_module("numpy")  # already loaded, unless these modules are imported directly

#: The implementation of each NumPy function for calls with a Variable argument.
FUNCTIONS: dict[object, Callable[..., object]] = {}


def implements(*functions: object) -> Callable[[C], C]:
    """Decorate an implementation of these NumPy functions for Variables, written in terms of other functions."""

    def declare(implementation: C) -> C:
        for function in functions:
            FUNCTIONS[function] = implementation
        return implementation

    return declare


def operator(
    function: Callable[..., Array], gradient: Callable[..., Array], name: str = "", fresh: bool | None = True
) -> Callable[..., Variable]:
    """Return `call(*operands, **parameters)`, which computes `function` of the plain values and records it.

    `gradient(k, g, y, *operands, **parameters)` returns the gradient of operand `k` from the gradient `g` of the result
    `y`; it may have the broadcast shape of `y`. See Note [NumPy is the namespace]. `fresh`: as in `Rule`.
    """

    def backward(F: Namespace, node: Node, g: Variable) -> list[tuple[Node | Leaf, Variable]]:
        parameters, more = node.rest
        saved: Variable = node.s1
        h: Array
        result: Array
        operands: Sequence[Array]
        values: list[PlainArray] = [v.value for v in node.s0]
        if F is recorded_ops:
            y = Variable(saved.value)
            y.node = node
            h, result, operands = g, y, node.s0
        else:
            h, result, operands = g.value, saved.value, numbers(values)
        return [
            (edge, _fit(F, gradient(k, h, result, *operands, **parameters), values[k]))
            for k, edge in enumerate((node.e0, node.e1, *more)) if edge is not None
        ]  # fmt: skip

    rule = Rule(name or function.__name__, backward, fresh, True, lambda node: node.rest[1])

    def plainly(*operands: Variable, **parameters: object) -> Variable:
        return computed(function(*[v.value for v in operands], **parameters))

    def call(*given: object, **parameters: object) -> Variable:
        if not given:  # a single operand, passed by name
            given = (parameters.pop(next(name for name, v in parameters.items() if isinstance(v, Variable))),)
        operands = tuple(map(operand, given))
        if active_modes and (stand_in := current_mode().compute):
            (out,) = stand_in(rule.name, lambda: (plainly(*operands, **parameters),), operands, parameters.values())
        else:
            out = plainly(*operands, **parameters)
        edges: list[AnyValue] = [v if v.node is LEAF else v.node for v in operands]
        if any([e is not None for e in edges]) and (not active_modes or is_grad_enabled()):
            node = record(out, rule)  # the dispatcher replaces this call site by the user's
            node.e0, node.e1, *more = (*edges, None) if len(edges) == 1 else edges
            # An output refers to its node, so the node keeps another Variable of that value, without a node.
            node.s0, node.s1, node.rest = operands, computed(out.value), (parameters, more)
            if active_modes and (hooks := current_mode().saved_hooks):
                pack_saved(node, hooks, Variable)
        return out

    return call


def numbers(values: list[PlainArray]) -> Sequence[Array]:
    """Return Python numbers as NumPy's, which divide by zero; unchanged with arrays, to keep the arrays' dtype."""
    return values if any(hasattr(v, "dtype") for v in values) else [np.asarray(v)[()] for v in values]


def _fit(F: Namespace, h: Array, like: PlainArray) -> Variable:
    if not isinstance(h, Variable):
        h = computed(h)
    value: PlainArray = h.value
    alike = shape_of(value) == shape_of(like) and getattr(value, "dtype", None) == getattr(like, "dtype", None)
    return h if alike else F.reduce(h, like=like)


# ---- the forms of declarations


if TYPE_CHECKING:

    @overload
    def derivative(ufunc: Ufunc, by_a: float | Callable[[Array, Array], Array], /) -> None: ...
    @overload
    def derivative(
        ufunc: Ufunc,
        by_a: float | Callable[[Array, Array, Array], Array],
        by_b: float | Callable[[Array, Array, Array], Array],
        /,
    ) -> None: ...


def derivative(ufunc: Ufunc, *derivatives: float | Callable[..., Array]) -> None:
    """Declare an elementwise function by its derivative with respect to each operand.

    A derivative is a number, or a function of the result and the operands.
    """

    def gradient(k: int, g: Array, y: Array, *operands: Array, **parameters: object) -> Array:
        d = derivatives[k]
        if callable(d):
            return g * conj(d(y, *operands, **parameters))
        return g * d if d else np.zeros_like(g)

    FUNCTIONS[ufunc] = operator(ufunc, gradient)


def gradients(
    function: Ufunc, *rules: Callable[..., Array], name: str = "", fresh: bool | None = True
) -> Callable[..., Variable]:
    """Declare a function by `rule(g, y, *operands, **parameters)` for each operand, and return its operator."""

    def gradient(k: int, g: Array, y: Array, *operands: Array, **parameters: object) -> Array:
        return rules[k](g, y, *operands, **parameters)

    FUNCTIONS[function] = call = operator(function, gradient, name, fresh)
    return call


# ---- functions for rules that work on plain values and Variables


if TYPE_CHECKING:

    @overload
    def plain(x: tuple[object, ...]) -> tuple[PlainArray, ...]: ...  # type: ignore[overload-overlap]
    @overload
    def plain(x: object) -> PlainArray: ...


def plain(x: object) -> object:
    """Return the value of a Variable, including those in lists and tuples."""
    if isinstance(x, Variable):
        return x.value
    if isinstance(x, (list, tuple)) and type(x) in (list, tuple):
        return type(x)(map(plain, x))
    return x


def conj(x: Array) -> Array:
    """Return the conjugate of a complex value; other values are returned unchanged."""
    return np.conj(x) if is_complex(plain(x)) else x


def expand(g: Array, x: Array) -> Array:
    """Return `g`, broadcast to the shape of `x`, in separate memory."""
    if isinstance(g, Variable):
        return recorded_ops.expand(g, like=plain(x))
    return np.array(np.broadcast_to(g, np.shape(x)))


def scatter(g: Array, shape: tuple[int, ...], key: object) -> Array:
    """Return zeros of that shape, with `g` added at `key`."""
    if isinstance(g, Variable):
        return recorded_ops.place(g, like=np.empty(shape), key=key)
    return place(g, np.empty(shape, g.dtype), key)


# ---- errors


def function_name(function: Ufunc) -> str:
    """Return the public name of a function: "numpy.linalg.inv"; for a ufunc of another library, "erf"."""
    module = getattr(function, "__module__", None)
    if module is None and getattr(np, function.__name__, None) is not function:  # ufuncs do not know their module
        return function.__name__
    return f"{module or 'numpy'}.{function.__name__}"


def refusal(function: Ufunc | str, got: str, remedy: str) -> TypeError:
    """Return the error for an unsupported call."""
    name = function if isinstance(function, str) else function_name(function)
    return InvalidTypeError(f"{name}: {got} is not differentiated with Variables; {remedy}")


FUNCTION_REMEDY = "write a Function with its derivative (facula_autograd.Function), or pass .value for a plain result"
