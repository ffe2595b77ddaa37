"""Losses with a margin: between two inputs, between three, or between classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._modules.layer import layer
from ..distance import PairwiseDistance
from .loss import _Loss, _WeightedLoss

if TYPE_CHECKING:
    from dataclasses import InitVar


@layer
class _MarginLoss(_Loss):
    """Base class of losses with a margin."""

    margin: float = 0.0
    size_average: InitVar[bool | None] = None
    reduce: InitVar[bool | None] = None
    reduction: str = "mean"


@layer
class HingeEmbeddingLoss(_MarginLoss):
    """`input` if target is 1, max(0, margin - input) if it is -1: for distances that should be small, or large.

    Arguments:
        margin: the distance at which the loss becomes 0 for target -1.
        size_average: a deprecated alternative to `reduction`.
        reduce: a deprecated alternative to `reduction`.
        reduction: "mean", "sum" or "none".

    >>> from facula_tensor import tensor
    >>> HingeEmbeddingLoss(reduction="sum")(tensor([2.0, 0.25]), tensor([1, -1]))
    tensor(2.7500)
    """

    margin: float = 1.0
    size_average: InitVar[bool | None] = None
    reduce: InitVar[bool | None] = None
    reduction: str = "mean"

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of inputs whose shapes broadcast."""
        return F.hinge_embedding_loss(input, target, self.margin, reduction=self.reduction)


@boundary
class MarginRankingLoss(_MarginLoss):
    """max(0, -target (input1 - input2) + margin): `target` is 1 if input1 should be greater, else -1.

    Arguments:
        margin: the difference at which the loss becomes 0.
        size_average: a deprecated alternative to `reduction`.
        reduce: a deprecated alternative to `reduction`.
        reduction: "mean", "sum" or "none".

    >>> from facula_tensor import tensor
    >>> MarginRankingLoss()(tensor([1.0]), tensor([3.0]), tensor([1.0]))
    tensor(2.)
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Return the loss of tensors of the same shape.

        Arguments:
            input1: the first values.
            input2: the second values.
            target: 1 where the first should be greater, -1 where the second should.
        """
        return F.margin_ranking_loss(input1, input2, target, self.margin, reduction=self.reduction)


@boundary
class CosineEmbeddingLoss(_MarginLoss):
    """1 - cos of the inputs' angle where target is 1, and max(0, cos - margin) where it is -1.

    Arguments:
        margin: the maximum cosine with a loss of 0 for target -1.
        size_average: a deprecated alternative to `reduction`.
        reduce: a deprecated alternative to `reduction`.
        reduction: "mean", "sum" or "none".

    >>> from facula_tensor import tensor
    >>> CosineEmbeddingLoss()(tensor([[1.0, 0.0]]), tensor([[0.0, 1.0]]), tensor([1]))
    tensor(1.)
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Return the loss of inputs (N, D) and target (N), or (D) and ().

        Arguments:
            input1: the first vectors.
            input2: the second vectors.
            target: 1 if they should be similar, -1 if not.
        """
        return F.cosine_embedding_loss(input1, input2, target, self.margin, reduction=self.reduction)


@layer
class MultiMarginLoss(_WeightedLoss):
    """The mean over classes of max(0, margin - input[target] + input)**p; `weight` (C) is a factor by target class.

    Arguments:
        p: the power, 1 or 2.
        margin: the required difference between the target's input and the others.
        weight: a factor for each class, or None.
        size_average: a deprecated alternative to `reduction`.
        reduce: a deprecated alternative to `reduction`.
        reduction: "mean", "sum" or "none".

    >>> from facula_tensor import tensor
    >>> MultiMarginLoss()(tensor([[0.5, 0.0, 1.0]]), tensor([0]))
    tensor(0.6667)
    """

    p: int = 1
    margin: float = 1.0
    weight: Tensor | None = None
    size_average: InitVar[bool | None] = None
    reduce: InitVar[bool | None] = None
    reduction: str = "mean"

    def _complete(self) -> None:
        if self.p not in (1, 2):
            raise InvalidValueError(f"MultiMarginLoss: expected p to be 1 or 2; got {self.p}")

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of `input` (N, C) and classes `target` (N), or (C) and ()."""
        return F.multi_margin_loss(input, target, self.p, self.margin, self.weight, reduction=self.reduction)


@boundary
class MultiLabelMarginLoss(_Loss):
    """The sum over classes of max(0, 1 - input[target] + input[other]); the list of targets ends at the first -1.

    Arguments: those of `facula_nn.L1Loss`.

    >>> from facula_tensor import tensor
    >>> MultiLabelMarginLoss()(tensor([[0.1, 0.2, 0.4, 0.8]]), tensor([[3, 0, -1, 1]]))
    tensor(0.8500)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of input and target, both (N, C), or (C)."""
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


@layer
class TripletMarginLoss(_Loss):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), where d is the distance in the norm of order `p`.

    With `swap`, the distance of positive and negative replaces that of anchor and negative if it is smaller. ValueError
    unless margin > 0.

    Arguments:
        margin: the required difference of the distances.
        p: the order of the distance's norm.
        eps: the constant added to differences.
        swap: use the distance of positive and negative if it is smaller.
        size_average: a deprecated alternative to `reduction`.
        reduce: a deprecated alternative to `reduction`.
        reduction: "mean", "sum" or "none".
    """

    margin: float = 1.0
    p: float = 2.0
    eps: float = 1e-6
    swap: bool = False
    size_average: InitVar[bool | None] = None
    reduce: InitVar[bool | None] = None
    reduction: str = "mean"

    def _complete(self) -> None:
        _check_margin("TripletMarginLoss", self.margin)

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Return the loss of tensors (N, D), or (D).

        Arguments:
            anchor: the anchors.
            positive: the vectors that should be close to them.
            negative: the vectors that should be far from them.
        """
        return F.triplet_margin_loss(
            anchor, positive, negative, self.margin, self.p, self.eps, self.swap, reduction=self.reduction
        )


@boundary
class TripletMarginWithDistanceLoss(_Loss):
    """`TripletMarginLoss` with any function of two tensors, or module, as the distance.

    Arguments:
        distance_function: a function of two tensors; the Euclidean distance if None.
        margin: the required difference of the distances.
        swap: use the distance of positive and negative if it is smaller.
        reduction: "mean", "sum" or "none".
    """

    distance_function: Callable[[Tensor, Tensor], Tensor]

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction=reduction)
        _check_margin("TripletMarginWithDistanceLoss", margin)
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin, self.swap = margin, swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Return the loss of tensors of any shape that the distance accepts.

        Arguments:
            anchor: the anchors.
            positive: the vectors that should be close to them.
            negative: the vectors that should be far from them.
        """
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


def _check_margin(layer: str, margin: float) -> None:
    if not margin > 0:
        raise InvalidValueError(f"{layer}: expected margin > 0; got {margin}")
