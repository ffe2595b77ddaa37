"""Events of the MPS device, where programs for PyTorch look for them."""

from .._names import publish
from . import Event

__all__ = ["Event"]

publish(__name__)
