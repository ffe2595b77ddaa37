"""Nodes of `Function` calls: recording a call, and the rule that runs the user's `backward`."""

from __future__ import annotations

from weakref import ref

from facula_errors import InvalidValueError

from .._adapters import adapter_of, records
from .._errors import GradientError, MutationError
from .._graph.hooks import move_hooks, run_wrapped
from .._graph.node import LEAF, Node, edge_to, record
from .._modes.context_managers import replace_mode
from .._value import Value
from .function_context import FunctionContext
from .outputs import OUTPUT, Gradients, record_many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from typing import TypeGuard

    from .._graph.node import Edge, Pairs
    from .._types import AnyAdapter, Leaf

    Kinds = tuple[tuple[AnyAdapter, Hashable] | None, ...]


def _is_among(value: object, values: Sequence[object]) -> bool:
    return any(value is other for other in values)  # `in` would compare with ==


def check_dirty(ctx: FunctionContext, args: tuple[object, ...], outputs: list[object], records_it: bool) -> None:
    name = ctx._function.__name__
    for value in ctx._dirty:
        what = adapter_of(value).describe(value)
        if not _is_among(value, args):
            raise GradientError(
                f"{name}: mark_dirty expected arguments of forward; got {what}, which is not one of them"
            )
        if not _is_among(value, outputs):
            raise GradientError(f"{name}: expected the argument marked dirty ({what}) among the outputs; return it")
        if records_it and value.node is LEAF:
            raise GradientError(
                f"{name}: expected to change a value that is no leaf; {what} is a leaf that requires "
                "grad. Work on a clone(), or under no_grad()"
            )
        if records_it:
            adapter_of(value).check_inplace(name, value)


def returned_value(ctx: FunctionContext, out: object, args: tuple[object, ...]) -> object:
    """Return the result for the caller in place of `out`: another object if `out` has its own history."""
    if not isinstance(out, Value) or _is_among(out, ctx._dirty):
        return out
    return adapter_of(out).alias(out) if out.node is not None or _is_among(out, args) else out


def record_call(
    ctx: FunctionContext,
    args: tuple[object, ...],
    edges: tuple[Edge, ...],
    outputs: list[object],
    results: list[object],
    depth: int = 4,
) -> None:
    """Create the node of a call's results.

    Arguments:
        ctx: the context that `forward` or `setup_context` filled.
        args: the arguments.
        edges: an edge for each of them.
        outputs: the results of `forward`.
        results: the values returned in their place, so far without nodes.
        depth: number of frames up to the call site.
    """
    former = [edge_to(value) for value in ctx._dirty]
    for value in ctx._dirty:
        value.node = None
    differentiable = [
        new if isinstance(new, Value) and adapter_of(new).differentiable(new)
        and not _is_among(out, ctx._non_differentiable) else None
        for out, new in zip(outputs, results, strict=True)
    ]  # fmt: skip
    if ctx._saved is None:  # otherwise a transform has kept it
        ctx._keep(outputs, results)
    chosen = [k for k, value in enumerate(differentiable) if value is not None]
    if not chosen:
        return
    kinds = tuple(
        (adapter_of(new), adapter_of(new).metadata(new)) if isinstance(new, Value) else None for new in results
    )
    rule = ctx._function._rule
    if len(chosen) == 1:
        node = record(differentiable[chosen[0]], rule, depth)  # type: ignore[arg-type]  # not None
        node.s1 = (kinds, chosen[0])
    else:
        node = record_many(differentiable, rule, depth)
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
        adapter_of(value).rebase_history(value, edge)
    for new, out in zip(differentiable, outputs, strict=True):
        if new is not None and not _is_among(new, ctx._dirty):
            adapter_of(new).register_output(new, out)


def from_function(node: object) -> TypeGuard[Node]:
    """Return whether a value with this node is the result of a `Function`."""
    if type(node) is Node and node.rule is OUTPUT:
        node = node.e0
    if type(node) is not Node:
        return False
    rule = node.rule.extra.inner if node.rule.backward is run_wrapped else node.rule
    return rule.backward is run_backward_method


def edges_beyond(node: Node) -> tuple[Edge, ...]:
    return node.rest[0]


def run_backward_method(F: object, node: Node, g: object) -> Pairs:
    """Run the backward of a Function's node."""
    ctx: FunctionContext = node.s0
    kinds: Kinds
    only: int | None
    kinds, only = node.s1
    grads: list[object] = list(g) if type(g) is Gradients else [g if k == only else None for k in range(len(kinds))]
    if ctx._materialize:
        grads = [kind[0].zeros(kind[1]) if h is None and kind is not None else h
                 for h, kind in zip(grads, kinds, strict=True)]  # fmt: skip
    before = [None if h is None else adapter_of(h).version(h) for h in grads]
    with replace_mode(grad=records(F)):
        result = ctx._function.backward(ctx, *grads)
    for h, version in zip(grads, before, strict=True):
        if h is not None and adapter_of(h).version(h) != version:
            raise MutationError(
                f"{ctx._function.__name__}.backward: expected the incoming gradients to stay unchanged, since "
                "other code may use them; one was changed in place. Change a clone() instead",
                operator=node.name(),
                forward=node.where,
                saved="a gradient",
                mutation=None,
            )
    return _checked(ctx, node, result)


def _checked(ctx: FunctionContext, node: Node, result: object) -> Pairs:
    """Convert the results of the user's backward to pairs for the engine, with checks."""
    edges: tuple[Edge, ...]
    kinds: Kinds
    edges, kinds = node.rest
    name = ctx._function.__name__
    grads: tuple[object, ...] = tuple(result) if isinstance(result, (tuple, list)) else (result,)
    if len(grads) > len(edges) and all(h is None for h in grads[len(edges) :]):
        grads = grads[: len(edges)]
    if len(grads) != len(edges):
        raise GradientError(
            f"{name}.backward: expected {len(edges)} gradients, one for each argument of forward; got "
            f"{len(grads)}. Return None for arguments that have none"
        )
    pairs: list[tuple[Node | Leaf, object]] = []
    for k, (edge, kind, h) in enumerate(zip(edges, kinds, grads, strict=True)):
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
            h = adapter.fit_gradient(metadata, h, reduce=True)
        except ValueError as error:
            raise GradientError(f"{name}.backward: the gradient of argument {k} does not fit it: {error}") from None
        pairs.append((edge, h))
    return pairs
