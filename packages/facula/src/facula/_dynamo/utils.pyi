"""Names of PyTorch's torch._dynamo.utils, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._functions.rare import never as _own_never

is_compile_supported = _own_never
