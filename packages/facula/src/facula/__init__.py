"""facula: tensors, gradients and training under PyTorch's names.

What it is: the face of the stack; nearly every name here is the object of a sibling package, never a copy.
May import: all siblings. Nothing imports it. `distributions`, `errors`, `nn`, `optim`, `testing`, `utils` are loaded
when first used.
Where next: `facula_tensor` for tensors and operators, `nn/`, `optim/` and `utils/` for training, `_saving.py` for
files, `examples/` for whole programs.
"""

# ruff: noqa: F403, F405  the face takes over what its siblings list as public
from __future__ import annotations

from math import e, inf, nan, pi
from typing import TYPE_CHECKING

from ._siblings import needs as _needs

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
from ._companions import connect_einops as _connect_einops
from ._names import publish as _publish
from ._saving import load, save

if TYPE_CHECKING:
    from facula_tensor.lowrank import pca_lowrank as pca_lowrank
    from facula_tensor.lowrank import svd_lowrank as svd_lowrank
    from facula_tensor.windowed import bartlett_window as bartlett_window
    from facula_tensor.windowed import blackman_window as blackman_window
    from facula_tensor.windowed import hamming_window as hamming_window
    from facula_tensor.windowed import hann_window as hann_window
    from facula_tensor.windowed import istft as istft
    from facula_tensor.windowed import kaiser_window as kaiser_window
    from facula_tensor.windowed import stft as stft

    from . import _higher_order_ops as _higher_order_ops
    from . import accelerator as accelerator
    from . import amp as amp
    from . import backends as backends
    from . import compiler as compiler
    from . import cpu as cpu
    from . import cuda as cuda
    from . import distributed as distributed
    from . import distributions as distributions
    from . import errors as errors
    from . import export as export
    from . import fft as fft
    from . import func as func
    from . import functional as functional
    from . import futures as futures
    from . import fx as fx
    from . import hub as hub
    from . import jit as jit
    from . import library as library
    from . import linalg as linalg
    from . import masked as masked
    from . import mps as mps
    from . import multiprocessing as multiprocessing
    from . import nested as nested
    from . import nn as nn
    from . import onnx as onnx
    from . import ops as ops
    from . import optim as optim
    from . import overrides as overrides
    from . import profiler as profiler
    from . import random as random
    from . import return_types as return_types
    from . import serialization as serialization
    from . import sparse as sparse
    from . import special as special
    from . import storage as storage
    from . import testing as testing
    from . import torch_version as torch_version
    from . import utils as utils
    from . import version as version
    from . import xpu as xpu
    from ._higher_order_ops import cond as cond
    from ._higher_order_ops import scan as scan
    from ._higher_order_ops import while_loop as while_loop
    from ._refused import (
        sparse_bsc_tensor as sparse_bsc_tensor,
    )
    from ._refused import (
        sparse_bsr_tensor as sparse_bsr_tensor,
    )
    from ._refused import (
        sparse_compressed_tensor as sparse_compressed_tensor,
    )
    from ._refused import (
        sparse_coo_tensor as sparse_coo_tensor,
    )
    from ._refused import (
        sparse_csc_tensor as sparse_csc_tensor,
    )
    from ._refused import (
        sparse_csr_tensor as sparse_csr_tensor,
    )
    from ._settings import (
        are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled,
    )
    from ._settings import (
        compiled_with_cxx11_abi as compiled_with_cxx11_abi,
    )
    from ._settings import (
        get_deterministic_debug_mode as get_deterministic_debug_mode,
    )
    from ._settings import (
        get_float32_matmul_precision as get_float32_matmul_precision,
    )
    from ._settings import (
        get_num_interop_threads as get_num_interop_threads,
    )
    from ._settings import (
        is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled,
    )
    from ._settings import (
        is_vulkan_available as is_vulkan_available,
    )
    from ._settings import (
        is_warn_always_enabled as is_warn_always_enabled,
    )
    from ._settings import (
        set_default_tensor_type as set_default_tensor_type,
    )
    from ._settings import (
        set_deterministic_debug_mode as set_deterministic_debug_mode,
    )
    from ._settings import (
        set_float32_matmul_precision as set_float32_matmul_precision,
    )
    from ._settings import (
        set_flush_denormal as set_flush_denormal,
    )
    from ._settings import (
        set_num_interop_threads as set_num_interop_threads,
    )
    from ._settings import (
        set_warn_always as set_warn_always,
    )
    from ._settings import (
        use_deterministic_algorithms as use_deterministic_algorithms,
    )
    from .amp.autocast_mode import (
        autocast as autocast,
    )
    from .amp.autocast_mode import (
        clear_autocast_cache as clear_autocast_cache,
    )
    from .amp.autocast_mode import (
        get_autocast_cpu_dtype as get_autocast_cpu_dtype,
    )
    from .amp.autocast_mode import (
        get_autocast_dtype as get_autocast_dtype,
    )
    from .amp.autocast_mode import (
        get_autocast_gpu_dtype as get_autocast_gpu_dtype,
    )
    from .amp.autocast_mode import (
        is_autocast_cache_enabled as is_autocast_cache_enabled,
    )
    from .amp.autocast_mode import (
        is_autocast_cpu_enabled as is_autocast_cpu_enabled,
    )
    from .amp.autocast_mode import (
        is_autocast_enabled as is_autocast_enabled,
    )
    from .amp.autocast_mode import (
        set_autocast_cache_enabled as set_autocast_cache_enabled,
    )
    from .amp.autocast_mode import (
        set_autocast_dtype as set_autocast_dtype,
    )
    from .amp.grad_scaler import GradScaler as GradScaler
    from .compiler import compile as compile
    from .cuda import OutOfMemoryError as OutOfMemoryError
    from .func import vmap as vmap
    from .jit import capture as capture

