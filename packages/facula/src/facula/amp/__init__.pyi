"""Names of PyTorch's torch.amp, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from . import autocast_mode as autocast_mode
from . import grad_scaler as grad_scaler
from facula.amp.autocast_mode import autocast as autocast
from facula.amp.autocast_mode import custom_bwd as custom_bwd
from facula.amp.autocast_mode import custom_fwd as custom_fwd
from facula.amp.autocast_mode import is_autocast_available as is_autocast_available
from facula.amp.grad_scaler import GradScaler as GradScaler
