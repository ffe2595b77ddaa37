"""`Function`: operators that users define by a forward and a backward."""

from __future__ import annotations

from functools import wraps

from facula_errors import FaculaError, InvalidTypeError, UnsupportedError
from facula_errors.extend import boundary, trim_traceback

from .._adapters import adapter_of
from .._graph.node import Rule, edge_to, error_node
from .._modes.grad_mode import is_grad_enabled, no_grad
from .._value import Value
from .function_context import FunctionContext
from .function_node import check_dirty, edges_beyond, record_call, returned_value, run_backward_method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from .._types import AnyValue, Leaf

    F = TypeVar("F", bound=Callable[..., object])


class Function:
    """Base class of custom operators. Call them with `apply`, never by making an instance.

    Define two static methods: `forward(ctx, *args)`, or `forward(*args)` with
    `setup_context(ctx, inputs, output)`; and `backward(ctx, *grads)`, which gets one gradient per
    output and returns one per argument of `forward` (None where there is none). With
    operators on values in `backward`, second derivatives work too.

    >>> from facula_autograd import Variable
    >>> class Cube(Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x * x
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return g * 3 * x * x
    >>> x = Variable(2.0, requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad
    Variable(12.0)
    """

    #: Whether the methods, which use operators alone, also serve batches, inside `vmap`.
    generate_vmap_rule = False
    _rule: Rule

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        # User code sees the gradients: they are never the engine's own.
        cls._rule = Rule(cls.__name__ + "Backward", run_backward_method, None, True, edges_beyond)

    @boundary
    def __init__(self) -> None:
        raise InvalidTypeError(
            f"{type(self).__name__}: expected a call of {type(self).__name__}.apply(...), not an instance"
        )

    @staticmethod
    def forward(*args: AnyValue, **kwargs: AnyValue) -> AnyValue:
        """Compute the outputs: a value, or a tuple of values and other things."""
        raise UnsupportedError("Function: expected a subclass to define forward as a static method")

    if TYPE_CHECKING:  # a subclass says how many gradients there are, and of which types

        @staticmethod
        def setup_context(*args: AnyValue, **kwargs: AnyValue) -> None:
            """Fill `ctx`, where `forward` does not take it: `ctx, inputs, output`."""

        @staticmethod
        def backward(*args: AnyValue, **kwargs: AnyValue) -> AnyValue:
            """Compute the gradients of the arguments from those of the outputs: `ctx, *grads`."""

    else:

        @staticmethod
        def setup_context(ctx: FunctionContext, inputs: tuple[object, ...], output: object) -> None:
            """Fill `ctx`, where `forward` does not take it.

            Arguments:
                ctx: what `backward` will get, for `save_for_backward` and attributes.
                inputs: the arguments of `forward`.
                output: what `forward` returned.
            """
            raise UnsupportedError("Function: expected a subclass to define setup_context as a static method")

        @staticmethod
        def backward(ctx: FunctionContext, *grads: AnyValue) -> AnyValue:
            """Compute the gradients of the arguments from those of the outputs."""
            raise UnsupportedError("Function: expected a subclass to define backward as a static method")

    @staticmethod
    def jvp(ctx: FunctionContext, *tangents: object) -> object:
        """Compute the tangents of the outputs from those of the arguments.

        Arguments:
            ctx: what `forward` or `setup_context` filled; `saved_tensors` are those of `save_for_forward`, if it was
                called.
            tangents: one for each argument of `forward`: zeros for values that have none, None for what is no value.
        """
        raise UnsupportedError("Function: expected a subclass to define jvp, for forward-mode, as a static method")

    @staticmethod
    def vmap(info: object, in_dims: tuple[object, ...], *args: object) -> object:
        """Compute the outputs of a batch inside `vmap`: a pair of them and of the places of their batch dimension.

        Arguments:
            info: has `batch_size` and `randomness`.
            in_dims: the batch dimension of each argument; None of one that is the same for all.
            args: those of `forward`.
        """
        raise UnsupportedError("Function: expected a subclass to define vmap as a static method")

    @classmethod
    def apply(cls, *args: AnyValue, **kwargs: AnyValue) -> AnyValue:
        """Run `forward` on the arguments, and record the call where one of `args` requires grad.

        With `setup_context`, arguments by name and defaults take their places among `args`; otherwise those
        by name have no gradient.
        """
        try:
            return cls.apply_with_context(args, kwargs)[0]
        except FaculaError as error:
            trim_traceback(error)
            raise

    @classmethod
    def apply_with_context(
        cls, args: tuple[AnyValue, ...], kwargs: dict[str, AnyValue]
    ) -> tuple[AnyValue, FunctionContext | None]:
        """What `apply` gives, and the context of the call; None where a transform answered in its place."""
        if cls.setup_context is not Function.setup_context:
            args, kwargs = _bound(cls.forward, args, kwargs), {}
        value = next((a for a in args if isinstance(a, Value)), None)
        transform = None if value is None else adapter_of(value).transform(args)
        if transform is not None:
            return transform.apply_function(cls, args, kwargs), None
        edges = tuple(edge_to(a) if isinstance(a, Value) else None for a in args)
        ctx = FunctionContext(cls, tuple(e is not None for e in edges))  # type: ignore[arg-type]  # mypy: no __name__
        with no_grad():
            if cls.setup_context is Function.setup_context:
                output = cls.forward(ctx, *args, **kwargs)
            else:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
        outputs = list(output) if isinstance(output, tuple) else [output]
        records_it = any(ctx.needs_input_grad) and is_grad_enabled()
        check_dirty(ctx, args, outputs, records_it)
        results = [returned_value(ctx, out, args) for out in outputs]
        if records_it:
            record_call(ctx, args, edges, outputs, results)
        return (tuple(results) if isinstance(output, tuple) else results[0]), ctx


def _bound(forward: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object]) -> tuple[object, ...]:
    """All positional arguments of `forward`, with those given by name and defaults in their places."""
    code = getattr(forward, "__code__", None)
    if code is not None and not kwargs and not forward.__defaults__:  # type: ignore[attr-defined]
        return args
    from inspect import signature

    bound = signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args


@boundary
def once_differentiable(backward: F) -> F:
    """Decorate a Function's `backward` that uses operations which cannot be differentiated themselves.

    It runs under `no_grad`; differentiating its results is an error that says so.

    >>> class Twice(Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     @once_differentiable
    ...     def backward(ctx, g):
    ...         return g * 2
    """

    @wraps(backward)
    def once(ctx: FunctionContext, *grads: object) -> object:
        with no_grad():
            result = backward(ctx, *grads)
        if not is_grad_enabled():
            return result
        wanting = [g for g in grads if isinstance(g, Value) and g.node is not None]
        results = result if isinstance(result, (tuple, list)) else (result,)
        return tuple(_dead_end(h, ctx, wanting) if isinstance(h, Value) else h for h in results)

    return once  # type: ignore[return-value]  # which takes what `backward` takes


def _dead_end(value: Value, ctx: FunctionContext, wanting: list[Value]) -> Leaf:
    out = adapter_of(value).alias(value)
    forward = ctx._node() if ctx._node is not None else None
    edges = tuple(edge_to(g) for g in wanting) + (forward.rest[0] if forward is not None else ())
    name = ctx._function.__name__
    out.node = error_node(
        f"{name}.backward: expected to be differentiated once; it is marked once_differentiable", forward, edges
    )
    return out
