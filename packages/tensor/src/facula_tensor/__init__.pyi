"""The public functions as type checkers see them. Written by facula_tensor._stubs."""

# fmt: off
# ruff: noqa
import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, SupportsIndex, overload

import numpy as np
from typing_extensions import Buffer

from ._core.types import AnyTensor, DTypeLike, Data, DeviceLike, Dims, Extremes, Frexp, Index, Lengths, MemoryFormat, NamedResults, Number, Operand, Scalar, SupportsDLPack
from facula_autograd import Function as Function
from facula_autograd import enable_grad as enable_grad
from facula_autograd import inference_mode as inference_mode
from facula_autograd import is_grad_enabled as is_grad_enabled
from facula_autograd import no_grad as no_grad
from facula_autograd import set_grad_enabled as set_grad_enabled
from facula_storage import Device as Device
device = Device
from facula_storage import DType as DType
dtype = DType
from facula_storage import bfloat16 as bfloat16
from facula_storage import bool_ as bool_
bool = bool_
from facula_storage import complex64 as complex64
from facula_storage import complex128 as complex128
from facula_storage import float8_e4m3fn as float8_e4m3fn
from facula_storage import float8_e4m3fnuz as float8_e4m3fnuz
from facula_storage import float8_e5m2 as float8_e5m2
from facula_storage import float8_e5m2fnuz as float8_e5m2fnuz
from facula_storage import float8_e8m0fnu as float8_e8m0fnu
from facula_storage import float16 as float16
from facula_storage import float32 as float32
from facula_storage import float64 as float64
from facula_storage import int8 as int8
from facula_storage import int16 as int16
from facula_storage import int32 as int32
from facula_storage import int64 as int64
from facula_storage import uint8 as uint8
from facula_storage import uint16 as uint16
from facula_storage import uint32 as uint32
from facula_storage import uint64 as uint64
from ._core.formats import channels_last as channels_last
from ._core.formats import channels_last_3d as channels_last_3d
from ._core.formats import contiguous_format as contiguous_format
from ._core.formats import layout as layout
from ._core.formats import memory_format as memory_format
from ._core.formats import preserve_format as preserve_format
from ._core.formats import sparse_bsc as sparse_bsc
from ._core.formats import sparse_bsr as sparse_bsr
from ._core.formats import sparse_coo as sparse_coo
from ._core.formats import sparse_csc as sparse_csc
from ._core.formats import sparse_csr as sparse_csr
from ._core.formats import strided as strided
from ._core.number_limits import finfo as finfo
from ._core.number_limits import iinfo as iinfo
from ._core.parameter import Parameter as Parameter
from ._core.size import Size as Size
from ._core.tensor import Tensor as Tensor
from ._creation.generator import Generator as Generator
from ._creation.generator import default_generator as default_generator
from ._interop.print_options import printoptions as printoptions
from ._interop.typed import BFloat16Tensor as BFloat16Tensor
from ._interop.typed import BoolTensor as BoolTensor
from ._interop.typed import ByteTensor as ByteTensor
from ._interop.typed import CharTensor as CharTensor
from ._interop.typed import DoubleTensor as DoubleTensor
from ._interop.typed import FloatTensor as FloatTensor
from ._interop.typed import HalfTensor as HalfTensor
from ._interop.typed import IntTensor as IntTensor
from ._interop.typed import LongTensor as LongTensor
from ._interop.typed import ShortTensor as ShortTensor
from ._interop.untyped_storage import TypedStorage as TypedStorage
from ._interop.untyped_storage import UntypedStorage as UntypedStorage
from facula_storage import DType

__version__: builtins.str
__all__ = [
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "Generator",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "Parameter",
    "ShortTensor",
    "Size",
    "Tensor",
    "TypedStorage",
    "UntypedStorage",
    "abs",
    "abs_",
    "absolute",
    "acos",
    "acos_",
    "acosh",
    "acosh_",
    "adaptive_avg_pool1d",
    "adaptive_max_pool1d",
    "add",
    "addbmm",
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "addmv_",
    "addr",
    "adjoint",
    "alias_copy",
    "all",
    "allclose",
    "amax",
    "amin",
    "aminmax",
    "angle",
    "any",
    "arange",
    "arccos",
    "arccos_",
    "arccosh",
    "arccosh_",
    "arcsin",
    "arcsin_",
    "arcsinh",
    "arcsinh_",
    "arctan",
    "arctan2",
    "arctan_",
    "arctanh",
    "arctanh_",
    "argmax",
    "argmin",
    "argsort",
    "argwhere",
    "as_strided",
    "as_strided_",
    "as_strided_copy",
    "as_strided_scatter",
    "as_tensor",
    "asarray",
    "asin",
    "asin_",
    "asinh",
    "asinh_",
    "atan",
    "atan2",
    "atan_",
    "atanh",
    "atanh_",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "avg_pool1d",
    "baddbmm",
    "bernoulli",
    "bilinear",
    "bincount",
    "binomial",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "block_diag",
    "bmm",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "bucketize",
    "can_cast",
    "cartesian_prod",
    "cat",
    "cdist",
    "ceil",
    "ceil_",
    "celu",
    "celu_",
    "chain_matmul",
    "channel_shuffle",
    "channels_last",
    "channels_last_3d",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "chunk",
    "clamp",
    "clamp_",
    "clamp_max",
    "clamp_max_",
    "clamp_min",
    "clamp_min_",
    "clip",
    "clip_",
    "clone",
    "column_stack",
    "combinations",
    "complex",
    "concat",
    "concatenate",
    "conj",
    "conj_physical",
    "conj_physical_",
    "constant_pad_nd",
    "contiguous_format",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "copysign",
    "corrcoef",
    "cos",
    "cos_",
    "cosh",
    "cosh_",
    "cosine_similarity",
    "count_nonzero",
    "cov",
    "cross",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_trapezoid",
    "default_generator",
    "deg2rad",
    "deg2rad_",
    "det",
    "detach_",
    "detach_copy",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_copy",
    "diagonal_scatter",
    "diff",
    "digamma",
    "dist",
    "div",
    "divide",
    "dot",
    "dsplit",
    "dstack",
    "einsum",
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "eq",
    "equal",
    "erf",
    "erf_",
    "erfc",
    "erfc_",
    "erfinv",
    "exp",
    "exp2",
    "exp2_",
    "exp_",
    "expand_copy",
    "expm1",
    "expm1_",
    "eye",
    "fill",
    "fill_",
    "finfo",
    "fix",
    "fix_",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "float_power",
    "floor",
    "floor_",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frac",
    "frac_",
    "frexp",
    "from_dlpack",
    "from_file",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "fuse",
    "gather",
    "gcd",
    "gcd_",
    "ge",
    "ger",
    "get_default_device",
    "get_default_dtype",
    "get_device",
    "get_printoptions",
    "get_rng_state",
    "gradient",
    "greater",
    "greater_equal",
    "gt",
    "hardshrink",
    "heaviside",
    "histc",
    "histogram",
    "histogramdd",
    "hsplit",
    "hstack",
    "hypot",
    "i0",
    "i0_",
    "iinfo",
    "imag",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_put_",
    "index_reduce",
    "index_select",
    "initial_seed",
    "inner",
    "inverse",
    "is_complex",
    "is_conj",
    "is_floating_point",
    "is_inference",
    "is_neg",
    "is_nonzero",
    "is_same_size",
    "is_signed",
    "is_storage",
    "is_tensor",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "kron",
    "kthvalue",
    "layout",
    "lcm",
    "lcm_",
    "ldexp",
    "ldexp_",
    "le",
    "lerp",
    "less",
    "less_equal",
    "lgamma",
    "linspace",
    "log",
    "log10",
    "log10_",
    "log1p",
    "log1p_",
    "log2",
    "log2_",
    "log_",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logdet",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "logit_",
    "logspace",
    "logsumexp",
    "lt",
    "lu",
    "lu_solve",
    "lu_unpack",
    "manual_seed",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "matmul",
    "matrix_exp",
    "matrix_power",
    "max",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool3d",
    "maximum",
    "mean",
    "median",
    "memory_format",
    "meshgrid",
    "min",
    "minimum",
    "mm",
    "mode",
    "moveaxis",
    "movedim",
    "msort",
    "mul",
    "multinomial",
    "multiply",
    "mv",
    "mvlgamma",
    "nan_to_num",
    "nan_to_num_",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "nansum",
    "narrow",
    "narrow_copy",
    "ne",
    "neg",
    "neg_",
    "negative",
    "negative_",
    "nextafter",
    "nonzero",
    "nonzero_static",
    "norm",
    "normal",
    "not_equal",
    "numel",
    "ones",
    "ones_like",
    "outer",
    "pairwise_distance",
    "pdist",
    "permute",
    "permute_copy",
    "pinverse",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson",
    "polar",
    "polygamma",
    "positive",
    "pow",
    "prelu",
    "preserve_format",
    "printoptions",
    "prod",
    "promote_types",
    "put",
    "qr",
    "quantile",
    "rad2deg",
    "rad2deg_",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "range",
    "ravel",
    "real",
    "reciprocal",
    "reciprocal_",
    "relu",
    "relu_",
    "remainder",
    "renorm",
    "repeat_interleave",
    "reshape",
    "resize_as_",
    "resolve_conj",
    "resolve_neg",
    "result_type",
    "roll",
    "rot90",
    "round",
    "round_",
    "row_stack",
    "rrelu",
    "rrelu_",
    "rsqrt",
    "rsqrt_",
    "rsub",
    "scalar_tensor",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "searchsorted",
    "seed",
    "select",
    "select_copy",
    "select_scatter",
    "selu",
    "selu_",
    "set_default_device",
    "set_default_dtype",
    "set_printoptions",
    "set_rng_state",
    "sgn",
    "sigmoid",
    "sigmoid_",
    "sign",
    "signbit",
    "sin",
    "sin_",
    "sinc",
    "sinc_",
    "sinh",
    "sinh_",
    "slice_copy",
    "slice_scatter",
    "slogdet",
    "softmax",
    "sort",
    "sparse_bsc",
    "sparse_bsr",
    "sparse_coo",
    "sparse_csc",
    "sparse_csr",
    "split",
    "split_copy",
    "split_with_sizes",
    "split_with_sizes_copy",
    "sqrt",
    "sqrt_",
    "square",
    "square_",
    "squeeze",
    "squeeze_copy",
    "stack",
    "std",
    "std_mean",
    "strided",
    "sub",
    "subtract",
    "sum",
    "svd",
    "swapaxes",
    "swapdims",
    "t",
    "t_copy",
    "take",
    "take_along_dim",
    "tan",
    "tan_",
    "tanh",
    "tanh_",
    "tensor",
    "tensor_split",
    "tensordot",
    "threshold",
    "threshold_",
    "tile",
    "to_dlpack",
    "topk",
    "trace",
    "transpose",
    "transpose_copy",
    "trapezoid",
    "trapz",
    "triangular_solve",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "true_divide",
    "trunc",
    "trunc_",
    "typename",
    "unbind",
    "unbind_copy",
    "unflatten",
    "unfold_copy",
    "unique",
    "unique_consecutive",
    "unravel_index",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
    "unsqueeze",
    "unsqueeze_copy",
    "vander",
    "var",
    "var_mean",
    "vdot",
    "view_as_complex",
    "view_as_real",
    "view_copy",
    "vsplit",
    "vstack",
    "where",
    "xlogy",
    "xlogy_",
    "zero_",
    "zeros",
    "zeros_like",
]

