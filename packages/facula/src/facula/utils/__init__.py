"""facula.utils: what surrounds training. May import: siblings. Where next: `data/`,
`checkpoint.py`.
"""

from . import checkpoint, data

__all__ = ["checkpoint", "data"]
