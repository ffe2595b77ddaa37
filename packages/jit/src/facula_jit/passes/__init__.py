"""Passes over captured graphs, which reduce the work of a replay without changing its results.

A pass is a function that modifies a `Graph`. `capture(function, passes=...)` selects the passes and their order. The
default is `DEFAULT`: all of these except `fold_batch_norm`. They preserve every bit of every result.

>>> from facula_jit import capture
>>> from facula_tensor import ones
>>> twice = capture(lambda x: (x * 2 + 1).relu(), passes=(drop_dead, fuse_elementwise))
>>> _ = twice(ones(3)), twice(ones(3))
>>> print(twice.graph())
def lambda(x0: float32[3]):
    # outside of modules
    y0 = fused(relu(x0 * 2 + 1))
    return y0
"""

from facula_errors.extend import published as _published

from ._batch_norm_folding import fold_batch_norm
from ._common_subexpressions import merge_common
from ._constant_folding import fold_constants
from ._convolution_steps import extend_convolutions
from ._copy_elimination import skip_copies
from ._dead_code import drop_dead
from ._fusion import fuse_elementwise
from ._in_place import write_in_place
from ._pooling import pool_before_relu

DEFAULT = (
    fold_constants, merge_common, skip_copies, drop_dead, pool_before_relu, extend_convolutions, fuse_elementwise,
    write_in_place,
)  # fmt: skip
"""The default passes of `capture`, in order; they do not change a bit of any result."""

__all__ = [
    "DEFAULT",
    "drop_dead",
    "extend_convolutions",
    "fold_batch_norm",
    "fold_constants",
    "fuse_elementwise",
    "merge_common",
    "pool_before_relu",
    "skip_copies",
    "write_in_place",
]

__dir__ = _published(__name__)
