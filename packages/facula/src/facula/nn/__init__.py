"""facula.nn: layers and other parts of networks; the names of facula_nn. May import: siblings. Where next: `facula_nn`.

`modules` and `parameter` are PyTorch's places for some of them, loaded on first use.
"""

# ruff: noqa: F405
from facula_tensor import Parameter

from .._lookup.names import publish
from .._lookup.siblings import needs

with needs("facula.nn"):
    from facula_nn import *
    from facula_nn.extend import compilers as _compilers

# The sibling's modules; the public ones are loaded on first use.
del attention, functional, init, utils  # noqa: F821

publish(
    __name__,
    later=("attention", "functional", "init", "modules", "parallel", "parameter", "utils"),
    places=("common_types",),
    lazily={"parallel": "DataParallel"},
)


def _compile(module: Module, *args: object, **kwargs: object) -> None:
    """Capture the module: the implementation of `module.compile()`."""
    from ..compiler import compile_inplace

    compile_inplace(module, *args, **kwargs)


_compilers.append(_compile)
