"""What modules keep, where programs for PyTorch look for it."""

from facula_tensor import Parameter

from .._names import publish
from .._siblings import needs

with needs("facula.nn.parameter"):
    from facula_nn import Buffer

__all__ = ["Buffer", "Parameter"]

publish(__name__)
