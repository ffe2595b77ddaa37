"""Names of PyTorch's torch._dynamo.eval_frame, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._dynamo import OptimizedModule as OptimizedModule
from facula._functions.rare import never as _own_never

is_dynamo_supported = _own_never
