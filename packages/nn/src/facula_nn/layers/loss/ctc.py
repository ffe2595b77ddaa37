"""The loss of sequences whose targets are not aligned with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_tensor import Tensor

from ... import functional as F
from ..._modules.layer import layer
from .loss import _Loss

if TYPE_CHECKING:
    from collections.abc import Sequence

    Lengths = Tensor | Sequence[int]


@layer
class CTCLoss(_Loss):
    """Connectionist temporal classification: -log of the probability of the targets, over all ways to align them.

    `blank` is the class between targets. `zero_infinity`: targets that are too long for their sequences count as 0, and
    have gradients of 0.

    Arguments:
        blank: the class between targets.
        reduction: "mean", "sum" or "none".
        zero_infinity: let losses that are infinite be 0.

    >>> from facula_tensor import tensor
    >>> CTCLoss()(tensor([[[0.5, 0.5]], [[0.5, 0.5]]]).log(), tensor([[1]]), [2], [1])
    tensor(0.2877)
    """

    blank: int = 0
    reduction: str = "mean"
    zero_infinity: bool = False

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Lengths, target_lengths: Lengths) -> Tensor:
        """`log_probs` (T, N, C); targets (N, S) or one after another; lengths (N). Or one example, without N.

        Arguments:
            log_probs: logarithms of probabilities, (T, N, C).
            targets: the classes, (N, S) or one after another.
            input_lengths: how many steps count, of each example.
            target_lengths: how many classes there are, of each example.
        """
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )
