"""Names of PyTorch's torch.cuda.amp.grad_scaler, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.cuda.amp import GradScaler as GradScaler
