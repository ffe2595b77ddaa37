"""Negative log-likelihoods of counts, of normal variables with given variances, and of binary labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._modules.layer import layer
from .loss import _Loss, _WeightedLoss

if TYPE_CHECKING:
    from dataclasses import InitVar


@layer
class PoissonNLLLoss(_Loss):
    """exp(input) - target input, for counts; with `log_input` False: input - target log(input + eps).

    `full` adds Stirling's approximation of log(target!) where target is above 1.

    Arguments:
        log_input: whether the input is the logarithm of the rate.
        full: add the term that does not depend on the input.
        size_average: a deprecated alternative to `reduction`.
        eps: the constant added to a rate before its logarithm.
        reduce: a deprecated alternative to `reduction`.
        reduction: "mean", "sum" or "none".

    >>> from facula_tensor import tensor
    >>> PoissonNLLLoss()(tensor([0.0]), tensor([3.0]))
    tensor(1.)
    """

    log_input: bool = True
    full: bool = False
    size_average: InitVar[bool | None] = None
    eps: float = 1e-8
    reduce: InitVar[bool | None] = None
    reduction: str = "mean"

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """Return the loss for rates `log_input`, or, if the layer's `log_input` is set, for their logarithms."""
        return F.poisson_nll_loss(log_input, target, self.log_input, self.full, eps=self.eps, reduction=self.reduction)


@boundary
class GaussianNLLLoss(_Loss):
    """(log(var) + (input - target)**2 / var) / 2, with var clamped to at least `eps`; `full` adds log(2 pi) / 2.

    Arguments:
        full: add the constant term.
        eps: the minimum variance.
        reduction: "mean", "sum" or "none".

    >>> from facula_tensor import tensor
    >>> GaussianNLLLoss()(tensor([1.0]), tensor([3.0]), tensor([1.0]))
    tensor(2.)
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.full, self.eps = full, eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        """Return the loss; `var` has input's shape, possibly with a last length of 1 or without it, or is a number.

        Arguments:
            input: the means.
            target: the values.
            var: the variances.
        """
        return F.gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)


@boundary
class SoftMarginLoss(_Loss):
    """log(1 + exp(-target input)) for targets 1 and -1. Arguments: those of `facula_nn.L1Loss`.

    >>> from facula_tensor import tensor
    >>> SoftMarginLoss()(tensor([0.0]), tensor([1.0]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of two tensors of the same shape."""
        return F.soft_margin_loss(input, target, reduction=self.reduction)


@boundary
class MultiLabelSoftMarginLoss(_WeightedLoss):
    """`BCEWithLogitsLoss`, averaged over the classes; `weight` (C) contains a factor for each class.

    Arguments: those of `facula_nn.BCELoss`.
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of input and target, both (N, C), or (C)."""
        return F.multilabel_soft_margin_loss(input, target, self.weight, reduction=self.reduction)
