"""facula: tensors, gradients and training under PyTorch's names.

This package is the public face of the stack: nearly every name is the object of a sibling package, never a copy.
May import: all siblings. No sibling imports it. `distributions`, `errors`, `nn`, `optim`, `testing` and `utils` are
loaded on first use.
Where next: `facula_tensor` for tensors and operators, `nn/`, `optim/` and `utils/` for training, `examples/` for
complete programs. Private rooms: `_lookup` (names and modules that are resolved on first use, and refusals),
`_functions` (functions that rows of the table `_places.txt` name), `_pickles` (`save` and `load`), `_interop`
(`import torch`, einops, torchvision).
"""

from __future__ import annotations

from math import e, inf, nan, pi  # constants of the standard library, as floats

from ._lookup.siblings import needs as _needs

with _needs("facula"):
    import facula_errors.extend as _errors
    from facula_autograd import (
        enable_grad,
        inference_mode,
        is_anomaly_check_nan_enabled,
        is_anomaly_enabled,
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
        float8_e4m3fn,
        float8_e4m3fnuz,
        float8_e5m2,
        float8_e5m2fnuz,
        float8_e8m0fnu,
        float16,
        float32,
        float64,
        int8,
        int16,
        int32,
        int64,
        uint8,
        uint16,
        uint32,
        uint64,
    )
    from facula_storage import bool_ as bool
    from facula_tensor import *
from . import autograd
from ._interop.companions import connect_einops as _connect_einops
from ._lookup.names import publish as _publish
from ._pickles.saving import load, save

__version__ = "0.1.0"

_errors.register("facula", but=("facula.examples",))

# PyTorch's short names of dtypes.
half: dtype = float16
float: dtype = float32
double: dtype = float64
cfloat: dtype = complex64
cdouble: dtype = complex128
short: dtype = int16
int: dtype = int32
long: dtype = int64

# Modules and functions that are loaded on first use come last: first those that `dir` lists, then the others.
_LATER = (
    "accelerator", "amp", "backends", "compiler", "cpu", "cuda", "distributed", "distributions", "errors", "export",
    "fft", "func", "fx", "hub", "jit", "linalg", "mps", "multiprocessing", "nn", "onnx", "ops", "optim", "profiler",
    "random", "serialization", "sparse", "special", "testing", "utils", "version", "xpu",
)  # fmt: skip
_PLACES = (
    "_C", "__config__", "_dynamo", "_higher_order_ops", "functional", "futures", "library", "masked", "nested",
    "overrides", "return_types", "storage", "torch_version", "types",
)  # fmt: skip
_LAZILY = {
    "_higher_order_ops": "cond scan while_loop",
    "": "sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor "
        "sparse_csr_tensor",  # rows of the table
    "_functions.settings": "are_deterministic_algorithms_enabled compiled_with_cxx11_abi set_default_tensor_type "
                           "get_deterministic_debug_mode get_float32_matmul_precision get_num_interop_threads "
                           "is_deterministic_algorithms_warn_only_enabled is_vulkan_available is_warn_always_enabled "
                           "set_deterministic_debug_mode set_float32_matmul_precision set_flush_denormal "
                           "set_num_interop_threads set_warn_always use_deterministic_algorithms",
    "amp.autocast_mode": "autocast clear_autocast_cache get_autocast_cpu_dtype get_autocast_dtype "
                         "get_autocast_gpu_dtype is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled "
                         "set_autocast_cache_enabled set_autocast_dtype",
    "amp.grad_scaler": "GradScaler",
    "compiler": "compile",
    "cuda": "OutOfMemoryError",
    "func": "vmap",
    "jit": "capture",
}  # fmt: skip
_publish(__name__, later=_LATER, places=_PLACES, lazily=_LAZILY)
_connect_einops()
