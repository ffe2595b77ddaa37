"""Names of PyTorch's torch.mtia, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._rare import never as is_available
