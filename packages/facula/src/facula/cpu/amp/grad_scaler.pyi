"""Names of PyTorch's torch.cpu.amp.grad_scaler, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.cpu.amp import GradScaler as GradScaler