def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the magnitude of each element, which is real for complex elements. The slope at 0 is 0."""
def abs_(self: Tensor) -> Tensor:
    """`abs` in place: changes this tensor and returns it."""
def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the arccosine of each element, from 0 to pi; NaN outside [-1, 1]."""
def acos_(self: Tensor) -> Tensor:
    """`acos` in place: changes this tensor and returns it."""
def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse hyperbolic cosine of each element; NaN for elements below 1."""
def acosh_(self: Tensor) -> Tensor:
    """`acosh` in place: changes this tensor and returns it."""
def adaptive_avg_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int | None] | None) -> Tensor:
    """Compute the means of windows that divide sequences into `output_size` parts, as evenly as possible."""
@overload
def adaptive_max_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], return_indices: Literal[False] = False) -> Tensor:
    """Compute `adaptive_max_pool1d` and return the indices as well."""
@overload
def adaptive_max_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], *, return_indices: Literal[True]) -> builtins.tuple[Tensor, Tensor]:
    ...
@overload
def adaptive_max_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], return_indices: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, Tensor]:
    ...
def add(input: Operand, other: Operand, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """Add the elements of each pair; for bool, logical or."""
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """Compute `beta * input + alpha * (batch1 @ batch2).sum(0)` of batches (b, n, k) and (b, k, m)."""
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """Return `input + value * tensor1 / tensor2`. The tensors broadcast and promote."""
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """Return `input + value * tensor1 * tensor2`. The tensors broadcast and promote."""
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """Compute `beta * input + alpha * (mat1 @ mat2)` of matrices (n, k) and (k, m); `input` broadcasts to (n, m)."""
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """Compute `beta * input + alpha * (mat @ vec)` of a matrix (n, k) and a vector (k,); `input` broadcasts to (n,)."""
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """`addmv` in place: changes `input` and returns it. Arguments: those of `addmv`."""
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """Compute `beta * input + alpha * outer(vec1, vec2)` of vectors (n,) and (m,); `input` broadcasts to (n, m)."""
def adjoint(input: Tensor) -> Tensor:
    """Exchange the last two dimensions of matrices and conjugate them. The result is a view for real matrices."""
def alias_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the view that `alias` returns."""
def all(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Return whether all elements are nonzero, over all or along `dim`, as bool; as 0 and 1 for uint8."""
def allclose(input: Tensor, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> builtins.bool:
    """Return whether |input - other| <= atol + rtol |other| for all pairs of elements."""
def amax(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Return the largest element, of all or along `dim`. NaN propagates. Equal elements share the gradient."""
def amin(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Return the smallest element, of all or along `dim`. NaN propagates. Equal elements share the gradient."""
def aminmax(input: Tensor, *, dim: builtins.int | None = None, keepdim: builtins.bool = False, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Return the minimum and the maximum, of all elements or along `dim`, as the pair (min, max)."""
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the angle of each complex element in radians, from -pi to pi; for real elements 0, or pi if negative."""
def any(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Return whether any element is nonzero, over all or along `dim`, as bool; as 0 and 1 for uint8."""
def arange(start: Scalar | Tensor | None = None, end: Scalar | Tensor | None = None, step: Scalar | Tensor = 1, *, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Return numbers from `start` (0 by default) to `end` (exclusive) at distances of `step`."""
def argmax(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: SupportsIndex | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Return the index of the largest element, of the flattened tensor or along `dim`; the first of equal ones."""
def argmin(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: SupportsIndex | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Return the index of the smallest element, of the flattened tensor or along `dim`; the first of equal ones."""
def argsort(input: Tensor, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False, *, axis: builtins.int | None = None, out: Tensor | None = None) -> Tensor:
    """Return the indices (int64) that sort the elements along `dim`: those of `sort`."""
def argwhere(input: Tensor) -> Tensor:
    """Return the positions of nonzero elements in row-major order: (n, dimensions) int64, one row for each."""
def as_strided(input: Tensor, size: Lengths, stride: Lengths, storage_offset: builtins.int | None = None) -> Tensor:
    """Return a view of the storage with the given shape, strides and offset (in elements)."""
def as_strided_(self: Tensor, size: Lengths, stride: Lengths, storage_offset: builtins.int | None = None) -> Tensor:
    """Replace shape, strides and offset of this tensor over its storage, as `as_strided` does, and return it."""
def as_strided_copy(input: Tensor, size: Lengths, stride: Lengths, storage_offset: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the view that `as_strided` returns."""
def as_strided_scatter(input: Tensor, src: Tensor, size: Lengths, stride: Lengths, storage_offset: builtins.int | None = None) -> Tensor:
    """Return a copy of `input` in which the view `as_strided(size, stride, storage_offset)` is `src`."""
def as_tensor(data: Data, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """Convert `data` to a tensor that shares the memory of tensors and arrays (NumPy's, CUDA's) if dtype and device"""
def asarray(obj: builtins.object, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None, copy: builtins.bool | None = None, requires_grad: builtins.bool | None = None) -> Tensor:
    """Convert an object to a tensor, without a copy if possible."""
def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the arcsine of each element, from -pi/2 to pi/2; NaN outside [-1, 1]."""
def asin_(self: Tensor) -> Tensor:
    """`asin` in place: changes this tensor and returns it."""
def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse hyperbolic sine of each element."""
def asinh_(self: Tensor) -> Tensor:
    """`asinh` in place: changes this tensor and returns it."""
def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the arctangent of each element, from -pi/2 to pi/2."""
def atan2(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the angle of the point (other, input), from -pi to pi: the arctangent of input / other in its quadrant."""
def atan_(self: Tensor) -> Tensor:
    """`atan` in place: changes this tensor and returns it."""
def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse hyperbolic tangent of each element; NaN outside [-1, 1]."""
def atanh_(self: Tensor) -> Tensor:
    """`atanh` in place: changes this tensor and returns it."""
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | builtins.tuple[Tensor, ...]:
    """Return views with at least one dimension; numbers become vectors."""
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | builtins.tuple[Tensor, ...]:
    """Return views with at least two dimensions; new ones come first."""
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | builtins.tuple[Tensor, ...]:
    """Return views with at least three dimensions: (n,) becomes (1, n, 1), (m, n) becomes (m, n, 1)."""
def avg_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True) -> Tensor:
    """Compute the mean of each window of sequences; integers are truncated towards 0."""
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """Compute `beta * input + alpha * (batch1 @ batch2)` of batches (b, n, k) and (b, k, m)."""
def bernoulli(input: Tensor, p: builtins.float | None = None, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
    """Draw 1 with the probability given by each element, otherwise 0. ValueError for probabilities outside [0, 1]."""
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute input1 @ weight[k] @ input2 + bias[k] for each feature k."""
def bincount(input: Tensor, weights: Tensor | None = None, minlength: builtins.int = 0) -> Tensor:
    """Return the counts of 0, 1, 2, ... among integers (n,), or the sums of their weights."""
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """Sample the number of successes in `count` trials, each with success probability `prob`; both broadcast."""
def bitwise_and(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the bitwise and of each pair of elements; for bool, the logical and."""
def bitwise_left_shift(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Shift the bits of each element to the left: multiply by 2 ** other. Bits beyond the dtype's width are lost."""
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Invert the bits of each element; for bool, return the logical not."""
def bitwise_or(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the bitwise or of each pair of elements; for bool, the logical or."""
def bitwise_right_shift(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Shift the bits of each element to the right, keeping its sign: divide by 2 ** other and round down."""
def bitwise_xor(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the bitwise exclusive or of each pair of elements; for bool, the logical exclusive or."""
def block_diag(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Return a matrix of zeros with the given matrices on its diagonal; vectors are rows, numbers single elements."""
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply two equally long batches of matrices; ValueError unless both have 3 dimensions."""
def broadcast_shapes(*shapes: Lengths) -> builtins.tuple[builtins.int, ...]:
    """Return the shape to which tensors of the given shapes broadcast."""
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> builtins.tuple[Tensor, ...]:
    """Return views of the tensors, expanded to the shape to which they broadcast."""
def broadcast_to(input: Tensor, shape: Lengths | None = None, *, size: Lengths | None = None) -> Tensor:
    """Return a view expanded to `shape`."""
def bucketize(input: Operand, boundaries: Tensor, *, out_int32: builtins.bool = False, right: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Return the index of the interval between sorted `boundaries` that contains each value."""
def can_cast(from_: DType, to: DType) -> builtins.bool:
    """Return whether values may be stored in a dtype: never in a lower category (float to integer, complex to real)."""
def cartesian_prod(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Return the Cartesian product of vectors, one combination per row; a single vector is returned as a view."""
def cat(tensors: Sequence[Tensor], dim: builtins.int = 0, *, axis: builtins.int | None = None, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors along an existing dimension. Their other lengths must be equal; dtypes are promoted."""
def cdist(x1: Tensor, x2: Tensor, p: builtins.float = 2.0, compute_mode: builtins.str | None = 'use_mm_for_euclid_dist_if_necessary') -> Tensor:
    """Compute the p-norm of the difference of each row of `x1` and each row of `x2`."""
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the smallest integer not less than each element. Integers are unchanged."""
def ceil_(self: Tensor) -> Tensor:
    """`ceil` in place: changes this tensor and returns it."""
def celu(input: Tensor, alpha: builtins.float = 1.0, inplace: builtins.bool = False) -> Tensor:
    """Replace negative elements x by alpha * (exp(x / alpha) - 1). J. T. Barron, 2017."""
def celu_(input: Tensor, alpha: builtins.float = 1.0) -> Tensor:
    """`celu` in place: changes `input` and returns it. Arguments: those of `celu`."""
def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """Multiply matrices in the order with the fewest multiplications: see `linalg.multi_dot`."""
def channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor:
    """Interleave the channels of `groups` groups: (N, C, ...), C a multiple of `groups`."""
def cholesky(input: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Compute Cholesky factors of Hermitian positive definite matrices: L with L L^H = A, or U with U^H U = A."""
def cholesky_inverse(input: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Compute the inverse of A from its Cholesky factor."""
def cholesky_solve(input: Tensor, L: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Solve A X = B for X from the Cholesky factor of A."""
def chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
    """Split a tensor along `dim` into at most `chunks` views of equal length (the last may be shorter)."""
def clamp(input: Tensor, min: Operand | None = None, max: Operand | None = None, *, out: Tensor | None = None) -> Tensor:
    """Limit each element to the interval from `min` to `max`. NaN propagates, from elements and from bounds."""
def clamp_(input: Tensor, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """`clamp` in place: changes `input` and returns it. Arguments: those of `clamp`."""
def clamp_max(input: Tensor, max: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return each element, or `max` if it is greater. NaN propagates, from elements and from bounds."""
def clamp_max_(input: Tensor, max: Operand) -> Tensor:
    """`clamp_max` in place: changes `input` and returns it. Arguments: those of `clamp_max`."""
def clamp_min(input: Tensor, min: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return each element, or `min` if it is less. NaN propagates, from elements and from bounds."""
def clamp_min_(input: Tensor, min: Operand) -> Tensor:
    """`clamp_min` in place: changes `input` and returns it. Arguments: those of `clamp_min`."""
def clone(input: Tensor, *, memory_format: MemoryFormat | None = None) -> Tensor:
    """Return a copy in newly allocated memory; gradients flow through it."""
def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors along the second dimension; numbers and vectors become columns."""
def combinations(input: Tensor, r: builtins.int = 2, with_replacement: builtins.bool = False) -> Tensor:
    """Return all combinations of `r` elements of a vector, one per row, in the vector's order."""
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Construct complex numbers from their real and imaginary parts, which broadcast."""
def conj(input: Tensor) -> Tensor:
    """Return the complex conjugate, in newly allocated memory; a real tensor is returned unchanged."""
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the complex conjugate, in newly allocated memory; a real tensor is returned unchanged."""
def conj_physical_(input: Tensor) -> Tensor:
    """`conj_physical` in place."""
def constant_pad_nd(input: Tensor, pad: Sequence[builtins.int], value: builtins.float = 0, *, out: Tensor | None = None) -> Tensor:
    """Pad `input` with a constant, as `functional.pad`."""
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] | builtins.str = 0, dilation: builtins.int | Sequence[builtins.int] = 1, groups: builtins.int = 1) -> Tensor:
    """Compute the cross-correlation of sequences with filters, called a convolution in networks."""
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] | builtins.str = 0, dilation: builtins.int | Sequence[builtins.int] = 1, groups: builtins.int = 1) -> Tensor:
    """Compute the cross-correlation of images with filters, called a convolution in networks."""
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] | builtins.str = 0, dilation: builtins.int | Sequence[builtins.int] = 1, groups: builtins.int = 1) -> Tensor:
    """Compute the cross-correlation of volumes with filters, called a convolution in networks."""
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, output_padding: builtins.int | Sequence[builtins.int] = 0, groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """Compute the transpose of the linear map `conv1d`, plus a bias: it enlarges what `conv1d` reduces."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, output_padding: builtins.int | Sequence[builtins.int] = 0, groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """Compute the transpose of the linear map `conv2d`, plus a bias: it enlarges what `conv2d` reduces."""
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, output_padding: builtins.int | Sequence[builtins.int] = 0, groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """Compute the transpose of the linear map `conv3d`, plus a bias: it enlarges what `conv3d` reduces."""
def copysign(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the magnitude of each element of `input` with the sign of `other`, including that of -0."""
def corrcoef(input: Tensor) -> Tensor:
    """Return the correlation coefficients of variables, the rows of `input` (variables, observations)."""
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the cosine of each element, in radians."""
def cos_(self: Tensor) -> Tensor:
    """`cos` in place: changes this tensor and returns it."""
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the hyperbolic cosine of each element."""
def cosh_(self: Tensor) -> Tensor:
    """`cosh` in place: changes this tensor and returns it."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: builtins.int = 1, eps: builtins.float = 1e-08) -> Tensor:
    """Compute the cosine of the angle between vectors along `dim`."""
def count_nonzero(input: Tensor, dim: Dims | None = None, *, axis: Dims | None = None) -> Tensor:
    """Return the number of nonzero elements (int64), of all or along `dim` (an integer or several)."""
def cov(input: Tensor, *, correction: builtins.int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
    """Return the covariance matrix of variables."""
def cross(input: Tensor, other: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """Compute the cross product of vectors of three elements, along `dim` or the first dimension of length 3."""
def cummax(input: Tensor, dim: builtins.int | None = None, *, axis: builtins.int | None = None, out: Sequence[Tensor] | None = None) -> Extremes:
    """Return the cumulative maximum along `dim` and the index of its last occurrence. NaN propagates."""
def cummin(input: Tensor, dim: builtins.int | None = None, *, axis: builtins.int | None = None, out: Sequence[Tensor] | None = None) -> Extremes:
    """Return the cumulative minimum along `dim` and the index of its last occurrence. NaN propagates."""
def cumprod(input: Tensor, dim: builtins.int | None = None, *, axis: builtins.int | None = None, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """Return cumulative products along `dim`, with the dtypes of `cumsum`. Gradients are exact for zeros."""
def cumsum(input: Tensor, dim: builtins.int | None = None, *, axis: builtins.int | None = None, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """Return cumulative sums along `dim`. Integers and bool are added in int64 and wrap if `dtype` is narrower."""
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: builtins.float | None = None, dim: builtins.int = -1) -> Tensor:
    """Return the areas under a sampled curve up to each sample except the first, by the trapezoidal rule."""
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Convert angles from degrees to radians."""
def deg2rad_(input: Tensor) -> Tensor:
    """`deg2rad` in place."""
def det(input: Tensor) -> Tensor:
    """Compute the determinant of matrices (..., n, n): (...)."""
def detach_(self: Tensor) -> Tensor:
    """Detach this tensor from its graph in place."""
def detach_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the view that `detach` returns."""
def diag(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Return a matrix with a vector on its diagonal, or a copy of the diagonal of a matrix."""
def diag_embed(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> Tensor:
    """Return matrices of zeros with the last dimension of `input` on a diagonal."""
def diagflat(input: Tensor, offset: builtins.int = 0) -> Tensor:
    """Return a matrix with the elements of `input`, in row-major order, on its diagonal."""
def diagonal(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
    """Return a view of the diagonal in the plane of two dimensions; the diagonal becomes the last dimension."""
def diagonal_copy(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the view that `diagonal` returns."""
def diagonal_scatter(input: Tensor, src: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
    """Return a copy of `input` in which `diagonal(offset, dim1, dim2)` is `src`."""
def diff(input: Tensor, n: builtins.int = 1, dim: builtins.int = -1, prepend: Tensor | None = None, append: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return the differences of adjacent elements along `dim`, computed `n` times; for bool, whether they differ."""
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the derivative of `lgamma` at each element; -inf at 0 (inf at -0), NaN at negative integers."""
def dist(input: Tensor, other: Tensor, p: builtins.float = 2) -> Tensor:
    """Return the `p`-norm of `input - other`, which broadcast."""
def div(input: Operand, other: Operand, *, rounding_mode: builtins.str | None = None, out: Tensor | None = None) -> Tensor:
    """Divide the elements of each pair in floating point; integers are converted first."""
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the dot product of two vectors, without conjugation."""
def dsplit(input: Tensor, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor | None = None, *, indices: Sequence[builtins.int] | Tensor | None = None, sections: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
    """Split a tensor into equal pieces along the third dimension."""
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors along the third dimension."""
def einsum(*args: builtins.str | Tensor | Sequence[builtins.object]) -> Tensor:
    'Sum products according to an equation: `einsum("ij,jk->ik", a, b)` is a matrix product.'
def empty(*lengths: Lengths, size: Lengths | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """Return an uninitialised tensor; `memory_format` determines its strides."""
def empty_like(input: Tensor, *, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """Return an uninitialised tensor with the shape, dtype and device of `input`."""
def empty_permuted(size: Lengths, physical_layout: Lengths, *, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Return an uninitialised tensor without gaps, with its dimensions in memory in the order `physical_layout`."""
def empty_strided(size: Lengths, stride: Lengths, *, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Return an uninitialised tensor with these strides."""
def eq(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return True for each pair of equal elements; False if either is NaN."""
def equal(input: Tensor, other: Tensor) -> builtins.bool:
    """Return whether two tensors have the same shape and equal elements. NaN is not equal to NaN."""
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the error function of each element."""
def erf_(self: Tensor) -> Tensor:
    """`erf` in place: changes this tensor and returns it."""
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 1 - erf(x) for each element, accurate where the result is near 0."""
def erfc_(self: Tensor) -> Tensor:
    """`erfc` in place: changes this tensor and returns it."""
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse error function of each element; infinite at 1 and -1, NaN outside [-1, 1]."""
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return e to the power of each element."""
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 2 to the power of each element."""
def exp2_(self: Tensor) -> Tensor:
    """`exp2` in place: changes this tensor and returns it."""
def exp_(self: Tensor) -> Tensor:
    """`exp` in place: changes this tensor and returns it."""
def expand_copy(input: Tensor, size: Lengths, *, implicit: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Return a copy of the view that `expand` returns."""
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return exp(x) - 1 for each element, accurate near 0."""
def expm1_(self: Tensor) -> Tensor:
    """`expm1` in place: changes this tensor and returns it."""
def eye(n: builtins.int, m: builtins.int | None = None, *, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Return a matrix with ones on the diagonal and zeros elsewhere."""
def fill(input: Tensor, value: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a tensor with the shape and dtype of `input` in which every element is `value`."""
def fill_(self: Tensor, value: Operand) -> Tensor:
    """Set every element to `value`, a number or a zero-dimensional tensor. Returns this tensor."""
def flatten(input: Tensor, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
    """Merge dimensions `start_dim` to `end_dim` into one."""
def flip(input: Tensor, *order: Lengths, dims: Lengths | None = None) -> Tensor:
    """Return a copy with the elements along `dims` in reverse order."""
def fliplr(input: Tensor) -> Tensor:
    """Return a copy with the columns (the second dimension) in reverse order."""
def flipud(input: Tensor) -> Tensor:
    """Return a copy with the rows (the first dimension) in reverse order."""
def float_power(input: Operand, exponent: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return `input ** exponent` in float64, or complex128. One of the operands may be a number."""
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the largest integer not greater than each element. Integers are unchanged."""
def floor_(self: Tensor) -> Tensor:
    """`floor` in place: changes this tensor and returns it."""
def floor_divide(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Divide the elements of each pair and round down. The gradient is 0."""
def fmax(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the larger of each pair of elements, or the other one if one is NaN."""
def fmin(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the smaller of each pair of elements, or the other one if one is NaN."""
def fmod(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the remainder of division with the quotient rounded toward zero. It has the dividend's sign, as in C."""
def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the fractional part of each element, with its sign. Floating dtypes only."""
def frac_(self: Tensor) -> Tensor:
    """`frac` in place: changes this tensor and returns it."""
def frexp(input: Tensor, *, out: builtins.tuple[Tensor, Tensor] | None = None) -> Frexp:
    """Decompose each element into a mantissa in [1/2, 1) and an exponent (int32): mantissa * 2 ** exponent."""
def from_dlpack(ext_tensor: SupportsDLPack, *, device: DeviceLike | None = None, copy: builtins.bool | None = None) -> Tensor:
    """Convert an array of another library to a tensor through DLPack, without a copy if possible."""
def from_file(filename: builtins.str, shared: builtins.bool | None = None, size: builtins.int = 0, *, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, pin_memory: builtins.bool = False) -> Tensor:
    """Map a file into memory as a tensor of `size` elements; bytes are read on first access."""
def from_numpy(array: np.ndarray) -> Tensor:
    """Return a tensor that shares the memory of a NumPy array: writing to one changes the other."""
def frombuffer(buffer: Buffer, *, dtype: DTypeLike, count: builtins.int = -1, offset: builtins.int = 0, requires_grad: builtins.bool = False) -> Tensor:
    """Return a one-dimensional tensor that shares the memory of an object with the buffer protocol."""
def full(size: Lengths, fill_value: Operand, *, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Return a tensor filled with one value."""
def full_like(input: Tensor, fill_value: Operand, *, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """Return a tensor filled with one value, with the shape, dtype and device of `input`."""
def fuse(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Fuse a function of elementwise operators into one operator: one launch forward and one backward."""
@overload
def gather(input: Tensor, dim: builtins.int, index: Tensor, *, sparse_grad: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Gather the elements of `input` at `index` along `dim`, at the index's own position along the other dimensions."""
@overload
def gather(input: Tensor, *, axis: builtins.int, index: Tensor, sparse_grad: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    ...
def gcd(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the greatest common divisor of each pair of elements; 0 for two zeros. Integers only."""
def gcd_(self: Tensor, other: Operand) -> Tensor:
    """`gcd` in place: changes this tensor and returns it."""
def ge(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return True for each element of `input` that is greater than or equal to that of `other`."""
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply all pairs of elements of two vectors: an alias of `outer`."""
def get_default_device() -> Device:
    """Return the default device of creation functions: the CPU, unless another default was set."""
def get_default_dtype() -> DType:
    """The floating dtype of new tensors and of integer operands in floating operators."""
def get_device(input: Tensor) -> builtins.int:
    """Return the number of the CUDA device; -1 for tensors in host memory."""
def get_printoptions() -> builtins.dict[builtins.str, builtins.int | builtins.float | builtins.bool | None]:
    """Return the options in use, as arguments for `set_printoptions`."""
def get_rng_state() -> Tensor:
    """Return the state of the CPU's default generator: the bytes of its seed and of the count of numbers drawn."""
def gradient(input: Tensor, *, spacing: Scalar | Tensor | Sequence[Scalar] | Sequence[Tensor] = 1, dim: Dims | None = None, edge_order: builtins.int = 1) -> builtins.tuple[Tensor, ...]:
    """Estimate the gradient of a sampled function along dimensions: central differences, one-sided at the ends."""
def gt(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return True for each element of `input` that is greater than that of `other`."""
def hardshrink(input: Tensor, lambd: builtins.float = 0.5) -> Tensor:
    """Replace elements within `lambd` of 0 by 0."""
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 0 for negative elements and NaN, 1 for positive elements, and `values` for 0. Both have the same dtype."""
def histc(input: Tensor, bins: builtins.int = 100, min: builtins.float = 0, max: builtins.float = 0, *, out: Tensor | None = None) -> Tensor:
    """Count the elements in each of several equal bins."""
def histogram(input: Tensor, bins: builtins.int | Tensor, *, range: Sequence[builtins.float] | None = None, weight: Tensor | None = None, density: builtins.bool = False, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Count the elements in each bin and return the pair (hist, bin_edges)."""
def histogramdd(input: Tensor, bins: builtins.int | Sequence[builtins.int] | Sequence[Tensor], range: Sequence[builtins.float] | None = None, weight: Tensor | None = None, density: builtins.bool = False) -> builtins.tuple[Tensor, builtins.tuple[Tensor, ...]]:
    """Count the points in each cell of a grid and return the pair (hist, bin_edges): a multidimensional `histogram`."""
def hsplit(input: Tensor, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor | None = None, *, indices: Sequence[builtins.int] | Tensor | None = None, sections: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
    """Split a tensor into equal pieces along the second dimension, or the first if there is only one."""
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors along the second dimension, or along the first if they have only one."""
def hypot(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return sqrt(input^2 + other^2) for each pair of elements, without overflow. Floating dtypes only."""
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the modified Bessel function of the first kind of order 0 for each element."""
def i0_(self: Tensor) -> Tensor:
    """`i0` in place: changes this tensor and returns it."""
def imag(input: Tensor) -> Tensor:
    """Return the imaginary part of each element, as a view."""
def index_add(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """Add slices of `source` times `alpha` to the slices of a copy of `input` at `index` along `dim`."""
def index_copy(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Replace the slices of a copy of `input` at `index` along `dim` by those of `source`."""
def index_fill(input: Tensor, dim: builtins.int, index: Tensor, value: Operand) -> Tensor:
    """Fill the slices of a copy of `input` at `index` along `dim` with `value`."""
def index_put(input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """Return a copy of `input` after `copy[indices] = values`, or with the values added."""
def index_put_(input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """`index_put` in place: changes `input` and returns it. Arguments: those of `index_put`."""
def index_reduce(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True, out: Tensor | None = None) -> Tensor:
    """Reduce slices of `source` into the slices of a copy of `input` at `index` along `dim`."""
@overload
def index_select(input: Tensor, dim: builtins.int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the slices along `dim` at the positions in `index`."""
@overload
def index_select(input: Tensor, *, axis: builtins.int, index: Tensor, out: Tensor | None = None) -> Tensor:
    ...
def initial_seed() -> builtins.int:
    """Return the seed of the CPU's default generator."""
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute dot products of rows: (..., k) and (+++, k) give (..., +++). A zero-dimensional operand is a factor."""
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Invert matrices (..., n, n): an alias of `linalg.inv`."""
def is_complex(input: Tensor) -> builtins.bool:
    """Return True if the dtype is complex."""
def is_conj(input: Tensor) -> builtins.bool:
    """Return False: conjugates are never computed lazily."""
def is_floating_point(input: Tensor) -> builtins.bool:
    """Return True if the dtype is a real floating-point type."""
def is_inference(input: Tensor) -> builtins.bool:
    """Return False: tensors made in `inference_mode` are ordinary tensors."""
def is_neg(input: Tensor) -> builtins.bool:
    """Return False: negations are never computed lazily."""
def is_nonzero(input: Tensor) -> builtins.bool:
    """Return whether the element is nonzero; ValueError unless there is exactly one."""
def is_same_size(input: Tensor, other: Tensor) -> builtins.bool:
    """Return whether two tensors have the same shape."""
def is_signed(input: Tensor) -> builtins.bool:
    """Return whether the dtype has negative numbers."""
def is_storage(obj: builtins.object) -> builtins.bool:
    """Return whether `obj` is a storage, as returned by `untyped_storage()` or `storage()`."""
def is_tensor(obj: builtins.object) -> builtins.bool:
    """Return True if `obj` is a Tensor."""
def isclose(input: Tensor, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> Tensor:
    """Return whether |input - other| <= atol + rtol |other|, for each pair of elements."""
def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return True for each element that is neither infinite nor NaN."""
def isin(elements: Operand, test_elements: Operand, *, assume_unique: builtins.bool = False, invert: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Return whether each element of `elements` is among `test_elements`, as a bool tensor."""
def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return True for each element that is infinite, or, for complex dtypes, has an infinite part."""
def isnan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return True for each element that is NaN, or, for complex dtypes, has a NaN part."""
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return True for each element that is negative infinity. False for integers."""
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return True for each element that is positive infinity. False for integers."""
def isreal(input: Tensor) -> Tensor:
    """Return True for each element whose imaginary part is 0."""
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the Kronecker product: replace each element of `input` by its product with `other`."""
def kthvalue(input: Tensor, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
    """Return the `k`-th smallest element along `dim` and its index. NaN is larger than any number."""
def lcm(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the least common multiple of each pair of elements; 0 if one is 0. Integers only; overflow wraps."""
def lcm_(self: Tensor, other: Operand) -> Tensor:
    """`lcm` in place: changes this tensor and returns it."""
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return `input * 2 ** other` for each pair of elements. Integers use the default floating dtype."""
def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """`ldexp` in place: changes `input` and returns it. Arguments: those of `ldexp`."""
def le(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return True for each element of `input` that is less than or equal to that of `other`."""
def lerp(input: Tensor, end: Tensor, weight: Operand, *, out: Tensor | None = None) -> Tensor:
    """Interpolate: return `input + weight * (end - input)`, which is `input` at weight 0 and `end` at 1."""
def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm of the gamma function's magnitude for each element; infinity at 0 and negative integers."""
def linspace(start: Scalar | Tensor, end: Scalar | Tensor, steps: builtins.int, *, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Return `steps` evenly spaced numbers from `start` to `end` (inclusive)."""
def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the natural logarithm of each element; -inf at 0, NaN for negative elements (complex: principal branch)."""
def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm to the base 10 of each element; -inf at 0, NaN for negative elements."""
def log10_(self: Tensor) -> Tensor:
    """`log10` in place: changes this tensor and returns it."""
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return log(1 + x) for each element, accurate near 0."""
def log1p_(self: Tensor) -> Tensor:
    """`log1p` in place: changes this tensor and returns it."""
def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm to the base 2 of each element; -inf at 0, NaN for negative elements."""
def log2_(self: Tensor) -> Tensor:
    """`log2` in place: changes this tensor and returns it."""
def log_(self: Tensor) -> Tensor:
    """`log` in place: changes this tensor and returns it."""
def log_softmax(input: Tensor, dim: builtins.int | None = None, dtype: DTypeLike | None = None, *, axis: builtins.int | None = None, out: Tensor | None = None) -> Tensor:
    """The logarithm of softmax along `dim`."""
def logaddexp(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return log(exp(input) + exp(other)) for each pair of elements, without overflow. Floating dtypes only."""
def logaddexp2(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return log2(2^input + 2^other) for each pair of elements, without overflow. Floating dtypes only."""
def logcumsumexp(input: Tensor, dim: builtins.int | None = None, *, axis: builtins.int | None = None, out: Tensor | None = None) -> Tensor:
    """Return log(cumsum(exp(x))) along `dim`, without overflow. Floating dtypes; TypeError for others."""
def logdet(input: Tensor) -> Tensor:
    """Compute the logarithm of the determinant of matrices (..., n, n): NaN if it is negative, -inf if it is 0."""
def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return True for each pair in which both elements are nonzero."""
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return True for each element that is zero."""
def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return True for each pair in which at least one element is nonzero."""
def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return True for each pair in which exactly one element is nonzero."""
def logit(input: Tensor, eps: builtins.float | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return log(x / (1 - x)) for each element, the inverse of `sigmoid`; NaN outside [0, 1]."""
def logit_(input: Tensor, eps: builtins.float | None = None) -> Tensor:
    """`logit` in place: changes `input` and returns it. Arguments: those of `logit`."""
def logspace(start: Scalar | Tensor, end: Scalar | Tensor, steps: builtins.int, base: builtins.float = 10.0, *, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Return `steps` numbers from base^start to base^end (inclusive), evenly spaced on a logarithmic scale."""
def logsumexp(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Return log(sum(exp(x))) along `dim` (an integer or several), without overflow; -inf for no elements."""
def lt(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return True for each element of `input` that is less than that of `other`."""
def lu(A: Tensor, pivot: builtins.bool = True, get_infos: builtins.bool = False, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Compute L and U in one matrix, and pivots: the older form of `linalg.lu_factor`."""
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Solve A X = b for X from the factors of A: the older form of `linalg.lu_solve`."""
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: builtins.bool = True, unpack_pivots: builtins.bool = True, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Return P, L and U with A = P L U, from the results of `linalg.lu_factor`."""
def manual_seed(seed: builtins.int) -> Generator:
    """Restart the default generators of all devices from `seed`, and return the CPU's."""
def masked_fill(input: Tensor, mask: Tensor, value: Operand, *, out: Tensor | None = None) -> Tensor:
    """Fill elements of `input` with `value` where `mask` is true; `input` and `mask` broadcast."""
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Replace the elements of a copy of `input` where `mask` is true by those of `source`, in row-major order."""
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the elements where `mask` is true, as one dimension in row-major order."""
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the matrix product, as Python's `@`."""
def matrix_exp(input: Tensor) -> Tensor:
    """Compute the exponential of matrices (..., n, n): the sum of A^k / k!."""
def matrix_power(input: Tensor, n: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """Raise matrices (..., k, k) to the integer power n; a negative n inverts them first."""
@overload
def max(input: Tensor, dim: None = None, keepdim: builtins.bool = False, *, axis: None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Return the largest element; with `dim`, the pair (values, indices) along it; with a tensor, `maximum`."""
@overload
def max(input: Tensor, dim: Tensor, *, out: Tensor | None = None) -> Tensor:
    ...
@overload
def max(input: Tensor, *, other: Tensor, out: Tensor | None = None) -> Tensor:
    ...
@overload
def max(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
    ...
@overload
def max(input: Tensor, *, keepdim: builtins.bool = False, axis: builtins.int, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
    ...
@overload
def max_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: Literal[False] = False) -> Tensor:
    """Compute the maximum of each window of sequences."""
@overload
def max_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, *, return_indices: Literal[True]) -> builtins.tuple[Tensor, Tensor]:
    ...
@overload
def max_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, Tensor]:
    ...
def max_pool1d_with_indices(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = True) -> builtins.tuple[Tensor, Tensor]:
    """Compute `max_pool1d` and return the indices as well."""
@overload
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: Literal[False] = False) -> Tensor:
    """Compute the maximum of each window of images."""
@overload
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, *, return_indices: Literal[True]) -> builtins.tuple[Tensor, Tensor]:
    ...
@overload
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, Tensor]:
    ...
@overload
def max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: Literal[False] = False) -> Tensor:
    """Compute the maximum of each window of volumes."""
@overload
def max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, *, return_indices: Literal[True]) -> builtins.tuple[Tensor, Tensor]:
    ...
@overload
def max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, Tensor]:
    ...
def maximum(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the larger element of each pair; NaN propagates. Equal elements share the gradient."""
def mean(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """Return the mean of all elements, or along `dim`; NaN for no elements. Integers raise a TypeError: convert first."""
@overload
def median(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the median of all elements; with `dim`, the pair (values, indices) along it. NaN propagates."""
@overload
def median(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
    ...
@overload
def median(input: Tensor, *, keepdim: builtins.bool = False, axis: builtins.int, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
    ...
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: builtins.str | None = None) -> builtins.tuple[Tensor, ...]:
    """Return coordinate matrices: views of vectors, each along one dimension of a grid and expanded over the others."""
@overload
def min(input: Tensor, dim: None = None, keepdim: builtins.bool = False, *, axis: None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Return the smallest element; with `dim`, the pair (values, indices) along it; with a tensor, `minimum`."""
@overload
def min(input: Tensor, dim: Tensor, *, out: Tensor | None = None) -> Tensor:
    ...
@overload
def min(input: Tensor, *, other: Tensor, out: Tensor | None = None) -> Tensor:
    ...
@overload
def min(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
    ...
@overload
def min(input: Tensor, *, keepdim: builtins.bool = False, axis: builtins.int, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
    ...
def minimum(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the smaller element of each pair; NaN propagates. Equal elements share the gradient."""
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply two matrices; ValueError unless both have 2 dimensions."""
def mode(input: Tensor, dim: builtins.int = -1, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
    """Return the most frequent element along `dim` (the smallest of equally frequent ones) and its last index."""
def movedim(input: Tensor, source: Dims, destination: Dims) -> Tensor:
    """Return a view with the dimensions `source` moved to `destination`; the others keep their order."""
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sort the elements along the first dimension."""
def mul(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Multiply the elements of each pair; for bool, logical and."""
def multinomial(input: Tensor, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
    """Sample `num_samples` indices of categories (int64), with probabilities proportional to the weights in `input`."""
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply a matrix and a vector."""
def mvlgamma(input: Tensor, p: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm of the multivariate gamma function of dimension `p` for each element."""
def nan_to_num(input: Tensor, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None, *, out: Tensor | None = None) -> Tensor:
    """Replace NaN by `nan` (0) and the infinities by `posinf` and `neginf` (the largest numbers of the dtype)."""
def nan_to_num_(input: Tensor, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Tensor:
    """`nan_to_num` in place: changes `input` and returns it. Arguments: those of `nan_to_num`."""
def nanmean(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """Return the mean of the elements that are not NaN, of all or along `dim`; NaN if there are none."""
@overload
def nanmedian(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the `median` of the elements that are not NaN; NaN if there are none."""
@overload
def nanmedian(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
    ...
@overload
def nanmedian(input: Tensor, *, keepdim: builtins.bool = False, axis: builtins.int, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
    ...
def nanquantile(input: Tensor, q: builtins.float | Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = 'linear', out: Tensor | None = None) -> Tensor:
    """Return the `quantile` of the elements that are not NaN; NaN if there are none."""
def nansum(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """Return the sum of the elements that are not NaN, of all or along `dim`; 0 if there are none."""
@overload
def narrow(input: Tensor, dim: builtins.int, start: SupportsIndex, length: builtins.int) -> Tensor:
    """Return a view of `length` elements along `dim`, beginning at `start`."""
@overload
def narrow(input: Tensor, *, axis: builtins.int, start: SupportsIndex, length: builtins.int) -> Tensor:
    ...
def narrow_copy(input: Tensor, dim: builtins.int | None = None, start: Scalar | Tensor | None = None, length: SupportsIndex | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the view that `narrow` returns."""
def ne(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return True for each pair of unequal elements; True if either is NaN."""
def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the negative of each element. Not defined for bool."""
def neg_(self: Tensor) -> Tensor:
    """`neg` in place: changes this tensor and returns it."""
def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the next representable number after each element in the direction of `other`. Floating dtypes only."""
@overload
def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: Literal[False] = False) -> Tensor:
    """Return the positions of nonzero elements in row-major order: (n, dimensions) int64."""
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> builtins.tuple[Tensor, ...]:
    ...
@overload
def nonzero(input: Tensor, *, as_tuple: builtins.bool) -> Tensor | builtins.tuple[Tensor, ...]:
    ...
def nonzero_static(input: Tensor, *, size: builtins.int, fill_value: builtins.int = -1, out: Tensor | None = None) -> Tensor:
    """Return the positions of nonzero elements, as `nonzero` does, in exactly `size` rows."""
def norm(input: Tensor, p: builtins.float | builtins.str | None = 'fro', dim: Dims | None = None, keepdim: builtins.bool = False, out: Tensor | None = None, dtype: DTypeLike | None = None, *, axis: Dims | None = None, keepdims: builtins.bool = False) -> Tensor:
    """Return the `p`-norm of all elements as one vector, or along `dim`; two dimensions are treated as one vector, too."""
def normal(mean: Scalar | Tensor, std: Scalar | Tensor = 1.0, size: Lengths | None = None, *, generator: Generator | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Draw from normal distributions: in the shape `size`, or one number for each element of `mean` and `std`."""
def numel(input: Tensor) -> builtins.int:
    """Return the number of elements."""
def ones(*lengths: Lengths, size: Lengths | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Return a tensor of ones."""
def ones_like(input: Tensor, *, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """Return a tensor of ones with the shape, dtype and device of `input`."""
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply all pairs of elements of two vectors (n,) and (m,): (n, m). The two promote."""
def pairwise_distance(x1: Tensor, x2: Tensor, p: builtins.float = 2.0, eps: builtins.float = 1e-06, keepdim: builtins.bool = False) -> Tensor:
    """Compute the p-norm of x1 - x2 + eps along the last dimension."""
def pdist(input: Tensor, p: builtins.float = 2.0) -> Tensor:
    """Compute the p-norms of the differences of all pairs of rows (N, M): N (N - 1) / 2 numbers, the upper triangle."""
def permute(input: Tensor, *order: Lengths, dims: Lengths | None = None) -> Tensor:
    """Return a view with the dimensions in another order; `order` contains each once."""
def permute_copy(input: Tensor, dims: Lengths, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the view that `permute` returns."""
def pinverse(input: Tensor, rcond: builtins.float = 1e-15) -> Tensor:
    """Compute the pseudo-inverse of matrices (..., m, n): the older form of `linalg.pinv`, whose `rtol` is `rcond`."""
def pixel_shuffle(input: Tensor, upscale_factor: builtins.int) -> Tensor:
    """Rearrange channels to pixels: (..., C · r², H, W) to (..., C, H · r, W · r)."""
def pixel_unshuffle(input: Tensor, downscale_factor: builtins.int) -> Tensor:
    """Rearrange pixels to channels: (..., C, H · r, W · r) to (..., C · r², H, W), the inverse of `pixel_shuffle`."""
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Sample from Poisson distributions with the rates `input`, with its shape and floating dtype; NaN for NaN rates."""
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Construct complex numbers from their magnitudes and angles, which broadcast."""
def polygamma(n: builtins.int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the derivative of order `n` of `digamma` at each element."""
def positive(input: Tensor) -> Tensor:
    """Return `input` itself, as `+input` does. Bool raises a TypeError."""
def pow(input: Operand | None = None, exponent: Operand | None = None, *, self: Operand | None = None, out: Tensor | None = None) -> Tensor:
    """Raise each element to the power of its exponent."""
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Multiply negative elements by `weight`: one number, or one for each channel (dimension 1)."""
def prod(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """Return the product of all elements, or along `dim` (an integer or several); 1 for no elements."""
def promote_types(type1: DType, type2: DType) -> DType:
    """The smallest dtype that both convert to."""
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """Set elements of a copy of the flattened `input` at `index` to those of `source`, or add them."""
def qr(input: Tensor, some: builtins.bool = True, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Return Q and R with A = Q R, for matrices (..., m, n): the older form of `linalg.qr`."""
def quantile(input: Tensor, q: builtins.float | Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = 'linear', out: Tensor | None = None) -> Tensor:
    """Return the `q`-quantiles of all elements, or along `dim`: of n sorted elements, that with the rank q (n - 1)."""
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Convert angles from radians to degrees."""
def rad2deg_(input: Tensor) -> Tensor:
    """`rad2deg` in place."""
def rand(*lengths: Lengths, size: Lengths | None = None, generator: Generator | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Draw numbers uniformly from [0, 1); for complex dtypes, both parts."""
def rand_like(input: Tensor, *, generator: Generator | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """Draw numbers uniformly from [0, 1), in the shape, dtype and device of `input`."""
def randint(low: builtins.int = 0, high: Lengths | None = None, size: Lengths | None = None, *, generator: Generator | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Draw integers uniformly from `low` (inclusive, 0 by default) to `high` (exclusive)."""
def randint_like(input: Tensor, low: builtins.int = 0, high: builtins.int | None = None, *, generator: Generator | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """Draw integers uniformly from `low` (inclusive) to `high` (exclusive), in the shape of `input`."""
def randn(*lengths: Lengths, size: Lengths | None = None, generator: Generator | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Draw from the standard normal distribution; each part of complex numbers has variance 1/2."""
def randn_like(input: Tensor, *, generator: Generator | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """Draw from the standard normal distribution, in the shape, dtype and device of `input`."""
def randperm(n: builtins.int, *, generator: Generator | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Return the integers from 0 to n - 1 in random order."""
def range(start: Scalar | Tensor = 0, end: Scalar | Tensor | None = None, step: Scalar | Tensor = 1, *, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Return numbers from `start` to `end` (inclusive) at distances of `step`, in the default floating dtype."""
def ravel(input: Tensor) -> Tensor:
    """Return all elements in one dimension: a view if the strides allow it, otherwise a copy."""
def real(input: Tensor) -> Tensor:
    """Return the real part of each element, as a view; a real tensor is returned unchanged."""
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 1 / x for each element."""
def reciprocal_(self: Tensor) -> Tensor:
    """`reciprocal` in place: changes this tensor and returns it."""
def relu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return each element, or 0 if it is negative. The slope at 0 is 0."""
def relu_(input: Tensor) -> Tensor:
    """Replace negative elements by 0 in place."""
def remainder(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the remainder of division with the quotient rounded down. It has the divisor's sign, as in Python."""
def renorm(input: Tensor, p: builtins.float, dim: builtins.int, maxnorm: builtins.float, *, out: Tensor | None = None) -> Tensor:
    """Return a copy in which slices along `dim` with a `p`-norm above `maxnorm` are scaled down to it."""
def repeat_interleave(input: Tensor, repeats: Lengths | Tensor | None = None, dim: builtins.int | None = None, *, output_size: builtins.int | None = None) -> Tensor:
    """Return a copy with each element along `dim` repeated: all equally often, or as an integer tensor specifies."""
def reshape(input: Tensor, shape: Lengths) -> Tensor:
    """Return a tensor with another shape: a view if the strides allow it, otherwise a copy. One length may be -1."""
def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: MemoryFormat | None = None) -> Tensor:
    """Resize this tensor to the shape of another, as `resize_` does, and return it."""
def resolve_conj(input: Tensor) -> Tensor:
    """Return `input` itself: conjugates are never computed lazily."""
def resolve_neg(input: Tensor) -> Tensor:
    """Return `input` itself: negations are never computed lazily."""
def result_type(*operands: builtins.object, tensor: builtins.object = None, other: builtins.object = None) -> DType:
    """Return the dtype that an elementwise operator on these tensors and numbers computes in."""
def roll(input: Tensor, shifts: Lengths, dims: Lengths | None = None) -> Tensor:
    """Return a copy with elements shifted along dimensions; elements shifted beyond the end reappear at the front."""
def rot90(input: Tensor, k: builtins.int = 1, dims: Lengths = ...) -> Tensor:
    """Return a copy rotated by multiples of 90 degrees in the plane of two dimensions, from the first to the second."""
def round(input: Tensor, *, decimals: builtins.int = 0, out: Tensor | None = None) -> Tensor:
    """Round each element to the nearest number with `decimals` decimal places; ties round to even."""
def round_(input: Tensor, *, decimals: builtins.int = 0) -> Tensor:
    """`round` in place: changes `input` and returns it. Arguments: those of `round`."""
def rrelu(input: Tensor, lower: builtins.float = 0.125, upper: builtins.float = 0.3333333333333333, training: builtins.bool = False, inplace: builtins.bool = False) -> Tensor:
    """Multiply negative elements by a slope, which is random in training. B. Xu and others, 2015."""
def rrelu_(input: Tensor, lower: builtins.float = 0.125, upper: builtins.float = 0.3333333333333333, training: builtins.bool = False) -> Tensor:
    """`rrelu` in place: changes `input` and returns it. Arguments: those of `rrelu`."""
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 1 / sqrt(x) for each element."""
def rsqrt_(self: Tensor) -> Tensor:
    """`rsqrt` in place: changes this tensor and returns it."""
def rsub(input: Tensor, other: Operand, *, alpha: Scalar = 1) -> Tensor:
    """Return `other - alpha * input`: `sub` with its operands exchanged, and with its errors."""
def scalar_tensor(s: Scalar, *, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Return a zero-dimensional tensor of one number, by default in the default floating dtype."""
def scatter(input: Tensor, dim: builtins.int, index: Tensor, src: Operand | None = None, *, value: Operand | None = None, reduce: builtins.str | None = None, out: Tensor | None = None) -> Tensor:
    """Set the elements of a copy of `input` at `index` along `dim` to those of `src`, or to the number `value`."""
def scatter_add(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Add the elements of `src` at `index` along `dim` to a copy of `input`; arguments as in `scatter`."""
def scatter_reduce(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True, out: Tensor | None = None) -> Tensor:
    """Reduce elements of `src` at `index` along `dim` into a copy of `input`; arguments as in `scatter`."""
def searchsorted(sorted_sequence: Tensor, input: Operand, *, out_int32: builtins.bool = False, right: builtins.bool = False, side: builtins.str | None = None, out: Tensor | None = None, sorter: Tensor | None = None) -> Tensor:
    """Return the position of each value of `input` in a sorted sequence, such that insertion keeps the sequence sorted."""
def seed() -> builtins.int:
    """Restart the default generators of all devices from a seed provided by the operating system, and return it."""
@overload
def select(input: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
    """Return a view of one element along `dim`, with that dimension removed."""
@overload
def select(input: Tensor, *, axis: builtins.int, index: builtins.int) -> Tensor:
    ...
def select_copy(input: Tensor, dim: builtins.int | None = None, index: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the view that `select` returns."""
def select_scatter(input: Tensor, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
    """Return a copy of `input` in which `select(dim, index)` is `src`."""
def selu(input: Tensor, inplace: builtins.bool = False) -> Tensor:
    """Compute `elu` with scales that preserve mean 0 and variance 1 across layers. G. Klambauer and others, 2017."""
def selu_(input: Tensor) -> Tensor:
    """`selu` in place."""
def set_default_device(device: DeviceLike | None) -> None:
    """Set the default device of creation functions in this thread; None for the CPU."""
def set_default_dtype(dtype: DType) -> None:
    """Change the default floating dtype; TypeError unless it is a floating one."""
def set_printoptions(precision: builtins.int | None = None, threshold: builtins.float | None = None, edgeitems: builtins.int | None = None, linewidth: builtins.int | None = None, profile: builtins.str | None = None, sci_mode: builtins.bool | None = None) -> None:
    """Set the print options; omitted ones do not change, except `sci_mode`, which becomes automatic. TypeError"""
def set_rng_state(new_state: Tensor | builtins.tuple[builtins.int, builtins.int]) -> None:
    """Set the state of the CPU's default generator."""
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return x / |x| for each complex element, and 0 for 0; return the sign of real elements."""
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 1 / (1 + exp(-x)) for each element, without overflow."""
def sigmoid_(self: Tensor) -> Tensor:
    """`sigmoid` in place: changes this tensor and returns it."""
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return -1, 0 or 1 for negative, zero and positive elements; NaN for NaN."""
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return True for each negative element, including -0 and NaN with a sign."""
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the sine of each element, in radians."""
def sin_(self: Tensor) -> Tensor:
    """`sin` in place: changes this tensor and returns it."""
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return sin(pi x) / (pi x) for each element; 1 at 0, exactly 0 at other integers."""
def sinc_(input: Tensor) -> Tensor:
    """`sinc` in place."""
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the hyperbolic sine of each element."""
def sinh_(self: Tensor) -> Tensor:
    """`sinh` in place: changes this tensor and returns it."""
def slice_copy(input: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the view that `slice` returns."""
def slice_scatter(input: Tensor, src: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
    """Return a copy of `input` in which the slice `start:end:step` along `dim` is `src`."""
def slogdet(input: Tensor, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Compute the sign and the log magnitude of determinants: (sign, logabsdet); 0 and -inf for singular matrices."""
def softmax(input: Tensor, dim: builtins.int | None = None, dtype: DTypeLike | None = None, *, axis: builtins.int | None = None, out: Tensor | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`."""
def sort(input: Tensor, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False, *, axis: builtins.int | None = None, out: Sequence[Tensor] | None = None) -> Extremes:
    """Sort the elements along `dim` and return the pair (values, indices), with their original indices (int64)."""
def split(tensor: Tensor, split_size_or_sections: Lengths, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """Split a tensor along `dim` into views of equal length (the last may be shorter) or of the given lengths."""
def split_copy(input: Tensor, split_size: Lengths, dim: builtins.int = 0, *, out: Sequence[Tensor] | None = None) -> builtins.tuple[Tensor, ...]:
    """Return copies of the views that `split` returns."""
def split_with_sizes(input: Tensor, split_sizes: Lengths, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """Split a tensor along `dim` into views of the given lengths: `split` with a list of lengths."""
def split_with_sizes_copy(input: Tensor, split_sizes: Lengths, dim: builtins.int = 0, *, out: Sequence[Tensor] | None = None) -> builtins.tuple[Tensor, ...]:
    """Return copies of the views that `split_with_sizes` returns."""
def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the square root of each element; NaN for negative elements (complex tensors: principal branch)."""
def sqrt_(self: Tensor) -> Tensor:
    """`sqrt` in place: changes this tensor and returns it."""
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the square of each element; int64 for bool."""
def square_(self: Tensor) -> Tensor:
    """`square` in place: changes this tensor and returns it."""
def squeeze(input: Tensor, dim: Dims | None = None, *, axis: Dims | None = None) -> Tensor:
    """Return a view without dimensions of length 1: without all of them, or only those in `dim`."""
def squeeze_copy(input: Tensor, dim: Dims | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the view that `squeeze` returns."""
def stack(tensors: Sequence[Tensor], dim: builtins.int = 0, *, axis: builtins.int | None = None, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors of the same shape along a new dimension at `dim`."""
def std(input: Tensor, dim: Dims | None = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, correction: builtins.float | None = None, out: Tensor | None = None) -> Tensor:
    """Return the standard deviation of all elements, or along `dim`: the square root of `var`, with its arguments."""
def std_mean(input: Tensor, dim: Dims | None = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, correction: builtins.float | None = None, out: Sequence[Tensor] | None = None) -> builtins.tuple[Tensor, Tensor]:
    """Return `std` and `mean` of the same elements."""
def sub(input: Operand, other: Operand, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """Subtract the second element of each pair from the first. Not defined for bool."""
def sum(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """Return the sum of all elements, or along `dim` (an integer or several)."""
def svd(input: Tensor, some: builtins.bool = True, compute_uv: builtins.bool = True, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Return U, S and V with A = U S V^H, for matrices (..., m, n): the older form of `linalg.svd`, which returns V^H."""
def swapaxes(input: Tensor, axis0: builtins.int, axis1: builtins.int) -> Tensor:
    """Return a view with two dimensions exchanged; NumPy's name for `transpose`."""
def t(input: Tensor) -> Tensor:
    """Return the transpose of a matrix, as a view; vectors and numbers are returned unchanged."""
def t_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the view that `t` returns."""
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the elements of the flattened `input` at `index`, with the shape of `index`."""
def take_along_dim(input: Tensor, indices: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """Gather from tensors that broadcast except along `dim`; without `dim`, from both flattened."""
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the tangent of each element, in radians."""
def tan_(self: Tensor) -> Tensor:
    """`tan` in place: changes this tensor and returns it."""
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the hyperbolic tangent of each element."""
def tanh_(self: Tensor) -> Tensor:
    """`tanh` in place: changes this tensor and returns it."""
def tensor(data: Data, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Return a tensor with a copy of `data`: a number, nested sequences of numbers, an array, or a tensor."""
def tensor_split(input: Tensor, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor | None = None, dim: builtins.int = 0, *, indices: Sequence[builtins.int] | Tensor | None = None, sections: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
    """Split a tensor along `dim` into views: a number of pieces of nearly equal length, or pieces between indices."""
def tensordot(a: Tensor, b: Tensor, dims: SupportsIndex | Sequence[builtins.object] | Tensor = 2, out: Tensor | None = None) -> Tensor:
    """Sum products over pairs of dimensions."""
def threshold(input: Tensor, threshold: builtins.float, value: builtins.float, inplace: builtins.bool = False) -> Tensor:
    """Replace elements that are not greater than `threshold` by `value`."""
def threshold_(input: Tensor, threshold: builtins.float, value: builtins.float) -> Tensor:
    """`threshold` in place: changes `input` and returns it. Arguments: those of `threshold`."""
def tile(input: Tensor, *counts: Lengths, dims: Lengths | None = None) -> Tensor:
    """Return a copy with dimensions repeated as a whole."""
def to_dlpack(input: Tensor) -> builtins.object:
    """Return a DLPack capsule of the tensor's memory, as `input.__dlpack__()` does. A capsule can be consumed once."""
def topk(input: Tensor, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True, *, axis: builtins.int | None = None, out: Sequence[Tensor] | None = None) -> Extremes:
    """Return the `k` largest or smallest elements along `dim`, as the pair (values, indices)."""
def trace(input: Tensor) -> Tensor:
    """Return the sum of the main diagonal of a matrix. Integers are summed in int64."""
def transpose(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """Return a view with two dimensions exchanged."""
def transpose_copy(input: Tensor, dim0: builtins.int, dim1: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the view that `transpose` returns."""
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: builtins.float | None = None, dim: builtins.int = -1) -> Tensor:
    """Return the area under a sampled curve along `dim`, by the trapezoidal rule; integers are added in int64."""
def trapz(y: Tensor, x: Tensor | None = None, *, dx: builtins.float | None = None, dim: builtins.int = -1) -> Tensor:
    """Alias of `trapezoid`, its older name."""
def triangular_solve(b: Tensor, A: Tensor, upper: builtins.bool = True, transpose: builtins.bool = False, unitriangular: builtins.bool = False, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Solve A X = b with a triangular A; return X and a copy of A: the older form of `linalg.solve_triangular`."""
def tril(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Copy matrices (the last two dimensions) with zeros above a diagonal: 0 is the main one, 1 the next above."""
def tril_indices(row: builtins.int, col: builtins.int, offset: builtins.int = 0, *, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Return the row and column indices of `tril` of a matrix (row, col): a tensor of two rows; int64, or `dtype`."""
def triu(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Copy matrices (the last two dimensions) with zeros below a diagonal: 0 is the main one, 1 the next above."""
def triu_indices(row: builtins.int, col: builtins.int, offset: builtins.int = 0, *, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Return the row and column indices of `triu` of a matrix (row, col): a tensor of two rows; int64, or `dtype`."""
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return each element without its fractional part. Integers are unchanged."""
def trunc_(self: Tensor) -> Tensor:
    """`trunc` in place: changes this tensor and returns it."""
def typename(obj: builtins.object) -> builtins.str:
    """Return the qualified type name of an object; for a tensor, the result of `x.type()`."""
def unbind(input: Tensor, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
    """Return views of the elements along `dim`, as a tuple."""
def unbind_copy(input: Tensor, dim: builtins.int = 0, *, out: Sequence[Tensor] | None = None) -> builtins.tuple[Tensor, ...]:
    """Return copies of the views that `unbind` returns."""
def unflatten(input: Tensor, dim: builtins.int, sizes: Lengths) -> Tensor:
    """Return a view with one dimension split into several."""
def unfold_copy(input: Tensor, dimension: builtins.int, size: builtins.int, step: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the view that `unfold` returns."""
@overload
def unique(input: Tensor, sorted: builtins.bool = True, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: builtins.int | None = None) -> Tensor:
    """Return the distinct elements, or the distinct slices along `dim`, always sorted. Each NaN is distinct."""
@overload
def unique(input: Tensor, sorted: builtins.bool = True, *, return_inverse: Literal[True], return_counts: builtins.bool = False, dim: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
    ...
@overload
def unique(input: Tensor, sorted: builtins.bool = True, *, return_counts: Literal[True], return_inverse: builtins.bool = False, dim: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
    ...
@overload
def unique(input: Tensor, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Tensor | builtins.tuple[Tensor, ...]:
    ...
@overload
def unique_consecutive(input: Tensor, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: builtins.int | None = None) -> Tensor:
    """Return the first of each run of equal elements, or of equal slices along `dim`, with the results of `unique`."""
@overload
def unique_consecutive(input: Tensor, *, return_inverse: Literal[True], return_counts: builtins.bool = False, dim: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
    ...
@overload
def unique_consecutive(input: Tensor, *, return_counts: Literal[True], return_inverse: builtins.bool = False, dim: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
    ...
@overload
def unique_consecutive(input: Tensor, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Tensor | builtins.tuple[Tensor, ...]:
    ...
def unravel_index(indices: Tensor, shape: Lengths | Tensor) -> builtins.tuple[Tensor, ...]:
    """Convert flat positions to coordinates: an int64 tensor for each dimension of `shape`."""
def unsafe_chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """Split a tensor like `chunk`. Its pieces may be changed in place, as those of `chunk` may."""
def unsafe_split(input: Tensor, split_size: Lengths, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """Split a tensor like `split`. Its pieces may be changed in place, as those of `split` may."""
def unsafe_split_with_sizes(input: Tensor, split_sizes: Lengths, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """Split a tensor like `split_with_sizes`. Its pieces may be changed in place, as those of `split_with_sizes` may."""
def unsqueeze(input: Tensor, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Tensor:
    """Return a view with a new dimension of length 1 at `dim`."""
def unsqueeze_copy(input: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the view that `unsqueeze` returns."""
def vander(x: Tensor, N: builtins.int | None = None, increasing: builtins.bool = False) -> Tensor:
    """Return the Vandermonde matrix: one row of powers for each element of a vector."""
def var(input: Tensor, dim: Dims | None = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, correction: builtins.float | None = None, out: Tensor | None = None) -> Tensor:
    """Return the variance of all elements, or along `dim` (an integer or several); it is real for complex numbers."""
def var_mean(input: Tensor, dim: Dims | None = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, correction: builtins.float | None = None, out: Sequence[Tensor] | None = None) -> builtins.tuple[Tensor, Tensor]:
    """Return `var` and `mean` of the same elements."""
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the dot product of two vectors, conjugating the first."""
def view_as_complex(input: Tensor) -> Tensor:
    """View pairs of real numbers (..., 2), float32 or float64, as complex numbers (...)."""
def view_as_real(input: Tensor) -> Tensor:
    """View complex numbers as pairs of real numbers, real part first, along a new last dimension."""
def view_copy(input: Tensor, size: Lengths | DTypeLike, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the view that `view` returns."""
def vsplit(input: Tensor, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor | None = None, *, indices: Sequence[builtins.int] | Tensor | None = None, sections: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
    """Split a tensor into equal pieces along the first dimension of at least two."""
def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors along the first dimension; vectors become rows."""
@overload
def where(condition: Tensor) -> builtins.tuple[Tensor, ...]:
    """Select elements of `input` where `condition` is true, of `other` elsewhere."""
@overload
def where(condition: Tensor, input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    ...
def xlogy(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return input * log(other) for each pair of elements; 0 if input is 0 (but NaN if other is NaN)."""
def xlogy_(self: Tensor, other: Operand) -> Tensor:
    """`xlogy` in place: changes this tensor and returns it."""
def zero_(self: Tensor) -> Tensor:
    """Set every element to 0. Returns this tensor."""
def zeros(*lengths: Lengths, size: Lengths | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Return a tensor of zeros."""
def zeros_like(input: Tensor, *, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """Return a tensor of zeros with the shape, dtype and device of `input`."""
absolute = abs
arccos = acos
arccos_ = acos_
arccosh = acosh
arccosh_ = acosh_
arcsin = asin
arcsin_ = asin_
arcsinh = asinh
arcsinh_ = asinh_
arctan = atan
arctan2 = atan2
arctan_ = atan_
arctanh = atanh
arctanh_ = atanh_
clip = clamp
clip_ = clamp_
concat = cat
concatenate = cat
divide = div
fix = trunc
fix_ = trunc_
greater = gt
greater_equal = ge
less = lt
less_equal = le
moveaxis = movedim
multiply = mul
negative = neg
negative_ = neg_
not_equal = ne
row_stack = vstack
subtract = sub
swapdims = transpose
true_divide = div
