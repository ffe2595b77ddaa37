"""Names of PyTorch's torch.utils.dlpack, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_tensor import from_dlpack as from_dlpack
from facula_tensor import to_dlpack as to_dlpack
