"""Names of PyTorch's torch.utils.hooks, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_tensor.extend.modules import Handle as _own_Handle

RemovableHandle = _own_Handle
