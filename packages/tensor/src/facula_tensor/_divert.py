"""Where operators go while `special` is not empty: somebody, somewhere, is in a mode, or memory is being collected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend import DEFAULT, current_mode
from facula_storage.extend import collecting

from ._autocast import LISTED
from ._general import call_in, general

if TYPE_CHECKING:
    from ._operator import Operator
    from ._tensor import Tensor


def divert(op: Operator, operands: tuple, parameters: tuple = (), out: Tensor | None = None) -> Any:
    """Call `op` as the mode of this thread wants it."""
    if out is not None or collecting:
        return general(op, operands, parameters, True, out)
    mode = current_mode()
    if mode is DEFAULT:
        return op.unchecked(*operands, parameters) if parameters else op.unchecked(*operands)
    if mode.only_grad:  # no_grad, and nothing else
        return op.raw(*operands, parameters) if parameters else op.raw(*operands)
    if mode.only_autocast and op.name not in LISTED:
        return call_in(op, mode.grad, operands, parameters)
    return general(op, operands, parameters, True, out)


def unrecorded() -> bool | None:
    """Whether this thread is in no_grad: None where it is in some other mode, too."""
    mode = current_mode()
    return not mode.grad if mode.only_grad else None
