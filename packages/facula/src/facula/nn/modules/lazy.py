"""The base of lazy modules, where programs for PyTorch look for it."""

from ..._names import publish
from ..._siblings import needs

with needs("facula.nn.modules.lazy"):
    from facula_nn.extend import LazyModuleMixin

__all__ = ["LazyModuleMixin"]

publish(__name__)
