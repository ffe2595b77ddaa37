"""The public functions of `ops/neural/losses/ctc.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ....._core.promotion import as_integer
from ....._core.tensor import Tensor
from ....._dispatch.arguments import refuse_choice
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.overrides import overridable
from ....._dispatch.view_call import as_tensor
from ....._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence

bodies = bodies_of("ops.neural.losses.ctc")


@overridable
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int] | int,
    target_lengths: Tensor | Sequence[int] | int,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Compute the negative log probability of `targets`, summed over all alignments with the sequences.

    One example may omit its dimension: (T, C), (S), () and (). A target that is too long for its sequence has the loss
    inf and NaN gradients. As in PyTorch, gradients are those of the input of `log_softmax`; the rule of `log_softmax`
    leaves them unchanged.

    Arguments:
        log_probs: (T, N, C), the result of `log_softmax`; float32 or float64.
        targets: class numbers, padded (N, S), or concatenated.
        input_lengths: the number of valid steps of each sequence, (N,).
        target_lengths: the number of classes of each target, (N,).
        blank: the class that stands for no output.
        reduction: "none", "sum", or "mean", which first divides losses by the target lengths (at least 1).
        zero_infinity: whether to replace infinite losses and their gradients by 0.

    Raises:
        ValueError: if lengths do not fit.
        IndexError: if a target is not a class.

    >>> from facula_tensor import tensor
    >>> log_probs = tensor([[[0.5, 0.5]], [[0.5, 0.5]]]).log()
    >>> ctc_loss(log_probs, tensor([[1]]), [2], [1])
    tensor(0.2877)
    """
    try:
        if type(log_probs) is not Tensor:
            log_probs = as_tensor("ctc_loss", log_probs)
        if type(targets) is not Tensor:
            targets = as_tensor("ctc_loss", targets)
        if type(blank) is not int:
            blank = as_integer(blank, "ctc_loss", "blank")
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("ctc_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        return bodies.ctc_loss(ops, log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)
    except FaculaError as error:
        trim_traceback(error)
        raise
