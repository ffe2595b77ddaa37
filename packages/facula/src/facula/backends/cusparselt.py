"""NVIDIA's sparse kernels, which facula does not use."""

from .._lookup.names import publish

__all__ = ["is_available", "version"]


def is_available() -> bool:
    """Return False: facula has its own kernels."""
    return False


def version() -> None:
    """Return the library's version: None."""
    return


publish(__name__)
