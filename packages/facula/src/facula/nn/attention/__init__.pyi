"""Names of PyTorch's torch.nn.attention, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from . import flex_attention as flex_attention
from facula_nn.attention import SDPBackend as SDPBackend
from facula_nn.attention import sdpa_kernel as sdpa_kernel
