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
    "add",
    "addbmm",
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "addr",
    "all",
    "allclose",
    "amax",
    "amin",
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
    "as_strided",
    "as_tensor",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "baddbmm",
    "bernoulli",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "bmm",
    "broadcast_to",
    "can_cast",
    "cat",
    "ceil",
    "channels_last",
    "channels_last_3d",
    "chunk",
    "clamp",
    "clamp_max",
    "clamp_min",
    "clip",
    "clone",
    "concat",
    "concatenate",
    "contiguous_format",
    "conv2d",
    "conv_transpose2d",
    "copysign",
    "cos",
    "cosh",
    "cross",
    "default_generator",
    "deg2rad",
    "div",
    "divide",
    "dot",
    "einsum",
    "empty",
    "empty_like",
    "eq",
    "equal",
    "erf",
    "exp",
    "exp2",
    "expm1",
    "eye",
    "fix",
    "flatten",
    "floor",
    "floor_divide",
    "fmod",
    "frac",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "ge",
    "ger",
    "get_default_dtype",
    "get_printoptions",
    "get_rng_state",
    "greater",
    "greater_equal",
    "gt",
    "hypot",
    "initial_seed",
    "inner",
    "is_complex",
    "is_floating_point",
    "is_tensor",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "kron",
    "layout",
    "le",
    "lerp",
    "less",
    "less_equal",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
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
    "min",
    "minimum",
    "mm",
    "moveaxis",
    "movedim",
    "mul",
    "multiply",
    "mv",
    "nan_to_num",
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
    "outer",
    "permute",
    "pow",
    "preserve_format",
    "printoptions",
    "prod",
    "promote_types",
    "rad2deg",
    "rand",
    "rand_like",
    "randint",
    "randn",
    "randn_like",
    "randperm",
    "reciprocal",
    "relu",
    "remainder",
    "reshape",
    "result_type",
    "round",
    "rsqrt",
    "seed",
    "select",
    "set_default_dtype",
    "set_printoptions",
    "set_rng_state",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinh",
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
    "tan",
    "tanh",
    "tensor",
    "tensordot",
    "transpose",
    "true_divide",
    "trunc",
    "unbind",
    "unsqueeze",
    "vdot",
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
def all(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Whether all elements are nonzero, over all or along `dim`: bool, for every dtype."""
def allclose(input: Tensor, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> builtins.bool:
    """Whether |input - other| <= atol + rtol |other| for all pairs of elements; see `isclose`."""
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
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """`beta * input + alpha * (batch1 @ batch2)` of stacks (b, n, k) and (b, k, m); `input` broadcasts to (b, n, m)."""
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
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of two equally long stacks of matrices; ValueError unless both have 3 dimensions."""
def broadcast_to(input: Tensor, shape: Lengths | None = None, *, size: Lengths | None = None) -> Tensor:
    """A view broadcast to `shape`, which may be called `size`."""
def can_cast(from_: DType, to: DType) -> builtins.bool:
    """Whether values may be stored: never to a lower category (float to integer, complex to real)."""
def cat(tensors: Sequence[Tensor], dim: builtins.int = 0, *, axis: builtins.int | None = None, out: Tensor | None = None) -> Tensor:
    """The tensors one after the other along `dim`; the other lengths must agree. Dtypes promote."""
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The least whole number that is not less, of each element. Integers stay as they are."""
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
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] | builtins.str = 0, dilation: builtins.int | Sequence[builtins.int] = 1, groups: builtins.int = 1) -> Tensor:
    """The cross-correlation of images with filters: what networks call a convolution."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, output_padding: builtins.int | Sequence[builtins.int] = 0, groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """The transpose of the linear map that `conv2d` is, plus a bias: it enlarges where `conv2d` reduces."""
def copysign(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The size of each element of `input` with the sign of the other's: also that of -0."""
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The cosine of each element, in radians."""
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic cosine of each element."""
def cross(input: Tensor, other: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The cross product of vectors of three elements, along `dim`, or the first dimension of length 3."""
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angles in degrees as angles in radians."""
def div(input: Operand, other: Operand, *, rounding_mode: builtins.str | None = None, out: Tensor | None = None) -> Tensor:
    """The quotient of each pair of elements, in floating point (integers are converted first)."""
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The dot product of two vectors, without conjugation."""
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
def hypot(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """sqrt(input^2 + other^2) of each pair of elements, without overflow. Floating dtypes only."""
def initial_seed() -> builtins.int:
    """The default generator's seed."""
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The dot products of rows: (..., k) and (+++, k) give (..., +++). A zero-dimensional operand multiplies the other."""
def is_complex(input: Tensor) -> builtins.bool:
    """Whether the dtype is complex."""
def is_floating_point(input: Tensor) -> builtins.bool:
    """Whether the dtype is a real floating-point type."""
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
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product: `other` times each element of `input`, in place of that element."""
def le(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Whether each element of `input` is less than or equal to the other's."""
def lerp(input: Tensor, end: Tensor, weight: Operand, *, out: Tensor | None = None) -> Tensor:
    """`input + weight * (end - input)`: from `input` at 0 to `end` at 1. All of one floating or complex dtype."""
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
def nan_to_num(input: Tensor, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None, *, out: Tensor | None = None) -> Tensor:
    """Each element, with `nan` (0) in place of NaN, `posinf` and `neginf` (the largest numbers) of the infinities."""
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
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of all pairs of elements of two vectors (n,) and (m,): (n, m). The two promote."""
def permute(input: Tensor, *order: Lengths, dims: Lengths | None = None) -> Tensor:
    """A view with the dimensions in another order, each named once."""
def pow(input: Operand | None = None, exponent: Operand | None = None, *, self: Operand | None = None, out: Tensor | None = None) -> Tensor:
    """Each element raised to the power of the exponent's."""
def prod(input: Tensor, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """The product of all elements, or along `dim` (an integer or several); 1 where there is none."""
def promote_types(type1: DType, type2: DType) -> DType:
    """The smallest dtype that both convert to."""
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
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / x of each element."""
def relu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element, or 0 where it is negative. The slope at 0 is 0."""
def remainder(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """What remains of each pair's quotient rounded down: it has the divisor's sign, as Python's `%`."""
def reshape(input: Tensor, shape: Lengths) -> Tensor:
    """The same elements in another shape: a view where strides allow it, else a copy. One length may be -1."""
def result_type(*operands: builtins.object, tensor: builtins.object = None, other: builtins.object = None) -> DType:
    """The dtype an elementwise operator of these tensors and numbers computes in."""
def round(input: Tensor, *, decimals: builtins.int = 0, out: Tensor | None = None) -> Tensor:
    """The nearest number of so many decimal places, whole ones at first; halves go to the even one."""
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
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is negative, -0 and NaN with a sign included."""
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sine of each element, in radians."""
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic sine of each element."""
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
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The tangent of each element, in radians."""
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic tangent of each element."""
def tensor(data: Data, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """A tensor with a copy of `data`: a number, nested sequences of numbers, an array, or a tensor."""
def tensordot(a: Tensor, b: Tensor, dims: SupportsIndex | Sequence[builtins.object] | Tensor = 2, out: Tensor | None = None) -> Tensor:
    """The sum of products over `dims`: two lists of dimensions, or how many last ones of `a` and first ones of `b`."""
def transpose(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """A view with two dimensions exchanged."""
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element without its fraction. Integers stay as they are."""
def unbind(input: Tensor, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
    """Views of the elements along `dim`."""
def unsqueeze(input: Tensor, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Tensor:
    """A view with a new dimension of length 1 at `dim`."""
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The dot product of two vectors, the first of them conjugated."""
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
subtract = sub
swapdims = transpose
true_divide = div
