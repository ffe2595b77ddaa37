"""The library that orders einsum's products: not used."""

from __future__ import annotations

from .._lookup.names import publish

__all__ = ["enabled", "is_available", "strategy"]

enabled = False
strategy: str | None = None


def is_available() -> bool:
    """Whether the library is used: False."""
    return False


publish(__name__)
