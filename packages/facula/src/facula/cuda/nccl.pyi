"""Names of PyTorch's torch.cuda.nccl, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._functions.rare import nccl_is_available as _own_nccl_is_available
from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

is_available = _own_nccl_is_available
version: _Refusal
