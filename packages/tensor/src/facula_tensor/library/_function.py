"""The `Function` of an operator on whole tensors: its behavior under tapes, forward mode and `vmap`."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from facula_autograd import Function
from facula_autograd.extend.modes import active_modes, current_mode, replace_mode
from facula_autograd.extend.transforms import take_apart
from facula_errors import InvalidTypeError, UnsupportedError
from facula_errors.extend import warn
from facula_storage.extend.layouts import FLOATING

from .._core.tensor import Tensor, layout_of_tensor
from .._creation.filled import zeros
from .._dispatch.namespaces import recorded_ops
from ..transforms.grad import GradLevel
from ..transforms.levels import is_at
from ._calls import Call, no_gradient


class Needs(tuple[Any, ...]):
    """Whether each argument requires a gradient: a bool, or a list of them for a list of tensors. True if any does."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return any([any(element) if isinstance(element, (tuple, list)) else element for element in self])


class OperatorFunction(Function):
    """The Function of an operator, applied to a `Call` and the leaves of the operator's arguments."""

    @staticmethod
    def forward(call: Call, *leaves: Any) -> tuple[Any, ...]:
        """Return the outputs for plain leaves."""
        return call.compute(leaves)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Any, ...]) -> None:
        """Run the user's `setup_context`, and save the layouts for checks of gradients and tangents."""
        call, *leaves = inputs
        op = call.op
        ctx._call, ctx._layouts = call, [layout_of_tensor(a) if isinstance(a, Tensor) else None for a in leaves]
        ctx.needs_input_grad = Needs(call.by_argument(ctx.needs_input_grad[1:], False))
        if op.setup_context is not None:
            args, named = call.arguments(leaves)
            op.setup_context(ctx, args, *((named,) if op.arguments.named else ()), call.result(output, leaves))
        constant = {id(tensor) for tensor in ctx._non_differentiable}
        ctx._results = [
            layout_of_tensor(value) if isinstance(value, Tensor) and id(value) not in constant else None
            for value in output
        ]

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Any, ...]:
        """Return the gradients of the leaves, computed by the user's `backward`."""
        call: Call = ctx._call
        op = call.op
        if op.backward is None:
            raise no_gradient(op.name)
        given = call.result(grads, ())
        found = op.backward(ctx, *(given if isinstance(given, tuple) else (given,)))
        return (None, *call.gradients(found, ctx._layouts))

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> tuple[Any, ...]:
        """Return the tangents of the outputs, by differentiating `backward`, which is linear in the gradients."""
        level = GradLevel()
        points = [
            level.leaf(zeros(result.shape, dtype=result.dtype, device=result.device))
            if result is not None and result.dtype.category >= FLOATING
            else None
            for result in ctx._results
        ]
        with replace_mode(grad=True) if active_modes and not current_mode().grad else nullcontext():
            found = OperatorFunction.backward(ctx, *points)
            pairs = [(h, t) for h, t in zip(found, tangents, strict=True) if t is not None and is_at(level, h)]
            slopes = iter(
                level.pull(
                    [h for h, _ in pairs],
                    [t for _, t in pairs],
                    [point for point in points if point is not None],
                    record=level.records,
                )
            )
        level.open = False
        return tuple([None if point is None else next(slopes) for point in points])

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *args: Any) -> tuple[Any, Any]:
        """Return the outputs of a batch, by the user's rule or by one call for each element."""
        call, *leaves = args
        if call.op.batch_rule is None:
            return _call_for_each(info.batch_size, in_dims[1:], call, leaves)
        return _batch_by_registered_rule(info, in_dims[1:], call, leaves)


def _batch_by_registered_rule(
    info: Any, in_dims: tuple[int | None, ...], call: Call, leaves: list[Any]
) -> tuple[Any, Any]:
    """Apply the rule of `register_vmap`; return its outputs and their batch dimensions."""
    op = call.op
    args, named = call.arguments(leaves)
    found = op.batch_rule(info, call.by_argument(in_dims, None), *args, **named)  # type: ignore[misc]  # not None
    output, out_dims = batched_pair(op.name, found)
    outputs, call.results = take_apart(output)
    dims = [out_dims] * len(outputs) if out_dims is None or type(out_dims) is int else take_apart(out_dims)[0]
    if len(dims) != len(outputs) or not all([dim is None or type(dim) is int for dim in dims]):
        raise InvalidTypeError(
            f"{op.name}: expected the rule of register_vmap to return out_dims built like its output, of ints and "
            f"None, {call.results}; got {out_dims!r:.60}"
        )
    return tuple(outputs), tuple(dims)


def batched_pair(name: str, found: Any) -> tuple[Any, Any]:
    """Check that a batching rule returned a pair, and return it; TypeError otherwise."""
    if not isinstance(found, tuple) or len(found) != 2:
        got = f"a tuple of {len(found)}" if isinstance(found, tuple) else type(found).__name__
        raise InvalidTypeError(
            f"{name}: expected the rule of register_vmap to return a pair (output, out_dims); got {got}"
        )
    return found


def _call_for_each(size: int, in_dims: tuple[int | None, ...], call: Call, leaves: list[Any]) -> tuple[Any, Any]:
    """Call the operator once for each element of the batch."""
    op = call.op
    changed = {id(tensor) for tensor in op.arguments.tensors_changed(op.name, *call.arguments(leaves))}
    if any([id(leaf) in changed and dim is None for leaf, dim in zip(leaves, in_dims, strict=True)]):
        raise UnsupportedError(
            f"{op.name}: changes a tensor in place that is not batched, inside vmap; give it one that is, or a rule by "
            "register_vmap"
        )
    if not size:
        raise UnsupportedError(f"{op.name}: expected a batch of at least one element; got none; give it a rule by "
                               "register_vmap")  # fmt: skip
    warn(f"{op.name}: vmap runs it once for each of {size} elements of the batch; register_vmap gives it a rule")
    rows = []
    for place in range(size):
        parts = [
            leaf if dim is None else recorded_ops.select(leaf, dim, place)
            for leaf, dim in zip(leaves, in_dims, strict=True)
        ]
        args, named = call.arguments(parts)
        outputs, call.results = take_apart(op(*args, **named))
        rows.append(outputs)
    stacked = [
        recorded_ops.stack(tuple(some), (0,)) if isinstance(some[0], Tensor) else some[0]
        for some in zip(*rows, strict=True)
    ]
    return tuple(stacked), tuple([0 if isinstance(value, Tensor) else None for value in stacked])


def function_class(name: str) -> type[OperatorFunction]:
    """Return a Function class with the operator's name, which nodes and errors display."""
    return type(name, (OperatorFunction,), {})
