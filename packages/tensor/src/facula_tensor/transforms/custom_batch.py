"""Users' Functions (`facula_autograd.Function`) inside `vmap`: their `vmap`, or their other methods on batches."""

from __future__ import annotations

from typing import Any, NamedTuple

from facula_autograd import Function
from facula_autograd.extend.functions import FunctionContext
from facula_errors import InvalidTypeError, UnsupportedError

from .._core.tensor import Tensor, layout_of_tensor
from .._dispatch.namespaces import recorded_ops
from .custom import filled_context, unwrapped_arguments
from .levels import is_at


class VmapInfo(NamedTuple):
    """The enclosing `vmap`, as passed to `Function.vmap`: the length of the batch and its `randomness`."""

    batch_size: int
    randomness: str


def apply_at_batch(level: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a Function on batched tensors: by its `vmap` or, with `generate_vmap_rule`, by its other methods."""
    name, has_rule = function.__name__, function.vmap is not Function.vmap
    if has_rule and function.generate_vmap_rule:
        raise UnsupportedError(f"{name}: expected vmap or generate_vmap_rule = True; got both")
    if has_rule:
        return _batch_by_rule(level, function, args, unwrapped_arguments(level, kwargs))
    if not function.generate_vmap_rule:
        raise UnsupportedError(
            f"{name}: has no rule for vmap; define vmap(info, in_dims, *args) as a static method, or set "
            "generate_vmap_rule = True where its methods use operators on tensors alone"
        )
    return _generated(level, function, args)


def _batch_by_rule(level: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the static method `vmap` with the contents of batched tensors.

    It returns results and their batch dimensions.
    """
    name = function.__name__
    in_dims = tuple([level.rule_dim % level.value(a).ndim if is_at(level, a) else None for a in args])
    contents = [a if dim is None else recorded_ops.movedim(level.value(a), 0, dim) if dim else level.value(a)
                for a, dim in zip(args, in_dims, strict=True)]  # fmt: skip
    found = function.vmap(VmapInfo(level.size, level.randomness), in_dims, *contents, **kwargs)
    if not isinstance(found, tuple) or len(found) != 2:
        raise InvalidTypeError(f"{name}.vmap: expected a pair (output, out_dims); got {type(found).__name__}")
    output, dims = found
    outputs = list(output) if isinstance(output, tuple) else [output]
    places = list(dims) if isinstance(dims, (tuple, list)) else [dims] * len(outputs)
    if len(places) != len(outputs):
        raise InvalidTypeError(f"{name}.vmap: expected out_dims for {len(outputs)} outputs; got {dims!r:.60}")
    results = []
    for tensor, dim in zip(outputs, places, strict=True):
        if dim is None or not isinstance(tensor, Tensor):
            results.append(tensor)
            continue
        tensor = recorded_ops.movedim(tensor, dim, 0)
        if layout_of_tensor(tensor).shape[0] != level.size:
            raise InvalidTypeError(
                f"{name}.vmap: expected {level.size} elements along dimension {dim} of the output; got shape "
                f"{tuple(tensor.shape)}"
            )
        results.append(level.make(tensor))
    return tuple(results) if isinstance(output, tuple) else results[0]


def _generated(level: Any, function: Any, args: tuple[Any, ...]) -> Any:
    """Call a Function of the arguments' contents whose methods run the given one's methods on batches."""
    batched = [is_at(level, a) for a in args]
    dims: list[bool] = []  # which outputs are batched
    single: list[bool] = []  # whether there is a single output, not in a tuple

    def again(contents: Any, which: list[bool]) -> tuple[Any, ...]:
        return tuple(
            [
                level.make(a) if is_batched and a is not None else a
                for a, is_batched in zip(contents, which, strict=True)
            ]
        )

    class Batched(Function):
        generate_vmap_rule = True  # for an enclosing level

        @staticmethod
        def forward(*contents: Any) -> Any:
            with level.reopened():
                output = function.forward(*again(contents, batched))
            outputs = output if isinstance(output, tuple) else (output,)
            single[:], dims[:] = [not isinstance(output, tuple)], [is_at(level, tensor) for tensor in outputs]
            return tuple([level.value(tensor) for tensor in outputs])

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            with level.reopened():
                given = again(output, dims)
                inner = filled_context(
                    function, again(inputs, batched), given[0] if single[0] else given, ctx.needs_input_grad
                )
            ctx.save_for_backward(*[level.value(tensor) for tensor in inner.saved_tensors])
            ctx.saved_dims = [is_at(level, tensor) for tensor in inner.saved_tensors]
            ctx.set_materialize_grads(inner._materialize)
            constant = {id(tensor) for tensor in inner._non_differentiable}
            ctx.mark_non_differentiable(
                *[tensor for tensor, shown in zip(output, given, strict=True) if id(shown) in constant]
            )
            ctx.inner = inner

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            with level.reopened():
                found = function.backward(_context(ctx, again(ctx.saved_tensors, ctx.saved_dims)), *again(grads, dims))
                found = found if isinstance(found, tuple) else (found,)
                return tuple([_fit_gradient(level, g, dim) for g, dim in zip(found, batched, strict=True)])

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            with level.reopened():
                found = function.jvp(_context(ctx, again(ctx.saved_tensors, ctx.saved_dims)), *again(tangents, batched))
                found = found if isinstance(found, tuple) else (found,)
                return tuple([_fit_gradient(level, t, dim) for t, dim in zip(found, dims, strict=True)])

    Batched.__name__ = function.__name__
    results = again(Batched.apply(*[level.value(a) for a in args]), dims)
    return results[0] if single[0] else results


def _context(ctx: Any, saved: tuple[Any, ...]) -> FunctionContext:
    """Return the context that the user's function filled, with these saved tensors."""
    inner: FunctionContext = ctx.inner
    inner._to_save, inner.needs_input_grad = saved, ctx.needs_input_grad
    return inner


def _fit_gradient(level: Any, g: Any, batched: bool) -> Any:
    """Make a gradient or tangent match its value: expand it if that is batched, otherwise sum over the batch."""
    if not isinstance(g, Tensor):
        return g
    if not batched:
        return recorded_ops.sum(level.value(g), ((0,), False)) if is_at(level, g) else g
    if is_at(level, g):
        return level.value(g)
    return recorded_ops.expand(recorded_ops.unsqueeze(g, 0), (level.size, *g.shape))
