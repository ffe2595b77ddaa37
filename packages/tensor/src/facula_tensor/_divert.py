"""Where operators go while `special` is not empty: somebody, somewhere, is in a mode, or memory is being collected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend import DEFAULT, current_mode
from facula_storage.extend import collecting

from ._general import general

if TYPE_CHECKING:
    from facula_autograd.extend import Mode

    from ._operator import Operator
    from ._tensor import Tensor

NO_GRAD = DEFAULT.replace(grad=False)


def divert(op: Operator, operands: tuple, parameters: tuple = (), out: Tensor | None = None) -> Any:
    """Call `op` as the mode of this thread wants it."""
    if out is not None or collecting:
        return general(op, operands, parameters, True, out)
    mode = current_mode()
    if mode is DEFAULT:
        return op.unchecked(*operands, parameters) if parameters else op.unchecked(*operands)
    if is_no_grad(mode):
        return op.raw(*operands, parameters) if parameters else op.raw(*operands)
    return general(op, operands, parameters, True, out)


def is_no_grad(mode: Mode) -> bool:
    """Whether the mode differs from the default only in that nothing is recorded."""
    return not mode.grad and mode.replace(grad=True) is DEFAULT
