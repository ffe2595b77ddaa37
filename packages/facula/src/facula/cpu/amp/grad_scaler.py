"""The scaler of gradients on the CPU, where programs for PyTorch look for it."""

from ..._names import publish
from . import GradScaler

__all__ = ["GradScaler"]

publish(__name__)
