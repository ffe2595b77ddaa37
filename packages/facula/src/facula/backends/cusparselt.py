"""NVIDIA's sparse kernels: not used."""

from .._lookup.names import publish

__all__ = ["is_available", "version"]


def is_available() -> bool:
    """Whether the library is there: False, facula's kernels are its own."""
    return False


def version() -> None:
    """The library's version: None."""
    return


publish(__name__)
