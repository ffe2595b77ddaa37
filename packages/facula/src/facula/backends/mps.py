"""Apple's GPU: not there."""

from .._lookup.names import publish

__all__ = ["is_available", "is_built"]


def is_available() -> bool:
    """Whether tensors can be put on device "mps": False."""
    return False


def is_built() -> bool:
    """Whether there are kernels for it: False."""
    return False


publish(__name__)
