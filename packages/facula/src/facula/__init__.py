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
from . import autograd, cuda, linalg
from ._names import publish as _publish
from ._saving import load, save

if TYPE_CHECKING:
    from . import distributions as distributions
    from . import errors as errors
    from . import nn as nn
    from . import optim as optim
    from . import testing as testing
    from . import utils as utils

__version__ = "0.1.0"

_errors.register("facula", but=("facula.examples",))

# PyTorch's short names of the dtypes.
half, float, double, cfloat, cdouble = float16, float32, float64, complex64, complex128
short, int, long = int16, int32, int64

__all__ = [
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "Generator",
    "HalfTensor", "IntTensor", "LongTensor", "Parameter", "ShortTensor", "Size", "Tensor", "TypedStorage",
    "UntypedStorage", "abs", "abs_", "absolute", "acos", "acos_", "acosh", "acosh_", "add", "addbmm", "addcdiv",
    "addcmul", "addmm", "addmv", "addmv_", "addr", "alias_copy", "all", "allclose", "amax", "amin", "aminmax", "any",
    "arange", "arccos", "arccos_", "arccosh", "arccosh_", "arcsin", "arcsin_", "arcsinh", "arcsinh_", "arctan",
    "arctan2", "arctan_", "arctanh", "arctanh_", "argmax", "argmin", "argsort", "argwhere", "as_strided",
    "as_strided_", "as_strided_copy", "as_strided_scatter", "as_tensor", "asarray", "asin", "asin_", "asinh", "asinh_",
    "atan", "atan2", "atan_", "atanh", "atanh_", "atleast_1d", "atleast_2d", "atleast_3d", "autograd", "baddbmm",
    "bernoulli", "bfloat16", "bincount", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "block_diag", "bmm", "bool", "broadcast_shapes", "broadcast_tensors",
    "broadcast_to", "bucketize", "can_cast", "cartesian_prod", "cat", "cdist", "cdouble", "ceil", "ceil_", "cfloat",
    "channel_shuffle", "channels_last", "channels_last_3d", "chunk", "clamp", "clamp_", "clamp_max", "clamp_max_",
    "clamp_min", "clamp_min_", "clip", "clip_", "clone", "column_stack", "combinations", "complex64", "complex128",
    "concat", "concatenate", "constant_pad_nd", "contiguous_format", "conv2d", "conv_transpose2d", "copysign",
    "corrcoef", "cos", "cos_", "cosh", "cosh_", "cosine_similarity", "count_nonzero", "cov", "cross", "cuda", "cummax",
    "cummin", "cumprod", "cumsum", "cumulative_trapezoid", "default_generator", "deg2rad", "deg2rad_", "detach_",
    "detach_copy", "device", "diag", "diag_embed", "diagflat", "diagonal", "diagonal_copy", "diagonal_scatter", "diff",
    "dist", "div", "divide", "dot", "double", "dsplit", "dstack", "dtype", "e", "einsum", "empty", "empty_like",
    "empty_permuted", "empty_strided", "enable_grad", "eq", "equal", "erf", "erf_", "errors", "exp", "exp2", "exp2_",
    "exp_", "expand_copy", "expm1", "expm1_", "eye", "fill", "fill_", "finfo", "fix", "fix_", "flatten", "flip",
    "fliplr", "flipud", "float", "float16", "float32", "float64", "floor", "floor_", "floor_divide", "fmax", "fmin",
    "fmod", "frac", "frac_", "from_dlpack", "from_file", "from_numpy", "frombuffer", "full", "full_like", "gather",
    "ge", "ger", "get_default_dtype", "get_device", "get_num_threads", "get_printoptions", "get_rng_state", "gradient",
    "greater", "greater_equal", "gt", "half", "histc", "histogram", "histogramdd", "hsplit", "hstack", "hypot",
    "iinfo", "index_add", "index_copy", "index_fill", "index_put", "index_put_", "index_reduce", "index_select", "inf",
    "inference_mode", "initial_seed", "inner", "int", "int8", "int16", "int32", "int64", "is_complex",
    "is_floating_point", "is_grad_enabled", "is_inference", "is_inference_mode_enabled", "is_nonzero", "is_same_size",
    "is_signed", "is_storage", "is_tensor", "isclose", "isfinite", "isin", "isinf", "isnan", "kron", "kthvalue",
    "layout", "le", "lerp", "less", "less_equal", "linalg", "linspace", "load", "log", "log1p", "log1p_", "log2",
    "log2_", "log10", "log10_", "log_", "log_softmax", "logaddexp", "logaddexp2", "logcumsumexp", "logical_and",
    "logical_not", "logical_or", "logical_xor", "logspace", "logsumexp", "long", "lt", "manual_seed", "masked_fill",
    "masked_scatter", "masked_select", "matmul", "max", "max_pool2d", "maximum", "mean", "median", "memory_format",
    "meshgrid", "min", "minimum", "mm", "mode", "moveaxis", "movedim", "msort", "mul", "multinomial", "multiply", "mv",
    "nan", "nan_to_num", "nan_to_num_", "nanmean", "nanmedian", "nanquantile", "nansum", "narrow", "narrow_copy", "ne",
    "neg", "neg_", "negative", "negative_", "nn", "no_grad", "nonzero", "nonzero_static", "norm", "normal",
    "not_equal", "numel", "ones", "ones_like", "optim", "outer", "pairwise_distance", "pdist", "permute",
    "permute_copy", "pi", "pixel_shuffle", "pixel_unshuffle", "pow", "preserve_format", "printoptions", "prod",
    "promote_types", "put", "quantile", "rad2deg", "rad2deg_", "rand", "rand_like", "randint", "randint_like", "randn",
    "randn_like", "randperm", "range", "ravel", "reciprocal", "reciprocal_", "relu", "relu_", "remainder", "renorm",
    "repeat_interleave", "reshape", "resize_as_", "result_type", "roll", "rot90", "round", "round_", "row_stack",
    "rsqrt", "rsqrt_", "save", "scalar_tensor", "scatter", "scatter_add", "scatter_reduce", "searchsorted", "seed",
    "select", "select_copy", "select_scatter", "set_default_dtype", "set_grad_enabled", "set_num_threads",
    "set_printoptions", "set_rng_state", "short", "sigmoid", "sigmoid_", "sign", "signbit", "sin", "sin_", "sinh",
    "sinh_", "slice_copy", "slice_scatter", "softmax", "sort", "split", "split_copy", "split_with_sizes",
    "split_with_sizes_copy", "sqrt", "sqrt_", "square", "square_", "squeeze", "squeeze_copy", "stack", "std",
    "std_mean", "strided", "sub", "subtract", "sum", "swapaxes", "swapdims", "t", "t_copy", "take", "take_along_dim",
    "tan", "tan_", "tanh", "tanh_", "tensor", "tensor_split", "tensordot", "tile", "to_dlpack", "topk", "trace",
    "transpose", "transpose_copy", "trapezoid", "trapz", "tril", "tril_indices", "triu", "triu_indices", "true_divide",
    "trunc", "trunc_", "typename", "uint8", "unbind", "unbind_copy", "unflatten", "unfold_copy", "unique",
    "unique_consecutive", "unravel_index", "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes", "unsqueeze",
    "unsqueeze_copy", "utils", "vander", "var", "var_mean", "vdot", "view_copy", "vsplit", "vstack", "where", "xlogy",
    "xlogy_", "zero_", "zeros", "zeros_like",
]  # fmt: skip

# Modules that are loaded when they are first asked for come last.
_publish(__name__, "cuda", later=("distributions", "errors", "nn", "optim", "testing", "utils"))
