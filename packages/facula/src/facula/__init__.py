"""facula: tensors, gradients and training under PyTorch's names.

What it is: the face of the stack; every name here is the object of a sibling package, never a copy.
May import: all siblings. Nothing imports it.
Where next: `facula_tensor` for tensors and operators, `examples/` for whole programs.
"""

# ruff: noqa: F403  the face takes over what its siblings list as public
try:
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
except ModuleNotFoundError as error:
    if not (error.name or "").startswith("facula_"):
        raise
    missing = error.name.partition(".")[0].replace("_", "-")  # type: ignore[union-attr]
    raise ImportError(
        f"facula: the package {missing} is missing; install facula's wheel with its dependencies"
    ) from error

from . import autograd, cuda

__version__ = "0.1.0"

# PyTorch's short names of the dtypes.
half, float, double, cfloat, cdouble = float16, float32, float64, complex64, complex128
short, int, long = int16, int32, int64

__all__ = [
    "autograd", "bfloat16", "bool", "cdouble", "cfloat", "complex64", "complex128", "cuda", "device", "double", "dtype",
    "enable_grad", "float", "float16", "float32", "float64", "get_num_threads", "half", "inference_mode", "int", "int8",
    "int16", "int32", "int64", "is_grad_enabled", "is_inference_mode_enabled", "long", "no_grad", "set_grad_enabled",
    "set_num_threads", "short", "uint8",
]  # fmt: skip
__all__ += _tensor.__all__
