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
    """Minus the logarithm of the probability of `targets`, summed over all ways to align them with the sequences.

    One example may come without its dimension: (T, C), (S), () and (). A target that is too long for its sequence has
    the loss inf and gradients of NaN. Gradients are those of the operand of `log_softmax`, as in PyTorch; that
    function's rule leaves them as they are.

    Arguments:
        log_probs: (T, N, C), as `log_softmax` gives them; float32 or float64.
        targets: classes, (N, S) padded, or all of them one after another; integers.
        input_lengths: how many steps of each sequence count, (N,).
        target_lengths: how many classes each target has, (N,).
        blank: the class of no output.
        reduction: "none", "sum", or "mean", for which losses are first divided by the lengths of targets (at least 1).
        zero_infinity: whether losses that would be inf, and their gradients, are 0.

    Raises:
        ValueError: for lengths that do not fit.
        IndexError: for a target that is no class.

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
