"""Names of PyTorch's torch.nn.utils.convert_parameters, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.nn.utils import parameters_to_vector as parameters_to_vector
from facula.nn.utils import vector_to_parameters as vector_to_parameters
