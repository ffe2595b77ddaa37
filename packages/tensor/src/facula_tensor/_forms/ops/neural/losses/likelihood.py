"""The public functions of `ops/neural/losses/likelihood.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ....._core.promotion import as_real, real_or_tensor
from ....._core.tensor import Tensor
from ....._dispatch.arguments import floats, reduction_of_older, refuse_choice
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.overrides import overridable
from ....._dispatch.slow_path.planning import broadcast_shapes
from ....._dispatch.view_call import as_tensor
from ....._dispatch.written import bodies_of
from .....ops.neural.losses.binary import same_shape
from .....ops.neural.losses.regression import loss_of, reduced_losses

bodies = bodies_of("ops.neural.losses.likelihood")


@overridable
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-08,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """size_average, reduce: older forms of `reduction`: False means "sum" and "none".
    reduction: "mean", "sum", or "none" for the loss of each element.
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        if not isinstance(input, Tensor):
            input = as_tensor("poisson_nll_loss", input)
        if not isinstance(target, Tensor):
            target = as_tensor("poisson_nll_loss", target)
        if type(eps) is not float and type(eps) is not int:
            eps = as_real(eps, "poisson_nll_loss", "eps")
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("poisson_nll_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        return bodies.poisson_nll_loss(ops, input, target, log_input, full, eps=eps, reduction=reduction)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float | Tensor = 1e-06,
    reduction: str = "mean",
) -> Tensor:
    """reduction: "mean", "sum", or "none" for the loss of each element."""
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("gaussian_nll_loss", input)
        if not isinstance(target, Tensor):
            target = as_tensor("gaussian_nll_loss", target)
        if type(eps) is not float and type(eps) is not int:
            eps = real_or_tensor(eps, "gaussian_nll_loss", "eps")
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("gaussian_nll_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        return bodies.gaussian_nll_loss(ops, input, target, var, full, eps, reduction)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """size_average, reduce: older forms of `reduction`: False means "sum" and "none".
    reduction: "mean", "sum", or "none" for the loss of each element.
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        input = floats("soft_margin_loss", input)
        if not isinstance(target, Tensor):
            target = as_tensor("soft_margin_loss", target)
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("soft_margin_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        same_shape("soft_margin_loss", input, target)
        return loss_of("soft_margin", (input, target), reduction)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """size_average, reduce: older forms of `reduction`: False means "sum" and "none".
    reduction: "mean", "sum", or "none" for the loss of each element.
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        input = floats("multilabel_soft_margin_loss", input)
        if not isinstance(target, Tensor):
            target = as_tensor("multilabel_soft_margin_loss", target)
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("multilabel_soft_margin_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        name = "multilabel_soft_margin_loss"
        broadcast_shapes(name, tuple(input.shape), tuple(target.shape))
        losses = ops.logistic_loss(input, target)
        if weight is not None:
            losses = ops.mul(losses, as_tensor(name, weight))
        if not losses.ndim:
            raise ArgumentError(f"{name}: expected input (N, C) or (C); got a number")
        last = losses.ndim - 1
        return reduced_losses(ops.div(ops.sum(losses, ((last,), False)), losses.shape[last]), reduction)
    except FaculaError as error:
        trim_traceback(error)
        raise