__version__ = "0.1.0"

_errors.register("facula", but=("facula.examples",))

# PyTorch's short names of the dtypes.
half: dtype = float16
float: dtype = float32
double: dtype = float64
cfloat: dtype = complex64
cdouble: dtype = complex128
short: dtype = int16
int: dtype = int32
long: dtype = int64

__all__ = [
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "Generator",
    "GradScaler", "HalfTensor", "IntTensor", "LongTensor", "OutOfMemoryError", "Parameter", "ShortTensor", "Size",
    "Tensor", "TypedStorage", "UntypedStorage", "abs", "abs_", "absolute", "accelerator", "acos", "acos_", "acosh",
    "acosh_", "adaptive_avg_pool1d", "adaptive_max_pool1d", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv",
    "addmv_", "addr", "adjoint", "alias_copy", "all", "allclose", "amax", "amin", "aminmax", "amp", "angle", "any",
    "arange", "arccos", "arccos_", "arccosh", "arccosh_", "arcsin", "arcsin_", "arcsinh", "arcsinh_", "arctan",
    "arctan2", "arctan_", "arctanh", "arctanh_", "are_deterministic_algorithms_enabled", "argmax", "argmin", "argsort",
    "argwhere", "as_strided", "as_strided_", "as_strided_copy", "as_strided_scatter", "as_tensor", "asarray", "asin",
    "asin_", "asinh", "asinh_", "atan", "atan2", "atan_", "atanh", "atanh_", "atleast_1d", "atleast_2d", "atleast_3d",
    "autocast", "autograd", "avg_pool1d", "backends", "baddbmm", "bernoulli", "bfloat16", "bilinear", "bincount",
    "binomial", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
    "block_diag", "bmm", "bool", "broadcast_shapes", "broadcast_tensors", "broadcast_to", "bucketize", "can_cast",
    "capture", "cartesian_prod", "cat", "cdist", "cdouble", "ceil", "ceil_", "celu", "celu_", "cfloat", "chain_matmul",
    "channel_shuffle", "channels_last", "channels_last_3d", "cholesky", "cholesky_inverse", "cholesky_solve", "chunk",
    "clamp", "clamp_", "clamp_max", "clamp_max_", "clamp_min", "clamp_min_", "clear_autocast_cache", "clip", "clip_",
    "clone", "column_stack", "combinations", "compile", "compiled_with_cxx11_abi", "compiler", "complex", "complex64",
    "complex128", "concat", "concatenate", "cond", "conj", "conj_physical", "conj_physical_", "constant_pad_nd",
    "contiguous_format", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "copysign", "corrcoef", "cos", "cos_", "cosh", "cosh_", "cosine_similarity", "count_nonzero", "cov", "cpu",
    "cross", "cuda", "cummax", "cummin", "cumprod", "cumsum", "cumulative_trapezoid", "default_generator", "deg2rad",
    "deg2rad_", "det", "detach_", "detach_copy", "device", "diag", "diag_embed", "diagflat", "diagonal",
    "diagonal_copy", "diagonal_scatter", "diff", "digamma", "dist", "distributed", "distributions", "div", "divide",
    "dot", "double", "dsplit", "dstack", "dtype", "e", "einsum", "empty", "empty_like", "empty_permuted",
    "empty_strided", "enable_grad", "eq", "equal", "erf", "erf_", "erfc", "erfc_", "erfinv", "errors", "exp", "exp2",
    "exp2_", "exp_", "expand_copy", "expm1", "expm1_", "export", "eye", "fft", "fill", "fill_", "finfo", "fix", "fix_",
    "flatten", "flip", "fliplr", "flipud", "float", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
    "float8_e5m2fnuz", "float8_e8m0fnu", "float16", "float32", "float64", "float_power", "floor", "floor_",
    "floor_divide", "fmax", "fmin", "fmod", "frac", "frac_", "frexp", "from_dlpack", "from_file", "from_numpy",
    "frombuffer", "full", "full_like", "func", "fuse", "fx", "gather", "gcd", "gcd_", "ge", "ger",
    "get_autocast_cpu_dtype", "get_autocast_dtype", "get_autocast_gpu_dtype", "get_default_device",
    "get_default_dtype", "get_deterministic_debug_mode", "get_device", "get_float32_matmul_precision",
    "get_num_interop_threads", "get_num_threads", "get_printoptions", "get_rng_state", "gradient", "greater",
    "greater_equal", "gt", "half", "hardshrink", "heaviside", "histc", "histogram", "histogramdd", "hsplit", "hstack",
    "hub", "hypot", "i0", "i0_", "iinfo", "imag", "index_add", "index_copy", "index_fill", "index_put", "index_put_",
    "index_reduce", "index_select", "inf", "inference_mode", "initial_seed", "inner", "int", "int8", "int16", "int32",
    "int64", "inverse", "is_anomaly_check_nan_enabled", "is_anomaly_enabled", "is_autocast_cache_enabled",
    "is_autocast_cpu_enabled", "is_autocast_enabled", "is_complex", "is_conj",
    "is_deterministic_algorithms_warn_only_enabled", "is_floating_point", "is_grad_enabled", "is_inference",
    "is_inference_mode_enabled", "is_neg", "is_nonzero", "is_same_size", "is_signed", "is_storage", "is_tensor",
    "is_vulkan_available", "is_warn_always_enabled", "isclose", "isfinite", "isin", "isinf", "isnan", "isneginf",
    "isposinf", "isreal", "jit", "kron", "kthvalue", "layout", "lcm", "lcm_", "ldexp", "ldexp_", "le", "lerp", "less",
    "less_equal", "lgamma", "linalg", "linspace", "load", "log", "log1p", "log1p_", "log2", "log2_", "log10", "log10_",
    "log_", "log_softmax", "logaddexp", "logaddexp2", "logcumsumexp", "logdet", "logical_and", "logical_not",
    "logical_or", "logical_xor", "logit", "logit_", "logspace", "logsumexp", "long", "lt", "lu", "lu_solve",
    "lu_unpack", "manual_seed", "masked_fill", "masked_scatter", "masked_select", "matmul", "matrix_exp",
    "matrix_power", "max", "max_pool1d", "max_pool1d_with_indices", "max_pool2d", "max_pool3d", "maximum", "mean",
    "median", "memory_format", "meshgrid", "min", "minimum", "mm", "mode", "moveaxis", "movedim", "mps", "msort",
    "mul", "multinomial", "multiply", "multiprocessing", "mv", "mvlgamma", "nan", "nan_to_num", "nan_to_num_",
    "nanmean", "nanmedian", "nanquantile", "nansum", "narrow", "narrow_copy", "ne", "neg", "neg_", "negative",
    "negative_", "nextafter", "nn", "no_grad", "nonzero", "nonzero_static", "norm", "normal", "not_equal", "numel",
    "ones", "ones_like", "onnx", "ops", "optim", "outer", "pairwise_distance", "pdist", "permute", "permute_copy",
    "pi", "pinverse", "pixel_shuffle", "pixel_unshuffle", "poisson", "polar", "polygamma", "positive", "pow", "prelu",
    "preserve_format", "printoptions", "prod", "profiler", "promote_types", "put", "qr", "quantile", "rad2deg",
    "rad2deg_", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "random", "randperm", "range",
    "ravel", "real", "reciprocal", "reciprocal_", "relu", "relu_", "remainder", "renorm", "repeat_interleave",
    "reshape", "resize_as_", "resolve_conj", "resolve_neg", "result_type", "roll", "rot90", "round", "round_",
    "row_stack", "rrelu", "rrelu_", "rsqrt", "rsqrt_", "rsub", "save", "scalar_tensor", "scan", "scatter",
    "scatter_add", "scatter_reduce", "searchsorted", "seed", "select", "select_copy", "select_scatter", "selu",
    "selu_", "serialization", "set_autocast_cache_enabled", "set_autocast_dtype", "set_default_device",
    "set_default_dtype", "set_default_tensor_type", "set_deterministic_debug_mode", "set_float32_matmul_precision",
    "set_flush_denormal", "set_grad_enabled", "set_num_interop_threads", "set_num_threads", "set_printoptions",
    "set_rng_state", "set_warn_always", "sgn", "short", "sigmoid", "sigmoid_", "sign", "signbit", "sin", "sin_",
    "sinc", "sinc_", "sinh", "sinh_", "slice_copy", "slice_scatter", "slogdet", "softmax", "sort", "sparse",
    "sparse_bsc", "sparse_bsc_tensor", "sparse_bsr", "sparse_bsr_tensor", "sparse_compressed_tensor", "sparse_coo",
    "sparse_coo_tensor", "sparse_csc", "sparse_csc_tensor", "sparse_csr", "sparse_csr_tensor", "special", "split",
    "split_copy", "split_with_sizes", "split_with_sizes_copy", "sqrt", "sqrt_", "square", "square_", "squeeze",
    "squeeze_copy", "stack", "std", "std_mean", "strided", "sub", "subtract", "sum", "svd", "swapaxes", "swapdims",
    "t", "t_copy", "take", "take_along_dim", "tan", "tan_", "tanh", "tanh_", "tensor", "tensor_split", "tensordot",
    "testing", "threshold", "threshold_", "tile", "to_dlpack", "topk", "trace", "transpose", "transpose_copy",
    "trapezoid", "trapz", "triangular_solve", "tril", "tril_indices", "triu", "triu_indices", "true_divide", "trunc",
    "trunc_", "typename", "uint8", "uint16", "uint32", "uint64", "unbind", "unbind_copy", "unflatten", "unfold_copy",
    "unique", "unique_consecutive", "unravel_index", "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes",
    "unsqueeze", "unsqueeze_copy", "use_deterministic_algorithms", "utils", "vander", "var", "var_mean", "vdot",
    "version", "view_as_complex", "view_as_real", "view_copy", "vmap", "vsplit", "vstack", "where", "while_loop",
    "xlogy", "xlogy_", "xpu", "zero_", "zeros", "zeros_like",
]  # fmt: skip

