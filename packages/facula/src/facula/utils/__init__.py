"""facula.utils: what surrounds training. May import: siblings. Where next: `data/`,
`checkpoint.py`.
"""

from typing import TYPE_CHECKING

from .._names import publish
from . import checkpoint, data

if TYPE_CHECKING:
    from . import benchmark as benchmark
    from . import tensorboard as tensorboard

__all__ = ["benchmark", "checkpoint", "data", "tensorboard"]

publish(__name__, "checkpoint", later=("_pytree", "benchmark", "dlpack", "model_zoo", "tensorboard"))
