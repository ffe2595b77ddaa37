"""Names of PyTorch's torch.cuda.amp.autocast_mode, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.cuda.amp import autocast as autocast
from facula.cuda.amp import custom_bwd as custom_bwd
from facula.cuda.amp import custom_fwd as custom_fwd
