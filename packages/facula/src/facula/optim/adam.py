"""Adam, where programs for PyTorch look for it."""

from .._names import publish
from . import Adam

__all__ = ["Adam"]

publish(__name__)
