"""opt_einsum, which orders einsum's products; facula does not use it."""

from __future__ import annotations

from .._lookup.names import publish

__all__ = ["enabled", "is_available", "strategy"]

enabled = False  # a switch without effect
strategy: str | None = None  # a setting without effect


def is_available() -> bool:
    """Return whether opt_einsum is used: False."""
    return False


publish(__name__)
