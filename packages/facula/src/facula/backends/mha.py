"""Quick paths of `nn.MultiheadAttention`: a switch that keeps what it is set to, and changes nothing."""

from .._lookup.names import publish

__all__ = ["get_fastpath_enabled", "set_fastpath_enabled"]

_enabled = [True]


def get_fastpath_enabled() -> bool:
    """What `set_fastpath_enabled` set.

    >>> get_fastpath_enabled()
    True
    """
    return _enabled[0]


def set_fastpath_enabled(value: bool) -> None:
    """Set the switch."""
    _enabled[0] = bool(value)


publish(__name__)
