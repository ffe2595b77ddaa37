"""Names of PyTorch's torch.nn.utils.parametrizations, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn.utils.parametrizations import orthogonal as orthogonal
from facula_nn.utils.parametrizations import spectral_norm as spectral_norm
from facula_nn.utils.parametrizations import weight_norm as weight_norm
