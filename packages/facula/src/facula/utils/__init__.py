"""facula.utils: what surrounds training. May import: siblings. Where next: `data/`,
`checkpoint.py`.
"""

from .._names import publish
from . import checkpoint, data

__all__ = ["checkpoint", "data"]

publish(__name__, "checkpoint")
