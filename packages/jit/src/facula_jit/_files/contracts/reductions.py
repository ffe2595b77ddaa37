"""Contracts of softmax and losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_storage import bool_, int64

from .shapes import is_dim, is_size, left_out

if TYPE_CHECKING:
    from collections.abc import Callable


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
    **dict.fromkeys(("softmax", "log_softmax"), softmax),
    **dict.fromkeys(("softmax_grad", "log_softmax_grad"), softmax_grad),
    **dict.fromkeys(("cross_entropy", "nll_loss"), loss),
    **dict.fromkeys(("cross_entropy_grad", "nll_loss_grad"), loss_grad),
    "ctc_loss": ctc_loss,
    "ctc_loss_grad": ctc_loss_grad,
    "count_true": count_true,
}
