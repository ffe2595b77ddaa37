"""Dispatch of operators while `active_modes` is not empty: a thread is in a mode, or garbage collection is
running."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_autograd.extend.modes import current_mode
from facula_storage.extend.recording import collecting

from ..autocast import LISTED
from .slow_call import call_in, slow_call

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..._core.types import Operands, Parameters, Result
    from ..operator import Operator


def call_in_mode(op: Operator, operands: Operands, parameters: Parameters = (), out: Tensor | None = None) -> Result:
    """Call `op` according to this thread's mode."""
    if out is not None or collecting:
        return slow_call(op, operands, parameters, True, out)
    mode = current_mode()
    if mode.only_grad:  # only no_grad, or the mode is another thread's
        call = op.default_mode_call if mode.grad else op.no_record
        return call(*operands, parameters) if parameters else call(*operands)
    if mode.only_autocast and op.name not in LISTED:
        return call_in(op, mode.grad, operands, parameters)
    return slow_call(op, operands, parameters, True, out)


def unrecorded() -> bool | None:
    """Return whether this thread is in no_grad; None if it is in another mode, too."""
    mode = current_mode()
    return not mode.grad if mode.only_grad else None
