"""One call of a function whose derivatives are taken: what `func.py` is made of.

Note [Derivatives of derivatives]
The function is called with values of this call alone: leaves, or where something was computed already nodes that lead
there. So a derivative inside another one is that by its own argument, though both may be the same number. Inside
another derivative everything is recorded for that one; outside of all nothing is, unless what
it is given requires grad.
"""

from __future__ import annotations

from contextvars import ContextVar

from facula_errors import InvalidIndexError, InvalidTypeError, InvalidValueError

from ._adapters import adapter_of
from ._engine.backward import grad as _gradients
from ._engine.backward import run_backward
from ._engine.selected_inputs import leads_only_to
from ._errors import GradientError
from ._graph.node import Node, edge_to, relay
from ._modes.grad_mode import enable_grad
from ._modes.mode_state import active_modes
from ._numpy.variable import Variable
from ._trees import flatten, leaves_like
from ._value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ._types import AnyValue

    Function = Callable[..., AnyValue]
    Argnums = int | tuple[int, ...]
    Keywords = dict[str, AnyValue]

#: How many derivatives are being taken of each other here.
_depth: ContextVar[int] = ContextVar("facula_autograd.func", default=0)


class Call:
    """A function, called with some arguments in place of which are Variables of this call alone.

    `inputs`: these, of which derivatives are taken; `output`, `aux`: what the function returned. Inside another
    derivative all that comes out is recorded for that one.
    """

    def __init__(self, name: str, function: Function, trees: AnyValue, has_aux: bool, call: Function) -> None:
        if not callable(function):
            raise InvalidTypeError(f"{name}: expected a function; got {type(function).__name__} {function!r:.60}")
        self.name = name
        given, self.rebuild = flatten(trees)
        depth = _depth.get()
        self.plain = depth == 0 and not any(isinstance(v, Value) for v in given)
        self.recorded = depth > 0 or any(isinstance(v, Value) and v.node is not None for v in given)
        self.inputs: list[AnyValue] = [_own_input(name, v) for v in given]
        _depth.set(depth + 1)
        try:
            if active_modes:
                with enable_grad():
                    output = call(function, self.rebuild(self.inputs))
            else:
                output = call(function, self.rebuild(self.inputs))
        finally:
            _depth.set(depth)
        self.aux: AnyValue = None
        if has_aux:
            if not isinstance(output, tuple) or len(output) != 2:
                raise InvalidTypeError(f"{name}: expected the function to return (output, aux); got {output!r:.200}")
            output, self.aux = output
            aux, again = flatten(self.aux)
            self.aux = again([self.released(v) if isinstance(v, Value) else v for v in aux])
        leaves, self.rebuild_output = flatten(output)
        self.outputs: list[AnyValue] = [v if isinstance(v, Value) else _constant_output(name, v) for v in leaves]

    def released(self, v: AnyValue) -> AnyValue:
        """What leaves the call in the place of `v`."""
        if self.plain and isinstance(v, Variable):
            return v.value
        return v if self.recorded else adapter_of(v).alias(v)

    def result(self) -> AnyValue:
        """The function's output, as the caller gets it."""
        return self.rebuild_output([self.released(v) for v in self.outputs])

    def pulled_back(self, cotangents: Sequence[AnyValue], retain: bool = True, create: bool = False) -> list[AnyValue]:
        """The gradients of all inputs; zeros where nothing depends on one."""
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
        """The output, if it is one real number."""
        if len(self.outputs) != 1 or not adapter_of(self.outputs[0]).is_scalar(self.outputs[0]):
            what = ", ".join(adapter_of(v).describe(v) for v in self.outputs)
            raise GradientError(
                f"{self.name}: expected the function to return one real number; got {what or 'nothing'}"
            )
        return self.outputs[0]


def _own_input(name: str, v: AnyValue) -> AnyValue:
    """A value over the same elements that is an input of this call alone."""
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


def _chosen_places(name: str, argnums: Argnums, args: Sequence[AnyValue]) -> list[int]:
    """The places of the arguments that derivatives are taken of."""
    wanted = argnums if isinstance(argnums, tuple) else (argnums,)
    for k in wanted:
        if not isinstance(k, int) or isinstance(k, bool):
            raise InvalidTypeError(f"{name}: expected argnums to be an int or a tuple of ints; got {argnums!r}")
        if not -len(args) <= k < len(args):
            raise InvalidIndexError(f"{name}: expected argnums among {len(args)} positional arguments; got {argnums!r}")
    places = [k % len(args) for k in wanted]
    if not places or len(set(places)) != len(places):
        raise InvalidValueError(f"{name}: expected argnums to name each argument once; got {argnums!r}")
    return places


def call_with_args(
    name: str,
    function: Function,
    argnums: Argnums,
    has_aux: bool,
    args: Sequence[AnyValue],
    kwargs: dict[str, AnyValue],
) -> Call:
    places = _chosen_places(name, argnums, args)

    def call(function: Function, chosen: Sequence[AnyValue]) -> AnyValue:
        full = list(args)
        for k, v in zip(places, chosen, strict=True):
            full[k] = v
        return function(*full, **kwargs)

    return Call(name, function, tuple(args[k] for k in places), has_aux, call)


def per_argument(argnums: Argnums, trees: Sequence[AnyValue]) -> AnyValue:
    return tuple(trees) if isinstance(argnums, tuple) else trees[0]


def call_with_primals(name: str, func: Function, primals: Sequence[AnyValue], has_aux: bool) -> Call:
    return Call(name, func, tuple(primals), has_aux, lambda function, given: function(*given))


def checked_leaves(
    name: str, tree: AnyValue, wanted: AnyValue, what: str, values: Sequence[AnyValue]
) -> list[AnyValue]:
    """The leaves of a tree that is built as `wanted` is, as Variables where they are plain."""
    leaves = leaves_like(tree, wanted)
    if leaves is None:
        raise InvalidValueError(f"{name}: expected {what}; got {tree!r:.200}")
    return [_checked_leaf(name, what, v, like) for v, like in zip(leaves, values, strict=True)]


def _checked_leaf(name: str, what: str, v: AnyValue, like: AnyValue) -> AnyValue:
    """A leaf of a tree that is built as it should be, as a Variable like `like`; Values as they are."""
    if isinstance(v, Value):
        return v
    adapter = adapter_of(like)
    try:
        return adapter.fit_gradient(adapter.metadata(like), Variable(v))
    except (TypeError, ValueError) as error:
        raise InvalidValueError(f"{name}: expected {what}; one is wrong: {error}") from None
