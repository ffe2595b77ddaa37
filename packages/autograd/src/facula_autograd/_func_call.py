"""`Call`: a call of a function under differentiation, the basis of function transforms for values of any kind."""

from __future__ import annotations

from contextlib import nullcontext
from functools import wraps
from typing import Any

from facula_errors.extend import boundary

from ._errors import GradientError
from ._func_arguments import check_callable, pair_of, per_argument, places_of, with_arguments
from ._modes.grad_mode import enable_grad
from ._modes.mode_state import active_modes
from ._trees import put_together, take_apart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ._func_arguments import Argnums
    from ._trees import Shape

    Function = Callable[..., Any]

_MODE_IS_DEFAULT = nullcontext()


class Call:
    """A call of a function whose results can be differentiated with respect to arguments.

    A subclass defines these methods for one kind of values, numbers and arrays or tensors:

    * `points_of` and `results_of` check arguments and results, and return their leaves and shape;
    * `level_for` returns a level, which records the call; `run` calls a function inside a level;
    * `zeros` returns zeros like a value, and `scalar` the result, which must be one real number, and its cotangent 1;
    * `fitted` returns the leaves of a tree with a given shape, converted to gradients or tangents of values.

    A level has the methods `leaf` (returns a value to differentiate by), `argument` (returns what the function receives
    for a leaf), `value` (returns what leaves the call for a value) and `pull` (computes gradients, or None for
    inputs that the roots do not depend on). `records` tells whether they are recorded around it.

    Arguments:
        operation: the prefix of error messages.
        func: the function.
        args: its positional arguments.
        argnums: the positions of the arguments to differentiate with respect to; all if None.
        kwargs: its keyword arguments.
        has_aux: whether it returns a pair whose second part is returned unchanged.
        level: the level that records; chosen by `level_for` if None.
    """

    def __init__(
        self,
        operation: str,
        func: Function,
        args: Sequence[Any],
        argnums: Argnums | None = None,
        kwargs: dict[str, Any] | None = None,
        has_aux: bool = False,
        level: Any = None,
    ) -> None:
        check_callable(operation, func)
        self.operation = operation
        places = range(len(args)) if argnums is None else places_of(operation, argnums, len(args))
        self.points, self.in_shape = self.points_of(tuple([args[place] for place in places]))
        self.level = level or self.level_for(self.points)
        with enable_grad() if active_modes else _MODE_IS_DEFAULT:
            self.leaves = [self.level.leaf(point) for point in self.points]
            arguments = put_together(self.in_shape, [self.level.argument(leaf) for leaf in self.leaves])
            found = self.run(self.level, func, *with_arguments(args, places, arguments), **(kwargs or {}))
        self.aux = None
        if has_aux:
            found, aux = pair_of(operation, found)
            leaves, shape = take_apart(aux)
            self.aux = put_together(shape, [self.level.value(leaf) for leaf in leaves])
        self.outputs, self.out_shape = self.results_of(found)

    def values(self) -> list[Any]:
        """Return the results in the form for the caller."""
        return [self.level.value(tensor) for tensor in self.outputs]

    def result(self) -> Any:
        """Return the results with the structure in which the function returned them."""
        return put_together(self.out_shape, self.values())

    def pull(
        self,
        cotangents: Sequence[Any],
        record: bool | None = None,
        retain: bool = True,
        *,
        outputs: Sequence[Any] | None = None,
        required: str | None = None,
    ) -> list[Any]:
        """Return the gradients of the arguments; zeros for those that the results do not depend on.

        Arguments:
            cotangents: the gradients of the results.
            record: whether enclosing transforms and tapes can differentiate them; by default according to the mode.
            retain: keep the graph for another pass.
            outputs: the values to start from instead of the results: some of them, or values computed from them.
            required: the name of the results in the error for results that do not depend on an argument; if None,
                the gradient is zero instead.
        """
        record = self.level.records if record is None else record
        outputs = self.outputs if outputs is None else outputs
        found = self.level.pull(outputs, cotangents, self.leaves, record=record, retain=retain)
        for place, g in enumerate(found if required else ()):
            if g is None:
                raise GradientError(
                    f"{self.operation}: expected {required} to depend on input {place}; it does not (strict=True)"
                )
        return [self.zeros(point) if g is None else g for g, point in zip(found, self.points, strict=True)]

    def pusher(self, level: Any = None, required: str | None = None) -> Callable[..., list[Any]]:
        """Return a function that maps tangents of the arguments to tangents of the results.

        The gradients of the arguments are linear in the cotangents, at any point. The tangents are the derivative of
        the former with respect to the latter, along the tangents of the arguments.

        Arguments:
            level: the level that records `pull`; the level of the call if None.
            required: as for `pull`.
        """
        level, values = level or self.level, self.values()
        cotangents = [level.leaf(self.zeros(value)) for value in values]
        with enable_grad():
            gradients = self.run(level, self.pull, cotangents, True, required=required)

        def push(tangents: Sequence[Any], record: bool = level.records) -> list[Any]:
            with enable_grad():
                found = level.pull(gradients, tangents, cotangents, record=record, retain=True)
            return [self.zeros(value) if slope is None else slope for value, slope in zip(values, found, strict=True)]

        return push

    if TYPE_CHECKING:

        def points_of(self, tree: Any) -> tuple[list[Any], Shape]: ...
        def results_of(self, tree: Any) -> tuple[list[Any], Shape]: ...
        def level_for(self, points: list[Any]) -> Any: ...
        def run(self, level: Any, func: Function, *args: Any, **kwargs: Any) -> Any: ...
        def zeros(self, value: Any) -> Any: ...
        def scalar(self) -> tuple[Any, Any]: ...
        def fitted(self, what: str, tree: Any, like: Shape, values: Sequence[Any]) -> list[Any]: ...


