"""Contracts of reductions, softmax and losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_storage import bool_, int64

from .shapes import are_dims, is_dim, is_flag, is_size, left_out, without

if TYPE_CHECKING:
    from collections.abc import Callable

EXTREMES = ("amax", "amin", "max_dim", "min_dim", "argmax", "argmin")  # of nothing there is none


def reduction(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """One result, of some dimensions."""
    (a,), (o,), (dims, keepdim) = inputs, outputs, parameters
    return is_flag(keepdim) and are_dims(dims, a.ndim) and o.shape == without(a.shape, dims, keepdim)


def extreme(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """As a reduction, of elements that are there."""
    return reduction(inputs, outputs, parameters) and _has_all(inputs[0], outputs[0])


def _has_all(a: Any, o: Any) -> bool:
    return bool(a.numel or not o.numel)


def var(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """A reduction with a correction, and whether its root is taken."""
    *both, correction, root = parameters
    return type(correction) in (int, float) and is_flag(root) and reduction(inputs, outputs, both)


def extreme_and_place(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """The extreme along a dimension, and its place."""
    (a,), (o, places), (dim, keepdim) = inputs, outputs, parameters
    return (
        type(dim) is int
        and places.dtype is int64
        and places.shape == o.shape
        and o.dtype is a.dtype
        and reduction(inputs, (o,), ((dim,), keepdim))
        and _has_all(a, o)
    )


def place(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """The place of an extreme along a dimension, or among all elements."""
    (a,), (o,), (dim, keepdim) = inputs, outputs, parameters
    dims = tuple(range(a.ndim)) if dim is None else (dim,)
    return o.dtype is int64 and reduction(inputs, outputs, (dims, keepdim)) and _has_all(a, o)


def count_true(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """One number."""
    return len(inputs) == len(outputs) == 1 and outputs[0].shape == () and inputs[0].dtype is bool_


def softmax(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """All of one shape."""
    (o,), (dim,) = outputs, parameters
    return len(inputs) == 1 and inputs[0].shape == o.shape and is_dim(dim, max(o.ndim, 1))


def softmax_grad(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """All of one shape."""
    g, result = inputs
    return g.shape == result.shape and softmax((result,), outputs, parameters)


def loss(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """The loss of scores (n, classes, ...) and targets (n, ...)."""
    (x, target, weight), (o,), (how,) = inputs, outputs, parameters
    each = (x.shape[0], *x.shape[2:])
    return (
        how in ("none", "mean", "sum")
        and x.ndim >= 2
        and target.shape == each
        and left_out(weight, (x.shape[1],))
        and o.shape == (each if how == "none" else ())
    )


def loss_grad(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """The gradient of the scores."""
    g, *rest = inputs
    return outputs[0].shape == rest[0].shape and len(outputs) == 1 and loss(tuple(rest), (g,), parameters)


def ctc_loss(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Log-probabilities, targets and lengths, which the kernel looks at, to losses and alphas."""
    (x, targets, lengths), (losses, alphas), (longest,) = inputs, outputs, parameters
    steps, batch, _ = x.shape
    return (
        is_size(longest)
        and targets.dtype is lengths.dtype is int64
        and lengths.shape == (batch, 3)
        and losses.shape == (batch,)
        and alphas.shape == (batch, steps, 2 * longest + 1)
    )


def ctc_loss_grad(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """The gradient of the log-probabilities."""
    (g, x, targets, lengths, losses, alphas), (o,) = inputs, outputs
    return (
        g.shape == losses.shape and o.shape == x.shape and ctc_loss((x, targets, lengths), (losses, alphas), parameters)
    )


CONTRACTS: dict[str, Callable[[Any, Any, Any], bool]] = {
    **dict.fromkeys(("sum", "prod", "any", "all", "norm2"), reduction),
    **dict.fromkeys(("amax", "amin"), extreme),
    **dict.fromkeys(("max_dim", "min_dim"), extreme_and_place),
    **dict.fromkeys(("argmax", "argmin"), place),
    **dict.fromkeys(("softmax", "log_softmax"), softmax),
    **dict.fromkeys(("softmax_grad", "log_softmax_grad"), softmax_grad),
    **dict.fromkeys(("cross_entropy", "nll_loss"), loss),
    **dict.fromkeys(("cross_entropy_grad", "nll_loss_grad"), loss_grad),
    "ctc_loss": ctc_loss,
    "ctc_loss_grad": ctc_loss_grad,
    "var": var,
    "count_true": count_true,
}
