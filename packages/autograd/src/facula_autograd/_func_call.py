"""One call of a function under differentiation: the basis of `func.py`.

Note [Derivatives of derivatives]
The function is called with values that belong to this call alone: leaves, or, for a value that was already computed,
nodes that lead to it. A derivative inside another one is therefore taken with respect to its own argument, even if both
arguments are the same number. Inside another derivative, everything is recorded for the outer one. Outside, nothing is
recorded, unless an argument requires grad.
"""

from __future__ import annotations

from contextvars import ContextVar

from facula_errors import InvalidTypeError, InvalidValueError

from ._adapters import adapter_of
from ._engine.backward import grad as _gradients
from ._engine.backward import run_backward
from ._engine.selected_inputs import leads_only_to
from ._errors import GradientError
from ._func_arguments import check_callable, pair_of, places_of, with_arguments
from ._graph.node import Node, edge_to, relay
from ._modes.grad_mode import enable_grad
from ._modes.mode_state import active_modes
from ._numpy.variable import Variable
from ._trees import leaves_like, put_together, take_apart
from ._value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ._func_arguments import Argnums
    from ._trees import Shape
    from ._types import AnyValue

    Function = Callable[..., AnyValue]

#: The nesting depth of derivatives in this context.
_depth: ContextVar[int] = ContextVar("facula_autograd.func", default=0)


class Call:
    """A function call in which some arguments are replaced by Variables that belong to this call alone.

    `inputs` are these Variables, with respect to which derivatives are taken. `output` and `aux` are the function's
    results. Inside another derivative, all results are recorded for the outer one.
    """

    def __init__(self, name: str, function: Function, trees: AnyValue, has_aux: bool, call: Function) -> None:
        check_callable(name, function)
        self.name = name
        given, self.in_shape = take_apart(trees)
        depth = _depth.get()
        self.plain = depth == 0 and not any(isinstance(v, Value) for v in given)
        self.recorded = depth > 0 or any(isinstance(v, Value) and v.node is not None for v in given)
        self.inputs: list[AnyValue] = [_own_input(name, v) for v in given]
        _depth.set(depth + 1)
        try:
            if active_modes:
                with enable_grad():
                    output = call(function, put_together(self.in_shape, self.inputs))
            else:
                output = call(function, put_together(self.in_shape, self.inputs))
        finally:
            _depth.set(depth)
        self.aux: AnyValue = None
        if has_aux:
            output, self.aux = pair_of(name, output)
            aux, shape = take_apart(self.aux)
            self.aux = put_together(shape, [self.released(v) if isinstance(v, Value) else v for v in aux])
        leaves, self.out_shape = take_apart(output)
        self.outputs: list[AnyValue] = [v if isinstance(v, Value) else _constant_output(name, v) for v in leaves]

    def released(self, v: AnyValue) -> AnyValue:
        """Return the value that leaves the call in place of `v`."""
        if self.plain and isinstance(v, Variable):
            return v.value
        return v if self.recorded else adapter_of(v).alias(v)

    def result(self) -> AnyValue:
        """Return the function's output in the form for the caller."""
        return put_together(self.out_shape, [self.released(v) for v in self.outputs])

    def pulled_back(self, cotangents: Sequence[AnyValue], retain: bool = True, create: bool = False) -> list[AnyValue]:
        """Return the gradients of all inputs; zeros for an input that does not affect the output."""
        pairs = [(v, g) for v, g in zip(self.outputs, cotangents, strict=True) if v.node is not None]
        if not pairs:
            return [adapter_of(v).zeros_like(v) for v in self.inputs]
        if self.plain and not retain and not create and leads_only_to([v for v, _ in pairs], self.inputs):
            run_backward([v for v, _ in pairs], [g for _, g in pairs], name=self.name)
            found = [v._grad for v in self.inputs]
            return [adapter_of(v).zeros_like(v) if g is None else g for v, g in zip(self.inputs, found, strict=True)]
        with enable_grad():
            return list(
                _gradients(
                    [v for v, _ in pairs], self.inputs, [g for _, g in pairs], retain_graph=retain or self.recorded,
                    create_graph=create or self.recorded, materialize_grads=True,
                )
            )  # fmt: skip

    def scalar(self) -> AnyValue:
        """Return the output, which must be one real number."""
        if len(self.outputs) != 1 or not adapter_of(self.outputs[0]).is_scalar(self.outputs[0]):
            what = ", ".join(adapter_of(v).describe(v) for v in self.outputs)
            raise GradientError(
                f"{self.name}: expected the function to return one real number; got {what or 'nothing'}"
            )
        return self.outputs[0]


def _own_input(name: str, v: AnyValue) -> AnyValue:
    """Return a value over the same elements that is an input of this call alone."""
    try:
        own: AnyValue = adapter_of(v).alias(v) if isinstance(v, Value) else Variable(v)
    except TypeError:
        raise InvalidTypeError(f"{name}: expected numbers or arrays to differentiate by; got {v!r:.200}") from None
    if not adapter_of(own).differentiable(own):
        raise GradientError(
            f"{name}: expected floating-point or complex values to differentiate by; got "
            f"{adapter_of(own).describe(own)}"
        )
    if not isinstance(v, Value) or v.node is None:
        return own.requires_grad_()
    own.node = relay(Node(), edge_to(v))  # type: ignore[arg-type]
    return own


def _constant_output(name: str, v: object) -> Variable:
    try:
        return Variable(v)
    except TypeError:
        raise InvalidTypeError(f"{name}: expected the function to return numbers or arrays; got {v!r:.200}") from None


def call_with_args(
    name: str,
    function: Function,
    argnums: Argnums,
    has_aux: bool,
    args: Sequence[AnyValue],
    kwargs: dict[str, AnyValue],
) -> Call:
    places = places_of(name, argnums, len(args))

    def call(function: Function, chosen: Sequence[AnyValue]) -> AnyValue:
        return function(*with_arguments(args, places, chosen), **kwargs)

    return Call(name, function, tuple(args[k] for k in places), has_aux, call)


def call_with_primals(name: str, func: Function, primals: Sequence[AnyValue], has_aux: bool) -> Call:
    return Call(name, func, tuple(primals), has_aux, lambda function, given: function(*given))


def checked_leaves(name: str, what: str, tree: AnyValue, like: Shape, values: Sequence[AnyValue]) -> list[AnyValue]:
    """Return the leaves of a tree of the shape `like`; plain ones are converted to Variables like `values`."""
    leaves = leaves_like(name, what, tree, like)
    return [_checked_leaf(name, what, v, value) for v, value in zip(leaves, values, strict=True)]


def _checked_leaf(name: str, what: str, v: AnyValue, like: AnyValue) -> AnyValue:
    """Return a leaf of a tree as a Variable like `like`; a Value stays as it is."""
    if isinstance(v, Value):
        return v
    adapter = adapter_of(like)
    try:
        return adapter.fit_gradient(adapter.metadata(like), Variable(v))
    except (TypeError, ValueError) as error:
        raise InvalidValueError(f"{name}: expected {what} to fit; one is wrong: {error}") from None
