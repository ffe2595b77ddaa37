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
    try:
        if not isinstance(log_probs, Tensor):
            log_probs = as_tensor("ctc_loss", log_probs)
        if not isinstance(targets, Tensor):
            targets = as_tensor("ctc_loss", targets)
        if type(blank) is not int:
            blank = as_integer(blank, "ctc_loss", "blank")
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("ctc_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        return bodies.ctc_loss(ops, log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)
    except FaculaError as error:
        trim_traceback(error)
        raise
