"""Names of PyTorch's torch.nn.modules.lazy, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn.extend import LazyModuleMixin as LazyModuleMixin
