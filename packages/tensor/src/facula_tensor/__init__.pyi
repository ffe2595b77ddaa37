"""The public functions as type checkers see them. Written by facula_tensor._stubs."""

# fmt: off
# ruff: noqa
import builtins
from collections.abc import Iterator, Sequence
from typing import Any, Literal, SupportsIndex, overload

import numpy as np
from typing_extensions import Buffer

from ._types import AnyTensor, DTypeLike, Data, DeviceLike, Dims, Extremes, Index, Lengths, MemoryFormat, Number, Operand, Scalar, SupportsDLPack
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
    "add",
    "all",
    "amax",
    "amin",
    "any",
    "arange",
    "argmax",
    "argmin",
    "as_strided",
    "as_strided_scatter",
    "as_tensor",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "bernoulli",
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
    "can_cast",
    "cartesian_prod",
    "cat",
    "cdist",
    "channel_shuffle",
    "channels_last",
    "channels_last_3d",
    "chunk",
    "clamp",
    "clamp_max",
    "clamp_min",
    "clip",
    "clone",
    "column_stack",
    "combinations",
    "concat",
    "concatenate",
    "contiguous_format",
    "conv2d",
    "conv_transpose2d",
    "cos",
    "cosine_similarity",
    "default_generator",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_scatter",
    "div",
    "divide",
    "dot",
    "dsplit",
    "dstack",
    "empty",
    "empty_like",
    "eq",
    "erf",
    "exp",
    "expm1",
    "eye",
    "finfo",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "floor_divide",
    "fmod",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "ge",
    "get_default_dtype",
    "get_printoptions",
    "get_rng_state",
    "greater",
    "greater_equal",
    "gt",
    "hsplit",
    "hstack",
    "iinfo",
    "initial_seed",
    "is_complex",
    "is_floating_point",
    "is_tensor",
    "isfinite",
    "isinf",
    "isnan",
    "layout",
    "le",
    "less",
    "less_equal",
    "linspace",
    "log",
    "log1p",
    "log_softmax",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "manual_seed",
    "matmul",
    "max",
    "max_pool2d",
    "maximum",
    "mean",
    "memory_format",
    "meshgrid",
    "min",
    "minimum",
    "mm",
    "moveaxis",
    "movedim",
    "mul",
    "multiply",
    "mv",
    "narrow",
    "ne",
    "neg",
    "negative",
    "nonzero",
    "normal",
    "not_equal",
    "numel",
    "ones",
    "ones_like",
    "pairwise_distance",
    "pdist",
    "permute",
    "pixel_shuffle",
    "pixel_unshuffle",
    "pow",
    "preserve_format",
    "printoptions",
    "prod",
    "promote_types",
    "rand",
    "rand_like",
    "randint",
    "randn",
    "randn_like",
    "randperm",
    "ravel",
    "reciprocal",
    "relu",
    "remainder",
    "repeat_interleave",
    "reshape",
    "result_type",
    "roll",
    "rot90",
    "row_stack",
    "rsqrt",
    "seed",
    "select",
    "select_scatter",
    "set_default_dtype",
    "set_printoptions",
    "set_rng_state",
    "sigmoid",
    "sign",
    "sin",
    "slice_scatter",
    "softmax",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "strided",
    "sub",
    "subtract",
    "sum",
    "swapaxes",
    "swapdims",
    "t",
    "tanh",
    "tensor",
    "tensor_split",
    "tile",
    "trace",
    "transpose",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "true_divide",
    "unbind",
    "unflatten",
    "unsqueeze",
    "vsplit",
    "vstack",
    "where",
    "zeros",
    "zeros_like",
]

