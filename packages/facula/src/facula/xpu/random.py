"""Seeds of XPU devices, where programs for PyTorch look for them."""

from .._names import publish
from . import manual_seed, manual_seed_all

__all__ = ["manual_seed", "manual_seed_all"]

publish(__name__)
