"""Names of PyTorch's torch.storage, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_tensor import TypedStorage as TypedStorage
from facula_tensor import UntypedStorage as UntypedStorage
