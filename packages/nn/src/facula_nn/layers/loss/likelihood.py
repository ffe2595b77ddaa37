"""Negative logarithms of likelihoods: of counts, of numbers with a variance, and of labels of two kinds."""

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
    """exp(input) - target input, for counts; `log_input` False: input - target log(input + eps).

    `full` adds Stirling's approximation of log(target!) where target is above 1.

    Arguments:
        log_input: whether the input is the logarithm of the rate.
        full: add the part that the input does not change.
        size_average: an older way to say `reduction`.
        eps: what is added to a rate before its logarithm.
        reduce: an older way to say `reduction`.
        reduction: "mean", "sum" or "none".
    """

    log_input: bool = True
    full: bool = False
    size_average: InitVar[bool | None] = None
    eps: float = 1e-8
    reduce: InitVar[bool | None] = None
    reduction: str = "mean"

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """`log_input`: the expectations, or, as the layer's `log_input` says, their logarithms."""
        return F.poisson_nll_loss(log_input, target, self.log_input, self.full, eps=self.eps, reduction=self.reduction)


@boundary
class GaussianNLLLoss(_Loss):
    """(log(var) + (input - target)**2 / var) / 2, var being at least `eps`; `full` adds log(2 pi) / 2.

    Arguments:
        full: add the part that nothing changes.
        eps: the least variance.
        reduction: "mean", "sum" or "none".
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.full, self.eps = full, eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        """`var` of input's shape, or with a last length of 1, or without its last dimension, or a number.

        Arguments:
            input: the means.
            target: the values.
            var: the variances.
        """
        return F.gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)


@boundary
class SoftMarginLoss(_Loss):
    """log(1 + exp(-target input)) for targets 1 and -1. Arguments: those of `facula_nn.L1Loss`."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Of any one shape."""
        return F.soft_margin_loss(input, target, reduction=self.reduction)


@boundary
class MultiLabelSoftMarginLoss(_WeightedLoss):
    """`BCEWithLogitsLoss`, the mean over classes; `weight` (C) is a factor of classes.

    Arguments: those of `facula_nn.BCELoss`.
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Both (N, C), or (C)."""
        return F.multilabel_soft_margin_loss(input, target, self.weight, reduction=self.reduction)