# Modules and functions that are loaded when they are first asked for come last.
_LATER = (
    "_C", "__config__", "_dynamo", "_higher_order_ops", "accelerator", "amp", "backends", "compiler", "cpu", "cuda",
    "distributed", "distributions", "errors", "export", "fft", "func", "functional", "futures", "fx", "hub", "jit",
    "library", "linalg", "masked", "mps", "multiprocessing", "nested", "nn", "onnx", "ops", "optim", "overrides",
    "profiler", "random", "return_types", "serialization", "sparse", "special", "storage", "testing", "torch_version",
    "utils", "version", "xpu",
)  # fmt: skip
_LAZILY = {
    "_higher_order_ops": "cond scan while_loop",
    "_refused": "sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor "
                "sparse_csr_tensor",
    "_settings": "are_deterministic_algorithms_enabled compiled_with_cxx11_abi set_default_tensor_type "
                 "get_deterministic_debug_mode "
                 "get_float32_matmul_precision get_num_interop_threads is_deterministic_algorithms_warn_only_enabled "
                 "is_vulkan_available is_warn_always_enabled set_deterministic_debug_mode set_float32_matmul_precision "
                 "set_flush_denormal set_num_interop_threads set_warn_always use_deterministic_algorithms",
    "amp.autocast_mode": "autocast clear_autocast_cache get_autocast_cpu_dtype get_autocast_dtype "
                         "get_autocast_gpu_dtype is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled "
                         "set_autocast_cache_enabled set_autocast_dtype",
    "amp.grad_scaler": "GradScaler",
    "compiler": "compile",
    "cuda": "OutOfMemoryError",
    "func": "vmap",
    "jit": "capture",
}  # fmt: skip
_publish(__name__, later=_LATER, lazily=_LAZILY)
_connect_einops()
