"""Calls of functions of numbers and arrays: the basis of `func.py`.

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
from ._engine.backward import gradients_at, run_backward
from ._engine.selected_inputs import leads_only_to
from ._errors import GradientError
from ._func_call import Call
from ._graph.node import Node, edge_to, relay
from ._numpy.variable import Variable
from ._trees import leaves_like, take_apart
from ._value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ._func_call import Function
    from ._trees import Shape
    from ._types import AnyValue

    Values = Sequence[AnyValue]

#: The nesting depth of derivatives in this context.
_depth: ContextVar[int] = ContextVar("facula_autograd.func", default=0)


class ArrayLevel:
    """The tape of one call.

    `plain`: whether numbers and arrays leave the call in place of Variables. `records`: whether the call is inside
    another derivative, for which everything is recorded.
    """

    def __init__(self, operation: str, points: Values) -> None:
        depth = _depth.get()
        self.operation = operation
        self.plain = depth == 0 and not any(isinstance(v, Value) for v in points)
        self.records = depth > 0 or any(isinstance(v, Value) and v.node is not None for v in points)

    def leaf(self, v: AnyValue) -> AnyValue:
        """Return a value over the same elements that is an input of this call alone."""
        own = adapter_of(v).alias(v) if isinstance(v, Value) else _variable(self.operation, "to differentiate by", v)
        if not adapter_of(own).differentiable(own):
            raise GradientError(
                f"{self.operation}: expected floating-point or complex values to differentiate by; got "
                f"{adapter_of(own).describe(own)}"
            )
        if not isinstance(v, Value) or v.node is None:
            return own.requires_grad_()
        own.node = relay(Node(), edge_to(v))  # type: ignore[arg-type]
        return own

    def argument(self, leaf: AnyValue) -> AnyValue:
        return leaf

    def value(self, v: AnyValue) -> AnyValue:
        """Return the value that leaves the call in place of `v`."""
        if self.plain and isinstance(v, Variable):
            return v.value
        return v if self.records or not isinstance(v, Value) else adapter_of(v).alias(v)

    def pull(
        self, roots: Values, gradients: Values, inputs: Values, *, record: bool, retain: bool = False
    ) -> list[AnyValue]:
        """Return the gradients of `inputs` from those of `roots`; None for inputs that the roots do not depend on.

        With `record`, gradients stay on the tape, for another pass; otherwise they leave the call.
        """
        reached = [(v, g) for v, g in zip(roots, gradients, strict=True) if isinstance(v, Value) and v.node is not None]
        starts, given = [v for v, _ in reached], [g for _, g in reached]
        if self.plain and not retain and not record and leads_only_to(starts, inputs):
            run_backward(starts, given, name=self.operation)
            found = [v._grad for v in inputs]
        else:
            found = gradients_at(starts, given, inputs, retain or self.records, record, None)
        return found if record else [None if g is None else self.value(g) for g in found]


class ArrayCall(Call):
    """A call in which Variables replace some arguments."""

    def points_of(self, tree: AnyValue) -> tuple[list[AnyValue], Shape]:
        return take_apart(tree)

    def results_of(self, tree: AnyValue) -> tuple[list[AnyValue], Shape]:
        """Return the leaves as Variables, or TypeError for leaves other than numbers and arrays."""
        leaves, shape = take_apart(tree)
        return [v if isinstance(v, Value) else _variable(self.operation, "", v) for v in leaves], shape

    def level_for(self, points: Values) -> ArrayLevel:
        return ArrayLevel(self.operation, points)

    def run(self, level: ArrayLevel, func: Function, *args: AnyValue, **kwargs: AnyValue) -> AnyValue:
        """Call a function in which derivatives record everything."""
        depth = _depth.get()
        _depth.set(depth + 1)
        try:
            return func(*args, **kwargs)
        finally:
            _depth.set(depth)

    def pusher(self, level: ArrayLevel | None = None, required: str | None = None) -> Callable[..., list[AnyValue]]:
        for v in self.outputs:
            if not adapter_of(v).differentiable(v):
                raise GradientError(
                    f"{self.operation}: expected the function to return floating-point or complex values; got "
                    f"{adapter_of(v).describe(v)}"
                )
        return super().pusher(level, required)

    def zeros(self, value: AnyValue) -> AnyValue:
        v = value if isinstance(value, Value) else Variable(value)
        return self.level.value(adapter_of(v).zeros_like(v))

    def scalar(self) -> tuple[AnyValue, None]:
        if len(self.outputs) != 1 or not adapter_of(self.outputs[0]).is_scalar(self.outputs[0]):
            what = ", ".join(adapter_of(v).describe(v) for v in self.outputs)
            raise GradientError(
                f"{self.operation}: expected the function to return one real number; got {what or 'nothing'}"
            )
        return self.values()[0], None

    def fitted(self, what: str, tree: AnyValue, like: Shape, values: Values) -> list[AnyValue]:
        """Return the leaves of a tree of the shape `like`; plain ones are converted to Variables like `values`."""
        leaves = leaves_like(self.operation, what, tree, like)
        return [self._fitted(what, v, value) for v, value in zip(leaves, values, strict=True)]

    def _fitted(self, what: str, v: AnyValue, like: AnyValue) -> AnyValue:
        if isinstance(v, Value):
            return v
        adapter = adapter_of(like)
        try:
            return adapter.fit_gradient(adapter.metadata(like), Variable(v))
        except (TypeError, ValueError) as error:
            raise InvalidValueError(f"{self.operation}: expected {what} to fit; one is wrong: {error}") from None


def _variable(operation: str, purpose: str, v: object) -> Variable:
    try:
        return Variable(v)
    except TypeError:
        expected = f"numbers or arrays {purpose}" if purpose else "the function to return numbers or arrays"
        raise InvalidTypeError(f"{operation}: expected {expected}; got {v!r:.200}") from None
