"""Loss functions: a scalar (or, unreduced, elementwise) measure of the difference between outputs and targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_tensor import Tensor
from facula_tensor.extend.arguments import reduction_of

from ... import functional as F
from ..._modules.layer import layer
from ..._modules.module import Module

if TYPE_CHECKING:
    from dataclasses import InitVar


@boundary
class _Loss(Module):
    """Base class of losses with `reduction` "mean", "sum" or "none"; `size_average` and `reduce` are deprecated."""

    _repr_items = ""
    reduction: str

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction_of(type(self).__name__, reduction, size_average, reduce)


@boundary
class _WeightedLoss(_Loss):
    """Base class of losses with a buffer `weight`, a tensor or None: factors of classes, or of elements."""

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


@layer
class CrossEntropyLoss(_WeightedLoss):
    """-log softmax(input) at the target class: input (N, C, ...), target (N, ...) of classes or (N, C, ...) of
    probabilities.

    `weight` (C) contains a factor for each class, targets equal to `ignore_index` are ignored, and `label_smoothing`
    mixes the target with the uniform distribution. IndexError for a target outside the classes.

    Arguments:
        weight: a factor for each class, or None.
        size_average: a deprecated alternative to `reduction`.
        ignore_index: a target that is ignored.
        reduce: a deprecated alternative to `reduction`.
        reduction: "mean", "sum" or "none".
        label_smoothing: the weight of the uniform distribution in the target.

    >>> from facula_tensor import tensor, zeros
    >>> CrossEntropyLoss()(zeros(1, 4), tensor([2]))
    tensor(1.3863)
    """

    weight: Tensor | None = None
    size_average: InitVar[bool | None] = None
    ignore_index: int = -100
    reduce: InitVar[bool | None] = None
    reduction: str = "mean"
    label_smoothing: float = 0.0

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of logits `input` (N, C, ...)."""
        return F.cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


@layer
class NLLLoss(_WeightedLoss):
    """-input at the target class, for log-probabilities (N, C, ...) and classes (N, ...); see `CrossEntropyLoss`.

    Arguments:
        weight: a factor for each class, or None.
        size_average: a deprecated alternative to `reduction`.
        ignore_index: a target that is ignored.
        reduce: a deprecated alternative to `reduction`.
        reduction: "mean", "sum" or "none".

    >>> from facula_tensor import tensor
    >>> NLLLoss()(tensor([[-0.5, -1.0]]), tensor([1]))
    tensor(1.)
    """

    weight: Tensor | None = None
    size_average: InitVar[bool | None] = None
    ignore_index: int = -100
    reduce: InitVar[bool | None] = None
    reduction: str = "mean"

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of log-probabilities `input` (N, C, ...)."""
        return F.nll_loss(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


@boundary
class NLLLoss2d(NLLLoss):
    """`NLLLoss`, under the deprecated name for images."""


@boundary
class MSELoss(_Loss):
    """(input - target)², for two tensors of one shape.

    Arguments: those of `L1Loss`.

    >>> from facula_tensor import tensor
    >>> MSELoss()(tensor([1.0, 2.0]), tensor([1.0, 4.0]))
    tensor(2.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of two tensors of the same shape."""
        return F.mse_loss(input, target, reduction=self.reduction)


@boundary
class L1Loss(_Loss):
    """|input - target|, for two tensors of one shape.

    Arguments:
        size_average: a deprecated alternative to `reduction`.
        reduce: a deprecated alternative to `reduction`.
        reduction: "mean", "sum" or "none".

    >>> from facula_tensor import tensor
    >>> L1Loss()(tensor([1.0, 2.0]), tensor([1.0, 4.0]))
    tensor(1.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of two tensors of the same shape."""
        return F.l1_loss(input, target, reduction=self.reduction)


@layer
class SmoothL1Loss(_Loss):
    """|input - target| - beta / 2, or the squared difference / (2 · beta) if the difference is less than `beta`.

    Arguments:
        size_average: a deprecated alternative to `reduction`.
        reduce: a deprecated alternative to `reduction`.
        reduction: "mean", "sum" or "none".
        beta: the difference below which the loss is quadratic.

    >>> from facula_tensor import tensor
    >>> SmoothL1Loss()(tensor([1.0, 2.0]), tensor([1.5, 4.0]))
    tensor(0.8125)
    """

    size_average: InitVar[bool | None] = None
    reduce: InitVar[bool | None] = None
    reduction: str = "mean"
    beta: float = 1.0

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of two tensors of the same shape."""
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


@layer
class HuberLoss(_Loss):
    """`SmoothL1Loss` with beta = `delta`, times `delta`.

    >>> from facula_tensor import tensor
    >>> HuberLoss(delta=2.0)(tensor([1.0, 2.0]), tensor([2.0, 8.0]))
    tensor(5.2500)
    """

    reduction: str = "mean"
    delta: float = 1.0

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of two tensors of the same shape."""
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


@boundary
class BCELoss(_WeightedLoss):
    """-(target · log(input) + (1 - target) · log(1 - input)), for probabilities; `weight` scales the elements.

    Arguments:
        weight: factors, of a shape that broadcasts with the input's, or None.
        size_average: a deprecated alternative to `reduction`.
        reduce: a deprecated alternative to `reduction`.
        reduction: "mean", "sum" or "none".

    >>> from facula_tensor import tensor
    >>> BCELoss()(tensor([0.5, 0.9]), tensor([0.0, 1.0]))
    tensor(0.3993)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of two tensors of the same shape, with elements from 0 to 1."""
        return F.binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


@boundary
class BCEWithLogitsLoss(_Loss):
    """`BCELoss` of sigmoid(input), without overflow; `pos_weight` scales the positive term.

    Arguments:
        weight: a factor for each element, or None.
        size_average: a deprecated alternative to `reduction`.
        reduce: a deprecated alternative to `reduction`.
        reduction: "mean", "sum" or "none".
        pos_weight: a factor of the positive term, or None.

    >>> from facula_tensor import tensor
    >>> BCEWithLogitsLoss()(tensor([0.0, 2.0]), tensor([0.0, 1.0]))
    tensor(0.4100)
    """

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of logits `input`."""
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, reduction=self.reduction, pos_weight=self.pos_weight
        )


@boundary
class KLDivLoss(_Loss):
    """target · (log(target) - input), for log-probabilities `input`; with `log_target`, target is a logarithm, too.

    `reduction` may also be "batchmean", the sum divided by the length of the first dimension: the divergence itself.

    Arguments:
        size_average: a deprecated alternative to `reduction`.
        reduce: a deprecated alternative to `reduction`.
        reduction: "mean", "batchmean", "sum" or "none".
        log_target: whether the target is a logarithm.

    >>> from facula_tensor import tensor
    >>> KLDivLoss(reduction="sum")(tensor([0.5, 0.5]).log(), tensor([1.0, 0.0]))
    tensor(0.6931)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, "sum" if reduction == "batchmean" else reduction)
        self.reduction = "batchmean" if reduction == "batchmean" else self.reduction
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of two tensors of the same shape."""
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)
