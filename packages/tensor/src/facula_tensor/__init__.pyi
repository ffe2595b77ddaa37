"""The public functions as type checkers see them. Written by facula_tensor._stubs."""

# fmt: off
# ruff: noqa
import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, SupportsIndex, overload

import numpy as np
from typing_extensions import Buffer

from ._types import AnyTensor, DTypeLike, Data, DeviceLike, Dims, Extremes, Index, Lengths, MemoryFormat, NamedResults, Number, Operand, Scalar, SupportsDLPack
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
from facula_storage import float16 as float16
from facula_storage import float32 as float32
from facula_storage import float64 as float64
from facula_storage import int8 as int8
from facula_storage import int16 as int16
from facula_storage import int32 as int32
from facula_storage import int64 as int64
from facula_storage import uint8 as uint8
from ._generator import Generator as Generator
from ._generator import default_generator as default_generator
from ._number_limits import finfo as finfo
from ._number_limits import iinfo as iinfo
from ._print_options import printoptions as printoptions
from ._size import Size as Size
from ._tensor import Parameter as Parameter
from ._tensor import Tensor as Tensor
from ._typed import BFloat16Tensor as BFloat16Tensor
from ._typed import BoolTensor as BoolTensor
from ._typed import ByteTensor as ByteTensor
from ._typed import CharTensor as CharTensor
from ._typed import DoubleTensor as DoubleTensor
from ._typed import FloatTensor as FloatTensor
from ._typed import HalfTensor as HalfTensor
from ._typed import IntTensor as IntTensor
from ._typed import LongTensor as LongTensor
from ._typed import ShortTensor as ShortTensor
from .ops.formats import channels_last as channels_last
from .ops.formats import channels_last_3d as channels_last_3d
from .ops.formats import contiguous_format as contiguous_format
from .ops.formats import layout as layout
from .ops.formats import memory_format as memory_format
from .ops.formats import preserve_format as preserve_format
from .ops.formats import strided as strided
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
    "abs",
    "absolute",
    "acos",
    "acosh",
    "adaptive_avg_pool1d",
    "adaptive_max_pool1d",
    "add",
    "addbmm",
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "addr",
    "adjoint",
    "all",
    "allclose",
    "amax",
    "amin",
    "angle",
    "any",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argsort",
    "argwhere",
    "as_strided",
    "as_strided_scatter",
    "as_tensor",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "avg_pool1d",
    "baddbmm",
    "bernoulli",
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
    "celu",
    "celu_",
    "channel_shuffle",
    "channels_last",
    "channels_last_3d",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "chunk",
    "clamp",
    "clamp_max",
    "clamp_min",
    "clip",
    "clone",
    "column_stack",
    "combinations",
    "complex",
    "concat",
    "concatenate",
    "conj",
    "conj_physical",
    "contiguous_format",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "copysign",
    "cos",
    "cosh",
    "cosine_similarity",
    "count_nonzero",
    "cross",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "default_generator",
    "deg2rad",
    "det",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_scatter",
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
    "eq",
    "equal",
    "erf",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "eye",
    "finfo",
    "fix",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "floor",
    "floor_divide",
    "fmod",
    "frac",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "gather",
    "ge",
    "ger",
    "get_default_dtype",
    "get_printoptions",
    "get_rng_state",
    "greater",
    "greater_equal",
    "gt",
    "hardshrink",
    "hsplit",
    "hstack",
    "hypot",
    "iinfo",
    "imag",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_reduce",
    "index_select",
    "initial_seed",
    "inner",
    "inverse",
    "is_complex",
    "is_conj",
    "is_floating_point",
    "is_neg",
    "is_tensor",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isreal",
    "kron",
    "kthvalue",
    "layout",
    "le",
    "lerp",
    "less",
    "less_equal",
    "lgamma",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logdet",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsumexp",
    "lt",
    "manual_seed",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "matmul",
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
    "nanmedian",
    "narrow",
    "ne",
    "neg",
    "negative",
    "nonzero",
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
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson",
    "polar",
    "polygamma",
    "pow",
    "prelu",
    "preserve_format",
    "printoptions",
    "prod",
    "promote_types",
    "put",
    "qr",
    "rad2deg",
    "rand",
    "rand_like",
    "randint",
    "randn",
    "randn_like",
    "randperm",
    "ravel",
    "real",
    "reciprocal",
    "relu",
    "relu_",
    "remainder",
    "repeat_interleave",
    "reshape",
    "resolve_conj",
    "resolve_neg",
    "result_type",
    "roll",
    "rot90",
    "round",
    "row_stack",
    "rrelu",
    "rrelu_",
    "rsqrt",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "searchsorted",
    "seed",
    "select",
    "select_scatter",
    "selu",
    "selu_",
    "set_default_dtype",
    "set_printoptions",
    "set_rng_state",
    "sgn",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "slice_scatter",
    "slogdet",
    "softmax",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
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
    "take",
    "take_along_dim",
    "tan",
    "tanh",
    "tensor",
    "tensor_split",
    "tensordot",
    "threshold",
    "threshold_",
    "tile",
    "topk",
    "trace",
    "transpose",
    "triangular_solve",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "true_divide",
    "trunc",
    "unbind",
    "unflatten",
    "unique",
    "unique_consecutive",
    "unsqueeze",
    "var",
    "var_mean",
    "vdot",
    "view_as_complex",
    "view_as_real",
    "vsplit",
    "vstack",
    "where",
    "xlogy",
    "zeros",
    "zeros_like",
]

