"""What sibling packages may use beside the public names: base classes that PyTorch keeps under private names."""

from __future__ import annotations

from .layers.loss import _Loss as Loss
from .layers.loss import _WeightedLoss as WeightedLoss

__all__ = ["Loss", "WeightedLoss"]
