"""The connectionist temporal classification loss, for sequences without an alignment to their targets."""

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
    """Connectionist temporal classification: -log of the probability of the targets, summed over all alignments.

    `blank` is the class between targets. With `zero_infinity`, targets that are too long for their sequences have
    losses and gradients of 0.

    Arguments:
        blank: the class between targets.
        reduction: "mean", "sum" or "none".
        zero_infinity: replace infinite losses by 0.

    >>> from facula_tensor import tensor
    >>> CTCLoss()(tensor([[[0.5, 0.5]], [[0.5, 0.5]]]).log(), tensor([[1]]), [2], [1])
    tensor(0.2877)
    """

    blank: int = 0
    reduction: str = "mean"
    zero_infinity: bool = False

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Lengths, target_lengths: Lengths) -> Tensor:
        """Return the loss of `log_probs` (T, N, C), targets (N, S) or concatenated, lengths (N); or all without N.

        Arguments:
            log_probs: logarithms of probabilities, (T, N, C).
            targets: the classes, (N, S) or concatenated.
            input_lengths: the number of steps of each example.
            target_lengths: the number of classes of each example.
        """
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )
