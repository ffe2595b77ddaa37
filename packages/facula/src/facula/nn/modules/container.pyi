"""Names of PyTorch's torch.nn.modules.container, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import ModuleDict as ModuleDict
from facula_nn import ModuleList as ModuleList
from facula_nn import ParameterDict as ParameterDict
from facula_nn import ParameterList as ParameterList
from facula_nn import Sequential as Sequential
