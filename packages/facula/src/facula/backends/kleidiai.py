"""Arm's kernels: not used."""

from .._lookup.names import publish

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether the library is there: False, facula's kernels are its own."""
    return False


publish(__name__)
