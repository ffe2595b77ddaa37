"""`Function`: operators that users define by a forward and a backward."""

from __future__ import annotations

from functools import wraps
from weakref import ref

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError, UnsupportedError
from facula_errors.extend import boundary, trim_traceback

from ._adapters import adapter_of, records
from ._blocks import current_mode, special
from ._errors import GradientError, MutationError
from ._graph import LEAF, Node, Rule, dead_end, edge_to, record
from ._hooks import move_hooks, run_around
from ._modes import is_grad_enabled, no_grad, replace_mode
from ._outputs import OUTPUT, Gradients, output_node, record_many
from ._packing import Packed
from ._saved import check_saved
from ._values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])


@boundary
class FunctionContext:
    """The `ctx` of one call: carries what `backward` needs. Any attribute may be set on it.

    `needs_input_grad`: for each argument of `apply`, whether its gradient is wanted.
    """

    def __init__(self, function: type[Function], needs_input_grad: tuple[bool, ...]) -> None:
        self._function = function
        self.needs_input_grad = needs_input_grad
        self._to_save: tuple[Any, ...] = ()
        self._saved: list[Any] | None = None
        self._dirty: tuple[Any, ...] = ()
        self._non_differentiable: tuple[Any, ...] = ()
        self._materialize = True
        self._node: Any = None

    def save_for_backward(self, *values: Any) -> None:
        """Keep inputs, outputs, or other values (None too) for `backward`, where `saved_tensors` gives them back."""
        for k, value in enumerate(values):
            if value is not None and not isinstance(value, Value):
                raise InvalidTypeError(
                    f"{self._function.__name__}: save_for_backward takes values or None; argument {k} is "
                    f"a {type(value).__name__}. Store other things as attributes of ctx"
                )
        self._to_save = values

    def mark_dirty(self, *values: Any) -> None:
        """Declare inputs that `forward` changed in place; they must be among the outputs."""
        self._dirty = values

    def mark_non_differentiable(self, *values: Any) -> None:
        """Declare outputs that have no gradient."""
        self._non_differentiable = values

    def set_materialize_grads(self, value: bool) -> None:
        """Whether `backward` gets zeros (the default) or None for outputs without a gradient."""
        self._materialize = bool(value)

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The values given to `save_for_backward`; MutationError if one was changed in place since."""
        if self._saved is None:
            return self._to_save
        node = self._node() if self._node is not None else None
        return tuple(self._unpack(k, entry, node) for k, entry in enumerate(self._saved))

    @property
    def saved_values(self) -> tuple[Any, ...]:
        """Another name for `saved_tensors`."""
        return self.saved_tensors

    def _keep(self, outputs: list, results: list) -> None:
        """Turn what was given to `save_for_backward` into what a node may hold."""
        # An output holds its node, and the node this context: it is kept as an alias without one. So is any
        # value but a leaf, with the node it has now: changed in place later, it would lead here.
        hooks = current_mode().saved_hooks if special else None
        self._saved = []
        for value in self._to_save:
            if value is None:
                self._saved.append(None)
                continue
            adapter = adapter_of(value)
            k = next((k for k, out in enumerate(outputs) if out is value or results[k] is value), None)
            kept = value
            if isinstance(value, Value) and value.node is not LEAF:
                kept = adapter.alias(value)
                kept.node = value.node if k is None else None
            if hooks is None:
                self._saved.append((kept, adapter.version(value), k))
            else:
                self._saved.append((Packed(kept, hooks), 0, k))
        self._to_save = ()

    def _unpack(self, position: int, entry: Any, node: Node | None) -> Any:
        if entry is None:
            return None
        value, version, k = entry
        if type(value) is Packed:
            value = value.get()
        elif node is not None:
            check_saved(node, value, version, f"saved value {position}")
        if k is None or node is None:
            return value
        kinds, only = node.s1
        value = adapter_of(value).alias(value)
        if only is None:
            if kinds[k] is not None:
                value.node = output_node(node, k, len(kinds))
        elif k == only:
            value.node = node
        return value


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

    #: There is no vmap yet; the name is PyTorch's.
    generate_vmap_rule = False
    _rule: Rule

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # User code sees the gradients: they are never the engine's own.
        cls._rule = Rule(cls.__name__ + "Backward", _backward, None, True, _edges)

    def __init__(self) -> None:
        raise InvalidTypeError(
            f"{type(self).__name__}: expected a call of {type(self).__name__}.apply(...), not an instance"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs: a value, or a tuple of values and other things."""
        raise UnsupportedError("Function: expected a subclass to define forward as a static method")

    if TYPE_CHECKING:  # a subclass says how many gradients there are, and of which types

        @staticmethod
        def setup_context(*args: Any, **kwargs: Any) -> None:
            """Fill `ctx`, where `forward` does not take it: `ctx, inputs, output`."""

        @staticmethod
        def backward(*args: Any, **kwargs: Any) -> Any:
            """Compute the gradients of the arguments from those of the outputs: `ctx, *grads`."""

    else:

        @staticmethod
        def setup_context(ctx: FunctionContext, inputs: tuple[Any, ...], output: Any) -> None:
            """Fill `ctx`, where `forward` does not take it."""
            raise UnsupportedError("Function: expected a subclass to define setup_context as a static method")

        @staticmethod
        def backward(ctx: FunctionContext, *grads: Any) -> Any:
            """Compute the gradients of the arguments from those of the outputs."""
            raise UnsupportedError("Function: expected a subclass to define backward as a static method")

    @staticmethod
    def jvp(ctx: FunctionContext, *tangents: Any) -> Any:
        """The place of the forward-mode derivative, which the engine does not use yet."""
        raise UnsupportedError("Function: forward-mode differentiation is not supported yet")

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *args: Any) -> Any:
        """The place of the rule for batches, which nothing uses yet."""
        raise UnsupportedError("Function: vmap is not supported yet")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward` on the arguments, and record the call where one of `args` requires grad.

        With `setup_context`, arguments by name and defaults take their places among `args`; otherwise those
        by name have no gradient.
        """
        try:
            if cls.setup_context is not Function.setup_context:
                args, kwargs = _bound(cls.forward, args, kwargs), {}
            edges = tuple(edge_to(a) if isinstance(a, Value) else None for a in args)
            ctx = FunctionContext(cls, tuple(e is not None for e in edges))
            with no_grad():
                if cls.setup_context is Function.setup_context:
                    output = cls.forward(ctx, *args, **kwargs)
                else:
                    output = cls.forward(*args)
                    cls.setup_context(ctx, args, output)
            outputs = list(output) if isinstance(output, tuple) else [output]
            records_it = any(ctx.needs_input_grad) and is_grad_enabled()
            _check_dirty(ctx, args, outputs, records_it)
            results = [_result(ctx, out, args) for out in outputs]
            if records_it:
                _record(ctx, args, edges, outputs, results)
            return tuple(results) if isinstance(output, tuple) else results[0]
        except FaculaError as error:
            trim_traceback(error)
            raise


def _bound(forward: Callable[..., Any], args: tuple, kwargs: dict) -> tuple:
    """All positional arguments of `forward`, with those given by name and defaults in their places."""
    code = getattr(forward, "__code__", None)
    if code is not None and not kwargs and not forward.__defaults__:  # type: ignore[attr-defined]
        return args
    from inspect import signature

    bound = signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args


def _is_among(value: Any, values: tuple | list) -> bool:
    return any(value is other for other in values)  # `in` would compare with ==


def _check_dirty(ctx: FunctionContext, args: tuple, outputs: list, records_it: bool) -> None:
    name = ctx._function.__name__
    for value in ctx._dirty:
        what = adapter_of(value).describe(value)
        if not _is_among(value, args):
            raise GradientError(f"{name}: mark_dirty expected arguments of forward; got {what}, which is none")
        if not _is_among(value, outputs):
            raise GradientError(f"{name}: expected the argument marked dirty ({what}) among the outputs; return it")
        if records_it and value.node is LEAF:
            raise GradientError(
                f"{name}: expected to change a value that is no leaf; {what} is a leaf that requires "
                "grad. Work on a clone(), or under no_grad()"
            )
        if records_it:
            adapter_of(value).check_change(name, value)


def _result(ctx: FunctionContext, out: Any, args: tuple) -> Any:
    """What the caller gets for `out`: another object where `out` has a history of its own."""
    if not isinstance(out, Value) or _is_among(out, ctx._dirty):
        return out
    return adapter_of(out).alias(out) if out.node is not None or _is_among(out, args) else out


def _record(ctx: FunctionContext, args: tuple, edges: tuple, outputs: list, results: list) -> None:
    former = [edge_to(value) for value in ctx._dirty]
    for value in ctx._dirty:
        value.node = None
    differentiable = [
        new if isinstance(new, Value) and adapter_of(new).differentiable(new)
        and not _is_among(out, ctx._non_differentiable) else None
        for out, new in zip(outputs, results, strict=True)
    ]  # fmt: skip
    ctx._keep(outputs, results)
    chosen = [k for k, value in enumerate(differentiable) if value is not None]
    if not chosen:
        return
    kinds = tuple(
        (adapter_of(new), adapter_of(new).metadata(new)) if isinstance(new, Value) else None for new in results
    )
    rule = ctx._function._rule
    if len(chosen) == 1:
        node = record(differentiable[chosen[0]], rule, 3)
        node.s1 = (kinds, chosen[0])
    else:
        node = record_many(differentiable, rule, 3)
        node.s1 = (kinds, None)
    node.s0 = ctx
    node.rest = (
        edges,
        tuple((adapter_of(a), adapter_of(a).metadata(a)) if isinstance(a, Value) else None for a in args),
    )
    ctx._node = ref(node)
    for value, edge in zip(ctx._dirty, former, strict=True):
        if type(edge) is Node:
            move_hooks(value, edge)
        adapter_of(value).rebase(value, edge)
    for value, out in zip(differentiable, outputs, strict=True):
        if value is not None and not _is_among(value, ctx._dirty):
            adapter_of(value).returned(value, out)


def from_function(node: Any) -> bool:
    """Whether a value with this node is the result of a `Function`."""
    if type(node) is Node and node.rule is OUTPUT:
        node = node.e0
    if type(node) is not Node:
        return False
    rule = node.rule.extra.inner if node.rule.backward is run_around else node.rule
    return rule.backward is _backward


def _edges(node: Node) -> tuple:
    return node.rest[0]


def _backward(F: Any, node: Node, g: Any) -> Any:
    """The backward of every Function's nodes."""
    ctx: FunctionContext = node.s0
    kinds, only = node.s1
    grads = list(g) if type(g) is Gradients else [g if k == only else None for k in range(len(kinds))]
    if ctx._materialize:
        grads = [kind[0].zeros(kind[1]) if h is None and kind is not None else h
                 for h, kind in zip(grads, kinds, strict=True)]  # fmt: skip
    before = [None if h is None else adapter_of(h).version(h) for h in grads]
    with replace_mode(grad=records(F)):
        result = ctx._function.backward(ctx, *grads)
    for h, version in zip(grads, before, strict=True):
        if h is not None and adapter_of(h).version(h) != version:
            raise MutationError(
                f"{ctx._function.__name__}.backward: expected the gradients it is given unchanged, since others may "
                "hold them; one was changed in place. Change a clone() of it",
                operator=node.name(),
                forward=node.where,
                saved="a gradient",
                mutation=None,
            )
    return _checked(ctx, node, result)


def _checked(ctx: FunctionContext, node: Node, result: Any) -> list:
    """The pairs for the engine, from what the user's backward returned."""
    edges, kinds = node.rest
    name = ctx._function.__name__
    result = tuple(result) if isinstance(result, (tuple, list)) else (result,)
    if len(result) > len(edges) and all(h is None for h in result[len(edges) :]):
        result = result[: len(edges)]
    if len(result) != len(edges):
        raise GradientError(
            f"{name}.backward: expected {len(edges)} gradients, one for each argument of forward; got "
            f"{len(result)}. Return None for arguments that have none"
        )
    pairs = []
    for k, (edge, kind, h) in enumerate(zip(edges, kinds, result, strict=True)):
        if h is None:
            continue
        if kind is None:
            raise GradientError(
                f"{name}.backward: expected None for argument {k} of forward, which is not a "
                f"differentiable value; got {adapter_of(h).describe(h)}"
            )
        if edge is None:
            continue
        adapter, metadata = kind
        try:
            if not isinstance(h, Value):
                raise InvalidValueError(f"expected a value; got {type(h).__name__}")
            h = adapter.expected(metadata, h, reduce=True)
        except ValueError as error:
            raise GradientError(f"{name}.backward: the gradient of argument {k} does not fit it: {error}") from None
        pairs.append((edge, h))
    return pairs


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
    def once(ctx: FunctionContext, *grads: Any) -> Any:
        with no_grad():
            result = backward(ctx, *grads)
        if not is_grad_enabled():
            return result
        wanting = [g for g in grads if isinstance(g, Value) and g.node is not None]
        results = result if isinstance(result, (tuple, list)) else (result,)
        return tuple(_dead_end(h, ctx, wanting) if isinstance(h, Value) else h for h in results)

    return once  # type: ignore[return-value]  # which takes what `backward` takes


def _dead_end(value: Any, ctx: FunctionContext, wanting: list) -> Any:
    value = adapter_of(value).alias(value)
    forward = ctx._node() if ctx._node is not None else None
    edges = tuple(edge_to(g) for g in wanting) + (forward.rest[0] if forward is not None else ())
    name = ctx._function.__name__
    value.node = dead_end(
        f"{name}.backward: expected to be differentiated once; it is marked once_differentiable", forward, edges
    )
    return value
