"""facula: tensors, gradients and training under PyTorch's names.

What it is: the face of the stack; nearly every name here is the object of a sibling package, never a copy.
May import: all siblings. Nothing imports it. `nn`, `optim` and `utils` are loaded when they are first used.
Where next: `facula_tensor` for tensors and operators, `nn/`, `optim/` and `utils/` for training, `_saving.py` for
files, `examples/` for whole programs.
"""

# ruff: noqa: F403  the face takes over what its siblings list as public
from __future__ import annotations

import sys as _sys
from math import e, inf, nan, pi
from typing import TYPE_CHECKING

from ._siblings import needs as _needs

with _needs("facula"):
    import facula_tensor as _tensor
    from facula_autograd import (
        enable_grad,
        inference_mode,
        is_grad_enabled,
        is_inference_mode_enabled,
        no_grad,
        set_grad_enabled,
    )
    from facula_cpu import get_num_threads, set_num_threads
    from facula_storage import Device as device
    from facula_storage import DType as dtype
    from facula_storage import (
        bfloat16,
        complex64,
        complex128,
        float16,
        float32,
        float64,
        int8,
        int16,
        int32,
        int64,
        uint8,
    )
    from facula_storage import bool_ as bool
    from facula_tensor import *
from . import autograd, cuda
from ._saving import load, save

if TYPE_CHECKING:
    from . import nn as nn
    from . import optim as optim
    from . import utils as utils

__version__ = "0.1.0"

# PyTorch's short names of the dtypes.
half, float, double, cfloat, cdouble = float16, float32, float64, complex64, complex128
short, int, long = int16, int32, int64

__all__ = [
    "autograd", "bfloat16", "bool", "cdouble", "cfloat", "complex64", "complex128", "cuda", "device", "double", "dtype",
    "e", "enable_grad", "float", "float16", "float32", "float64", "get_num_threads", "half", "inf", "inference_mode",
    "int", "int8", "int16", "int32", "int64", "is_grad_enabled", "is_inference_mode_enabled", "load", "long", "nan",
    "nn", "no_grad", "optim", "pi", "save", "set_grad_enabled", "set_num_threads", "short", "uint8", "utils",
]  # fmt: skip
__all__ += _tensor.__all__

_LATER = ("nn", "optim", "utils")  # modules that are loaded when they are first asked for


def __getattr__(name: str) -> object:
    if name in _LATER:
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=_sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
