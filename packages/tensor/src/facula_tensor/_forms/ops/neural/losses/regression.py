"""The public functions of `ops/neural/losses/regression.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ....._core.promotion import as_real
from ....._dispatch.arguments import reduction_of_older, refuse_choice
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.overrides import overridable
from ....._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ....._core.tensor import Tensor

bodies = bodies_of("ops.neural.losses.regression")


@overridable
def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """size_average, reduce: older forms of `reduction`: False means "sum" and "none".
    reduction: "mean", "sum", or "none" for the loss of each element.
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("mse_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        return bodies.mse_loss(input, target, reduction=reduction, weight=weight)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """size_average, reduce: older forms of `reduction`: False means "sum" and "none".
    reduction: "mean", "sum", or "none" for the loss of each element.
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("l1_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        return bodies.l1_loss(input, target, reduction=reduction, weight=weight)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """reduction: "mean", "sum", or "none" for the loss of each element."""
    try:
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("huber_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        if type(delta) is not float and type(delta) is not int:
            delta = as_real(delta, "huber_loss", "delta")
        if not delta > 0:
            raise ArgumentError(f"huber_loss: expected a number delta > 0; got {delta}")
        return bodies.huber_loss(ops, input, target, reduction, delta, weight)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """size_average, reduce: older forms of `reduction`: False means "sum" and "none".
    reduction: "mean", "sum", or "none" for the loss of each element.
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("smooth_l1_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        if type(beta) is not float and type(beta) is not int:
            beta = as_real(beta, "smooth_l1_loss", "beta")
        if not beta >= 0:
            raise ArgumentError(f"smooth_l1_loss: expected beta >= 0; got {beta}")
        return bodies.smooth_l1_loss(input, target, reduction=reduction, beta=beta)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """size_average, reduce: older forms of `reduction`: False means "sum" and "none"."""
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        if reduction not in ("none", "mean", "sum", "batchmean"):
            reduction = refuse_choice("kl_div", "reduction", reduction, "'none', 'mean', 'sum' or 'batchmean'")
        return bodies.kl_div(input, target, reduction=reduction, log_target=log_target)
    except FaculaError as error:
        trim_traceback(error)
        raise
