"""What sibling packages may use of facula_data beyond its public names."""

from __future__ import annotations

from ._native import Native
from ._seeds import set_seed_source

__all__ = ["Native", "set_seed_source"]