def gradient_function(call: type[Call], operation: str, func: Function, argnums: Argnums, has_aux: bool) -> Function:
    """Return the function for `grad`, `grad_and_value` or `value_and_grad`.

    Arguments:
        call: the subclass of `Call` for the values.
        operation: which of the three.
        func: the function to differentiate.
        argnums: the positions of the arguments to differentiate with respect to.
        has_aux: whether the function returns a pair (output, aux).
    """
    check_callable(operation, func)

    @named_like(func)
    def transformed(*args: Any, **kwargs: Any) -> Any:
        called = call(operation, func, args, argnums, kwargs, has_aux)
        value, cotangent = called.scalar()
        gradient = per_argument(argnums, put_together(called.in_shape, called.pull([cotangent], retain=False)))
        if operation == "grad":
            return (gradient, called.aux) if has_aux else gradient
        value = (value, called.aux) if has_aux else value
        return (value, gradient) if operation == "value_and_grad" else (gradient, value)

    return transformed


def value_and_pull(called: Call, has_aux: bool) -> Any:
    """Return the result of `vjp` for a call with all of its arguments: the results, a function, and aux."""

    @boundary
    def pull(
        cotangents: Any, *further: Any, retain_graph: bool = True, create_graph: bool | None = None
    ) -> tuple[Any, ...]:
        """Return the gradients of the primals.

        Arguments:
            cotangents: the gradient of the output, with its structure, converted to its dtype.
            further: the other entries of a tuple whose entries are passed separately.
            retain_graph: keep saved values for another call.
            create_graph: whether enclosing transforms and tapes can differentiate the gradients; by default according
                to the mode.
        """
        tree = (cotangents, *further) if further else cotangents
        given = called.fitted("the cotangents", tree, called.out_shape, called.outputs)
        found = [called.level.value(g) for g in called.pull(given, create_graph, retain_graph)]
        return put_together(called.in_shape, found)

    return (called.result(), pull, called.aux) if has_aux else (called.result(), pull)


def named_like(func: Function) -> Callable[[Function], Function]:
    """Return a decorator for a transformed `func`, which names it after `func` and marks it as public."""
    return lambda made: boundary(wraps(func)(made)) if hasattr(func, "__name__") else boundary(made)
