"""Names of PyTorch's torch._dynamo.utils, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._rare import never as is_compile_supported
