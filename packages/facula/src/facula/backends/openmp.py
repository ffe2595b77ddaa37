"""OpenMP, which facula does not use."""

from .._lookup.names import publish

__all__ = ["is_available"]


def is_available() -> bool:
    """Return whether kernels use OpenMP: False. facula has its own threads; see `set_num_threads`."""
    return False


publish(__name__)
