"""facula.amp: mixed precision: operators that compute in a lower dtype, and a gradient scaler.

May import: siblings. Where next: `autocast_mode.py`, `grad_scaler.py`; Note [Autocast] in facula_tensor.
"""

from .._lookup.names import publish
from . import autocast_mode, grad_scaler
from .autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from .grad_scaler import GradScaler

publish(__name__)