def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The magnitude of each element; real for complex ones. The slope at 0 is 0."""
def add(input: Operand, other: Operand, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """The sum of each pair of elements; logical or for bool."""
def all(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Whether all elements are nonzero, over all or along `dim`: bool, for every dtype."""
def amax(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """The largest element, or the largest along `dim`; NaN where there is one. Equal ones share the gradient."""
def amin(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """The smallest element, or the smallest along `dim`; NaN where there is one. Equal ones share the gradient."""
def any(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Whether any element is nonzero, over all or along `dim`: bool, for every dtype."""
def arange(start: Scalar | Tensor | None = None, end: Scalar | Tensor | None = None, step: Scalar | Tensor = 1, *, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """The numbers from `start` (0 where one argument is given) to before `end`, `step` apart."""
def argmax(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: SupportsIndex | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """The index of the largest element (of the flattened tensor, or along `dim`); the first of equal ones."""
def argmin(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: SupportsIndex | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """The index of the smallest element (of the flattened tensor, or along `dim`); the first of equal ones."""
def as_strided(input: Tensor, size: Lengths, stride: Lengths, storage_offset: builtins.int | None = None) -> Tensor:
    """A view of the storage with any shape, strides and offset (in elements)."""
def as_strided_scatter(input: Tensor, src: Tensor, size: Lengths, stride: Lengths, storage_offset: builtins.int | None = None) -> Tensor:
    """A copy of `input` in which the elements that `as_strided(size, stride, storage_offset)` shows are `src`."""
def as_tensor(data: Data, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """`data` as a tensor, sharing memory with tensors and NumPy arrays where dtype and device allow it."""
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | builtins.tuple[Tensor, ...]:
    """Numbers as views of one dimension; other tensors as they are. Of several tensors a tuple."""
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | builtins.tuple[Tensor, ...]:
    """Views of at least two dimensions, new ones first. Of several tensors a tuple."""
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | builtins.tuple[Tensor, ...]:
    """Views of at least three dimensions: (n,) as (1, n, 1), (m, n) as (m, n, 1). Of several tensors a tuple."""
def bernoulli(input: Tensor, p: builtins.float | None = None, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
    """1 with the probability that each element gives, else 0. ValueError for probabilities outside [0, 1]."""
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
def can_cast(from_: DType, to: DType) -> builtins.bool:
    """Whether values may be stored: never to a lower category (float to integer, complex to real)."""
def cartesian_prod(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """All combinations of one element of each vector, as rows; one vector is itself."""
def cat(tensors: Sequence[Tensor], dim: builtins.int = 0, *, axis: builtins.int | None = None, out: Tensor | None = None) -> Tensor:
    """The tensors one after the other along `dim`; the other lengths must agree. Dtypes promote."""
def cdist(x1: Tensor, x2: Tensor, p: builtins.float = 2.0, compute_mode: builtins.str | None = 'use_mm_for_euclid_dist_if_necessary') -> Tensor:
    """The p-norm of the difference of each row of `x1` and each row of `x2`: (..., P, M), (..., R, M) to (..., P, R)."""
def channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor:
    """The channels of `groups` in turn: (N, C, ...), C a multiple of `groups`."""
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
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] | builtins.str = 0, dilation: builtins.int | Sequence[builtins.int] = 1, groups: builtins.int = 1) -> Tensor:
    """The cross-correlation of images with filters: what networks call a convolution."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, output_padding: builtins.int | Sequence[builtins.int] = 0, groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """The transpose of the linear map that `conv2d` is, plus a bias: it enlarges where `conv2d` reduces."""
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The cosine of each element, in radians."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: builtins.int = 1, eps: builtins.float = 1e-08) -> Tensor:
    """The cosine of the angle between vectors along `dim`; lengths are taken as at least `eps`."""
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
def div(input: Operand, other: Operand, *, rounding_mode: builtins.str | None = None, out: Tensor | None = None) -> Tensor:
    """The quotient of each pair of elements, in floating point (integers are converted first)."""
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The dot product of two vectors, without conjugation."""
def dsplit(input: Tensor, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor) -> builtins.tuple[Tensor, ...]:
    """`tensor_split` into equal pieces along the third dimension."""
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors one behind the other: along the third dimension."""
def empty(*lengths: Lengths, size: Lengths | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """A tensor whose elements are whatever was in memory. `memory_format` orders them."""
def empty_like(input: Tensor, *, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """An uninitialised tensor of the shape, dtype and device of `input`."""
def eq(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Whether each pair of elements is equal; False where either is NaN."""
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function of each element. Integers are computed in the default floating dtype."""
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e to the power of each element. Integers are computed in the default floating dtype."""
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
def floor_divide(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The quotient of each pair of elements, rounded down. Its gradient is 0."""
def fmod(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """What remains of each pair's quotient rounded toward zero: it has the dividend's sign, as C's `fmod`."""
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
def ge(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Whether each element of `input` is greater than or equal to the other's."""
def get_default_dtype() -> DType:
    """The floating dtype of new tensors and of integer operands in floating operators."""
def get_printoptions() -> builtins.dict[builtins.str, builtins.int | builtins.float | builtins.bool | None]:
    """The options in use, as arguments for `set_printoptions`."""
def get_rng_state() -> builtins.tuple[builtins.int, builtins.int]:
    """The default generator's state."""
def gt(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Whether each element of `input` is greater than the other's."""
def hsplit(input: Tensor, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor) -> builtins.tuple[Tensor, ...]:
    """`tensor_split` into equal pieces along the second dimension, or the first where there is one alone."""
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors side by side: along the second dimension, or the first where there is one alone."""
def initial_seed() -> builtins.int:
    """The default generator's seed."""
def is_complex(input: Tensor) -> builtins.bool:
    """Whether the dtype is complex."""
def is_floating_point(input: Tensor) -> builtins.bool:
    """Whether the dtype is a real floating-point type."""
def is_tensor(obj: builtins.object) -> builtins.bool:
    """Whether `obj` is a Tensor."""
def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is neither infinite nor NaN."""
def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is infinite; for complex ones, whether a part is."""
def isnan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is NaN; for complex ones, whether a part is."""
def le(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Whether each element of `input` is less than or equal to the other's."""
def linspace(start: Scalar | Tensor, end: Scalar | Tensor, steps: builtins.int, *, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """`steps` numbers evenly spaced from `start` to `end`, both included. OverflowError where dtype cannot hold them."""
def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm of each element: -inf at 0, NaN below (complex tensors: principal branch)."""
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(1 + x) of each element, accurate near 0."""
def log_softmax(input: Tensor, dim: builtins.int | None = None, dtype: DTypeLike | None = None, *, axis: Dims | None = None, out: Tensor | None = None) -> Tensor:
    """The logarithm of softmax along `dim`: shape and dtype as `input`. Half precisions are computed in float32."""
def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether both elements of each pair are nonzero."""
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is zero."""
def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether an element of each pair is nonzero."""
def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether just one element of each pair is nonzero."""
def lt(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Whether each element of `input` is less than the other's."""
def manual_seed(seed: builtins.int) -> Generator:
    """Start the default generator over from `seed`, and return it."""
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
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: Literal[False] = False) -> Tensor:
    """The greatest element of each window, `kernel_size` elements tall and wide, `stride` (kernel_size) apart."""
@overload
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, *, return_indices: Literal[True]) -> builtins.tuple[Tensor, Tensor]:
    ...
@overload
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, Tensor]:
    ...
def maximum(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The larger of each pair of elements; NaN where either is. Equal elements share the gradient."""
def mean(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """The mean of all elements, or along `dim`. NaN where there is none. TypeError for integers: convert first."""
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
def movedim(input: Tensor, source: Dims, destination: Dims) -> Tensor:
    """A view with the dimensions `source` moved to `destination`, the others keeping their order."""
def mul(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The product of each pair of elements; logical and for bool."""
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of a matrix and a vector."""
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
def normal(mean: Scalar | Tensor, std: Scalar | Tensor = 1.0, size: Lengths | None = None, *, generator: Generator | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Draws from normal distributions: of numbers `mean` and `std` in shape `size`, or one for each of their elements."""
def numel(input: Tensor) -> builtins.int:
    """The number of elements."""
def ones(*lengths: Lengths, size: Lengths | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """A tensor of ones."""
def ones_like(input: Tensor, *, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """Ones of the shape, dtype and device of `input`."""
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
def pow(input: Operand | None = None, exponent: Operand | None = None, *, self: Operand | None = None, out: Tensor | None = None) -> Tensor:
    """Each element raised to the power of the exponent's."""
def prod(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """The product of all elements, or along `dim` (an integer or several); 1 where there is none."""
def promote_types(type1: DType, type2: DType) -> DType:
    """The smallest dtype that both convert to."""
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
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / x of each element."""
def relu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element, or 0 where it is negative. The slope at 0 is 0."""
def remainder(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """What remains of each pair's quotient rounded down: it has the divisor's sign, as Python's `%`."""
def repeat_interleave(input: Tensor, repeats: Lengths | Tensor | None = None, dim: builtins.int | None = None, *, output_size: builtins.int | None = None) -> Tensor:
    """A copy with each element along `dim` repeated: all as often, or each as an integer tensor says."""
def reshape(input: Tensor, shape: Lengths) -> Tensor:
    """The same elements in another shape: a view where strides allow it, else a copy. One length may be -1."""
def result_type(*operands: builtins.object, tensor: builtins.object = None, other: builtins.object = None) -> DType:
    """The dtype an elementwise operator of these tensors and numbers computes in."""
def roll(input: Tensor, shifts: Lengths, dims: Lengths | None = None) -> Tensor:
    """A copy in which the elements are moved on by `shifts` along `dims`; those that fall off come in at the front."""
def rot90(input: Tensor, k: builtins.int = 1, dims: Lengths = ...) -> Tensor:
    """A copy turned by `k` quarters in the plane of two dimensions, from the first towards the second."""
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / sqrt(x) of each element."""
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
def set_default_dtype(dtype: DType) -> None:
    """Change the default floating dtype; TypeError unless it is a floating one."""
def set_printoptions(precision: builtins.int | None = None, threshold: builtins.float | None = None, edgeitems: builtins.int | None = None, linewidth: builtins.int | None = None, profile: builtins.str | None = None, sci_mode: builtins.bool | None = None) -> None:
    """Set how tensors print; what is left out stays as it is, but for `sci_mode`, which is then automatic."""
def set_rng_state(new_state: builtins.tuple[builtins.int, builtins.int]) -> None:
    """Set the default generator's state, to one that `get_rng_state` gave."""
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / (1 + exp(-x)) of each element, without overflow."""
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-1, 0 or 1 as each element is negative, zero or positive; NaN stays NaN."""
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sine of each element, in radians."""
def slice_scatter(input: Tensor, src: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
    """A copy of `input` in which the elements from `start` to `end`, every `step`-th, along `dim` are `src`."""
def softmax(input: Tensor, dim: builtins.int | None = None, dtype: DTypeLike | None = None, *, axis: Dims | None = None, out: Tensor | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`: shape and dtype as `input`. Half precisions are computed in float32."""
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
def sub(input: Operand, other: Operand, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """The difference of each pair of elements. Not defined for bool."""
def sum(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """The sum of all elements, or along `dim` (an integer or several)."""
def swapaxes(input: Tensor, axis0: builtins.int, axis1: builtins.int) -> Tensor:
    """`transpose`, by the name that NumPy's programs have for it."""
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix, as a view; vectors and numbers are their own."""
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic tangent of each element."""
def tensor(data: Data, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """A tensor with a copy of `data`: a number, nested sequences of numbers, an array, or a tensor."""
def tensor_split(input: Tensor, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """Views of pieces along `dim`: as many, of nearly equal length, or cut before the indices that are given."""
def tile(input: Tensor, *counts: Lengths, dims: Lengths | None = None) -> Tensor:
    """A copy with dimensions repeated as a whole; `dims` are counts of the last ones, or add new ones in front."""
def trace(input: Tensor) -> Tensor:
    """The sum of the main diagonal of a matrix; of integers in int64."""
def transpose(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """A view with two dimensions exchanged."""
def tril(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """A copy of matrices (the last two dimensions) with zeros above a diagonal: 0 is the main one, 1 the next above."""
def tril_indices(row: builtins.int, col: builtins.int, offset: builtins.int = 0, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None, layout: builtins.object | None = None, pin_memory: builtins.bool = False) -> Tensor:
    """Row and column, one tensor of two rows, of each element of `tril` of a matrix (row, col). int64, or `dtype`."""
def triu(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """A copy of matrices (the last two dimensions) with zeros below a diagonal: 0 is the main one, 1 the next above."""
def triu_indices(row: builtins.int, col: builtins.int, offset: builtins.int = 0, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None, layout: builtins.object | None = None, pin_memory: builtins.bool = False) -> Tensor:
    """Row and column, one tensor of two rows, of each element of `triu` of a matrix (row, col). int64, or `dtype`."""
def unbind(input: Tensor, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
    """Views of the elements along `dim`."""
def unflatten(input: Tensor, dim: builtins.int, sizes: Lengths) -> Tensor:
    """A view in which `dim` is several dimensions of the lengths `sizes`, of which one may be -1."""
def unsqueeze(input: Tensor, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Tensor:
    """A view with a new dimension of length 1 at `dim`."""
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
def zeros(*lengths: Lengths, size: Lengths | None = None, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """A tensor of zeros."""
def zeros_like(input: Tensor, *, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
    """Zeros of the shape, dtype and device of `input`."""
absolute = abs
clip = clamp
concat = cat
concatenate = cat
divide = div
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
