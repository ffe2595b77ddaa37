"""The switch of fast paths of `nn.MultiheadAttention`. It keeps its value but has no effect."""

from .._lookup.names import publish

__all__ = ["get_fastpath_enabled", "set_fastpath_enabled"]

_enabled = [True]


def get_fastpath_enabled() -> bool:
    """Return the value set by `set_fastpath_enabled`.

    >>> get_fastpath_enabled()
    True
    """
    return _enabled[0]


def set_fastpath_enabled(value: bool) -> None:
    """Set the switch."""
    _enabled[0] = bool(value)


publish(__name__)
