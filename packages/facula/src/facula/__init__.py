"""facula: tensors, gradients and training under PyTorch's names.

What it is: the face of the stack; nearly every name here is the object of a sibling package, never a copy.
May import: all siblings. Nothing imports it. `distributions`, `errors`, `func`, `nn`, `optim`, `testing`, `utils`
are loaded when first used.
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
    from . import func as func
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
    "HalfTensor", "IntTensor", "LongTensor", "Parameter", "ShortTensor", "Size", "Tensor", "abs", "absolute", "acos",
    "acosh", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addr", "all", "allclose", "amax", "amin", "any",
    "arange", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "argsort",
    "argwhere", "as_strided", "as_strided_scatter", "as_tensor", "asin", "asinh", "atan", "atan2", "atanh",
    "atleast_1d", "atleast_2d", "atleast_3d", "autograd", "baddbmm", "bernoulli", "bfloat16", "bincount",
    "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
    "block_diag", "bmm", "bool", "broadcast_shapes", "broadcast_tensors", "broadcast_to", "bucketize", "can_cast",
    "cartesian_prod", "cat", "cdist", "cdouble", "ceil", "celu", "celu_", "cfloat", "channel_shuffle", "channels_last",
    "channels_last_3d", "chunk", "clamp", "clamp_max", "clamp_min", "clip", "clone", "column_stack", "combinations",
    "complex64", "complex128", "concat", "concatenate", "contiguous_format", "conv2d", "conv_transpose2d", "copysign",
    "cos", "cosh", "cosine_similarity", "count_nonzero", "cross", "cuda", "cummax", "cummin", "cumprod", "cumsum",
    "default_generator", "deg2rad", "device", "diag", "diag_embed", "diagflat", "diagonal", "diagonal_scatter", "dist",
    "div", "divide", "dot", "double", "dsplit", "dstack", "dtype", "e", "einsum", "empty", "empty_like", "enable_grad",
    "eq", "equal", "erf", "errors", "exp", "exp2", "expm1", "eye", "finfo", "fix", "flatten", "flip", "fliplr",
    "flipud", "float", "float16", "float32", "float64", "floor", "floor_divide", "fmod", "frac", "from_dlpack",
    "from_numpy", "frombuffer", "full", "full_like", "func", "gather", "ge", "ger", "get_default_dtype",
    "get_num_threads", "get_printoptions", "get_rng_state", "greater", "greater_equal", "gt", "half", "hardshrink",
    "hsplit", "hstack", "hypot", "iinfo", "index_add", "index_copy", "index_fill", "index_put", "index_reduce",
    "index_select", "inf", "inference_mode", "initial_seed", "inner", "int", "int8", "int16", "int32", "int64",
    "is_complex", "is_floating_point", "is_grad_enabled", "is_inference_mode_enabled", "is_tensor", "isclose",
    "isfinite", "isin", "isinf", "isnan", "kron", "kthvalue", "layout", "le", "lerp", "less", "less_equal", "linalg",
    "linspace", "load", "log", "log1p", "log2", "log10", "log_softmax", "logaddexp", "logaddexp2", "logcumsumexp",
    "logical_and", "logical_not", "logical_or", "logical_xor", "logsumexp", "long", "lt", "manual_seed", "masked_fill",
    "masked_scatter", "masked_select", "matmul", "max", "max_pool2d", "maximum", "mean", "median", "memory_format",
    "meshgrid", "min", "minimum", "mm", "mode", "moveaxis", "movedim", "msort", "mul", "multinomial", "multiply", "mv",
    "nan", "nan_to_num", "nanmedian", "narrow", "ne", "neg", "negative", "nn", "no_grad", "nonzero", "norm", "normal",
    "not_equal", "numel", "ones", "ones_like", "optim", "outer", "pairwise_distance", "pdist", "permute", "pi",
    "pixel_shuffle", "pixel_unshuffle", "pow", "prelu", "preserve_format", "printoptions", "prod", "promote_types",
    "put", "rad2deg", "rand", "rand_like", "randint", "randn", "randn_like", "randperm", "ravel", "reciprocal", "relu",
    "relu_", "remainder", "repeat_interleave", "reshape", "result_type", "roll", "rot90", "round", "row_stack",
    "rrelu", "rrelu_", "rsqrt", "save", "scatter", "scatter_add", "scatter_reduce", "searchsorted", "seed", "select",
    "select_scatter", "selu", "selu_", "set_default_dtype", "set_grad_enabled", "set_num_threads", "set_printoptions",
    "set_rng_state", "short", "sigmoid", "sign", "signbit", "sin", "sinh", "slice_scatter", "softmax", "sort", "split",
    "sqrt", "square", "squeeze", "stack", "std", "std_mean", "strided", "sub", "subtract", "sum", "swapaxes",
    "swapdims", "t", "take", "take_along_dim", "tan", "tanh", "tensor", "tensor_split", "tensordot", "threshold",
    "threshold_", "tile", "topk", "trace", "transpose", "tril", "tril_indices", "triu", "triu_indices", "true_divide",
    "trunc", "uint8", "unbind", "unflatten", "unique", "unique_consecutive", "unsqueeze", "utils", "var", "var_mean",
    "vdot", "vsplit", "vstack", "where", "xlogy", "zeros", "zeros_like",
]  # fmt: skip

# Modules that are loaded when they are first asked for come last.
_publish(__name__, "cuda", later=("distributions", "errors", "func", "nn", "optim", "testing", "utils"))
