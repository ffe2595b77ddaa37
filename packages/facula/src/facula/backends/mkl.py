"""Intel's mathematics library, which facula does not use."""

from .._lookup.names import publish

__all__ = ["is_available"]


def is_available() -> bool:
    """Return False: facula has its own kernels."""
    return False


publish(__name__)
