"""facula.utils: what surrounds training. May import: siblings. Where next: `data.py`."""

from . import data

__all__ = ["data"]
