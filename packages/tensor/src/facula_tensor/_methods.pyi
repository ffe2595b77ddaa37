"""The methods that declarations put on Tensor. Written by facula_tensor._stubs."""

# fmt: off
# ruff: noqa
import builtins
from collections.abc import Iterator, Sequence
from typing import Any, Literal, SupportsIndex, overload

import numpy as np
from typing_extensions import Buffer

from ._types import AnyTensor, DTypeLike, Data, DeviceLike, Dims, Extremes, Index, Lengths, MemoryFormat, Number, Operand, Scalar, SupportsDLPack
from facula_storage import DType

from ._generator import Generator
from ._tensor import Tensor

class Methods:
    def __hash__(self) -> builtins.int: ...
    @property
    def T(self) -> Tensor: ...
    def __abs__(self, *, out: Tensor | None = None) -> Tensor:
        """The magnitude of each element; real for complex ones. The slope at 0 is 0."""
    def __add__(self, other: Operand) -> Tensor:
        """The sum of each pair of elements; logical or for bool."""
    def __and__(self, other: Operand) -> Tensor:
        """The bits that both elements of each pair have; logical and for bool."""
    def __array__(self, dtype: DTypeLike | None = None, copy: builtins.bool | None = None) -> np.ndarray:
        """What `numpy.asarray(tensor)` gets, and libraries such as Matplotlib with it."""
    def __array_wrap__(self, array: np.ndarray, context: builtins.object | None = None, return_scalar: builtins.bool = False) -> Tensor:
        """What NumPy's own functions of tensors give, such as `numpy.sin(tensor)`: a tensor over their result."""
    def __bool__(self) -> builtins.bool:
        """Whether the one element is nonzero. ValueError where there are more or none."""
    def __buffer__(self, flags: builtins.int) -> builtins.memoryview:
        """A memoryview over the same memory (Python 3.12 calls it for `memoryview(tensor)`, NumPy for `asarray`)."""
    def __bytes__(self) -> builtins.bytes:
        """A byte of each integer element, as `bytes(list)` has it; zeros of that number for zero dimensions."""
    def __complex__(self) -> builtins.complex:
        """The one element as a complex number."""
    def __contains__(self, value: Operand) -> builtins.bool:
        """Whether any element equals `value`, a tensor or a number; TypeError for what is neither."""
    def __divmod__(self, other: Operand) -> builtins.tuple[Tensor, Tensor]:
        """`(self // other, self % other)`."""
    def __dlpack__(self, *, stream: builtins.object | None = None, max_version: builtins.tuple[builtins.int, builtins.int] | None = None, dl_device: builtins.tuple[builtins.int, builtins.int] | None = None, copy: builtins.bool | None = None) -> builtins.object:
        """A DLPack capsule over the same memory. `copy=True` exports a copy."""
    def __dlpack_device__(self) -> builtins.tuple[builtins.int, builtins.int]:
        """The pair (device type, index) of the DLPack standard."""
    def __eq__(self, other: Operand) -> Tensor:  # type: ignore[override]
        """Whether each pair of elements is equal; False where either is NaN."""
    def __float__(self) -> builtins.float:
        """The one element as a float."""
    def __floordiv__(self, other: Operand) -> Tensor:
        """The quotient of each pair of elements, rounded down. Its gradient is 0."""
    def __format__(self, spec: builtins.str) -> builtins.str:
        'What `f"{tensor:.2f}"` gives: the element, for zero dimensions. TypeError for others if there is a `spec`.'
    def __ge__(self, other: Operand) -> Tensor:
        """Whether each element of `input` is greater than or equal to the other's."""
    def __getitem__(self, index: Index) -> Tensor:
        """`input[index]`. Integers, slices, None and `...` take the quick path here; all else goes to `general_getitem`."""
    def __gt__(self, other: Operand) -> Tensor:
        """Whether each element of `input` is greater than the other's."""
    def __iadd__(self, other: Operand, *, alpha: Scalar = 1) -> Tensor:
        """`add` in place: changes this tensor and returns it."""
    def __iand__(self, other: Operand) -> Tensor:
        """`bitwise_and` in place: changes this tensor and returns it."""
    def __ifloordiv__(self, other: Operand) -> Tensor:
        """`floor_divide` in place: changes this tensor and returns it."""
    def __ilshift__(self, other: Operand) -> Tensor:
        """`bitwise_left_shift` in place: changes this tensor and returns it."""
    def __imod__(self, other: Operand) -> Tensor:
        """`remainder` in place: changes this tensor and returns it."""
    def __imul__(self, other: Operand) -> Tensor:
        """`mul` in place: changes this tensor and returns it."""
    def __index__(self) -> builtins.int:
        """The one element of an integer tensor as an int. TypeError for other dtypes."""
    def __int__(self) -> builtins.int:
        """The one element as an int; the fraction is cut off. OverflowError or ValueError for infinity and NaN."""
    def __invert__(self, *, out: Tensor | None = None) -> Tensor:
        """Each element with its bits turned; logical not for bool."""
    def __ior__(self, other: Operand) -> Tensor:
        """`bitwise_or` in place: changes this tensor and returns it."""
    def __ipow__(self, other: Operand) -> Tensor:
        """`pow` in place: changes this tensor and returns it."""
    def __irshift__(self, other: Operand) -> Tensor:
        """`bitwise_right_shift` in place: changes this tensor and returns it."""
    def __isub__(self, other: Operand, *, alpha: Scalar = 1) -> Tensor:
        """`sub` in place: changes this tensor and returns it."""
    def __iter__(self) -> Iterator[Tensor]:
        """The elements along the first dimension, as views."""
    def __itruediv__(self, other: Operand) -> Tensor:
        """`div` in place: changes this tensor and returns it."""
    def __ixor__(self, other: Operand) -> Tensor:
        """`bitwise_xor` in place: changes this tensor and returns it."""
    def __le__(self, other: Operand) -> Tensor:
        """Whether each element of `input` is less than or equal to the other's."""
    def __len__(self) -> builtins.int:
        """The length of the first dimension."""
    def __lshift__(self, other: Operand) -> Tensor:
        """Each element's bits moved to the left: times 2 ** other. Bits beyond the dtype's width are lost."""
    def __lt__(self, other: Operand) -> Tensor:
        """Whether each element of `input` is less than the other's."""
    def __matmul__(self, other: Tensor | np.ndarray) -> Tensor:
        """The product of two matrices, or of two equally long stacks of matrices."""
    def __mod__(self, other: Operand) -> Tensor:
        """What remains of each pair's quotient rounded down: it has the divisor's sign, as Python's `%`."""
    def __mul__(self, other: Operand) -> Tensor:
        """The product of each pair of elements; logical and for bool."""
    def __ne__(self, other: Operand) -> Tensor:  # type: ignore[override]
        """Whether each pair of elements differs; True where either is NaN."""
    def __neg__(self, *, out: Tensor | None = None) -> Tensor:
        """Each element with its sign turned. Not defined for bool."""
    def __or__(self, other: Operand) -> Tensor:
        """The bits that an element of each pair has; logical or for bool."""
    def __pos__(self) -> Tensor:
        """The tensor itself. TypeError for bool, as `-x`."""
    def __pow__(self, other: Operand) -> Tensor:
        """Each element raised to the power of the exponent's."""
    def __radd__(self, other: Operand) -> Tensor:
        """The sum of each pair of elements; logical or for bool."""
    def __rand__(self, other: Operand) -> Tensor:
        """The bits that both elements of each pair have; logical and for bool."""
    def __rdivmod__(self, other: Operand) -> builtins.tuple[Tensor, Tensor]:
        """`(other // self, other % self)`."""
    def __repr__(self) -> builtins.str:
        """The elements (the corners of large tensors), and what is not to be guessed from them."""
    def __rfloordiv__(self, other: Operand) -> Tensor:
        """The quotient of each pair of elements, rounded down. Its gradient is 0."""
    def __rlshift__(self, other: Operand) -> Tensor:
        """Each element's bits moved to the left: times 2 ** other. Bits beyond the dtype's width are lost."""
    def __rmatmul__(self, other: Tensor | np.ndarray) -> Tensor:
        """The product of two matrices, or of two equally long stacks of matrices."""
    def __rmod__(self, other: Operand) -> Tensor:
        """What remains of each pair's quotient rounded down: it has the divisor's sign, as Python's `%`."""
    def __rmul__(self, other: Operand) -> Tensor:
        """The product of each pair of elements; logical and for bool."""
    def __ror__(self, other: Operand) -> Tensor:
        """The bits that an element of each pair has; logical or for bool."""
    def __rpow__(self, other: Operand) -> Tensor:
        """Each element raised to the power of the exponent's."""
    def __rrshift__(self, other: Operand) -> Tensor:
        """Each element's bits moved to the right, its sign kept: divided by 2 ** other and rounded down."""
    def __rshift__(self, other: Operand) -> Tensor:
        """Each element's bits moved to the right, its sign kept: divided by 2 ** other and rounded down."""
    def __rsub__(self, other: Operand) -> Tensor:
        """The difference of each pair of elements. Not defined for bool."""
    def __rtruediv__(self, other: Operand) -> Tensor:
        """`other / self`: the reciprocal times a number: both may then change before the gradient is taken."""
    def __rxor__(self, other: Operand) -> Tensor:
        """The bits that just one element of each pair has; logical xor for bool."""
    def __setitem__(self, index: Index, value: Operand) -> None:
        """`self[index] = value`: `value` is a tensor or number that broadcasts to what the index names."""
    def __sub__(self, other: Operand) -> Tensor:
        """The difference of each pair of elements. Not defined for bool."""
    def __truediv__(self, other: Operand) -> Tensor:
        """The quotient of each pair of elements, in floating point (integers are converted first)."""
    def __xor__(self, other: Operand) -> Tensor:
        """The bits that just one element of each pair has; logical xor for bool."""
    def _repr_html_(self) -> builtins.str:
        """What notebooks show: shape, dtype, device and gradient, and the elements as `set_printoptions` abbreviates them."""
    def abs(self, *, out: Tensor | None = None) -> Tensor:
        """The magnitude of each element; real for complex ones. The slope at 0 is 0."""
    def abs_(self) -> Tensor:
        """`abs` in place: changes this tensor and returns it."""
    def absolute(self, *, out: Tensor | None = None) -> Tensor:
        """The magnitude of each element; real for complex ones. The slope at 0 is 0."""
    def absolute_(self) -> Tensor:
        """`abs` in place: changes this tensor and returns it."""
    def add(self, other: Operand, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
        """The sum of each pair of elements; logical or for bool."""
    def add_(self, other: Operand, *, alpha: Scalar = 1) -> Tensor:
        """`add` in place: changes this tensor and returns it."""
    def all(self, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """Whether all elements are nonzero, over all or along `dim`: bool, for every dtype."""
    def amax(self, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """The largest element, or the largest along `dim`; NaN where there is one. Equal ones share the gradient."""
    def amin(self, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """The smallest element, or the smallest along `dim`; NaN where there is one. Equal ones share the gradient."""
    def any(self, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """Whether any element is nonzero, over all or along `dim`: bool, for every dtype."""
    def argmax(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: SupportsIndex | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """The index of the largest element (of the flattened tensor, or along `dim`); the first of equal ones."""
    def argmin(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: SupportsIndex | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """The index of the smallest element (of the flattened tensor, or along `dim`); the first of equal ones."""
    def as_strided(self, size: Lengths, stride: Lengths, storage_offset: builtins.int | None = None) -> Tensor:
        """A view of the storage with any shape, strides and offset (in elements)."""
    def as_strided_scatter(self, src: Tensor, size: Lengths, stride: Lengths, storage_offset: builtins.int | None = None) -> Tensor:
        """A copy of `input` in which the elements that `as_strided(size, stride, storage_offset)` shows are `src`."""
    def as_subclass(self, cls: builtins.type[AnyTensor]) -> AnyTensor:
        """This tensor as an instance of a subclass of Tensor: the same memory, history and family of views."""
    def bernoulli(self, p: builtins.float | None = None, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
        """1 with the probability that each element gives, else 0. ValueError for probabilities outside [0, 1]."""
    def bfloat16(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """This tensor as bfloat16."""
    def bitwise_and(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """The bits that both elements of each pair have; logical and for bool."""
    def bitwise_and_(self, other: Operand) -> Tensor:
        """`bitwise_and` in place: changes this tensor and returns it."""
    def bitwise_left_shift(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Each element's bits moved to the left: times 2 ** other. Bits beyond the dtype's width are lost."""
    def bitwise_left_shift_(self, other: Operand) -> Tensor:
        """`bitwise_left_shift` in place: changes this tensor and returns it."""
    def bitwise_not(self, *, out: Tensor | None = None) -> Tensor:
        """Each element with its bits turned; logical not for bool."""
    def bitwise_not_(self) -> Tensor:
        """`bitwise_not` in place: changes this tensor and returns it."""
    def bitwise_or(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """The bits that an element of each pair has; logical or for bool."""
    def bitwise_or_(self, other: Operand) -> Tensor:
        """`bitwise_or` in place: changes this tensor and returns it."""
    def bitwise_right_shift(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Each element's bits moved to the right, its sign kept: divided by 2 ** other and rounded down."""
    def bitwise_right_shift_(self, other: Operand) -> Tensor:
        """`bitwise_right_shift` in place: changes this tensor and returns it."""
    def bitwise_xor(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """The bits that just one element of each pair has; logical xor for bool."""
    def bitwise_xor_(self, other: Operand) -> Tensor:
        """`bitwise_xor` in place: changes this tensor and returns it."""
    def bmm(self, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The products of two equally long stacks of matrices; ValueError unless both have 3 dimensions."""
    def bool(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """This tensor as bool."""
    def broadcast_to(self, shape: Lengths | None = None, *, size: Lengths | None = None) -> Tensor:
        """A view broadcast to `shape`, which may be called `size`."""
    def byte(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """This tensor as uint8."""
    def cdouble(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """This tensor as complex128."""
    def cfloat(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """This tensor as complex64."""
    def char(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """This tensor as int8."""
    def chunk(self, chunks: builtins.int, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
        """At most `chunks` views of equal pieces along `dim` (the last may be shorter)."""
    def clamp(self, min: Operand | None = None, max: Operand | None = None, *, out: Tensor | None = None) -> Tensor:
        """Each element, or `min` where it is less, or `max` where it is greater. NaN stays NaN, and so does a bound of NaN."""
    def clamp_(self, min: Operand | None = None, max: Operand | None = None) -> Tensor:
        """`clamp` in place: changes this tensor and returns it."""
    def clamp_max(self, max: Operand, *, out: Tensor | None = None) -> Tensor:
        """Each element, or `max` where it is greater. NaN stays NaN, and so does a bound of NaN."""
    def clamp_max_(self, max: Operand) -> Tensor:
        """`clamp_max` in place: changes this tensor and returns it."""
    def clamp_min(self, min: Operand, *, out: Tensor | None = None) -> Tensor:
        """Each element, or `min` where it is less. NaN stays NaN, and so does a bound of NaN."""
    def clamp_min_(self, min: Operand) -> Tensor:
        """`clamp_min` in place: changes this tensor and returns it."""
    def clip(self, min: Operand | None = None, max: Operand | None = None, *, out: Tensor | None = None) -> Tensor:
        """Each element, or `min` where it is less, or `max` where it is greater. NaN stays NaN, and so does a bound of NaN."""
    def clip_(self, min: Operand | None = None, max: Operand | None = None) -> Tensor:
        """`clamp` in place: changes this tensor and returns it."""
    def clone(self, *, memory_format: MemoryFormat | None = None) -> Tensor:
        """A copy in memory of its own, through which gradients flow. The result is contiguous, or in `memory_format`."""
    def contiguous(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """This tensor if its elements lie in row-major order without gaps (or in `memory_format`), else such a copy."""
    def copy_(self, src: Operand, non_blocking: builtins.bool = False) -> Tensor:
        """Copy the elements of `src` into this tensor, casting and broadcasting. Returns this tensor."""
    def cos(self, *, out: Tensor | None = None) -> Tensor:
        """The cosine of each element, in radians."""
    def cos_(self) -> Tensor:
        """`cos` in place: changes this tensor and returns it."""
    def cpu(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """This tensor in host memory; itself where it is there. `memory_format` orders the elements of a copy."""
    def cuda(self, device: DeviceLike | builtins.int | None = None, non_blocking: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
        """This tensor on a CUDA device; itself where it is there. RuntimeError, with what to install, where there is none."""
    @property
    def data(self) -> Tensor: ...
    @data.setter
    def data(self, new: Tensor) -> None: ...
    def data_ptr(self) -> builtins.int:
        """The address of the first element, putting the buffer in plain order first if it is not."""
    def detach(self) -> Tensor:
        """A tensor over the same memory, without the graph: it wants no gradient. Both share one version."""
    def detach_(self) -> Tensor:
        """Take this tensor out of its graph. RuntimeError for views, whose family would disagree."""
    def diag(self, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
        """The matrix with a vector as its diagonal, or a copy of the diagonal of a matrix."""
    def diag_embed(self, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> Tensor:
        """Matrices of zeros, in the plane of two new dimensions, with the last dimension of `input` as a diagonal."""
    def diagflat(self, offset: builtins.int = 0) -> Tensor:
        """The matrix with the elements of `input`, in row-major order, as its diagonal."""
    def diagonal(self, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """A view of a diagonal in the plane of two dimensions, which go; it becomes the last dimension."""
    def diagonal_scatter(self, src: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """A copy of `input` in which `diagonal(offset, dim1, dim2)` is `src`."""
    def div(self, other: Operand, *, rounding_mode: builtins.str | None = None, out: Tensor | None = None) -> Tensor:
        """The quotient of each pair of elements, in floating point (integers are converted first)."""
    def div_(self, other: Operand, *, rounding_mode: builtins.str | None = None) -> Tensor:
        """`div` in place: changes this tensor and returns it."""
    def divide(self, other: Operand, *, rounding_mode: builtins.str | None = None, out: Tensor | None = None) -> Tensor:
        """The quotient of each pair of elements, in floating point (integers are converted first)."""
    def divide_(self, other: Operand, *, rounding_mode: builtins.str | None = None) -> Tensor:
        """`div` in place: changes this tensor and returns it."""
    def dot(self, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The dot product of two vectors, without conjugation."""
    def double(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """This tensor as float64."""
    def dsplit(self, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor) -> builtins.tuple[Tensor, ...]:
        """`tensor_split` into equal pieces along the third dimension."""
    def eq(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Whether each pair of elements is equal; False where either is NaN."""
    def eq_(self, other: Operand) -> Tensor:
        """`eq` in place: 1 and 0 in this tensor's dtype. Returns this tensor."""
    def erf(self, *, out: Tensor | None = None) -> Tensor:
        """The error function of each element. Integers are computed in the default floating dtype."""
    def erf_(self) -> Tensor:
        """`erf` in place: changes this tensor and returns it."""
    def exp(self, *, out: Tensor | None = None) -> Tensor:
        """e to the power of each element. Integers are computed in the default floating dtype."""
    def exp_(self) -> Tensor:
        """`exp` in place: changes this tensor and returns it."""
    def expand(self, *shape: Lengths, size: Lengths | None = None) -> Tensor:
        """A view in which dimensions of length 1 are repeated, and new leading ones added; -1 keeps a length."""
    def expand_as(self, other: Tensor) -> Tensor:
        """A view expanded to the shape of `other`."""
    def expm1(self, *, out: Tensor | None = None) -> Tensor:
        """exp(x) - 1 of each element, accurate near 0."""
    def expm1_(self) -> Tensor:
        """`expm1` in place: changes this tensor and returns it."""
    def fill_(self, value: Operand) -> Tensor:
        """Set every element to `value`, a number or a zero-dimensional tensor. Returns this tensor."""
    def flatten(self, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
        """Dimensions `start_dim` to `end_dim` as one."""
    def flip(self, *order: Lengths, dims: Lengths | None = None) -> Tensor:
        """A copy in which the elements along `dims` are in reverse order."""
    def fliplr(self) -> Tensor:
        """A copy with the columns of a matrix (of the second dimension) in reverse order."""
    def flipud(self) -> Tensor:
        """A copy with the rows (the first dimension) in reverse order."""
    def float(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """This tensor as float32."""
    def floor_divide(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """The quotient of each pair of elements, rounded down. Its gradient is 0."""
    def floor_divide_(self, other: Operand) -> Tensor:
        """`floor_divide` in place: changes this tensor and returns it."""
    def fmod(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """What remains of each pair's quotient rounded toward zero: it has the dividend's sign, as C's `fmod`."""
    def fmod_(self, other: Operand) -> Tensor:
        """`fmod` in place: changes this tensor and returns it."""
    def ge(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Whether each element of `input` is greater than or equal to the other's."""
    def ge_(self, other: Operand) -> Tensor:
        """`ge` in place: 1 and 0 in this tensor's dtype. Returns this tensor."""
    def greater(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Whether each element of `input` is greater than the other's."""
    def greater_(self, other: Operand) -> Tensor:
        """`gt` in place: 1 and 0 in this tensor's dtype. Returns this tensor."""
    def greater_equal(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Whether each element of `input` is greater than or equal to the other's."""
    def greater_equal_(self, other: Operand) -> Tensor:
        """`ge` in place: 1 and 0 in this tensor's dtype. Returns this tensor."""
    def gt(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Whether each element of `input` is greater than the other's."""
    def gt_(self, other: Operand) -> Tensor:
        """`gt` in place: 1 and 0 in this tensor's dtype. Returns this tensor."""
    def half(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """This tensor as float16."""
    def hsplit(self, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor) -> builtins.tuple[Tensor, ...]:
        """`tensor_split` into equal pieces along the second dimension, or the first where there is one alone."""
    def int(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """This tensor as int32."""
    def isfinite(self, *, out: Tensor | None = None) -> Tensor:
        """Whether each element is neither infinite nor NaN."""
    def isinf(self, *, out: Tensor | None = None) -> Tensor:
        """Whether each element is infinite; for complex ones, whether a part is."""
    def isnan(self, *, out: Tensor | None = None) -> Tensor:
        """Whether each element is NaN; for complex ones, whether a part is."""
    def item(self) -> Number:
        """The one element, as a Python number. ValueError where there are more or none."""
    @property
    def layout(self) -> builtins.object: ...
    def le(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Whether each element of `input` is less than or equal to the other's."""
    def le_(self, other: Operand) -> Tensor:
        """`le` in place: 1 and 0 in this tensor's dtype. Returns this tensor."""
    def less(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Whether each element of `input` is less than the other's."""
    def less_(self, other: Operand) -> Tensor:
        """`lt` in place: 1 and 0 in this tensor's dtype. Returns this tensor."""
    def less_equal(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Whether each element of `input` is less than or equal to the other's."""
    def less_equal_(self, other: Operand) -> Tensor:
        """`le` in place: 1 and 0 in this tensor's dtype. Returns this tensor."""
    def log(self, *, out: Tensor | None = None) -> Tensor:
        """The natural logarithm of each element: -inf at 0, NaN below (complex tensors: principal branch)."""
    def log1p(self, *, out: Tensor | None = None) -> Tensor:
        """log(1 + x) of each element, accurate near 0."""
    def log1p_(self) -> Tensor:
        """`log1p` in place: changes this tensor and returns it."""
    def log_(self) -> Tensor:
        """`log` in place: changes this tensor and returns it."""
    def log_softmax(self, dim: builtins.int | None = None, dtype: DTypeLike | None = None, *, axis: Dims | None = None, out: Tensor | None = None) -> Tensor:
        """The logarithm of softmax along `dim`: shape and dtype as `input`. Half precisions are computed in float32."""
    def logical_and(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Whether both elements of each pair are nonzero."""
    def logical_and_(self, other: Operand) -> Tensor:
        """`logical_and` in place: 1 and 0 in this tensor's dtype. Returns this tensor."""
    def logical_not(self, *, out: Tensor | None = None) -> Tensor:
        """Whether each element is zero."""
    def logical_not_(self) -> Tensor:
        """`logical_not` in place: 1 and 0 in this tensor's dtype. Returns this tensor."""
    def logical_or(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Whether an element of each pair is nonzero."""
    def logical_or_(self, other: Operand) -> Tensor:
        """`logical_or` in place: 1 and 0 in this tensor's dtype. Returns this tensor."""
    def logical_xor(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Whether just one element of each pair is nonzero."""
    def logical_xor_(self, other: Operand) -> Tensor:
        """`logical_xor` in place: 1 and 0 in this tensor's dtype. Returns this tensor."""
    def long(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """This tensor as int64."""
    def lt(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Whether each element of `input` is less than the other's."""
    def lt_(self, other: Operand) -> Tensor:
        """`lt` in place: 1 and 0 in this tensor's dtype. Returns this tensor."""
    @property
    def mT(self) -> Tensor: ...
    def matmul(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The matrix product, as Python's `@`."""
    @overload
    def max(self, dim: None = None, keepdim: builtins.bool = False, *, axis: None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """The largest element; with `dim` the pair (values, indices) along it; with a tensor, `maximum`."""
    @overload
    def max(self, dim: Tensor, *, out: Tensor | None = None) -> Tensor:
        ...
    @overload
    def max(self, *, other: Tensor, out: Tensor | None = None) -> Tensor:
        ...
    @overload
    def max(self, dim: builtins.int, keepdim: builtins.bool = False, *, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
        ...
    @overload
    def max(self, *, keepdim: builtins.bool = False, axis: builtins.int, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
        ...
    def maximum(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """The larger of each pair of elements; NaN where either is. Equal elements share the gradient."""
    def maximum_(self, other: Operand) -> Tensor:
        """`maximum` in place: changes this tensor and returns it."""
    def mean(self, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
        """The mean of all elements, or along `dim`. NaN where there is none. TypeError for integers: convert first."""
    @overload
    def min(self, dim: None = None, keepdim: builtins.bool = False, *, axis: None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """The smallest element; with `dim` the pair (values, indices) along it; with a tensor, `minimum`."""
    @overload
    def min(self, dim: Tensor, *, out: Tensor | None = None) -> Tensor:
        ...
    @overload
    def min(self, *, other: Tensor, out: Tensor | None = None) -> Tensor:
        ...
    @overload
    def min(self, dim: builtins.int, keepdim: builtins.bool = False, *, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
        ...
    @overload
    def min(self, *, keepdim: builtins.bool = False, axis: builtins.int, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
        ...
    def minimum(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """The smaller of each pair of elements; NaN where either is. Equal elements share the gradient."""
    def minimum_(self, other: Operand) -> Tensor:
        """`minimum` in place: changes this tensor and returns it."""
    def mm(self, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The product of two matrices; ValueError unless both have 2 dimensions."""
    def moveaxis(self, source: Dims, destination: Dims) -> Tensor:
        """A view with the dimensions `source` moved to `destination`, the others keeping their order."""
    def movedim(self, source: Dims, destination: Dims) -> Tensor:
        """A view with the dimensions `source` moved to `destination`, the others keeping their order."""
    def mul(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """The product of each pair of elements; logical and for bool."""
    def mul_(self, other: Operand) -> Tensor:
        """`mul` in place: changes this tensor and returns it."""
    def multiply(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """The product of each pair of elements; logical and for bool."""
    def multiply_(self, other: Operand) -> Tensor:
        """`mul` in place: changes this tensor and returns it."""
    def mv(self, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The product of a matrix and a vector."""
    @overload
    def narrow(self, dim: builtins.int, start: SupportsIndex, length: builtins.int) -> Tensor:
        """A view of `length` elements along `dim` from `start` on (an integer, or an integer tensor of no dimensions)."""
    @overload
    def narrow(self, *, axis: builtins.int, start: SupportsIndex, length: builtins.int) -> Tensor:
        ...
    def ne(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Whether each pair of elements differs; True where either is NaN."""
    def ne_(self, other: Operand) -> Tensor:
        """`ne` in place: 1 and 0 in this tensor's dtype. Returns this tensor."""
    def neg(self, *, out: Tensor | None = None) -> Tensor:
        """Each element with its sign turned. Not defined for bool."""
    def neg_(self) -> Tensor:
        """`neg` in place: changes this tensor and returns it."""
    def negative(self, *, out: Tensor | None = None) -> Tensor:
        """Each element with its sign turned. Not defined for bool."""
    def negative_(self) -> Tensor:
        """`neg` in place: changes this tensor and returns it."""
    def new_empty(self, *lengths: Lengths, size: Lengths | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
        """`empty` in the dtype and on the device of this tensor."""
    def new_full(self, size: Lengths, fill_value: Operand, *, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
        """`full` in the dtype and on the device of this tensor."""
    def new_ones(self, *lengths: Lengths, size: Lengths | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
        """`ones` in the dtype and on the device of this tensor."""
    def new_tensor(self, data: Data, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False) -> Tensor:
        """`tensor` of `data`, on the device of this tensor and in its dtype unless others are given."""
    def new_zeros(self, *lengths: Lengths, size: Lengths | None = None, dtype: DTypeLike | None = None, layout: builtins.object | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
        """`zeros` in the dtype and on the device of this tensor."""
    @overload
    def nonzero(self, *, out: Tensor | None = None, as_tuple: Literal[False] = False) -> Tensor:
        """Where the elements are that are not zero, in row-major order: (n, dimensions) int64, a row for each."""
    @overload
    def nonzero(self, *, as_tuple: Literal[True]) -> builtins.tuple[Tensor, ...]:
        ...
    @overload
    def nonzero(self, *, as_tuple: builtins.bool) -> Tensor | builtins.tuple[Tensor, ...]:
        ...
    def normal_(self, mean: builtins.float = 0.0, std: builtins.float = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Fill with draws from the normal distribution of this mean and standard deviation."""
    def not_equal(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Whether each pair of elements differs; True where either is NaN."""
    def not_equal_(self, other: Operand) -> Tensor:
        """`ne` in place: 1 and 0 in this tensor's dtype. Returns this tensor."""
    def numpy(self, *, force: builtins.bool = False) -> np.ndarray:
        """A NumPy array over the same memory: no copy, writing to one shows in the other."""
    def permute(self, *order: Lengths, dims: Lengths | None = None) -> Tensor:
        """A view with the dimensions in another order, each named once."""
    def pow(self, exponent: Operand) -> Tensor:
        """Each element raised to the power of the exponent's."""
    def pow_(self, exponent: Operand) -> Tensor:
        """`pow` in place: changes this tensor and returns it."""
    def prod(self, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
        """The product of all elements, or along `dim` (an integer or several); 1 where there is none."""
    def random_(self, low: builtins.int = 0, high: builtins.int | None = None, *, generator: Generator | None = None, **ends: builtins.int) -> Tensor:
        """Fill with integers drawn evenly from `low` to before `high`; also called `from` and `to`."""
    def ravel(self) -> Tensor:
        """All elements in one dimension: a view where strides allow it, else a copy."""
    def reciprocal(self, *, out: Tensor | None = None) -> Tensor:
        """1 / x of each element."""
    def reciprocal_(self) -> Tensor:
        """`reciprocal` in place: changes this tensor and returns it."""
    def relu(self, *, out: Tensor | None = None) -> Tensor:
        """Each element, or 0 where it is negative. The slope at 0 is 0."""
    def relu_(self) -> Tensor:
        """`relu` in place: changes this tensor and returns it."""
    def remainder(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """What remains of each pair's quotient rounded down: it has the divisor's sign, as Python's `%`."""
    def remainder_(self, other: Operand) -> Tensor:
        """`remainder` in place: changes this tensor and returns it."""
    def repeat(self, *counts: Lengths, repeats: Lengths | Tensor | None = None) -> Tensor:
        """A copy with each dimension repeated as a whole; counts beyond the dimensions add new ones in front."""
    def repeat_interleave(self, repeats: Lengths | Tensor | None = None, dim: builtins.int | None = None, *, output_size: builtins.int | None = None) -> Tensor:
        """A copy with each element along `dim` repeated: all as often, or each as an integer tensor says."""
    def reshape(self, *lengths: Lengths, shape: Lengths | None = None) -> Tensor:
        """The same elements in another shape: a view where strides allow it, else a copy. One length may be -1."""
    def reshape_as(self, other: Tensor) -> Tensor:
        """The same elements in the shape of `other`, as `reshape`."""
    def resize_(self, *shape: Lengths, size: Lengths | None = None, memory_format: MemoryFormat | None = None) -> Tensor:
        """Give this tensor another shape, contiguous, over the same storage; returns the tensor."""
    def roll(self, shifts: Lengths, dims: Lengths | None = None) -> Tensor:
        """A copy in which the elements are moved on by `shifts` along `dims`; those that fall off come in at the front."""
    def rot90(self, k: builtins.int = 1, dims: Lengths = ...) -> Tensor:
        """A copy turned by `k` quarters in the plane of two dimensions, from the first towards the second."""
    def rsqrt(self, *, out: Tensor | None = None) -> Tensor:
        """1 / sqrt(x) of each element."""
    def rsqrt_(self) -> Tensor:
        """`rsqrt` in place: changes this tensor and returns it."""
    @overload
    def select(self, dim: builtins.int, index: builtins.int) -> Tensor:
        """A view of one element along `dim`, which goes. IndexError where there is none."""
    @overload
    def select(self, *, axis: builtins.int, index: builtins.int) -> Tensor:
        ...
    def select_scatter(self, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
        """A copy of `input` in which `select(dim, index)` is `src`."""
    def short(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """This tensor as int16."""
    def sigmoid(self, *, out: Tensor | None = None) -> Tensor:
        """1 / (1 + exp(-x)) of each element, without overflow."""
    def sigmoid_(self) -> Tensor:
        """`sigmoid` in place: changes this tensor and returns it."""
    def sign(self, *, out: Tensor | None = None) -> Tensor:
        """-1, 0 or 1 as each element is negative, zero or positive; NaN stays NaN."""
    def sign_(self) -> Tensor:
        """`sign` in place: changes this tensor and returns it."""
    def sin(self, *, out: Tensor | None = None) -> Tensor:
        """The sine of each element, in radians."""
    def sin_(self) -> Tensor:
        """`sin` in place: changes this tensor and returns it."""
    def slice_scatter(self, src: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
        """A copy of `input` in which the elements from `start` to `end`, every `step`-th, along `dim` are `src`."""
    def softmax(self, dim: builtins.int | None = None, dtype: DTypeLike | None = None, *, axis: Dims | None = None, out: Tensor | None = None) -> Tensor:
        """exp(x) / sum(exp(x)) along `dim`: shape and dtype as `input`. Half precisions are computed in float32."""
    def split(self, split_size: Lengths, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """Views of pieces along `dim`: of one length (the last may be shorter), or of the lengths given."""
    def sqrt(self, *, out: Tensor | None = None) -> Tensor:
        """The square root of each element: NaN for negative ones (complex tensors: principal branch)."""
    def sqrt_(self) -> Tensor:
        """`sqrt` in place: changes this tensor and returns it."""
    def square(self, *, out: Tensor | None = None) -> Tensor:
        """Each element times itself; int64 for bool."""
    def square_(self) -> Tensor:
        """`square` in place: changes this tensor and returns it."""
    def squeeze(self, dim: Dims | None = None, *, axis: Dims | None = None) -> Tensor:
        """A view without dimensions of length 1: all of them, or those among `dim`."""
    def sub(self, other: Operand, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
        """The difference of each pair of elements. Not defined for bool."""
    def sub_(self, other: Operand, *, alpha: Scalar = 1) -> Tensor:
        """`sub` in place: changes this tensor and returns it."""
    def subtract(self, other: Operand, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
        """The difference of each pair of elements. Not defined for bool."""
    def subtract_(self, other: Operand, *, alpha: Scalar = 1) -> Tensor:
        """`sub` in place: changes this tensor and returns it."""
    def sum(self, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
        """The sum of all elements, or along `dim` (an integer or several)."""
    def swapaxes(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """`transpose`, by the name that NumPy's programs have for it."""
    def swapdims(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """A view with two dimensions exchanged."""
    def t(self) -> Tensor:
        """The transpose of a matrix, as a view; vectors and numbers are their own."""
    def tanh(self, *, out: Tensor | None = None) -> Tensor:
        """The hyperbolic tangent of each element."""
    def tanh_(self) -> Tensor:
        """`tanh` in place: changes this tensor and returns it."""
    def tensor_split(self, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """Views of pieces along `dim`: as many, of nearly equal length, or cut before the indices that are given."""
    def tile(self, *counts: Lengths, dims: Lengths | None = None) -> Tensor:
        """A copy with dimensions repeated as a whole; `dims` are counts of the last ones, or add new ones in front."""
    def to(self, *args: Tensor | DTypeLike | DeviceLike | None, dtype: DTypeLike | None = None, device: DeviceLike | None = None, copy: builtins.bool = False, non_blocking: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
        """This tensor in another dtype, on another device, or as another tensor is; itself where nothing changes."""
    def tolist(self) -> builtins.list[Any]:
        """The elements as nested lists of Python numbers; a number for zero dimensions."""
    def trace(self) -> Tensor:
        """The sum of the main diagonal of a matrix; of integers in int64."""
    def transpose(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """A view with two dimensions exchanged."""
    def tril(self, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
        """A copy of matrices (the last two dimensions) with zeros above a diagonal: 0 is the main one, 1 the next above."""
    def tril_(self, diagonal: builtins.int = 0) -> Tensor:
        """`tril` in place: changes this tensor and returns it."""
    def triu(self, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
        """A copy of matrices (the last two dimensions) with zeros below a diagonal: 0 is the main one, 1 the next above."""
    def triu_(self, diagonal: builtins.int = 0) -> Tensor:
        """`triu` in place: changes this tensor and returns it."""
    def true_divide(self, other: Operand, *, rounding_mode: builtins.str | None = None, out: Tensor | None = None) -> Tensor:
        """The quotient of each pair of elements, in floating point (integers are converted first)."""
    def true_divide_(self, other: Operand, *, rounding_mode: builtins.str | None = None) -> Tensor:
        """`div` in place: changes this tensor and returns it."""
    @overload
    def type(self, dtype: None = None, non_blocking: builtins.bool = False) -> builtins.str:
        'This tensor in another dtype, itself where it has that; without `dtype`, what it is: "torch.FloatTensor".'
    @overload
    def type(self, dtype: DTypeLike | builtins.type[Tensor], non_blocking: builtins.bool = False) -> Tensor:
        ...
    def type_as(self, other: Tensor) -> Tensor:
        """This tensor in the dtype of another."""
    def unbind(self, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
        """Views of the elements along `dim`."""
    def unflatten(self, dim: builtins.int, sizes: Lengths) -> Tensor:
        """A view in which `dim` is several dimensions of the lengths `sizes`, of which one may be -1."""
    def unfold(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
        """A view of all windows of `size` elements, `step` apart, along a dimension: a new last dimension of `size`."""
    def uniform_(self, a: builtins.float = 0.0, b: builtins.float = 1.0, *, generator: Generator | None = None, **ends: builtins.float) -> Tensor:
        """Fill with numbers drawn evenly from [a, b); PyTorch's `from` and `to` are other names of the two."""
    def unsqueeze(self, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Tensor:
        """A view with a new dimension of length 1 at `dim`."""
    def view(self, *shape: Lengths) -> Tensor:
        """The same elements in another shape, without copying; one length may be -1. `view(dtype)`: the same bits."""
    def view_as(self, other: Tensor) -> Tensor:
        """The same elements in the shape of `other`."""
    def vsplit(self, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor) -> builtins.tuple[Tensor, ...]:
        """`tensor_split` into equal pieces along the first dimension of two or more."""
    def where(self, condition: Tensor, other: Operand) -> Tensor:
        """This tensor's element where `condition` is true, that of `other` elsewhere."""
    def zero_(self) -> Tensor:
        """Set every element to 0. Returns this tensor."""
