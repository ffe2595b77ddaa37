"""What modules keep, where programs for PyTorch look for it."""

from facula_tensor import Parameter

from .._names import publish
from .._siblings import needs

with needs("facula.nn.parameter"):
    from facula_nn import Buffer, UninitializedBuffer, UninitializedParameter
    from facula_nn.extend import is_lazy

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "is_lazy"]

publish(__name__)
