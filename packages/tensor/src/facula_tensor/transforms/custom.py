"""Users' Functions (`facula_autograd.Function`) at a level: their `backward` or their `jvp`."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from facula_autograd import Function, no_grad
from facula_autograd.extend.functions import FunctionContext, record_call
from facula_autograd.extend.modes import active_modes, current_mode
from facula_autograd.extend.nodes import edge_to
from facula_errors import InvalidTypeError, UnsupportedError

from .._core.tensor import Tensor
from .._dispatch.namespaces import no_record_ops
from .levels import is_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core.wrapped import Level


def unwrapped_arguments(level: Level, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return keyword arguments without the level's wrappers; they have no derivative."""
    return {name: level.value(value) for name, value in kwargs.items()}


def filled_context(function: Any, args: tuple[Any, ...], output: Any, needs: tuple[bool, ...]) -> FunctionContext:
    """Return a context filled by the function's `setup_context`; raise an error if it has none."""
    name = function.__name__
    if function.setup_context is Function.setup_context:
        raise UnsupportedError(
            f"{name}: expected setup_context(ctx, inputs, output) and a forward without ctx, which facula.func needs; "
            "got a forward that takes ctx"
        )
    ctx = FunctionContext(function, needs)
    with no_grad():
        function.setup_context(ctx, args, output)
    if ctx._dirty:
        raise UnsupportedError(f"{name}: mark_dirty is not supported inside a transform; change a clone()")
    return ctx


def apply_at_grad(level: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a Function at the level of a gradient: its `backward` runs in that level's backward pass."""
    contents = tuple([level.value(a) for a in args])
    with nullcontext() if level.records or not level.open else no_grad():
        output = function.apply(*contents, **unwrapped_arguments(level, kwargs))
    edges = tuple([edge_to(a) if is_at(level, a) else None for a in args])
    recorded = level.open and (not active_modes or current_mode().grad)
    if not (recorded and any([edge is not None for edge in edges])):
        return output
    ctx = filled_context(function, contents, output, tuple([edge is not None for edge in edges]))
    ctx._to_save = level.to_save(ctx._to_save)
    ctx._keep([], [])
    outputs = list(output) if isinstance(output, tuple) else [output]
    results = [level.constant(tensor) if isinstance(tensor, Tensor) else tensor for tensor in outputs]
    record_call(ctx, contents, edges, outputs, results, 6)  # past `apply`, to the user's line
    return tuple(results) if isinstance(output, tuple) else results[0]


def apply_at_dual(
    level: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], fitted: Callable[..., Tensor]
) -> Any:
    """Call a Function at a level of forward mode: its `jvp` computes the tangents."""
    name = function.__name__
    primals = tuple([level.value(a) for a in args])
    tangents = [level.tangent(a) for a in args]
    if not level.open or all([t is None for t in tangents]):
        return function.apply(*primals, **unwrapped_arguments(level, kwargs))
    if function.jvp is Function.jvp:
        raise UnsupportedError(f"{name}: has no forward-mode derivative; define jvp(ctx, *tangents) as a static method")
    output, ctx = function.apply_with_context(primals, unwrapped_arguments(level, kwargs))
    if ctx is None or function.setup_context is not Function.setup_context:
        ctx = filled_context(function, primals, output, tuple([t is not None for t in tangents]))
    if ctx._materialize:
        tangents = [
            no_record_ops.zeros_like(a) if t is None and isinstance(a, Tensor) else t
            for a, t in zip(primals, tangents, strict=True)
        ]
    ctx._in_forward_mode = True
    try:
        slopes = function.jvp(ctx, *tangents)
    finally:
        ctx._in_forward_mode = False
    outputs = list(output) if isinstance(output, tuple) else [output]
    slopes = list(slopes) if isinstance(slopes, (tuple, list)) else [slopes]
    if len(slopes) != len(outputs):
        raise InvalidTypeError(f"{name}.jvp: expected {len(outputs)} tangents, one for each output; got {len(slopes)}")
    results = []
    for tensor, slope in zip(outputs, slopes, strict=True):
        if slope is None or not isinstance(tensor, Tensor):
            results.append(tensor)
            continue
        if not isinstance(slope, Tensor):
            raise InvalidTypeError(f"{name}.jvp: expected tensors or None; got {type(slope).__name__}")
        results.append(level.make(tensor, fitted(f"{name}.jvp", tensor, slope)))
    whole = tuple(results) if isinstance(output, tuple) else results[0]
    if level.taped and (not active_modes or current_mode().grad):
        record_at_dual(function, args, results, whole)
    return whole


def record_at_dual(function: Any, args: tuple[Any, ...], results: list[Any], whole: Any) -> None:
    """Attach a node to the pairs that a Function returned, so that its `backward` runs on pairs.

    Arguments:
        function: the Function.
        args: its arguments, pairs among them.
        results: the pairs that receive the node.
        whole: the results as the Function returned them.
    """
    edges = tuple([edge_to(a) if isinstance(a, Tensor) else None for a in args])
    needs = tuple([edge is not None for edge in edges])
    if any(needs):
        ctx = filled_context(function, args, whole, needs)
        record_call(ctx, args, edges, results, results, 7)
