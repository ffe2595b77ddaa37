"""Windows as columns, where programs for PyTorch look for it."""

from ..._siblings import needs

with needs("facula.nn.modules.fold"):
    from facula_nn.layers.pixels import Fold, Unfold

__all__ = ["Fold", "Unfold"]
