"""Switches of oneDNN, which facula does not use. They keep their values but have no effect."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from .._lookup.names import publish

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["allow_tf32", "deterministic", "enabled", "flags", "is_available"]

enabled = True  # a switch without effect
deterministic = False  # a switch without effect: results never vary
allow_tf32 = True  # a switch without effect


def is_available() -> bool:
    """Return False: facula has its own kernels."""
    return False


@contextmanager
def flags(
    enabled: bool = False, deterministic: bool = False, allow_tf32: bool = True, fp32_precision: str = "none"
) -> Iterator[None]:
    """Context manager that sets the switches.

    Arguments:
        enabled, deterministic, allow_tf32: the values of the switches inside the block.
        fp32_precision: ignored.

    >>> from facula.backends import mkldnn
    >>> with mkldnn.flags(enabled=False):
    ...     mkldnn.enabled
    False
    """
    names = ("enabled", "deterministic", "allow_tf32")
    before = {name: globals()[name] for name in names}
    globals().update(enabled=enabled, deterministic=deterministic, allow_tf32=allow_tf32)
    try:
        yield
    finally:
        globals().update(before)


publish(__name__)
