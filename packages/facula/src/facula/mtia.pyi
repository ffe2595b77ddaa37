"""Names of PyTorch's torch.mtia, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._functions.rare import never as _own_never

is_available = _own_never
