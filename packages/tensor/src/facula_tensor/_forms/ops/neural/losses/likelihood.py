"""The public functions of `ops/neural/losses/likelihood.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ....._core.promotion import as_real, real_or_tensor
from ....._core.tensor import Tensor
from ....._dispatch.arguments import floats, reduction_of_older, refuse_choice
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.overrides import overridable
from ....._dispatch.view_call import as_tensor
from ....._dispatch.written import bodies_of

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
    """Compute exp(input) - target input, for counts `target` and logarithms of their expectations; shapes broadcast.

    log_input False: input - target log(input + eps). `full` adds Stirling's approximation of log(target!) where target
    is above 1.

    Arguments:
        input: expectations, or their logarithms.
        target: counts.
        log_input: whether `input` contains logarithms.
        full: whether to add Stirling's approximation.
        size_average, reduce: older forms of `reduction`: False means "sum" and "none".
        eps: a number added to expectations before their logarithm.
        reduction: "mean", "sum", or "none" for the loss of each element.

    >>> from facula_tensor import tensor
    >>> poisson_nll_loss(tensor([0.0, 1.0]), tensor([1.0, 2.0]), reduction="none")
    tensor([1.0000, 0.7183])
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        if type(input) is not Tensor:
            input = as_tensor("poisson_nll_loss", input)
        if type(target) is not Tensor:
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
    """Compute (log(var) + (input - target)**2 / var) / 2 with var at least `eps`; gradients ignore that bound.

    `var` has input's shape, or that with one length of 1 or without the last dimension, or is one number. `full`
    adds log(2 pi) / 2. Raises ValueError for a negative variance and for other shapes.

    Arguments:
        input: expectations.
        target: samples.
        var: variances, not negative.
        full: whether to add log(2 pi) / 2.
        eps: the lower bound of variances.
        reduction: "mean", "sum", or "none" for the loss of each element.

    >>> from facula_tensor import tensor
    >>> gaussian_nll_loss(tensor([1.0, 2.0]), tensor([0.0, 2.0]), tensor([1.0, 1.0]), reduction="none")
    tensor([0.5000, 0.0000])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("gaussian_nll_loss", input)
        if type(target) is not Tensor:
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
    """Compute log(1 + exp(-target input)) for targets 1 and -1, without overflow; ValueError if shapes differ.

    Arguments:
        input: the predictions.
        target: 1 or -1 for each prediction.
        size_average, reduce: older forms of `reduction`: False means "sum" and "none".
        reduction: "mean", "sum", or "none" for the loss of each element.

    >>> from facula_tensor import tensor
    >>> soft_margin_loss(tensor([0.0, -100.0]), tensor([1.0, 1.0]), reduction="none")
    tensor([  0.6931, 100.0000])
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        input = floats("soft_margin_loss", input)
        if type(target) is not Tensor:
            target = as_tensor("soft_margin_loss", target)
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("soft_margin_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        return bodies.soft_margin_loss(input, target, reduction=reduction)
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
    """Compute the mean over classes of `binary_cross_entropy_with_logits`: (N, C) to (N).

    `weight` (C) has a factor for each class.

    Arguments:
        input: logits (N, C).
        target: 0 or 1 for each class (N, C).
        weight: a factor for each class (C); none if None.
        size_average, reduce: older forms of `reduction`: False means "sum" and "none".
        reduction: "mean", "sum", or "none" for the loss of each element.

    >>> from facula_tensor import tensor
    >>> multilabel_soft_margin_loss(tensor([[0.0, 0.0]]), tensor([[1.0, 0.0]]))
    tensor(0.6931)
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        input = floats("multilabel_soft_margin_loss", input)
        if type(target) is not Tensor:
            target = as_tensor("multilabel_soft_margin_loss", target)
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("multilabel_soft_margin_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        return bodies.multilabel_soft_margin_loss(ops, input, target, weight, reduction=reduction)
    except FaculaError as error:
        trim_traceback(error)
        raise
