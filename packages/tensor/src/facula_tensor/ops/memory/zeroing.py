"""Gradients that are reset in place, for modules and optimizers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..._core.tensor import Tensor


def zero_grad_(parameter: Tensor) -> None:
    """Detach the gradient of a tensor from its graph and fill it with zeros in place. None stays None."""
    grad = parameter.grad
    if grad is None:
        return
    if grad.grad_fn is not None:
        grad = parameter.grad = grad.detach()
    grad.requires_grad_(False).zero_()
