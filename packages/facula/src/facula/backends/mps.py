"""Apple's GPU, which is not available."""

from .._lookup.names import publish

__all__ = ["is_available", "is_built"]


def is_available() -> bool:
    """Return whether tensors can be placed on device "mps": False."""
    return False


def is_built() -> bool:
    """Return whether kernels for it are available: False."""
    return False


publish(__name__)
