"""OpenMP: not used."""

from .._lookup.names import publish

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether kernels share work through OpenMP: False, facula has threads of its own; see `set_num_threads`."""
    return False


publish(__name__)
