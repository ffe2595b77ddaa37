"""Contracts of softmax and losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_storage import bool_, int64

from .shapes import is_dim, is_size, left_out

if TYPE_CHECKING:
    from .declared import Promise


def count_true(inputs: Any, parameters: Any) -> bool:
    """Check for bools."""
    return inputs[0].dtype is bool_


def softmax(inputs: Any, parameters: Any) -> bool:
    """Check for a dimension, which may be negative."""
    return is_dim(parameters[0], max(inputs[0].ndim, 1))


def softmax_grad(inputs: Any, parameters: Any) -> bool:
    """Check for operands of the same shape."""
    g, result = inputs
    return g.shape == result.shape and softmax((result,), parameters)


def loss(inputs: Any, parameters: Any) -> bool:
    """Check for the loss of scores (n, classes, ...) and targets (n, ...)."""
    (x, target, weight), (how,) = inputs, parameters
    return (
        how in ("none", "mean", "sum")
        and x.ndim >= 2
        and target.shape == (x.shape[0], *x.shape[2:])
        and left_out(weight, (x.shape[1],))
    )


def loss_grad(inputs: Any, parameters: Any) -> bool:
    """Check for the gradient of the scores."""
    g, x, target, weight = inputs
    return g.shape == (target.shape if parameters[0] == "none" else ()) and loss((x, target, weight), parameters)


def ctc_loss(inputs: Any, parameters: Any) -> bool:
    """Check for targets and lengths, which the kernel checks: the declaration checks shapes."""
    return is_size(parameters[0]) and inputs[-2].dtype is inputs[-1].dtype is int64


def ctc_loss_grad(inputs: Any, parameters: Any) -> bool:
    """Check for the gradient of the log-probabilities."""
    return ctc_loss(inputs[:4], parameters)


PROMISES: dict[str, Promise] = {
    **dict.fromkeys(("softmax", "log_softmax"), softmax),
    **dict.fromkeys(("softmax_grad", "log_softmax_grad"), softmax_grad),
    **dict.fromkeys(("cross_entropy", "nll_loss"), loss),
    **dict.fromkeys(("cross_entropy_grad", "nll_loss_grad"), loss_grad),
    "ctc_loss": ctc_loss,
    "ctc_loss_grad": ctc_loss_grad,
    "count_true": count_true,
}
