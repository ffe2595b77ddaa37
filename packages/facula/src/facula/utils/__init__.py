"""facula.utils: tools for training.

May import: siblings. Where next: `data/`, `benchmark.py`; `checkpoint` and other modules are sections of `_places.txt`.
"""

from .._lookup.names import publish
from . import checkpoint, data

publish(__name__, later=("benchmark", "tensorboard"), places=("_pytree", "collect_env", "deterministic"))
