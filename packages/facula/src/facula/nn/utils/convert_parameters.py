"""Parameters as one vector and back, where programs for PyTorch look for them."""

from ..._names import publish
from . import parameters_to_vector, vector_to_parameters

__all__ = ["parameters_to_vector", "vector_to_parameters"]

publish(__name__)
