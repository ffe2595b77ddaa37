"""This thread's mode, which `no_grad` and similar blocks change. For operators and captured functions.

`set_lasting` changes the mode in the same way as a call of `set_grad_enabled`.
"""

from .._modes.context_managers import replace_mode
from .._modes.decorate import decorate
from .._modes.mode_state import DEFAULT, Mode, active_modes, current_mode, passive_modes, set_lasting

__all__ = [
    "DEFAULT",
    "Mode",
    "active_modes",
    "current_mode",
    "decorate",
    "passive_modes",
    "replace_mode",
    "set_lasting",
]