def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The magnitude of each element; real for complex ones. The slope at 0 is 0."""
def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle from 0 to pi whose cosine each element is; NaN beyond 1."""
def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic cosine of each element; NaN below 1."""
def adaptive_avg_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> Tensor:
    """Means of windows that divide a sequence into `output_size` parts: (N, C, length) to (N, C, output_size)."""
@overload
def adaptive_max_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], return_indices: Literal[False] = False) -> Tensor:
    """The greatest elements of windows that divide a sequence into `output_size` parts, as `adaptive_avg_pool1d`."""
@overload
def adaptive_max_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], *, return_indices: Literal[True]) -> builtins.tuple[Tensor, Tensor]:
    ...
@overload
def adaptive_max_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], return_indices: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, Tensor]:
    ...
def add(input: Operand, other: Operand, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """The sum of each pair of elements; logical or for bool."""
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """`beta * input + alpha * (batch1 @ batch2).sum(0)` of stacks (b, n, k), (b, k, m); `input` broadcasts to (n, m)."""
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """`input + value * tensor1 / tensor2`. The tensors broadcast and promote; `value` is a number. No integers."""
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """`input + value * tensor1 * tensor2`. The tensors broadcast and promote; `value` is a number."""
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """`beta * input + alpha * (mat1 @ mat2)` of matrices (n, k) and (k, m); `input` broadcasts to (n, m)."""
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """`beta * input + alpha * (mat @ vec)` of a matrix (n, k) and a vector (k,); `input` broadcasts to (n,)."""
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """`beta * input + alpha * outer(vec1, vec2)` of vectors (n,) and (m,); `input` broadcasts to (n, m). All promote."""
def adjoint(input: Tensor) -> Tensor:
    """Matrices with the last two dimensions exchanged, and conjugated: of real ones a view."""
def all(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Whether all elements are nonzero, over all or along `dim`: bool, for every dtype."""
def allclose(input: Tensor, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> builtins.bool:
    """Whether |input - other| <= atol + rtol |other| for all pairs of elements; see `isclose`."""
def amax(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """The largest element, or the largest along `dim`; NaN where there is one. Equal ones share the gradient."""
def amin(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """The smallest element, or the smallest along `dim`; NaN where there is one. Equal ones share the gradient."""
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of each complex element in radians, from -pi to pi; of real ones 0, or pi where they are below 0."""
def any(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Whether any element is nonzero, over all or along `dim`: bool, for every dtype."""
def arange(start: Scalar | Tensor | None = None, end: Scalar | Tensor | None = None, step: Scalar | Tensor = 1, *, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """The numbers from `start` (0 where one argument is given) to before `end`, `step` apart."""
def argmax(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: SupportsIndex | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """The index of the largest element (of the flattened tensor, or along `dim`); the first of equal ones."""
def argmin(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: SupportsIndex | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """The index of the smallest element (of the flattened tensor, or along `dim`); the first of equal ones."""
def argsort(input: Tensor, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False, *, axis: Dims | None = None, out: Tensor | None = None) -> Tensor:
    """The indices (int64) that put the elements along `dim` in order: those of `sort`."""
def argwhere(input: Tensor) -> Tensor:
    """Where the elements are that are not zero, in row-major order: (n, dimensions) int64, a row for each."""
def as_strided(input: Tensor, size: Lengths, stride: Lengths, storage_offset: builtins.int | None = None) -> Tensor:
    """A view of the storage with any shape, strides and offset (in elements)."""
def as_strided_scatter(input: Tensor, src: Tensor, size: Lengths, stride: Lengths, storage_offset: builtins.int | None = None) -> Tensor:
    """A copy of `input` in which the elements that `as_strided(size, stride, storage_offset)` shows are `src`."""
def as_tensor(data: Data, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """`data` as a tensor, sharing memory with tensors and NumPy arrays where dtype and device allow it."""
def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle from -pi/2 to pi/2 whose sine each element is; NaN beyond 1."""
def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic sine of each element."""
def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle from -pi/2 to pi/2 whose tangent each element is."""
def atan2(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (other, input) from -pi to pi: the arc tangent of input / other in its quadrant."""
def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic tangent of each element; NaN beyond 1."""
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | builtins.tuple[Tensor, ...]:
    """Numbers as views of one dimension; other tensors as they are. Of several tensors a tuple."""
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | builtins.tuple[Tensor, ...]:
    """Views of at least two dimensions, new ones first. Of several tensors a tuple."""
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | builtins.tuple[Tensor, ...]:
    """Views of at least three dimensions: (n,) as (1, n, 1), (m, n) as (m, n, 1). Of several tensors a tuple."""
def avg_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True) -> Tensor:
    """The mean of each window of a sequence: (N, C, length) to (N, C, out length), or without N."""
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """`beta * input + alpha * (batch1 @ batch2)` of stacks (b, n, k) and (b, k, m); `input` broadcasts to (b, n, m)."""
def bernoulli(input: Tensor, p: builtins.float | None = None, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
    """1 with the probability that each element gives, else 0. ValueError for probabilities outside [0, 1]."""
def bincount(input: Tensor, weights: Tensor | None = None, minlength: builtins.int = 0) -> Tensor:
    """How often each of 0, 1, 2, ... occurs among integers (n,), or the sums of their weights."""
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """How many of `count` trials succeed, each with probability `prob`: draws of the shape to which both broadcast."""
def bitwise_and(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The bits that both elements of each pair have; logical and for bool."""
def bitwise_left_shift(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Each element's bits moved to the left: times 2 ** other. Bits beyond the dtype's width are lost."""
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element with its bits turned; logical not for bool."""
def bitwise_or(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The bits that an element of each pair has; logical or for bool."""
def bitwise_right_shift(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Each element's bits moved to the right, its sign kept: divided by 2 ** other and rounded down."""
def bitwise_xor(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The bits that just one element of each pair has; logical xor for bool."""
def block_diag(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """The matrix of zeros with the given matrices along its diagonal; vectors are rows, numbers one element."""
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of two equally long stacks of matrices; ValueError unless both have 3 dimensions."""
def broadcast_shapes(*shapes: Lengths) -> builtins.tuple[builtins.int, ...]:
    """The shape that tensors of these shapes broadcast to; ValueError where they do not."""
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> builtins.tuple[Tensor, ...]:
    """Views of the tensors in the shape that they broadcast to."""
def broadcast_to(input: Tensor, shape: Lengths | None = None, *, size: Lengths | None = None) -> Tensor:
    """A view broadcast to `shape`, which may be called `size`."""
def bucketize(input: Operand, boundaries: Tensor, *, out_int32: builtins.bool = False, right: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Between which of the sorted `boundaries` each value lies: `searchsorted` the other way round."""
def can_cast(from_: DType, to: DType) -> builtins.bool:
    """Whether values may be stored: never to a lower category (float to integer, complex to real)."""
def cartesian_prod(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """All combinations of one element of each vector, as rows; one vector is itself."""
def cat(tensors: Sequence[Tensor], dim: builtins.int = 0, *, axis: builtins.int | None = None, out: Tensor | None = None) -> Tensor:
    """The tensors one after the other along `dim`; the other lengths must agree. Dtypes promote."""
def cdist(x1: Tensor, x2: Tensor, p: builtins.float = 2.0, compute_mode: builtins.str | None = 'use_mm_for_euclid_dist_if_necessary') -> Tensor:
    """The p-norm of the difference of each row of `x1` and each row of `x2`: (..., P, M), (..., R, M) to (..., P, R)."""
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The least whole number that is not less, of each element. Integers stay as they are."""
def celu(input: Tensor, alpha: builtins.float = 1.0, inplace: builtins.bool = False) -> Tensor:
    """x where it is positive, else alpha * (exp(x / alpha) - 1). ValueError for an alpha of 0. J. T. Barron, 2017."""
def celu_(input: Tensor, alpha: builtins.float = 1.0) -> Tensor:
    """`celu` in place."""
def channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor:
    """The channels of `groups` in turn: (N, C, ...), C a multiple of `groups`."""
def cholesky(input: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """L with L L^H = A, lower triangular, of Hermitian positive definite matrices (..., n, n): see `linalg.cholesky`."""
def cholesky_inverse(input: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The inverse of A, which is known by its factor: A = L L^H, or U^H U with `upper`."""
def cholesky_solve(input: Tensor, L: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """X with A X = B, where A is known by its factor: A = L L^H, or U^H U with `upper`."""
def chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
    """At most `chunks` views of equal pieces along `dim` (the last may be shorter)."""
def clamp(input: Tensor, min: Operand | None = None, max: Operand | None = None, *, out: Tensor | None = None) -> Tensor:
    """Each element, or `min` where it is less, or `max` where it is greater. NaN stays NaN, and so does a bound of NaN."""
def clamp_max(input: Tensor, max: Operand, *, out: Tensor | None = None) -> Tensor:
    """Each element, or `max` where it is greater. NaN stays NaN, and so does a bound of NaN."""
def clamp_min(input: Tensor, min: Operand, *, out: Tensor | None = None) -> Tensor:
    """Each element, or `min` where it is less. NaN stays NaN, and so does a bound of NaN."""
def clone(input: Tensor, *, memory_format: MemoryFormat | None = None) -> Tensor:
    """A copy in memory of its own, through which gradients flow. The result is contiguous, or in `memory_format`."""
def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors side by side, numbers and vectors as columns."""
def combinations(input: Tensor, r: builtins.int = 2, with_replacement: builtins.bool = False) -> Tensor:
    """All choices of `r` elements of a vector in their order, as rows; each once, or as often as one likes."""
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Complex numbers of their real and imaginary parts, both float32 or both float64, which broadcast."""
def conj(input: Tensor) -> Tensor:
    """The complex conjugate, in memory of its own; a real tensor is its own."""
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex conjugate, in memory of its own; a real tensor is its own."""
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] | builtins.str = 0, dilation: builtins.int | Sequence[builtins.int] = 1, groups: builtins.int = 1) -> Tensor:
    """The cross-correlation of sequences with filters: what networks call a convolution."""
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] | builtins.str = 0, dilation: builtins.int | Sequence[builtins.int] = 1, groups: builtins.int = 1) -> Tensor:
    """The cross-correlation of images with filters: what networks call a convolution."""
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] | builtins.str = 0, dilation: builtins.int | Sequence[builtins.int] = 1, groups: builtins.int = 1) -> Tensor:
    """The cross-correlation of volumes with filters."""
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, output_padding: builtins.int | Sequence[builtins.int] = 0, groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """The transpose of the linear map that `conv1d` is, plus a bias: it lengthens where `conv1d` shortens."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, output_padding: builtins.int | Sequence[builtins.int] = 0, groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """The transpose of the linear map that `conv2d` is, plus a bias: it enlarges where `conv2d` reduces."""
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, output_padding: builtins.int | Sequence[builtins.int] = 0, groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """The transpose of the linear map that `conv3d` is, plus a bias."""
def copysign(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The size of each element of `input` with the sign of the other's: also that of -0."""
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The cosine of each element, in radians."""
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic cosine of each element."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: builtins.int = 1, eps: builtins.float = 1e-08) -> Tensor:
    """The cosine of the angle between vectors along `dim`; lengths are taken as at least `eps`."""
def count_nonzero(input: Tensor, dim: Dims | None = None, *, axis: Dims | None = None) -> Tensor:
    """How many elements are not 0 (int64), of all or along `dim` (an integer or several)."""
def cross(input: Tensor, other: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The cross product of vectors of three elements, along `dim`, or the first dimension of length 3."""
def cummax(input: Tensor, dim: builtins.int | None = None, *, axis: Dims | None = None, out: Sequence[Tensor] | None = None) -> Extremes:
    """The greatest elements so far along `dim`, and the indices of their last occurrences. A NaN stays."""
def cummin(input: Tensor, dim: builtins.int | None = None, *, axis: Dims | None = None, out: Sequence[Tensor] | None = None) -> Extremes:
    """The smallest elements so far along `dim`, and the indices of their last occurrences. A NaN stays."""
def cumprod(input: Tensor, dim: builtins.int | None = None, *, axis: Dims | None = None, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """Running products along `dim`, with dtypes as for `cumsum`. Elements of 0 have their gradients too."""
def cumsum(input: Tensor, dim: builtins.int | None = None, *, axis: Dims | None = None, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """Running sums along `dim`. Integers and bool are added in int64, and wrap where `dtype` is narrower."""
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angles in degrees as angles in radians."""
def det(input: Tensor) -> Tensor:
    """The determinant of matrices (..., n, n): (...)."""
def diag(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """The matrix with a vector as its diagonal, or a copy of the diagonal of a matrix."""
def diag_embed(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> Tensor:
    """Matrices of zeros, in the plane of two new dimensions, with the last dimension of `input` as a diagonal."""
def diagflat(input: Tensor, offset: builtins.int = 0) -> Tensor:
    """The matrix with the elements of `input`, in row-major order, as its diagonal."""
def diagonal(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
    """A view of a diagonal in the plane of two dimensions, which go; it becomes the last dimension."""
def diagonal_scatter(input: Tensor, src: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
    """A copy of `input` in which `diagonal(offset, dim1, dim2)` is `src`."""
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of `lgamma` at each element: -inf at 0 (inf at -0), NaN at negative whole numbers."""
def dist(input: Tensor, other: Tensor, p: builtins.float = 2) -> Tensor:
    """The `p`-norm of `input - other`, which broadcast."""
def div(input: Operand, other: Operand, *, rounding_mode: builtins.str | None = None, out: Tensor | None = None) -> Tensor:
    """The quotient of each pair of elements, in floating point (integers are converted first)."""
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The dot product of two vectors, without conjugation."""
def dsplit(input: Tensor, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor) -> builtins.tuple[Tensor, ...]:
    """`tensor_split` into equal pieces along the third dimension."""
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors one behind the other: along the third dimension."""
def einsum(*args: builtins.str | Tensor | Sequence[builtins.object]) -> Tensor:
    'The sum of products that an equation says: `einsum("ij,jk->ik", a, b)` is a matrix product.'
def empty(*lengths: Lengths, size: Lengths | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """A tensor whose elements are whatever was in memory. `memory_format` orders them."""
def empty_like(input: Tensor, *, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """An uninitialised tensor of the shape, dtype and device of `input`."""
def eq(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Whether each pair of elements is equal; False where either is NaN."""
def equal(input: Tensor, other: Tensor) -> builtins.bool:
    """Whether two tensors have one shape and equal elements. NaN equals nothing."""
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function of each element. Integers are computed in the default floating dtype."""
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number whose error function each element is: infinite at 1 and -1, NaN beyond."""
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e to the power of each element. Integers are computed in the default floating dtype."""
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2 to the power of each element."""
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(x) - 1 of each element, accurate near 0."""
def eye(n: builtins.int, m: builtins.int | None = None, *, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """A matrix with ones on the diagonal."""
def flatten(input: Tensor, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
    """Dimensions `start_dim` to `end_dim` as one."""
def flip(input: Tensor, *order: Lengths, dims: Lengths | None = None) -> Tensor:
    """A copy in which the elements along `dims` are in reverse order."""
def fliplr(input: Tensor) -> Tensor:
    """A copy with the columns of a matrix (of the second dimension) in reverse order."""
def flipud(input: Tensor) -> Tensor:
    """A copy with the rows (the first dimension) in reverse order."""
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The largest whole number that is not greater, of each element. Integers stay as they are."""
def floor_divide(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The quotient of each pair of elements, rounded down. Its gradient is 0."""
def fmod(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """What remains of each pair's quotient rounded toward zero: it has the dividend's sign, as C's `fmod`."""
def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The fraction of each element, with its sign. Floating dtypes only."""
def from_dlpack(ext_tensor: SupportsDLPack, *, device: DeviceLike | None = None, copy: builtins.bool | None = None) -> Tensor:
    """A tensor over another library's array, through DLPack: no copy, unless `copy`, or `device` is another."""
def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor over the memory of a NumPy array: no copy, writing to one shows in the other."""
def frombuffer(buffer: Buffer, *, dtype: DTypeLike, count: builtins.int = -1, offset: builtins.int = 0, requires_grad: builtins.bool = False) -> Tensor:
    """A one-dimensional tensor over any object with the buffer protocol: no copy. `offset` is in bytes."""
def full(size: Lengths, fill_value: Operand, *, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """A tensor of one value; the dtype is the value's unless given."""
def full_like(input: Tensor, fill_value: Operand, *, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """A tensor of one value, of the shape, dtype and device of `input`."""
def gather(input: Tensor, dim: builtins.int, index: Tensor, *, sparse_grad: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """The elements of `input` at `index` along `dim`, at the index's own place elsewhere: the shape of `index`."""
def ge(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Whether each element of `input` is greater than or equal to the other's."""
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `outer`."""
def get_default_dtype() -> DType:
    """The floating dtype of new tensors and of integer operands in floating operators."""
def get_printoptions() -> builtins.dict[builtins.str, builtins.int | builtins.float | builtins.bool | None]:
    """The options in use, as arguments for `set_printoptions`."""
def get_rng_state() -> builtins.tuple[builtins.int, builtins.int]:
    """The default generator's state."""
def gt(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Whether each element of `input` is greater than the other's."""
def hardshrink(input: Tensor, lambd: builtins.float = 0.5) -> Tensor:
    """Each element, or 0 where it is at most `lambd` from 0."""
def hsplit(input: Tensor, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor) -> builtins.tuple[Tensor, ...]:
    """`tensor_split` into equal pieces along the second dimension, or the first where there is one alone."""
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors side by side: along the second dimension, or the first where there is one alone."""
def hypot(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """sqrt(input^2 + other^2) of each pair of elements, without overflow. Floating dtypes only."""
def imag(input: Tensor) -> Tensor:
    """The imaginary part of each element, as a view. TypeError for real tensors (of the attribute: AttributeError)."""
def index_add(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """A copy of `input` with slices of `source` times `alpha` added to its slices along `dim` that `index` names."""
def index_copy(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of `input` with its slices along `dim` that `index` names replaced by those of `source`."""
def index_fill(input: Tensor, dim: builtins.int, index: Tensor, value: Operand) -> Tensor:
    """A copy of `input` with its slices along `dim` that `index` names filled with `value`."""
def index_put(input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """A copy of `input` with `copy[indices] = values`, or with the values added."""
def index_reduce(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True, out: Tensor | None = None) -> Tensor:
    """A copy of `input` with slices of `source` reduced into its slices along `dim` that `index` names."""
def index_select(input: Tensor, dim: builtins.int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements along `dim` that `index`, a list of positions, names: a copy, as long as `index` there."""
def initial_seed() -> builtins.int:
    """The default generator's seed."""
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The dot products of rows: (..., k) and (+++, k) give (..., +++). A zero-dimensional operand multiplies the other."""
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of matrices (..., n, n): another name of `linalg.inv`."""
def is_complex(input: Tensor) -> builtins.bool:
    """Whether the dtype is complex."""
def is_conj(input: Tensor) -> builtins.bool:
    """False: conjugates are never left to be taken later."""
def is_floating_point(input: Tensor) -> builtins.bool:
    """Whether the dtype is a real floating-point type."""
def is_neg(input: Tensor) -> builtins.bool:
    """False: signs are never left to be changed later."""
def is_tensor(obj: builtins.object) -> builtins.bool:
    """Whether `obj` is a Tensor."""
def isclose(input: Tensor, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> Tensor:
    """Whether |input - other| <= atol + rtol |other|, for each pair of elements."""
def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is neither infinite nor NaN."""
def isin(elements: Operand, test_elements: Operand, *, assume_unique: builtins.bool = False, invert: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Whether each element of `elements` is among `test_elements`; with `invert`, whether it is not."""
def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is infinite; for complex ones, whether a part is."""
def isnan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is NaN; for complex ones, whether a part is."""
def isreal(input: Tensor) -> Tensor:
    """Whether each element has an imaginary part of 0, as a bool tensor."""
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product: `other` times each element of `input`, in place of that element."""
def kthvalue(input: Tensor, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
    """The `k`-th smallest element along `dim`, from 1 on, and where it is. NaN counts as the greatest."""
def le(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Whether each element of `input` is less than or equal to the other's."""
def lerp(input: Tensor, end: Tensor, weight: Operand, *, out: Tensor | None = None) -> Tensor:
    """`input + weight * (end - input)`: from `input` at 0 to `end` at 1. All of one floating or complex dtype."""
def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the gamma function's size at each element: infinity at 0 and at negative whole numbers."""
def linspace(start: Scalar | Tensor, end: Scalar | Tensor, steps: builtins.int, *, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """`steps` numbers evenly spaced from `start` to `end`, both included. OverflowError where dtype cannot hold them."""
def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm of each element: -inf at 0, NaN below (complex tensors: principal branch)."""
def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to the base 10 of each element: -inf at 0, NaN below."""
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(1 + x) of each element, accurate near 0."""
def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to the base 2 of each element: -inf at 0, NaN below."""
def log_softmax(input: Tensor, dim: builtins.int | None = None, dtype: DTypeLike | None = None, *, axis: Dims | None = None, out: Tensor | None = None) -> Tensor:
    """The logarithm of softmax along `dim`: shape and dtype as `input`. Half precisions are computed in float32."""
def logaddexp(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """log(exp(input) + exp(other)) of each pair of elements, without overflow. Floating dtypes only."""
def logaddexp2(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """log2(2^input + 2^other) of each pair of elements, without overflow. Floating dtypes only."""
def logcumsumexp(input: Tensor, dim: builtins.int | None = None, *, axis: Dims | None = None, out: Tensor | None = None) -> Tensor:
    """log(cumsum(exp(x))) along `dim`, without overflow. Floating dtypes; TypeError for others."""
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant of matrices (..., n, n): NaN where it is negative, -inf where it is 0."""
def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether both elements of each pair are nonzero."""
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is zero."""
def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether an element of each pair is nonzero."""
def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether just one element of each pair is nonzero."""
def logsumexp(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """log(sum(exp(x))) along `dim` (an integer or several), without overflow; -inf where there is nothing."""
def lt(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Whether each element of `input` is less than the other's."""
def manual_seed(seed: builtins.int) -> Generator:
    """Start the default generator over from `seed`, and return it."""
def masked_fill(input: Tensor, mask: Tensor, value: Operand, *, out: Tensor | None = None) -> Tensor:
    """`value` where `mask` is true, the elements of `input` elsewhere: dtype of `input`, shape of both broadcast."""
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`input` with the elements where `mask` is true replaced by those of `source`, in row-major order of both."""
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements where `mask` is true, as one dimension in row-major order, in memory of their own."""
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix product, as Python's `@`."""
@overload
def max(input: Tensor, dim: None = None, keepdim: builtins.bool = False, *, axis: None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """The largest element; with `dim` the pair (values, indices) along it; with a tensor, `maximum`."""
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
    """The greatest element of each window of a sequence: (N, C, length) to (N, C, out length), or without N."""
@overload
def max_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, *, return_indices: Literal[True]) -> builtins.tuple[Tensor, Tensor]:
    ...
@overload
def max_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, Tensor]:
    ...
def max_pool1d_with_indices(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = True) -> builtins.tuple[Tensor, Tensor]:
    """`max_pool1d` with the indices."""
@overload
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: Literal[False] = False) -> Tensor:
    """The greatest element of each window, `kernel_size` elements tall and wide, `stride` (kernel_size) apart."""
@overload
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, *, return_indices: Literal[True]) -> builtins.tuple[Tensor, Tensor]:
    ...
@overload
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, Tensor]:
    ...
@overload
def max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: Literal[False] = False) -> Tensor:
    """The greatest element of each window of a volume: (N, C, D, H, W) to (N, C, D', H', W'), or without N."""
@overload
def max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, *, return_indices: Literal[True]) -> builtins.tuple[Tensor, Tensor]:
    ...
@overload
def max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, Tensor]:
    ...
def maximum(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The larger of each pair of elements; NaN where either is. Equal elements share the gradient."""
def mean(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """The mean of all elements, or along `dim`. NaN where there is none. TypeError for integers: convert first."""
@overload
def median(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The median of all elements; with `dim` the pair (values, indices) along it. NaN where there is a NaN."""
@overload
def median(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
    ...
@overload
def median(input: Tensor, *, keepdim: builtins.bool = False, axis: builtins.int, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
    ...
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: builtins.str | None = None) -> builtins.tuple[Tensor, ...]:
    """Views of vectors along the dimensions of a grid, each expanded over the others."""
@overload
def min(input: Tensor, dim: None = None, keepdim: builtins.bool = False, *, axis: None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """The smallest element; with `dim` the pair (values, indices) along it; with a tensor, `minimum`."""
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
    """The smaller of each pair of elements; NaN where either is. Equal elements share the gradient."""
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices; ValueError unless both have 2 dimensions."""
def mode(input: Tensor, dim: builtins.int = -1, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
    """The most frequent element along `dim`, of equally frequent ones the smallest, and where it is last."""
def movedim(input: Tensor, source: Dims, destination: Dims) -> Tensor:
    """A view with the dimensions `source` moved to `destination`, the others keeping their order."""
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements in order along the first dimension."""
def mul(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The product of each pair of elements; logical and for bool."""
def multinomial(input: Tensor, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
    """`num_samples` indices of categories, int64, each drawn in proportion to its weight in `input`."""
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of a matrix and a vector."""
def mvlgamma(input: Tensor, p: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension `p` at each element, which is above (p - 1) / 2."""
def nan_to_num(input: Tensor, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None, *, out: Tensor | None = None) -> Tensor:
    """Each element, with `nan` (0) in place of NaN, `posinf` and `neginf` (the largest numbers) of the infinities."""
@overload
def nanmedian(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`median` of the elements that are no NaN; NaN where there are none."""
@overload
def nanmedian(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
    ...
@overload
def nanmedian(input: Tensor, *, keepdim: builtins.bool = False, axis: builtins.int, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
    ...
@overload
def narrow(input: Tensor, dim: builtins.int, start: SupportsIndex, length: builtins.int) -> Tensor:
    """A view of `length` elements along `dim` from `start` on (an integer, or an integer tensor of no dimensions)."""
@overload
def narrow(input: Tensor, *, axis: builtins.int, start: SupportsIndex, length: builtins.int) -> Tensor:
    ...
def ne(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Whether each pair of elements differs; True where either is NaN."""
def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element with its sign turned. Not defined for bool."""
@overload
def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: Literal[False] = False) -> Tensor:
    """Where the elements are that are not zero, in row-major order: (n, dimensions) int64, a row for each."""
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> builtins.tuple[Tensor, ...]:
    ...
@overload
def nonzero(input: Tensor, *, as_tuple: builtins.bool) -> Tensor | builtins.tuple[Tensor, ...]:
    ...
def norm(input: Tensor, p: builtins.float | builtins.str | None = 'fro', dim: Dims | None = None, keepdim: builtins.bool = False, out: Tensor | None = None, dtype: DTypeLike | None = None, *, axis: Dims | None = None, keepdims: builtins.bool = False) -> Tensor:
    """The `p`-norm of all elements as one vector, or along `dim`: of a vector each, also where there are two."""
def normal(mean: Scalar | Tensor, std: Scalar | Tensor = 1.0, size: Lengths | None = None, *, generator: Generator | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Draws from normal distributions: of numbers `mean` and `std` in shape `size`, or one for each of their elements."""
def numel(input: Tensor) -> builtins.int:
    """The number of elements."""
def ones(*lengths: Lengths, size: Lengths | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """A tensor of ones."""
def ones_like(input: Tensor, *, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """Ones of the shape, dtype and device of `input`."""
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of all pairs of elements of two vectors (n,) and (m,): (n, m). The two promote."""
def pairwise_distance(x1: Tensor, x2: Tensor, p: builtins.float = 2.0, eps: builtins.float = 1e-06, keepdim: builtins.bool = False) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dimension."""
def pdist(input: Tensor, p: builtins.float = 2.0) -> Tensor:
    """The p-norm of the difference of each two rows (N, M), as N (N - 1) / 2 numbers: the upper triangle by rows."""
def permute(input: Tensor, *order: Lengths, dims: Lengths | None = None) -> Tensor:
    """A view with the dimensions in another order, each named once."""
def pixel_shuffle(input: Tensor, upscale_factor: builtins.int) -> Tensor:
    """Channels as pixels: (..., C · r², H, W) to (..., C, H · r, W · r)."""
def pixel_unshuffle(input: Tensor, downscale_factor: builtins.int) -> Tensor:
    """Pixels as channels: (..., C, H · r, W · r) to (..., C · r², H, W), the opposite of `pixel_shuffle`."""
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Draws from Poisson distributions of the rates `input`, floating and of its shape and dtype; NaN at NaN."""
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Complex numbers of their magnitude and angle (radians), both float32 or both float64, which broadcast."""
def polygamma(n: builtins.int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of order `n` of `digamma` at each element."""
def pow(input: Operand | None = None, exponent: Operand | None = None, *, self: Operand | None = None, out: Tensor | None = None) -> Tensor:
    """Each element raised to the power of the exponent's."""
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where it is positive, else x times `weight`: one number, or one for each channel (dimension 1)."""
def prod(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """The product of all elements, or along `dim` (an integer or several); 1 where there is none."""
def promote_types(type1: DType, type2: DType) -> DType:
    """The smallest dtype that both convert to."""
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """A copy of `input` with elements set to those of `source`, or with them added, at places as `take` counts them."""
def qr(input: Tensor, some: builtins.bool = True, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    'Q and R with A = Q R, of matrices (..., m, n): the older form of `linalg.qr`. Not `some`: mode="complete".'
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angles in radians as angles in degrees."""
def rand(*lengths: Lengths, size: Lengths | None = None, generator: Generator | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Numbers drawn evenly from [0, 1)."""
def rand_like(input: Tensor, *, generator: Generator | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """`rand` of the shape, dtype and device of `input`."""
def randint(low: builtins.int = 0, high: SupportsIndex | None = None, size: Lengths | None = None, *, generator: Generator | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Integers drawn evenly from `low` (0 where left out) to before `high`; int64 unless `dtype` is given."""
def randn(*lengths: Lengths, size: Lengths | None = None, generator: Generator | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Numbers drawn from the normal distribution of mean 0 and variance 1."""
def randn_like(input: Tensor, *, generator: Generator | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """`randn` of the shape, dtype and device of `input`."""
def randperm(n: builtins.int, *, generator: Generator | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """The integers 0 to n - 1 in random order (int64 unless `dtype` is given)."""
def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension: a view where strides allow it, else a copy."""
def real(input: Tensor) -> Tensor:
    """The real part of each element, as a view; a real tensor is its own."""
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / x of each element."""
def relu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element, or 0 where it is negative. The slope at 0 is 0."""
def relu_(input: Tensor) -> Tensor:
    """`relu` in place."""
def remainder(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """What remains of each pair's quotient rounded down: it has the divisor's sign, as Python's `%`."""
def repeat_interleave(input: Tensor, repeats: Lengths | Tensor | None = None, dim: builtins.int | None = None, *, output_size: builtins.int | None = None) -> Tensor:
    """A copy with each element along `dim` repeated: all as often, or each as an integer tensor says."""
def reshape(input: Tensor, shape: Lengths) -> Tensor:
    """The same elements in another shape: a view where strides allow it, else a copy. One length may be -1."""
def resolve_conj(input: Tensor) -> Tensor:
    """`input` itself: conjugates are never left to be taken later."""
def resolve_neg(input: Tensor) -> Tensor:
    """`input` itself: signs are never left to be changed later."""
def result_type(*operands: builtins.object, tensor: builtins.object = None, other: builtins.object = None) -> DType:
    """The dtype an elementwise operator of these tensors and numbers computes in."""
def roll(input: Tensor, shifts: Lengths, dims: Lengths | None = None) -> Tensor:
    """A copy in which the elements are moved on by `shifts` along `dims`; those that fall off come in at the front."""
def rot90(input: Tensor, k: builtins.int = 1, dims: Lengths = ...) -> Tensor:
    """A copy turned by `k` quarters in the plane of two dimensions, from the first towards the second."""
def round(input: Tensor, *, decimals: builtins.int = 0, out: Tensor | None = None) -> Tensor:
    """The nearest number of so many decimal places, whole ones at first; halves go to the even one."""
def rrelu(input: Tensor, lower: builtins.float = 0.125, upper: builtins.float = 0.3333333333333333, training: builtins.bool = False, inplace: builtins.bool = False) -> Tensor:
    """x where it is positive, else x times a slope: in training drawn evenly for each element, else the two's mean."""
def rrelu_(input: Tensor, lower: builtins.float = 0.125, upper: builtins.float = 0.3333333333333333, training: builtins.bool = False) -> Tensor:
    """`rrelu` in place."""
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / sqrt(x) of each element."""
def scatter(input: Tensor, dim: builtins.int, index: Tensor, src: Operand | None = None, *, value: Operand | None = None, reduce: builtins.str | None = None, out: Tensor | None = None) -> Tensor:
    """A copy of `input` with the elements at `index` along `dim` set to those of `src`, or to the number `value`."""
def scatter_add(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of `input` with the elements of `src` added at `index` along `dim`; arguments as those of `scatter`."""
def scatter_reduce(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True, out: Tensor | None = None) -> Tensor:
    """A copy of `input` with elements of `src` at `index` along `dim` reduced into it; arguments as those of `scatter`."""
def searchsorted(sorted_sequence: Tensor, input: Operand, *, out_int32: builtins.bool = False, right: builtins.bool = False, side: builtins.str | None = None, out: Tensor | None = None, sorter: Tensor | None = None) -> Tensor:
    """Where each value of `input` belongs in a sorted sequence, so that it stays sorted: before equal elements."""
def seed() -> builtins.int:
    """Start the default generator over from a seed of the operating system's."""
@overload
def select(input: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
    """A view of one element along `dim`, which goes. IndexError where there is none."""
@overload
def select(input: Tensor, *, axis: builtins.int, index: builtins.int) -> Tensor:
    ...
def select_scatter(input: Tensor, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
    """A copy of `input` in which `select(dim, index)` is `src`."""
def selu(input: Tensor, inplace: builtins.bool = False) -> Tensor:
    """`elu` with the scales that let mean 0 and variance 1 pass through layers. G. Klambauer and others, 2017."""
def selu_(input: Tensor) -> Tensor:
    """`selu` in place."""
def set_default_dtype(dtype: DType) -> None:
    """Change the default floating dtype; TypeError unless it is a floating one."""
def set_printoptions(precision: builtins.int | None = None, threshold: builtins.float | None = None, edgeitems: builtins.int | None = None, linewidth: builtins.int | None = None, profile: builtins.str | None = None, sci_mode: builtins.bool | None = None) -> None:
    """Set how tensors print; what is left out stays as it is, but for `sci_mode`, which is then automatic."""
def set_rng_state(new_state: builtins.tuple[builtins.int, builtins.int]) -> None:
    """Set the default generator's state, to one that `get_rng_state` gave."""
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x / |x| of each complex element, and 0 of 0; the sign of real ones."""
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / (1 + exp(-x)) of each element, without overflow."""
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-1, 0 or 1 as each element is negative, zero or positive; NaN stays NaN."""
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is negative, -0 and NaN with a sign included."""
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sine of each element, in radians."""
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic sine of each element."""
def slice_scatter(input: Tensor, src: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
    """A copy of `input` in which the elements from `start` to `end`, every `step`-th, along `dim` are `src`."""
def slogdet(input: Tensor, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """The determinant of matrices (..., n, n) as the pair (sign, logabsdet): 0 and -inf of singular ones."""
def softmax(input: Tensor, dim: builtins.int | None = None, dtype: DTypeLike | None = None, *, axis: Dims | None = None, out: Tensor | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`: shape and dtype as `input`. Half precisions are computed in float32."""
def sort(input: Tensor, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False, *, axis: Dims | None = None, out: Sequence[Tensor] | None = None) -> Extremes:
    """The elements in order along `dim`, as the pair (values, indices): indices (int64) say where they were."""
def split(tensor: Tensor, split_size_or_sections: Lengths, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """Views of pieces along `dim`: of one length (the last may be shorter), or of the lengths given."""
def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The square root of each element: NaN for negative ones (complex tensors: principal branch)."""
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element times itself; int64 for bool."""
def squeeze(input: Tensor, dim: Dims | None = None, *, axis: Dims | None = None) -> Tensor:
    """A view without dimensions of length 1: all of them, or those among `dim`."""
def stack(tensors: Sequence[Tensor], dim: builtins.int = 0, *, axis: builtins.int | None = None, out: Tensor | None = None) -> Tensor:
    """Tensors of one shape, one after the other along a new dimension at `dim`."""
def std(input: Tensor, dim: Dims | None = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, correction: builtins.float | None = None, out: Tensor | None = None) -> Tensor:
    """The standard deviation of all elements, or along `dim`: the root of `var`, which has the same arguments."""
def std_mean(input: Tensor, dim: Dims | None = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, correction: builtins.float | None = None, out: Sequence[Tensor] | None = None) -> builtins.tuple[Tensor, Tensor]:
    """`std` and `mean` of the same elements."""
def sub(input: Operand, other: Operand, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """The difference of each pair of elements. Not defined for bool."""
def sum(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """The sum of all elements, or along `dim` (an integer or several)."""
def svd(input: Tensor, some: builtins.bool = True, compute_uv: builtins.bool = True, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """U, S and V with A = U S V^H, of matrices (..., m, n): the older form of `linalg.svd`, which gives V^H."""
def swapaxes(input: Tensor, axis0: builtins.int, axis1: builtins.int) -> Tensor:
    """`transpose`, by the name that NumPy's programs have for it."""
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix, as a view; vectors and numbers are their own."""
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements at places of `input`, counted as if it had one dimension: the shape of `index`."""
def take_along_dim(input: Tensor, indices: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """`gather` of tensors that broadcast but along `dim`; without `dim`, of both flattened."""
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The tangent of each element, in radians."""
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic tangent of each element."""
def tensor(data: Data, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """A tensor with a copy of `data`: a number, nested sequences of numbers, an array, or a tensor."""
def tensor_split(input: Tensor, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """Views of pieces along `dim`: as many, of nearly equal length, or cut before the indices that are given."""
def tensordot(a: Tensor, b: Tensor, dims: SupportsIndex | Sequence[builtins.object] | Tensor = 2, out: Tensor | None = None) -> Tensor:
    """The sum of products over `dims`: two lists of dimensions, or how many last ones of `a` and first ones of `b`."""
def threshold(input: Tensor, threshold: builtins.float, value: builtins.float, inplace: builtins.bool = False) -> Tensor:
    """Each element, or `value` where it is not greater than `threshold`."""
def threshold_(input: Tensor, threshold: builtins.float, value: builtins.float) -> Tensor:
    """`threshold` in place."""
def tile(input: Tensor, *counts: Lengths, dims: Lengths | None = None) -> Tensor:
    """A copy with dimensions repeated as a whole; `dims` are counts of the last ones, or add new ones in front."""
def topk(input: Tensor, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True, *, axis: Dims | None = None, out: Sequence[Tensor] | None = None) -> Extremes:
    """The `k` greatest elements along `dim`, or the smallest, as the pair (values, indices)."""
def trace(input: Tensor) -> Tensor:
    """The sum of the main diagonal of a matrix; of integers in int64."""
def transpose(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """A view with two dimensions exchanged."""
def triangular_solve(b: Tensor, A: Tensor, upper: builtins.bool = True, transpose: builtins.bool = False, unitriangular: builtins.bool = False, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """X with A X = b, of which A is triangular, and a copy of A: the older form of `linalg.solve_triangular`."""
def tril(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """A copy of matrices (the last two dimensions) with zeros above a diagonal: 0 is the main one, 1 the next above."""
def tril_indices(row: builtins.int, col: builtins.int, offset: builtins.int = 0, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None, layout: builtins.object | None = None, pin_memory: builtins.bool = False) -> Tensor:
    """Row and column, one tensor of two rows, of each element of `tril` of a matrix (row, col). int64, or `dtype`."""
def triu(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """A copy of matrices (the last two dimensions) with zeros below a diagonal: 0 is the main one, 1 the next above."""
def triu_indices(row: builtins.int, col: builtins.int, offset: builtins.int = 0, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None, layout: builtins.object | None = None, pin_memory: builtins.bool = False) -> Tensor:
    """Row and column, one tensor of two rows, of each element of `triu` of a matrix (row, col). int64, or `dtype`."""
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element without its fraction. Integers stay as they are."""
def unbind(input: Tensor, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
    """Views of the elements along `dim`."""
def unflatten(input: Tensor, dim: builtins.int, sizes: Lengths) -> Tensor:
    """A view in which `dim` is several dimensions of the lengths `sizes`, of which one may be -1."""
@overload
def unique(input: Tensor, sorted: builtins.bool = True, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: builtins.int | None = None) -> Tensor:
    """The distinct elements in order (whatever `sorted` says), or the distinct slices along `dim`. Every NaN is one."""
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
    """The first of each run of equal elements, or of equal slices along `dim`; results as of `unique`."""
@overload
def unique_consecutive(input: Tensor, *, return_inverse: Literal[True], return_counts: builtins.bool = False, dim: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
    ...
@overload
def unique_consecutive(input: Tensor, *, return_counts: Literal[True], return_inverse: builtins.bool = False, dim: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
    ...
@overload
def unique_consecutive(input: Tensor, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Tensor | builtins.tuple[Tensor, ...]:
    ...
def unsqueeze(input: Tensor, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Tensor:
    """A view with a new dimension of length 1 at `dim`."""
def var(input: Tensor, dim: Dims | None = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, correction: builtins.float | None = None, out: Tensor | None = None) -> Tensor:
    """The variance of all elements, or along `dim` (an integer or several): real, also of complex numbers."""
def var_mean(input: Tensor, dim: Dims | None = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, correction: builtins.float | None = None, out: Sequence[Tensor] | None = None) -> builtins.tuple[Tensor, Tensor]:
    """`var` and `mean` of the same elements."""
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The dot product of two vectors, the first of them conjugated."""
def view_as_complex(input: Tensor) -> Tensor:
    """A view of pairs of real numbers (..., 2), float32 or float64, as complex ones (...)."""
def view_as_real(input: Tensor) -> Tensor:
    """A view of complex numbers as pairs of real ones, real part first, along a new last dimension."""
def vsplit(input: Tensor, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor) -> builtins.tuple[Tensor, ...]:
    """`tensor_split` into equal pieces along the first dimension of two or more."""
def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors one below the other: along the first dimension, vectors as rows."""
@overload
def where(condition: Tensor) -> builtins.tuple[Tensor, ...]:
    """The element of `input` where `condition` is true, that of `other` elsewhere."""
@overload
def where(condition: Tensor, input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    ...
def xlogy(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input * log(other) of each pair of elements: 0 where input is 0 (NaN where other is NaN)."""
def zeros(*lengths: Lengths, size: Lengths | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """A tensor of zeros."""
def zeros_like(input: Tensor, *, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """Zeros of the shape, dtype and device of `input`."""
absolute = abs
arccos = acos
arccosh = acosh
arcsin = asin
arcsinh = asinh
arctan = atan
arctan2 = atan2
arctanh = atanh
clip = clamp
concat = cat
concatenate = cat
divide = div
fix = trunc
greater = gt
greater_equal = ge
less = lt
less_equal = le
moveaxis = movedim
multiply = mul
negative = neg
not_equal = ne
row_stack = vstack
subtract = sub
swapdims = transpose
true_divide = div
