"""Operators declared as expressions, forward and backward: activations and losses, with few elements and a million."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..libraries import Rows, filled
from ..measure import Loop, own_code

rows = Rows()

FEW, MANY = 16, 1 << 20


def step(name: str, target: float, operands: Callable[[Any], tuple], operation: Callable[..., Any]) -> None:
    """Add a row: a gradient of the first operand, which is discarded.

    `operation(F, *operands)` returns a tensor of one element, or of the second operand's shape, which is its gradient
    then.
    """

    @rows.row(name, target)
    def setup(F: Any) -> Loop:
        x, *others = operands(F)
        call = own_code(operation)

        def loop(times):
            for _ in times:
                x.grad = None
                call(F, x, *others)

        return loop


def activation(name: str, few: float, many: float, function: Callable[[Any, Any], Any]) -> None:
    for length, target in ((FEW, few), (MANY, many)):
        step(
            f"{name}, {length:,}, forward and backward",
            target,
            lambda F, length=length: ((filled(F, length) - 0.5).requires_grad_(), filled(F, length)),
            lambda F, x, g: function(F, x).backward(g),
        )


def loss(name: str, few: float, many: float, function: Callable[[Any, Any, Any], Any]) -> None:
    for length, target in ((FEW, few), (MANY, many)):
        step(
            f"{name}, {length:,}, forward and backward",
            target,
            lambda F, length=length: (
                (filled(F, length).sigmoid() * 0.5 + 0.25).detach().requires_grad_(),
                filled(F, length).sigmoid() * 0.5 + 0.25,
            ),
            lambda F, x, t: function(F.nn.functional, x, t).backward(),
        )


activation("clamp", 0.3, 0.3, lambda F, x: x.clamp(-0.25, 0.25))
activation("gelu", 0.3, 1.0, lambda F, x: F.nn.functional.gelu(x))
activation("silu", 0.3, 1.0, lambda F, x: F.nn.functional.silu(x))
activation("softplus", 0.3, 0.9, lambda F, x: F.nn.functional.softplus(x))
activation("elu", 0.3, 0.5, lambda F, x: F.nn.functional.elu(x))
activation("mish", 0.3, 1.0, lambda F, x: F.nn.functional.mish(x))
activation("hardswish", 0.3, 1.0, lambda F, x: F.nn.functional.hardswish(x))
loss("bce", 0.25, 0.3, lambda F, x, t: F.binary_cross_entropy(x, t))
loss("bce of logits", 0.25, 0.9, lambda F, x, t: F.binary_cross_entropy_with_logits(x, t))
loss("huber", 0.25, 0.8, lambda F, x, t: F.huber_loss(x, t))
loss("smooth l1", 0.25, 0.8, lambda F, x, t: F.smooth_l1_loss(x, t))
loss("kl divergence", 0.25, 0.9, lambda F, x, t: F.kl_div(x, t, reduction="batchmean"))
