"""Names of PyTorch's torch.nn.modules.module, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import Module as Module
from facula_nn.extend import EXTRA as _own_EXTRA
from facula_nn.extend import IncompatibleKeys as _own_IncompatibleKeys

_EXTRA_STATE_KEY_SUFFIX = _own_EXTRA
_IncompatibleKeys = _own_IncompatibleKeys
