"""facula.utils: what surrounds training. May import: siblings. Where next: `data/`,
`checkpoint.py`.
"""

from typing import TYPE_CHECKING

from .._names import publish
from . import checkpoint, data

if TYPE_CHECKING:
    from . import benchmark as benchmark
    from . import collect_env as collect_env
    from . import cpp_extension as cpp_extension
    from . import deterministic as deterministic
    from . import dlpack as dlpack
    from . import hooks as hooks
    from . import tensorboard as tensorboard

__all__ = ["benchmark", "checkpoint", "data", "tensorboard"]

publish(__name__, later=("_pytree", "benchmark", "collect_env", "deterministic", "tensorboard"))
