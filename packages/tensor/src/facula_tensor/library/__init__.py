"""User-defined operators.

Contents: `fuse` and `elementwise` declare elementwise operators, by an expression or by a loop in C
(`register_loop`); `floating` promotes integer operands to the default floating dtype. `custom_op` (tensors),
`numpy_op` (NumPy arrays) and `native_op` (the address of a C, Cython or Numba function) declare operators on whole
arrays. `custom_op`, `CustomOpDef`, `opcheck`, `register_autograd`, `register_fake`, `register_kernel`,
`register_vmap`, `Library`, `define` and `impl` have the names of `torch.library`.
Where next: docs/how-to/own-operators.md in the repository; `_definition.py` for operators on whole tensors.
"""

from __future__ import annotations

from facula_errors.extend import published as _published

from .._core.promotion import floating
from ..transforms.fuse import fuse
from ._custom import custom_op
from ._declared import elementwise, register_loop
from ._definition import CustomOpDef
from ._library import Library, define, impl
from ._native import native_op
from ._numpy import numpy_op
from ._opcheck import opcheck
from ._registry import register_autograd, register_fake, register_kernel, register_vmap

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "elementwise",
    "floating",
    "fuse",
    "impl",
    "native_op",
    "numpy_op",
    "opcheck",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_loop",
    "register_vmap",
]

__dir__ = _published(__name__)
