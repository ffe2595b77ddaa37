"""Names of PyTorch's torch.cpu.amp.autocast_mode, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.cpu.amp import autocast as autocast
