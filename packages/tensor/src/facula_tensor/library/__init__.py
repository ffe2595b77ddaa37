"""Operators of one's own, declared outside of this package.

What it is: `fuse` and `elementwise` for operators on each element, by an expression or a loop in C (`register_loop`),
with `floating` for those that take integers to the default floating dtype; `custom_op` (of tensors), `numpy_op` (of
NumPy's arrays) and `native_op` (a function in C, Cython or Numba, by its address) for functions of whole tensors. Of
`torch.library` are the names `custom_op`, `CustomOpDef`, `opcheck`, and those that say more of an operator:
`register_autograd`, `register_fake`, `register_kernel` and `register_vmap`; and `Library`, `define` and `impl`, which
declare operators by schemas.
Where next: docs/own-operators.md in the repository; `_definition.py` for what an operator of whole tensors is.
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
