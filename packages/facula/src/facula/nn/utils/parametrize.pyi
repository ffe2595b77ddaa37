"""Names of PyTorch's torch.nn.utils.parametrize, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn.utils.parametrize import ParametrizationList as ParametrizationList
from facula_nn.utils.parametrize import cached as cached
from facula_nn.utils.parametrize import is_parametrized as is_parametrized
from facula_nn.utils.parametrize import register_parametrization as register_parametrization
from facula_nn.utils.parametrize import remove_parametrizations as remove_parametrizations
from facula_nn.utils.parametrize import type_before_parametrizations as type_before_parametrizations
