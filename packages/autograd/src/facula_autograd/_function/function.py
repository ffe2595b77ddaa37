"""`Function`: user-defined operators with a forward and a backward."""

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
    """Base class of custom operators. Call them with `apply`; do not instantiate them.

    Define two static methods: `forward(ctx, *args)`, or `forward(*args)` with `setup_context(ctx, inputs, output)`; and
    `backward(ctx, *grads)`, which receives one gradient for each output and returns one for each argument of `forward`
    (None for an argument without a gradient). If `backward` uses operators on values, second derivatives work too.

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

    #: Whether the methods, which must only use operators, also serve batches inside `vmap`.
    generate_vmap_rule = False
    _rule: Rule

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        # User code receives the gradients: the engine never owns them.
        cls._rule = Rule(cls.__name__ + "Backward", run_backward_method, None, True, edges_beyond)

    @boundary
    def __init__(self) -> None:
        raise InvalidTypeError(
            f"{type(self).__name__}: a Function cannot be instantiated; call {type(self).__name__}.apply(...)"
        )

    @staticmethod
    def forward(*args: AnyValue, **kwargs: AnyValue) -> AnyValue:
        """Compute the outputs: a value, or a tuple of values and other objects."""
        raise UnsupportedError("Function: it has no forward; define it as a static method")

    if TYPE_CHECKING:  # a subclass defines the number and the types of the gradients

        @staticmethod
        def setup_context(*args: AnyValue, **kwargs: AnyValue) -> None:
            """Fill `ctx` if `forward` does not take it: `ctx, inputs, output`."""

        @staticmethod
        def backward(*args: AnyValue, **kwargs: AnyValue) -> AnyValue:
            """Compute the gradients of the arguments from those of the outputs: `ctx, *grads`."""

    else:

        @staticmethod
        def setup_context(ctx: FunctionContext, inputs: tuple[object, ...], output: object) -> None:
            """Fill `ctx` if `forward` does not take it.

            Arguments:
                ctx: the context passed to `backward`, for `save_for_backward` and attributes.
                inputs: the arguments of `forward`.
                output: the result of `forward`.
            """
            raise UnsupportedError("Function: it has no setup_context; define it as a static method")

        @staticmethod
        def backward(ctx: FunctionContext, *grads: AnyValue) -> AnyValue:
            """Compute the gradients of the arguments from those of the outputs."""
            raise UnsupportedError("Function: it has no backward; define it as a static method")

    @staticmethod
    def jvp(ctx: FunctionContext, *tangents: object) -> object:
        """Compute the tangents of the outputs from those of the arguments.

        Arguments:
            ctx: the context filled by `forward` or `setup_context`; `saved_tensors` are those of `save_for_forward`, if
                it was called.
            tangents: one for each argument of `forward`: zeros for values without a tangent, None for other objects.
        """
        raise UnsupportedError("Function: it has no forward mode; define jvp as a static method")

    @staticmethod
    def vmap(info: object, in_dims: tuple[object, ...], *args: object) -> object:
        """Compute the outputs of a batch inside `vmap`. Returns the outputs and the indices of their batch dimensions.

        Arguments:
            info: has `batch_size` and `randomness`.
            in_dims: the batch dimension of each argument; None for an argument without one.
            args: the arguments of `forward`.
        """
        raise UnsupportedError("Function: it has no vmap; define it as a static method")

    @classmethod
    def apply(cls, *args: AnyValue, **kwargs: AnyValue) -> AnyValue:
        """Run `forward` on the arguments, and record the call if one of `args` requires grad.

        With `setup_context`, keyword arguments and defaults become part of `args`; otherwise keyword arguments have no
        gradient.
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
        """Return the result of `apply`, and the context of the call; None if a transform handled the call."""
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
    """Return all positional arguments of `forward`, including keyword arguments and defaults in their places."""
    code = getattr(forward, "__code__", None)
    if code is not None and not kwargs and not forward.__defaults__:  # type: ignore[attr-defined]
        return args
    from inspect import signature

    bound = signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args


@boundary
def once_differentiable(backward: F) -> F:
    """Decorate a Function's `backward` whose operations cannot be differentiated themselves.

    It runs under `no_grad`. Differentiating its results raises an error with that reason.

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

    return once  # type: ignore[return-value]  # takes the arguments of `backward`


def _dead_end(value: Value, ctx: FunctionContext, wanting: list[Value]) -> Leaf:
    out = adapter_of(value).alias(value)
    forward = ctx._node() if ctx._node is not None else None
    edges = tuple(edge_to(g) for g in wanting) + (forward.rest[0] if forward is not None else ())
    name = ctx._function.__name__
    out.node = error_node(
        f"{name}.backward: expected to be differentiated once; it is marked once_differentiable", forward, edges
    )
    return out
