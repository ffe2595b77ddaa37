"""The methods that declarations put on Tensor. Written by facula_tensor._stubs."""

# fmt: off
# ruff: noqa
import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, SupportsIndex, overload

import numpy as np
from typing_extensions import Buffer

from .types import AnyTensor, DTypeLike, Data, DeviceLike, Dims, Extremes, Frexp, Index, Lengths, MemoryFormat, NamedResults, Number, Operand, Scalar, SupportsDLPack
from facula_storage import DType

from .._creation.generator import Generator
from .tensor import Tensor
from .._interop.untyped_storage import TypedStorage, UntypedStorage

class Methods:
    def __hash__(self) -> builtins.int: ...
    @property
    def H(self) -> Tensor: ...
    @property
    def T(self) -> Tensor: ...
    def __abs__(self, *, out: Tensor | None = None) -> Tensor:
        """Return the magnitude of each element, which is real for complex elements. The slope at 0 is 0."""
    def __add__(self, other: Operand) -> Tensor:
        """Add the elements of each pair; for bool, logical or."""
    def __and__(self, other: Operand) -> Tensor:
        """Return the bitwise and of each pair of elements; for bool, the logical and."""
    def __array__(self, dtype: np.dtype[Any] | None = None, copy: builtins.bool | None = None) -> np.ndarray:
        """Return a NumPy array of the elements, for `numpy.asarray(tensor)` and libraries such as Matplotlib."""
    def __array_wrap__(self, array: np.ndarray, context: builtins.object = None, return_scalar: builtins.bool = False) -> Tensor:
        """Wrap the result of a NumPy function of this tensor, such as `numpy.sin(tensor)`, as a tensor."""
    def __bool__(self) -> builtins.bool:
        """Return whether the element is nonzero. ValueError unless there is exactly one."""
    def __buffer__(self, flags: builtins.int) -> builtins.memoryview:
        """Return a memoryview of the tensor's memory (Python 3.12 calls it for `memoryview(tensor)`, NumPy for"""
    def __bytes__(self) -> builtins.bytes:
        """Return a byte for each integer element, like `bytes(list)`; for zero dimensions, that number of zeros."""
    def __complex__(self) -> builtins.complex:
        """Return the element as a complex number."""
    def __contains__(self, value: Operand) -> builtins.bool:
        """Return whether any element equals `value`, a tensor or a number; TypeError for other values."""
    def __copy__(self) -> Tensor:
        """`copy.copy`: another tensor over the same memory, sharing its version."""
    @property
    def __cuda_array_interface__(self) -> builtins.dict[builtins.str, Any]: ...
    def __deepcopy__(self, memo: builtins.dict[builtins.int, builtins.object]) -> Tensor:
        """`copy.deepcopy`: a copy in memory of its own, with a copy of its `.grad`."""
    def __divmod__(self, other: Operand) -> builtins.tuple[Tensor, Tensor]:
        """Return `(self // other, self % other)`."""
    def __dlpack__(self, *, stream: builtins.object = None, max_version: builtins.tuple[builtins.int, builtins.int] | None = None, dl_device: builtins.tuple[builtins.int, builtins.int] | None = None, copy: builtins.bool | None = None) -> builtins.object:
        """Return a DLPack capsule that shares the memory; `copy=True` exports a copy. BufferError for a tensor that"""
    def __dlpack_device__(self) -> builtins.tuple[builtins.int, builtins.int]:
        """Return the pair (device type, index) of the DLPack standard."""
    def __eq__(self, other: Operand) -> Tensor:  # type: ignore[override]
        """Return True for each pair of equal elements; False if either is NaN."""
    def __float__(self) -> builtins.float:
        """Return the element as a float."""
    def __floordiv__(self, other: Operand) -> Tensor:
        """Divide the elements of each pair and round down. The gradient is 0."""
    def __format__(self, spec: builtins.str) -> builtins.str:
        'Format the element, for `f"{tensor:.2f}"`. TypeError for a tensor with dimensions and a `spec`.'
    def __ge__(self, other: Operand) -> Tensor:
        """Return True for each element of `input` that is greater than or equal to that of `other`."""
    def __getitem__(self, index: Index) -> Tensor:
        """Return `input[index]`; integers, slices, None and `...` use the fast path here, others `general_getitem`."""
    def __gt__(self, other: Operand) -> Tensor:
        """Return True for each element of `input` that is greater than that of `other`."""
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
        """Return the element of an integer tensor as an int. TypeError for other dtypes."""
    def __int__(self) -> builtins.int:
        """Return the element as an int, truncated. OverflowError or ValueError for infinity and NaN."""
    def __invert__(self, *, out: Tensor | None = None) -> Tensor:
        """Invert the bits of each element; for bool, return the logical not."""
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
        """Return True for each element of `input` that is less than or equal to that of `other`."""
    def __len__(self) -> builtins.int:
        """The length of the first dimension."""
    def __lshift__(self, other: Operand) -> Tensor:
        """Shift the bits of each element to the left: multiply by 2 ** other. Bits beyond the dtype's width are lost."""
    def __lt__(self, other: Operand) -> Tensor:
        """Return True for each element of `input` that is less than that of `other`."""
    def __matmul__(self, other: Tensor | np.ndarray) -> Tensor:
        """Multiply two matrices, or two equally long batches of matrices."""
    def __mod__(self, other: Operand) -> Tensor:
        """Return the remainder of division with the quotient rounded down. It has the divisor's sign, as in Python."""
    def __mul__(self, other: Operand) -> Tensor:
        """Multiply the elements of each pair; for bool, logical and."""
    def __ne__(self, other: Operand) -> Tensor:  # type: ignore[override]
        """Return True for each pair of unequal elements; True if either is NaN."""
    def __neg__(self, *, out: Tensor | None = None) -> Tensor:
        """Return the negative of each element. Not defined for bool."""
    def __or__(self, other: Operand) -> Tensor:
        """Return the bitwise or of each pair of elements; for bool, the logical or."""
    def __pos__(self) -> Tensor:
        """Return the tensor itself. TypeError for bool, as for `-x`."""
    def __pow__(self, other: Operand) -> Tensor:
        """Raise each element to the power of its exponent."""
    def __radd__(self, other: Operand) -> Tensor:
        """Add the elements of each pair; for bool, logical or."""
    def __rand__(self, other: Operand) -> Tensor:
        """Return the bitwise and of each pair of elements; for bool, the logical and."""
    def __rdivmod__(self, other: Operand) -> builtins.tuple[Tensor, Tensor]:
        """Return `(other // self, other % self)`."""
    def __reduce_ex__(self, protocol: SupportsIndex) -> builtins.tuple[builtins.object, ...]:
        """The result of `__reduce_ex__`. RuntimeError for a tensor that is not a leaf and requires a gradient."""
    def __repr__(self) -> builtins.str:
        """Return the elements (the corners of large tensors), the properties that are not evident, and a subclass's"""
    def __rfloordiv__(self, other: Operand) -> Tensor:
        """Divide the elements of each pair and round down. The gradient is 0."""
    def __rlshift__(self, other: Operand) -> Tensor:
        """Shift the bits of each element to the left: multiply by 2 ** other. Bits beyond the dtype's width are lost."""
    def __rmatmul__(self, other: Tensor | np.ndarray) -> Tensor:
        """Multiply two matrices, or two equally long batches of matrices."""
    def __rmod__(self, other: Operand) -> Tensor:
        """Return the remainder of division with the quotient rounded down. It has the divisor's sign, as in Python."""
    def __rmul__(self, other: Operand) -> Tensor:
        """Multiply the elements of each pair; for bool, logical and."""
    def __ror__(self, other: Operand) -> Tensor:
        """Return the bitwise or of each pair of elements; for bool, the logical or."""
    def __rpow__(self, other: Operand) -> Tensor:
        """Raise each element to the power of its exponent."""
    def __rrshift__(self, other: Operand) -> Tensor:
        """Shift the bits of each element to the right, keeping its sign: divide by 2 ** other and round down."""
    def __rshift__(self, other: Operand) -> Tensor:
        """Shift the bits of each element to the right, keeping its sign: divide by 2 ** other and round down."""
    def __rsub__(self, other: Operand) -> Tensor:
        """Subtract the second element of each pair from the first. Not defined for bool."""
    def __rtruediv__(self, other: Operand) -> Tensor:
        """Return `other / self`."""
    def __rxor__(self, other: Operand) -> Tensor:
        """Return the bitwise exclusive or of each pair of elements; for bool, the logical exclusive or."""
    def __setitem__(self, index: Index, value: Operand) -> None:
        """Assign `self[index] = value`; `value`, a tensor or number, broadcasts to the indexed elements."""
    def __sub__(self, other: Operand) -> Tensor:
        """Subtract the second element of each pair from the first. Not defined for bool."""
    def __truediv__(self, other: Operand) -> Tensor:
        """Divide the elements of each pair in floating point; integers are converted first."""
    def __xor__(self, other: Operand) -> Tensor:
        """Return the bitwise exclusive or of each pair of elements; for bool, the logical exclusive or."""
    def _repr_html_(self) -> builtins.str:
        """Return HTML for notebooks: shape, dtype, device and gradient, and the elements, abbreviated by"""
    def abs(self, *, out: Tensor | None = None) -> Tensor:
        """Return the magnitude of each element, which is real for complex elements. The slope at 0 is 0."""
    def abs_(self) -> Tensor:
        """`abs` in place: changes this tensor and returns it."""
    def acos(self, *, out: Tensor | None = None) -> Tensor:
        """Return the arccosine of each element, from 0 to pi; NaN outside [-1, 1]."""
    def acos_(self) -> Tensor:
        """`acos` in place: changes this tensor and returns it."""
    def acosh(self, *, out: Tensor | None = None) -> Tensor:
        """Return the inverse hyperbolic cosine of each element; NaN for elements below 1."""
    def acosh_(self) -> Tensor:
        """`acosh` in place: changes this tensor and returns it."""
    def add(self, other: Operand, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
        """Add the elements of each pair; for bool, logical or."""
    def add_(self, other: Operand, *, alpha: Scalar = 1) -> Tensor:
        """`add` in place: changes this tensor and returns it."""
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
        """Compute `beta * input + alpha * (batch1 @ batch2).sum(0)` of batches (b, n, k) and (b, k, m)."""
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
        """`addbmm` in place: changes `self` and returns it. Arguments: those of `addbmm`."""
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1, out: Tensor | None = None) -> Tensor:
        """Return `input + value * tensor1 / tensor2`. The tensors broadcast and promote."""
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
        """`addcdiv` in place: changes `self` and returns it. Arguments: those of `addcdiv`."""
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1, out: Tensor | None = None) -> Tensor:
        """Return `input + value * tensor1 * tensor2`. The tensors broadcast and promote."""
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
        """`addcmul` in place: changes `self` and returns it. Arguments: those of `addcmul`."""
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
        """Compute `beta * input + alpha * (mat1 @ mat2)` of matrices (n, k) and (k, m); `input` broadcasts to (n, m)."""
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
        """`addmm` in place: changes `self` and returns it. Arguments: those of `addmm`."""
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
        """Compute `beta * input + alpha * (mat @ vec)` of a matrix (n, k) and a vector (k,); `input` broadcasts to (n,)."""
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
        """`addmv` in place: changes `input` and returns it. Arguments: those of `addmv`."""
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
        """Compute `beta * input + alpha * outer(vec1, vec2)` of vectors (n,) and (m,); `input` broadcasts to (n, m)."""
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
        """`addr` in place: changes `self` and returns it. Arguments: those of `addr`."""
    def adjoint(self) -> Tensor:
        """Exchange the last two dimensions of matrices and conjugate them. The result is a view for real matrices."""
    def all(self, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """Return whether all elements are nonzero, over all or along `dim`, as bool; as 0 and 1 for uint8."""
    def allclose(self, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> builtins.bool:
        """Return whether |input - other| <= atol + rtol |other| for all pairs of elements."""
    def amax(self, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """Return the largest element, of all or along `dim`. NaN propagates. Equal elements share the gradient."""
    def amin(self, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """Return the smallest element, of all or along `dim`. NaN propagates. Equal elements share the gradient."""
    def aminmax(self, *, dim: builtins.int | None = None, keepdim: builtins.bool = False, out: Sequence[Tensor] | None = None) -> NamedResults:
        """Return the minimum and the maximum, of all elements or along `dim`, as the pair (min, max)."""
    def angle(self, *, out: Tensor | None = None) -> Tensor:
        """Return the angle of each complex element in radians, from -pi to pi; for real elements 0, or pi if negative."""
    def any(self, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """Return whether any element is nonzero, over all or along `dim`, as bool; as 0 and 1 for uint8."""
    def apply_(self, callable: Callable[..., builtins.complex]) -> Tensor:
        """Replace each element by `callable(element)` and return this tensor. The call is slow and has no gradient."""
    def argmax(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: SupportsIndex | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """Return the index of the largest element, of the flattened tensor or along `dim`; the first of equal ones."""
    def argmin(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: SupportsIndex | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """Return the index of the smallest element, of the flattened tensor or along `dim`; the first of equal ones."""
    def argsort(self, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False, *, axis: builtins.int | None = None, out: Tensor | None = None) -> Tensor:
        """Return the indices (int64) that sort the elements along `dim`: those of `sort`."""
    def argwhere(self) -> Tensor:
        """Return the positions of nonzero elements in row-major order: (n, dimensions) int64, one row for each."""
    def as_strided(self, size: Lengths, stride: Lengths, storage_offset: builtins.int | None = None) -> Tensor:
        """Return a view of the storage with the given shape, strides and offset (in elements)."""
    def as_strided_(self, size: Lengths, stride: Lengths, storage_offset: builtins.int | None = None) -> Tensor:
        """Replace shape, strides and offset of this tensor over its storage, as `as_strided` does, and return it."""
    def as_strided_scatter(self, src: Tensor, size: Lengths, stride: Lengths, storage_offset: builtins.int | None = None) -> Tensor:
        """Return a copy of `input` in which the view `as_strided(size, stride, storage_offset)` is `src`."""
    def as_subclass(self, cls: builtins.type[AnyTensor]) -> AnyTensor:
        """Return this tensor as an instance of a subclass of Tensor with the same memory, history and view family."""
    def asin(self, *, out: Tensor | None = None) -> Tensor:
        """Return the arcsine of each element, from -pi/2 to pi/2; NaN outside [-1, 1]."""
    def asin_(self) -> Tensor:
        """`asin` in place: changes this tensor and returns it."""
    def asinh(self, *, out: Tensor | None = None) -> Tensor:
        """Return the inverse hyperbolic sine of each element."""
    def asinh_(self) -> Tensor:
        """`asinh` in place: changes this tensor and returns it."""
    def atan(self, *, out: Tensor | None = None) -> Tensor:
        """Return the arctangent of each element, from -pi/2 to pi/2."""
    def atan2(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the angle of the point (other, input), from -pi to pi: the arctangent of input / other in its quadrant."""
    def atan2_(self, other: Operand) -> Tensor:
        """`atan2` in place: changes this tensor and returns it."""
    def atan_(self) -> Tensor:
        """`atan` in place: changes this tensor and returns it."""
    def atanh(self, *, out: Tensor | None = None) -> Tensor:
        """Return the inverse hyperbolic tangent of each element; NaN outside [-1, 1]."""
    def atanh_(self) -> Tensor:
        """`atanh` in place: changes this tensor and returns it."""
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
        """Compute `beta * input + alpha * (batch1 @ batch2)` of batches (b, n, k) and (b, k, m)."""
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
        """`baddbmm` in place: changes `self` and returns it. Arguments: those of `baddbmm`."""
    def bernoulli(self, p: builtins.float | None = None, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
        """Draw 1 with the probability given by each element, otherwise 0. ValueError for probabilities outside [0, 1]."""
    def bernoulli_(self, p: builtins.float | Tensor = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill with 1 with probability `p`, otherwise 0; supports all dtypes."""
    def bfloat16(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """Return this tensor cast to bfloat16."""
    def bincount(self, weights: Tensor | None = None, minlength: builtins.int = 0) -> Tensor:
        """Return the counts of 0, 1, 2, ... among integers (n,), or the sums of their weights."""
    def bitwise_and(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the bitwise and of each pair of elements; for bool, the logical and."""
    def bitwise_and_(self, other: Operand) -> Tensor:
        """`bitwise_and` in place: changes this tensor and returns it."""
    def bitwise_left_shift(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Shift the bits of each element to the left: multiply by 2 ** other. Bits beyond the dtype's width are lost."""
    def bitwise_left_shift_(self, other: Operand) -> Tensor:
        """`bitwise_left_shift` in place: changes this tensor and returns it."""
    def bitwise_not(self, *, out: Tensor | None = None) -> Tensor:
        """Invert the bits of each element; for bool, return the logical not."""
    def bitwise_not_(self) -> Tensor:
        """`bitwise_not` in place: changes this tensor and returns it."""
    def bitwise_or(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the bitwise or of each pair of elements; for bool, the logical or."""
    def bitwise_or_(self, other: Operand) -> Tensor:
        """`bitwise_or` in place: changes this tensor and returns it."""
    def bitwise_right_shift(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Shift the bits of each element to the right, keeping its sign: divide by 2 ** other and round down."""
    def bitwise_right_shift_(self, other: Operand) -> Tensor:
        """`bitwise_right_shift` in place: changes this tensor and returns it."""
    def bitwise_xor(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the bitwise exclusive or of each pair of elements; for bool, the logical exclusive or."""
    def bitwise_xor_(self, other: Operand) -> Tensor:
        """`bitwise_xor` in place: changes this tensor and returns it."""
    def bmm(self, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Multiply two equally long batches of matrices; ValueError unless both have 3 dimensions."""
    def bool(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """Return this tensor cast to bool."""
    def broadcast_to(self, shape: Lengths | None = None, *, size: Lengths | None = None) -> Tensor:
        """Return a view expanded to `shape`."""
    def byte(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """Return this tensor cast to uint8."""
    def cauchy_(self, median: builtins.float = 0, sigma: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with draws from the Cauchy distribution with this median and half width at half maximum."""
    def cdouble(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """Return this tensor cast to complex128."""
    def ceil(self, *, out: Tensor | None = None) -> Tensor:
        """Return the smallest integer not less than each element. Integers are unchanged."""
    def ceil_(self) -> Tensor:
        """`ceil` in place: changes this tensor and returns it."""
    def cfloat(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """Return this tensor cast to complex64."""
    def char(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """Return this tensor cast to int8."""
    def cholesky(self, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
        """Compute Cholesky factors of Hermitian positive definite matrices: L with L L^H = A, or U with U^H U = A."""
    def cholesky_inverse(self, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
        """Compute the inverse of A from its Cholesky factor."""
    def cholesky_solve(self, L: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
        """Solve A X = B for X from the Cholesky factor of A."""
    def chunk(self, chunks: builtins.int, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
        """Split a tensor along `dim` into at most `chunks` views of equal length (the last may be shorter)."""
    def clamp(self, min: Operand | None = None, max: Operand | None = None, *, out: Tensor | None = None) -> Tensor:
        """Limit each element to the interval from `min` to `max`. NaN propagates, from elements and from bounds."""
    def clamp_(self, min: Operand | None = None, max: Operand | None = None) -> Tensor:
        """`clamp` in place: changes `input` and returns it. Arguments: those of `clamp`."""
    def clamp_max(self, max: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return each element, or `max` if it is greater. NaN propagates, from elements and from bounds."""
    def clamp_max_(self, max: Operand) -> Tensor:
        """`clamp_max` in place: changes `input` and returns it. Arguments: those of `clamp_max`."""
    def clamp_min(self, min: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return each element, or `min` if it is less. NaN propagates, from elements and from bounds."""
    def clamp_min_(self, min: Operand) -> Tensor:
        """`clamp_min` in place: changes `input` and returns it. Arguments: those of `clamp_min`."""
    def clone(self, *, memory_format: MemoryFormat | None = None) -> Tensor:
        """Return a copy in newly allocated memory; gradients flow through it."""
    def conj(self) -> Tensor:
        """Return the complex conjugate, in newly allocated memory; a real tensor is returned unchanged."""
    def conj_physical(self, *, out: Tensor | None = None) -> Tensor:
        """Return the complex conjugate, in newly allocated memory; a real tensor is returned unchanged."""
    def conj_physical_(self) -> Tensor:
        """`conj_physical` in place."""
    def const_data_ptr(self) -> builtins.int:
        """Return the address of the first element, for reading."""
    def contiguous(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """Return this tensor if it is contiguous (in row-major order or in `memory_format`), else such a copy."""
    def copy_(self, src: Operand, non_blocking: builtins.bool = False) -> Tensor:
        """Copy the elements of `src` into this tensor, casting and broadcasting. Returns this tensor."""
    def copysign(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the magnitude of each element of `input` with the sign of `other`, including that of -0."""
    def copysign_(self, other: Operand) -> Tensor:
        """`copysign` in place: changes this tensor and returns it."""
    def corrcoef(self) -> Tensor:
        """Return the correlation coefficients of variables, the rows of `input` (variables, observations)."""
    def cos(self, *, out: Tensor | None = None) -> Tensor:
        """Return the cosine of each element, in radians."""
    def cos_(self) -> Tensor:
        """`cos` in place: changes this tensor and returns it."""
    def cosh(self, *, out: Tensor | None = None) -> Tensor:
        """Return the hyperbolic cosine of each element."""
    def cosh_(self) -> Tensor:
        """`cosh` in place: changes this tensor and returns it."""
    def count_nonzero(self, dim: Dims | None = None, *, axis: Dims | None = None) -> Tensor:
        """Return the number of nonzero elements (int64), of all or along `dim` (an integer or several)."""
    def cov(self, *, correction: builtins.int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
        """Return the covariance matrix of variables."""
    def cpu(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """Return this tensor in host memory, or itself if it is already there."""
    def cross(self, other: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
        """Compute the cross product of vectors of three elements, along `dim` or the first dimension of length 3."""
    def cuda(self, device: DeviceLike | builtins.int | None = None, non_blocking: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
        """Return this tensor on a CUDA device, or itself if it is already there."""
    def cummax(self, dim: builtins.int | None = None, *, axis: builtins.int | None = None, out: Sequence[Tensor] | None = None) -> Extremes:
        """Return the cumulative maximum along `dim` and the index of its last occurrence. NaN propagates."""
    def cummin(self, dim: builtins.int | None = None, *, axis: builtins.int | None = None, out: Sequence[Tensor] | None = None) -> Extremes:
        """Return the cumulative minimum along `dim` and the index of its last occurrence. NaN propagates."""
    def cumprod(self, dim: builtins.int | None = None, *, axis: builtins.int | None = None, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
        """Return cumulative products along `dim`, with the dtypes of `cumsum`. Gradients are exact for zeros."""
    def cumprod_(self, dim: builtins.int | None = None, *, dtype: DTypeLike | None = None) -> Tensor:
        """`cumprod` in place: changes `self` and returns it. Arguments: those of `cumprod`."""
    def cumsum(self, dim: builtins.int | None = None, *, axis: builtins.int | None = None, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
        """Return cumulative sums along `dim`. Integers and bool are added in int64 and wrap if `dtype` is narrower."""
    def cumsum_(self, dim: builtins.int | None = None, *, dtype: DTypeLike | None = None) -> Tensor:
        """`cumsum` in place: changes `self` and returns it. Arguments: those of `cumsum`."""
    @property
    def data(self) -> Tensor: ...
    @data.setter
    def data(self, new: Tensor) -> None: ...
    def data_ptr(self) -> builtins.int:
        """Return the address of the first element."""
    def deg2rad(self, *, out: Tensor | None = None) -> Tensor:
        """Convert angles from degrees to radians."""
    def deg2rad_(self) -> Tensor:
        """`deg2rad` in place."""
    def det(self) -> Tensor:
        """Compute the determinant of matrices (..., n, n): (...)."""
    def detach(self) -> Tensor:
        """Return a tensor with the same memory that is not part of the graph and does not require a gradient."""
    def detach_(self) -> Tensor:
        """Detach this tensor from its graph in place."""
    def diag(self, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
        """Return a matrix with a vector on its diagonal, or a copy of the diagonal of a matrix."""
    def diag_embed(self, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> Tensor:
        """Return matrices of zeros with the last dimension of `input` on a diagonal."""
    def diagflat(self, offset: builtins.int = 0) -> Tensor:
        """Return a matrix with the elements of `input`, in row-major order, on its diagonal."""
    def diagonal(self, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """Return a view of the diagonal in the plane of two dimensions; the diagonal becomes the last dimension."""
    def diagonal_scatter(self, src: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """Return a copy of `input` in which `diagonal(offset, dim1, dim2)` is `src`."""
    def diff(self, n: builtins.int = 1, dim: builtins.int = -1, prepend: Tensor | None = None, append: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
        """Return the differences of adjacent elements along `dim`, computed `n` times; for bool, whether they differ."""
    def digamma(self, *, out: Tensor | None = None) -> Tensor:
        """Return the derivative of `lgamma` at each element; -inf at 0 (inf at -0), NaN at negative integers."""
    def digamma_(self) -> Tensor:
        """`digamma` in place: changes this tensor and returns it."""
    def dim_order(self, *, ambiguity_check: builtins.bool = False) -> builtins.tuple[builtins.int, ...]:
        """Return the dimensions sorted by stride, the largest first."""
    def dist(self, other: Tensor, p: builtins.float = 2) -> Tensor:
        """Return the `p`-norm of `input - other`, which broadcast."""
    def div(self, other: Operand, *, rounding_mode: builtins.str | None = None, out: Tensor | None = None) -> Tensor:
        """Divide the elements of each pair in floating point; integers are converted first."""
    def div_(self, other: Operand, *, rounding_mode: builtins.str | None = None) -> Tensor:
        """`div` in place: changes `self` and returns it. Arguments: those of `div`."""
    def dot(self, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Compute the dot product of two vectors, without conjugation."""
    def double(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """Return this tensor cast to float64."""
    def dsplit(self, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor | None = None, *, indices: Sequence[builtins.int] | Tensor | None = None, sections: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
        """Split a tensor into equal pieces along the third dimension."""
    def eq(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return True for each pair of equal elements; False if either is NaN."""
    def eq_(self, other: Operand) -> Tensor:
        """Store the result of `eq` in this tensor, as 1 and 0, and return it."""
    def equal(self, other: Tensor) -> builtins.bool:
        """Return whether two tensors have the same shape and equal elements. NaN is not equal to NaN."""
    def erf(self, *, out: Tensor | None = None) -> Tensor:
        """Return the error function of each element."""
    def erf_(self) -> Tensor:
        """`erf` in place: changes this tensor and returns it."""
    def erfc(self, *, out: Tensor | None = None) -> Tensor:
        """Return 1 - erf(x) for each element, accurate where the result is near 0."""
    def erfc_(self) -> Tensor:
        """`erfc` in place: changes this tensor and returns it."""
    def erfinv(self, *, out: Tensor | None = None) -> Tensor:
        """Return the inverse error function of each element; infinite at 1 and -1, NaN outside [-1, 1]."""
    def erfinv_(self) -> Tensor:
        """`erfinv` in place: changes this tensor and returns it."""
    def exp(self, *, out: Tensor | None = None) -> Tensor:
        """Return e to the power of each element."""
    def exp2(self, *, out: Tensor | None = None) -> Tensor:
        """Return 2 to the power of each element."""
    def exp2_(self) -> Tensor:
        """`exp2` in place: changes this tensor and returns it."""
    def exp_(self) -> Tensor:
        """`exp` in place: changes this tensor and returns it."""
    def expand(self, *shape: Lengths, size: Lengths | None = None) -> Tensor:
        """Return a view with dimensions of length 1 expanded and new leading dimensions added; -1 keeps a length."""
    def expand_as(self, other: Tensor) -> Tensor:
        """Return a view expanded to the shape of `other`."""
    def expm1(self, *, out: Tensor | None = None) -> Tensor:
        """Return exp(x) - 1 for each element, accurate near 0."""
    def expm1_(self) -> Tensor:
        """`expm1` in place: changes this tensor and returns it."""
    def exponential_(self, lambd: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with draws from the exponential distribution of rate `lambd`; all are positive."""
    def fill_(self, value: Operand) -> Tensor:
        """Set every element to `value`, a number or a zero-dimensional tensor. Returns this tensor."""
    def fill_diagonal_(self, fill_value: Operand, wrap: builtins.bool = False) -> Tensor:
        """Set the elements whose indices are all equal to `fill_value` and return this tensor."""
    def flatten(self, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
        """Merge dimensions `start_dim` to `end_dim` into one."""
    def flip(self, *order: Lengths, dims: Lengths | None = None) -> Tensor:
        """Return a copy with the elements along `dims` in reverse order."""
    def fliplr(self) -> Tensor:
        """Return a copy with the columns (the second dimension) in reverse order."""
    def flipud(self) -> Tensor:
        """Return a copy with the rows (the first dimension) in reverse order."""
    def float(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """Return this tensor cast to float32."""
    def float_power(self, exponent: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return `input ** exponent` in float64, or complex128. One of the operands may be a number."""
    def float_power_(self, exponent: Operand) -> Tensor:
        """Apply `float_power` to this tensor, of float64 or complex128, in place and return it."""
    def floor(self, *, out: Tensor | None = None) -> Tensor:
        """Return the largest integer not greater than each element. Integers are unchanged."""
    def floor_(self) -> Tensor:
        """`floor` in place: changes this tensor and returns it."""
    def floor_divide(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Divide the elements of each pair and round down. The gradient is 0."""
    def floor_divide_(self, other: Operand) -> Tensor:
        """`floor_divide` in place: changes this tensor and returns it."""
    def fmax(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the larger of each pair of elements, or the other one if one is NaN."""
    def fmin(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the smaller of each pair of elements, or the other one if one is NaN."""
    def fmod(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the remainder of division with the quotient rounded toward zero. It has the dividend's sign, as in C."""
    def fmod_(self, other: Operand) -> Tensor:
        """`fmod` in place: changes this tensor and returns it."""
    def frac(self, *, out: Tensor | None = None) -> Tensor:
        """Return the fractional part of each element, with its sign. Floating dtypes only."""
    def frac_(self) -> Tensor:
        """`frac` in place: changes this tensor and returns it."""
    def frexp(self, *, out: builtins.tuple[Tensor, Tensor] | None = None) -> Frexp:
        """Decompose each element into a mantissa in [1/2, 1) and an exponent (int32): mantissa * 2 ** exponent."""
    @overload
    def gather(self, dim: builtins.int, index: Tensor, *, sparse_grad: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """Gather the elements of `input` at `index` along `dim`, at the index's own position along the other dimensions."""
    @overload
    def gather(self, *, axis: builtins.int, index: Tensor, sparse_grad: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        ...
    def gcd(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the greatest common divisor of each pair of elements; 0 for two zeros. Integers only."""
    def gcd_(self, other: Operand) -> Tensor:
        """`gcd` in place: changes this tensor and returns it."""
    def ge(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return True for each element of `input` that is greater than or equal to that of `other`."""
    def ge_(self, other: Operand) -> Tensor:
        """Store the result of `ge` in this tensor, as 1 and 0, and return it."""
    def geometric_(self, p: builtins.float, *, generator: Generator | None = None) -> Tensor:
        """Fill with draws from the geometric distribution: the number of trials up to the first success, from 1."""
    def ger(self, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Multiply all pairs of elements of two vectors: an alias of `outer`."""
    def get_device(self) -> builtins.int:
        """Return the number of the CUDA device; -1 for tensors in host memory."""
    def gt(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return True for each element of `input` that is greater than that of `other`."""
    def gt_(self, other: Operand) -> Tensor:
        """Store the result of `gt` in this tensor, as 1 and 0, and return it."""
    def half(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """Return this tensor cast to float16."""
    def hardshrink(self, lambd: builtins.float = 0.5) -> Tensor:
        """Replace elements within `lambd` of 0 by 0."""
    def heaviside(self, values: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Return 0 for negative elements and NaN, 1 for positive elements, and `values` for 0. Both have the same dtype."""
    def heaviside_(self, values: Tensor) -> Tensor:
        """`heaviside` in place: changes `self` and returns it. Arguments: those of `heaviside`."""
    def histc(self, bins: builtins.int = 100, min: builtins.float = 0, max: builtins.float = 0, *, out: Tensor | None = None) -> Tensor:
        """Count the elements in each of several equal bins."""
    def histogram(self, bins: builtins.int | Tensor, *, range: Sequence[builtins.float] | None = None, weight: Tensor | None = None, density: builtins.bool = False, out: Sequence[Tensor] | None = None) -> NamedResults:
        """Count the elements in each bin and return the pair (hist, bin_edges)."""
    def hsplit(self, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor | None = None, *, indices: Sequence[builtins.int] | Tensor | None = None, sections: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
        """Split a tensor into equal pieces along the second dimension, or the first if there is only one."""
    def hypot(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return sqrt(input^2 + other^2) for each pair of elements, without overflow. Floating dtypes only."""
    def hypot_(self, other: Operand) -> Tensor:
        """`hypot` in place: changes this tensor and returns it."""
    def i0(self, *, out: Tensor | None = None) -> Tensor:
        """Return the modified Bessel function of the first kind of order 0 for each element."""
    def i0_(self) -> Tensor:
        """`i0` in place: changes this tensor and returns it."""
    @property
    def imag(self) -> Tensor: ...
    @imag.setter
    def imag(self, new: Tensor) -> None: ...
    def index_add(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
        """Add slices of `source` times `alpha` to the slices of a copy of `input` at `index` along `dim`."""
    def index_add_(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Scalar = 1) -> Tensor:
        """`index_add` in place: changes `self` and returns it. Arguments: those of `index_add`."""
    def index_copy(self, dim: builtins.int, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Replace the slices of a copy of `input` at `index` along `dim` by those of `source`."""
    def index_copy_(self, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
        """`index_copy` in place: changes `self` and returns it. Arguments: those of `index_copy`."""
    def index_fill(self, dim: builtins.int, index: Tensor, value: Operand) -> Tensor:
        """Fill the slices of a copy of `input` at `index` along `dim` with `value`."""
    def index_fill_(self, dim: builtins.int, index: Tensor, value: Operand) -> Tensor:
        """`index_fill` in place: changes `self` and returns it. Arguments: those of `index_fill`."""
    def index_put(self, indices: Sequence[Tensor | None], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """Return a copy of `input` after `copy[indices] = values`, or with the values added."""
    def index_put_(self, indices: Sequence[Tensor | None], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """`index_put` in place: changes `input` and returns it. Arguments: those of `index_put`."""
    def index_reduce(self, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True, out: Tensor | None = None) -> Tensor:
        """Reduce slices of `source` into the slices of a copy of `input` at `index` along `dim`."""
    def index_reduce_(self, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
        """`index_reduce` in place: changes `self` and returns it. Arguments: those of `index_reduce`."""
    @overload
    def index_select(self, dim: builtins.int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Return a copy of the slices along `dim` at the positions in `index`."""
    @overload
    def index_select(self, *, axis: builtins.int, index: Tensor, out: Tensor | None = None) -> Tensor:
        ...
    def inner(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Compute dot products of rows: (..., k) and (+++, k) give (..., +++). A zero-dimensional operand is a factor."""
    def int(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """Return this tensor cast to int32."""
    def inverse(self, *, out: Tensor | None = None) -> Tensor:
        """Invert matrices (..., n, n): an alias of `linalg.inv`."""
    def is_conj(self) -> builtins.bool:
        """Return False: conjugates are never computed lazily."""
    @property
    def is_cpu(self) -> builtins.bool: ...
    def is_inference(self) -> builtins.bool:
        """Return False: tensors made in `inference_mode` are ordinary tensors."""
    @property
    def is_ipu(self) -> builtins.bool: ...
    @property
    def is_maia(self) -> builtins.bool: ...
    @property
    def is_mkldnn(self) -> builtins.bool: ...
    @property
    def is_mps(self) -> builtins.bool: ...
    @property
    def is_mtia(self) -> builtins.bool: ...
    def is_neg(self) -> builtins.bool:
        """Return False: negations are never computed lazily."""
    @property
    def is_nested(self) -> builtins.bool: ...
    def is_nonzero(self) -> builtins.bool:
        """Return whether the element is nonzero; ValueError unless there is exactly one."""
    def is_pinned(self, device: DeviceLike | None = None) -> builtins.bool:
        """Return whether `pin_memory` made the memory of the tensor."""
    @property
    def is_quantized(self) -> builtins.bool: ...
    def is_same_size(self, other: Tensor) -> builtins.bool:
        """Return whether two tensors have the same shape."""
    def is_set_to(self, tensor: Tensor) -> builtins.bool:
        """Return whether another tensor is the same view of the same memory."""
    def is_shared(self) -> builtins.bool:
        """Return whether the memory is shared memory, as after `share_memory_()`, which needs no copy for other"""
    def is_signed(self) -> builtins.bool:
        """Return whether the dtype has negative numbers."""
    @property
    def is_sparse(self) -> builtins.bool: ...
    @property
    def is_sparse_csr(self) -> builtins.bool: ...
    @property
    def is_vulkan(self) -> builtins.bool: ...
    @property
    def is_xla(self) -> builtins.bool: ...
    @property
    def is_xpu(self) -> builtins.bool: ...
    def isclose(self, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> Tensor:
        """Return whether |input - other| <= atol + rtol |other|, for each pair of elements."""
    def isfinite(self, *, out: Tensor | None = None) -> Tensor:
        """Return True for each element that is neither infinite nor NaN."""
    def isinf(self, *, out: Tensor | None = None) -> Tensor:
        """Return True for each element that is infinite, or, for complex dtypes, has an infinite part."""
    def isnan(self, *, out: Tensor | None = None) -> Tensor:
        """Return True for each element that is NaN, or, for complex dtypes, has a NaN part."""
    def isneginf(self, *, out: Tensor | None = None) -> Tensor:
        """Return True for each element that is negative infinity. False for integers."""
    def isposinf(self, *, out: Tensor | None = None) -> Tensor:
        """Return True for each element that is positive infinity. False for integers."""
    def isreal(self) -> Tensor:
        """Return True for each element whose imaginary part is 0."""
    def istft(self, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True, normalized: builtins.bool = False, onesided: builtins.bool | None = None, length: builtins.int | None = None, return_complex: builtins.bool = False) -> Tensor:
        """`windowed.istft` of this tensor: the signals of which `stft` made it."""
    def item(self) -> Number:
        """Return the element as a Python number. ValueError unless there is exactly one."""
    def kron(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Compute the Kronecker product: replace each element of `input` by its product with `other`."""
    def kthvalue(self, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
        """Return the `k`-th smallest element along `dim` and its index. NaN is larger than any number."""
    @property
    def layout(self) -> builtins.object: ...
    def lcm(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the least common multiple of each pair of elements; 0 if one is 0. Integers only; overflow wraps."""
    def lcm_(self, other: Operand) -> Tensor:
        """`lcm` in place: changes this tensor and returns it."""
    def ldexp(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Return `input * 2 ** other` for each pair of elements. Integers use the default floating dtype."""
    def ldexp_(self, other: Tensor) -> Tensor:
        """`ldexp` in place: changes `input` and returns it. Arguments: those of `ldexp`."""
    def le(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return True for each element of `input` that is less than or equal to that of `other`."""
    def le_(self, other: Operand) -> Tensor:
        """Store the result of `le` in this tensor, as 1 and 0, and return it."""
    def lerp(self, end: Tensor, weight: Operand, *, out: Tensor | None = None) -> Tensor:
        """Interpolate: return `input + weight * (end - input)`, which is `input` at weight 0 and `end` at 1."""
    def lerp_(self, end: Tensor, weight: Operand) -> Tensor:
        """`lerp` in place: changes `self` and returns it. Arguments: those of `lerp`."""
    def lgamma(self, *, out: Tensor | None = None) -> Tensor:
        """Return the logarithm of the gamma function's magnitude for each element; infinity at 0 and negative integers."""
    def lgamma_(self) -> Tensor:
        """`lgamma` in place: changes this tensor and returns it."""
    def log(self, *, out: Tensor | None = None) -> Tensor:
        """Return the natural logarithm of each element; -inf at 0, NaN for negative elements (complex: principal branch)."""
    def log10(self, *, out: Tensor | None = None) -> Tensor:
        """Return the logarithm to the base 10 of each element; -inf at 0, NaN for negative elements."""
    def log10_(self) -> Tensor:
        """`log10` in place: changes this tensor and returns it."""
    def log1p(self, *, out: Tensor | None = None) -> Tensor:
        """Return log(1 + x) for each element, accurate near 0."""
    def log1p_(self) -> Tensor:
        """`log1p` in place: changes this tensor and returns it."""
    def log2(self, *, out: Tensor | None = None) -> Tensor:
        """Return the logarithm to the base 2 of each element; -inf at 0, NaN for negative elements."""
    def log2_(self) -> Tensor:
        """`log2` in place: changes this tensor and returns it."""
    def log_(self) -> Tensor:
        """`log` in place: changes this tensor and returns it."""
    def log_normal_(self, mean: builtins.float = 1, std: builtins.float = 2, *, generator: Generator | None = None) -> Tensor:
        """Fill with exp(x) for draws x from the normal distribution with this mean and standard deviation."""
    def log_softmax(self, dim: builtins.int | None = None, dtype: DTypeLike | None = None, *, axis: builtins.int | None = None, out: Tensor | None = None) -> Tensor:
        """The logarithm of softmax along `dim`."""
    def logaddexp(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return log(exp(input) + exp(other)) for each pair of elements, without overflow. Floating dtypes only."""
    def logaddexp2(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return log2(2^input + 2^other) for each pair of elements, without overflow. Floating dtypes only."""
    def logaddexp2_(self, other: Operand) -> Tensor:
        """`logaddexp2` in place: changes this tensor and returns it."""
    def logaddexp_(self, other: Operand) -> Tensor:
        """`logaddexp` in place: changes this tensor and returns it."""
    def logcumsumexp(self, dim: builtins.int | None = None, *, axis: builtins.int | None = None, out: Tensor | None = None) -> Tensor:
        """Return log(cumsum(exp(x))) along `dim`, without overflow. Floating dtypes; TypeError for others."""
    def logdet(self) -> Tensor:
        """Compute the logarithm of the determinant of matrices (..., n, n): NaN if it is negative, -inf if it is 0."""
    def logical_and(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Return True for each pair in which both elements are nonzero."""
    def logical_and_(self, other: Tensor) -> Tensor:
        """`logical_and` in place: changes `self` and returns it. Arguments: those of `logical_and`."""
    def logical_not(self, *, out: Tensor | None = None) -> Tensor:
        """Return True for each element that is zero."""
    def logical_not_(self) -> Tensor:
        """`logical_not` in place."""
    def logical_or(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Return True for each pair in which at least one element is nonzero."""
    def logical_or_(self, other: Tensor) -> Tensor:
        """`logical_or` in place: changes `self` and returns it. Arguments: those of `logical_or`."""
    def logical_xor(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Return True for each pair in which exactly one element is nonzero."""
    def logical_xor_(self, other: Tensor) -> Tensor:
        """`logical_xor` in place: changes `self` and returns it. Arguments: those of `logical_xor`."""
    def logit(self, eps: builtins.float | None = None, *, out: Tensor | None = None) -> Tensor:
        """Return log(x / (1 - x)) for each element, the inverse of `sigmoid`; NaN outside [0, 1]."""
    def logit_(self, eps: builtins.float | None = None) -> Tensor:
        """`logit` in place: changes `input` and returns it. Arguments: those of `logit`."""
    def logsumexp(self, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """Return log(sum(exp(x))) along `dim` (an integer or several), without overflow; -inf for no elements."""
    def long(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """Return this tensor cast to int64."""
    def lt(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return True for each element of `input` that is less than that of `other`."""
    def lt_(self, other: Operand) -> Tensor:
        """Store the result of `lt` in this tensor, as 1 and 0, and return it."""
    def lu(self, pivot: builtins.bool = True, get_infos: builtins.bool = False, out: Sequence[Tensor] | None = None) -> NamedResults:
        """Compute L and U in one matrix, and pivots: the older form of `linalg.lu_factor`."""
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Solve A X = b for X from the factors of A: the older form of `linalg.lu_solve`."""
    @property
    def mH(self) -> Tensor: ...
    @property
    def mT(self) -> Tensor: ...
    def map2_(self, x: Tensor, y: Tensor, callable: Callable[..., builtins.complex]) -> Tensor:
        """Replace each element by `callable(element, x_element, y_element)`, with elements of two other tensors."""
    def map_(self, tensor: Tensor, callable: Callable[..., builtins.complex]) -> Tensor:
        """Replace each element by `callable(element, other)`, where `other` is from another tensor."""
    def masked_fill(self, mask: Tensor, value: Operand, *, out: Tensor | None = None) -> Tensor:
        """Fill elements of `input` with `value` where `mask` is true; `input` and `mask` broadcast."""
    def masked_fill_(self, mask: Tensor, value: Operand) -> Tensor:
        """Fill elements of this tensor in place where `mask` is true, and return it. `mask` broadcasts to its shape."""
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """Replace the elements of a copy of `input` where `mask` is true by those of `source`, in row-major order."""
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """`masked_scatter` in place: changes `self` and returns it. Arguments: those of `masked_scatter`."""
    def masked_select(self, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Return a copy of the elements where `mask` is true, as one dimension in row-major order."""
    def matmul(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Compute the matrix product, as Python's `@`."""
    def matrix_exp(self) -> Tensor:
        """Compute the exponential of matrices (..., n, n): the sum of A^k / k!."""
    def matrix_power(self, n: builtins.int, *, out: Tensor | None = None) -> Tensor:
        """Raise matrices (..., k, k) to the integer power n; a negative n inverts them first."""
    @overload
    def max(self, dim: None = None, keepdim: builtins.bool = False, *, axis: None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """Return the largest element; with `dim`, the pair (values, indices) along it; with a tensor, `maximum`."""
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
        """Return the larger element of each pair; NaN propagates. Equal elements share the gradient."""
    def maximum_(self, other: Operand) -> Tensor:
        """`maximum` in place: changes this tensor and returns it."""
    def mean(self, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
        """Return the mean of all elements, or along `dim`; NaN for no elements. Integers raise a TypeError: convert first."""
    @overload
    def median(self, *, out: Tensor | None = None) -> Tensor:
        """Return the median of all elements; with `dim`, the pair (values, indices) along it. NaN propagates."""
    @overload
    def median(self, dim: builtins.int, keepdim: builtins.bool = False, *, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
        ...
    @overload
    def median(self, *, keepdim: builtins.bool = False, axis: builtins.int, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
        ...
    @overload
    def min(self, dim: None = None, keepdim: builtins.bool = False, *, axis: None = None, keepdims: builtins.bool = False, out: Tensor | None = None) -> Tensor:
        """Return the smallest element; with `dim`, the pair (values, indices) along it; with a tensor, `minimum`."""
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
        """Return the smaller element of each pair; NaN propagates. Equal elements share the gradient."""
    def minimum_(self, other: Operand) -> Tensor:
        """`minimum` in place: changes this tensor and returns it."""
    def mm(self, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Multiply two matrices; ValueError unless both have 2 dimensions."""
    def mode(self, dim: builtins.int = -1, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
        """Return the most frequent element along `dim` (the smallest of equally frequent ones) and its last index."""
    def movedim(self, source: Dims, destination: Dims) -> Tensor:
        """Return a view with the dimensions `source` moved to `destination`; the others keep their order."""
    def msort(self, *, out: Tensor | None = None) -> Tensor:
        """Sort the elements along the first dimension."""
    def mul(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Multiply the elements of each pair; for bool, logical and."""
    def mul_(self, other: Operand) -> Tensor:
        """`mul` in place: changes this tensor and returns it."""
    def multinomial(self, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
        """Sample `num_samples` indices of categories (int64), with probabilities proportional to the weights in `input`."""
    def mv(self, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Multiply a matrix and a vector."""
    def mvlgamma(self, p: builtins.int, *, out: Tensor | None = None) -> Tensor:
        """Return the logarithm of the multivariate gamma function of dimension `p` for each element."""
    def mvlgamma_(self, p: builtins.int) -> Tensor:
        """`mvlgamma` in place: changes `self` and returns it. Arguments: those of `mvlgamma`."""
    def nan_to_num(self, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None, *, out: Tensor | None = None) -> Tensor:
        """Replace NaN by `nan` (0) and the infinities by `posinf` and `neginf` (the largest numbers of the dtype)."""
    def nan_to_num_(self, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Tensor:
        """`nan_to_num` in place: changes `input` and returns it. Arguments: those of `nan_to_num`."""
    def nanmean(self, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
        """Return the mean of the elements that are not NaN, of all or along `dim`; NaN if there are none."""
    @overload
    def nanmedian(self, *, out: Tensor | None = None) -> Tensor:
        """Return the `median` of the elements that are not NaN; NaN if there are none."""
    @overload
    def nanmedian(self, dim: builtins.int, keepdim: builtins.bool = False, *, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
        ...
    @overload
    def nanmedian(self, *, keepdim: builtins.bool = False, axis: builtins.int, keepdims: builtins.bool = False, out: Sequence[Tensor] | None = None) -> Extremes:
        ...
    def nanquantile(self, q: builtins.float | Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = 'linear', out: Tensor | None = None) -> Tensor:
        """Return the `quantile` of the elements that are not NaN; NaN if there are none."""
    def nansum(self, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
        """Return the sum of the elements that are not NaN, of all or along `dim`; 0 if there are none."""
    @overload
    def narrow(self, dim: builtins.int, start: SupportsIndex, length: builtins.int) -> Tensor:
        """Return a view of `length` elements along `dim`, beginning at `start`."""
    @overload
    def narrow(self, *, axis: builtins.int, start: SupportsIndex, length: builtins.int) -> Tensor:
        ...
    def narrow_copy(self, dim: builtins.int | None = None, start: Scalar | Tensor | None = None, length: SupportsIndex | None = None, *, out: Tensor | None = None) -> Tensor:
        """Return a copy of the view that `narrow` returns."""
    def ne(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return True for each pair of unequal elements; True if either is NaN."""
    def ne_(self, other: Operand) -> Tensor:
        """Store the result of `ne` in this tensor, as 1 and 0, and return it."""
    def neg(self, *, out: Tensor | None = None) -> Tensor:
        """Return the negative of each element. Not defined for bool."""
    def neg_(self) -> Tensor:
        """`neg` in place: changes this tensor and returns it."""
    def new(self, *arguments: builtins.float, device: DeviceLike | None = None) -> Tensor:
        """Return a new tensor with this one's dtype and device: uninitialised from lengths, a copy of data, or"""
    def new_empty(self, *lengths: Lengths, size: Lengths | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
        """Return an uninitialised tensor with the dtype and the device of this tensor."""
    def new_empty_strided(self, size: Lengths, stride: Lengths, *, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
        """Return an uninitialised tensor with these strides, and the dtype and the device of this tensor."""
    def new_full(self, size: Lengths, fill_value: Operand, *, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
        """Return a tensor filled with one value, with the dtype and the device of this tensor."""
    def new_ones(self, *lengths: Lengths, size: Lengths | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
        """Return a tensor of ones with the dtype and the device of this tensor."""
    def new_tensor(self, data: Data, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False) -> Tensor:
        """Return a tensor with a copy of `data`, by default with the dtype and the device of this tensor."""
    def new_zeros(self, *lengths: Lengths, size: Lengths | None = None, dtype: DTypeLike | None = None, layout: builtins.object = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
        """Return a tensor of zeros with the dtype and the device of this tensor."""
    def nextafter(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Return the next representable number after each element in the direction of `other`. Floating dtypes only."""
    def nextafter_(self, other: Tensor) -> Tensor:
        """`nextafter` in place: changes `self` and returns it. Arguments: those of `nextafter`."""
    @overload
    def nonzero(self, *, out: Tensor | None = None, as_tuple: Literal[False] = False) -> Tensor:
        """Return the positions of nonzero elements in row-major order: (n, dimensions) int64."""
    @overload
    def nonzero(self, *, as_tuple: Literal[True]) -> builtins.tuple[Tensor, ...]:
        ...
    @overload
    def nonzero(self, *, as_tuple: builtins.bool) -> Tensor | builtins.tuple[Tensor, ...]:
        ...
    def nonzero_static(self, *, size: builtins.int, fill_value: builtins.int = -1, out: Tensor | None = None) -> Tensor:
        """Return the positions of nonzero elements, as `nonzero` does, in exactly `size` rows."""
    def norm(self, p: builtins.float | builtins.str | None = 'fro', dim: Dims | None = None, keepdim: builtins.bool = False, out: Tensor | None = None, dtype: DTypeLike | None = None, *, axis: Dims | None = None, keepdims: builtins.bool = False) -> Tensor:
        """Return the `p`-norm of all elements as one vector, or along `dim`; two dimensions are treated as one vector, too."""
    def normal_(self, mean: builtins.float = 0.0, std: builtins.float = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Fill with draws from the normal distribution with this mean and standard deviation."""
    def numpy(self, *, force: builtins.bool = False) -> np.ndarray:
        """Return a NumPy array that shares the tensor's memory, so that writes to one are visible in the other."""
    def outer(self, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Multiply all pairs of elements of two vectors (n,) and (m,): (n, m). The two promote."""
    @property
    def output_nr(self) -> builtins.int: ...
    def permute(self, *order: Lengths, dims: Lengths | None = None) -> Tensor:
        """Return a view with the dimensions in another order; `order` contains each once."""
    def pin_memory(self, device: DeviceLike | None = None) -> Tensor:
        """Return a copy in pinned memory; the tensor itself if it is there already."""
    def pinverse(self, rcond: builtins.float = 1e-15) -> Tensor:
        """Compute the pseudo-inverse of matrices (..., m, n): the older form of `linalg.pinv`, whose `rtol` is `rcond`."""
    def polygamma(self, n: builtins.int) -> Tensor:
        """Return `facula_tensor.polygamma(n, self)`."""
    def polygamma_(self, n: builtins.int) -> Tensor:
        """Apply `polygamma` to this tensor in place and return it."""
    def positive(self) -> Tensor:
        """Return `input` itself, as `+input` does. Bool raises a TypeError."""
    def pow(self, exponent: Operand) -> Tensor:
        """Raise each element to the power of its exponent, as `pow`."""
    def pow_(self, exponent: Operand | None = None) -> Tensor:
        """`pow` in place: changes `self` and returns it. Arguments: those of `pow`."""
    def prelu(self, weight: Tensor) -> Tensor:
        """Multiply negative elements by `weight`: one number, or one for each channel (dimension 1)."""
    def prod(self, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
        """Return the product of all elements, or along `dim` (an integer or several); 1 for no elements."""
    def put(self, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """Set elements of a copy of the flattened `input` at `index` to those of `source`, or add them."""
    def put_(self, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """`put` in place: changes `self` and returns it. Arguments: those of `put`."""
    def qr(self, some: builtins.bool = True, *, out: Sequence[Tensor] | None = None) -> NamedResults:
        """Return Q and R with A = Q R, for matrices (..., m, n): the older form of `linalg.qr`."""
    def quantile(self, q: builtins.float | Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = 'linear', out: Tensor | None = None) -> Tensor:
        """Return the `q`-quantiles of all elements, or along `dim`: of n sorted elements, that with the rank q (n - 1)."""
    def rad2deg(self, *, out: Tensor | None = None) -> Tensor:
        """Convert angles from radians to degrees."""
    def rad2deg_(self) -> Tensor:
        """`rad2deg` in place."""
    def random_(self, low: builtins.int = 0, high: builtins.int | None = None, *, generator: Generator | None = None, **ends: builtins.int) -> Tensor:
        """Fill with integers drawn uniformly from `low` (inclusive) to `high` (exclusive)."""
    def ravel(self) -> Tensor:
        """Return all elements in one dimension: a view if the strides allow it, otherwise a copy."""
    @property
    def real(self) -> Tensor: ...
    @real.setter
    def real(self, new: Tensor) -> None: ...
    def reciprocal(self, *, out: Tensor | None = None) -> Tensor:
        """Return 1 / x for each element."""
    def reciprocal_(self) -> Tensor:
        """`reciprocal` in place: changes this tensor and returns it."""
    def record_stream(self, stream: builtins.object) -> None:
        """Keep the memory from being reused before the work that `stream` has now is done."""
    def relu(self, *, out: Tensor | None = None) -> Tensor:
        """Return each element, or 0 if it is negative. The slope at 0 is 0."""
    def relu_(self) -> Tensor:
        """`relu` in place: changes this tensor and returns it."""
    def remainder(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the remainder of division with the quotient rounded down. It has the divisor's sign, as in Python."""
    def remainder_(self, other: Operand) -> Tensor:
        """`remainder` in place: changes this tensor and returns it."""
    def renorm(self, p: builtins.float, dim: builtins.int, maxnorm: builtins.float, *, out: Tensor | None = None) -> Tensor:
        """Return a copy in which slices along `dim` with a `p`-norm above `maxnorm` are scaled down to it."""
    def renorm_(self, p: builtins.float, dim: builtins.int, maxnorm: builtins.float) -> Tensor:
        """`renorm` in place: changes `self` and returns it. Arguments: those of `renorm`."""
    def repeat(self, *counts: Lengths, repeats: Lengths | None = None) -> Tensor:
        """Return a copy with each dimension repeated as a whole; surplus counts add new dimensions in front."""
    def repeat_interleave(self, repeats: Lengths | Tensor | None = None, dim: builtins.int | None = None, *, output_size: builtins.int | None = None) -> Tensor:
        """Return a copy with each element along `dim` repeated: all equally often, or as an integer tensor specifies."""
    def reshape(self, *lengths: Lengths, shape: Lengths | None = None) -> Tensor:
        """Return a tensor with another shape: a view if the strides allow it, otherwise a copy. One length may be -1."""
    def reshape_as(self, other: Tensor) -> Tensor:
        """Reshape a tensor to the shape of `other`, as `reshape` does."""
    def resize(self, *shape: Lengths) -> Tensor:
        """Reshape the tensor; deprecated, use `reshape`. ValueError if the number of elements would change, which"""
    def resize_(self, *shape: Lengths, size: Lengths | None = None, memory_format: MemoryFormat | None = None) -> Tensor:
        """Change this tensor's shape, contiguous, over the same storage; return the tensor."""
    def resize_as(self, other: Tensor) -> Tensor:
        """Reshape the tensor like another; deprecated, use `reshape_as`. ValueError if the number of elements would"""
    def resize_as_(self, the_template: Tensor, *, memory_format: MemoryFormat | None = None) -> Tensor:
        """Resize this tensor to the shape of another, as `resize_` does, and return it."""
    def resolve_conj(self) -> Tensor:
        """Return `input` itself: conjugates are never computed lazily."""
    def resolve_neg(self) -> Tensor:
        """Return `input` itself: negations are never computed lazily."""
    def roll(self, shifts: Lengths, dims: Lengths | None = None) -> Tensor:
        """Return a copy with elements shifted along dimensions; elements shifted beyond the end reappear at the front."""
    def rot90(self, k: builtins.int = 1, dims: Lengths = ...) -> Tensor:
        """Return a copy rotated by multiples of 90 degrees in the plane of two dimensions, from the first to the second."""
    def round(self, *, decimals: builtins.int = 0, out: Tensor | None = None) -> Tensor:
        """Round each element to the nearest number with `decimals` decimal places; ties round to even."""
    def round_(self, *, decimals: builtins.int = 0) -> Tensor:
        """`round` in place: changes `input` and returns it. Arguments: those of `round`."""
    def rsqrt(self, *, out: Tensor | None = None) -> Tensor:
        """Return 1 / sqrt(x) for each element."""
    def rsqrt_(self) -> Tensor:
        """`rsqrt` in place: changes this tensor and returns it."""
    def scatter(self, dim: builtins.int, index: Tensor, src: Operand | None = None, *, value: Operand | None = None, reduce: builtins.str | None = None, out: Tensor | None = None) -> Tensor:
        """Set the elements of a copy of `input` at `index` along `dim` to those of `src`, or to the number `value`."""
    def scatter_(self, dim: builtins.int, index: Tensor, src: Operand | None = None, *, value: Operand | None = None, reduce: builtins.str | None = None) -> Tensor:
        """`scatter` in place: changes `self` and returns it. Arguments: those of `scatter`."""
    def scatter_add(self, dim: builtins.int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Add the elements of `src` at `index` along `dim` to a copy of `input`; arguments as in `scatter`."""
    def scatter_add_(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """Add the elements of `src` at `index` along `dim` in place, and return this tensor."""
    def scatter_reduce(self, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True, out: Tensor | None = None) -> Tensor:
        """Reduce elements of `src` at `index` along `dim` into a copy of `input`; arguments as in `scatter`."""
    def scatter_reduce_(self, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
        """`scatter_reduce` in place: changes `self` and returns it. Arguments: those of `scatter_reduce`."""
    @overload
    def select(self, dim: builtins.int, index: builtins.int) -> Tensor:
        """Return a view of one element along `dim`, with that dimension removed."""
    @overload
    def select(self, *, axis: builtins.int, index: builtins.int) -> Tensor:
        ...
    def select_scatter(self, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
        """Return a copy of `input` in which `select(dim, index)` is `src`."""
    def set_(self, source: Tensor | UntypedStorage | TypedStorage | None = None, storage_offset: builtins.int = 0, size: Lengths | None = None, stride: Lengths | None = None) -> Tensor:
        """Replace the memory of this tensor by that of another tensor or part of a storage; return this tensor."""
    def sgn(self, *, out: Tensor | None = None) -> Tensor:
        """Return x / |x| for each complex element, and 0 for 0; return the sign of real elements."""
    def sgn_(self) -> Tensor:
        """Apply `sgn` to this tensor in place and return it."""
    def share_memory_(self) -> Tensor:
        """Move this tensor's storage, and its gradient's, to shared memory; return the tensor."""
    def short(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """Return this tensor cast to int16."""
    def sigmoid(self, *, out: Tensor | None = None) -> Tensor:
        """Return 1 / (1 + exp(-x)) for each element, without overflow."""
    def sigmoid_(self) -> Tensor:
        """`sigmoid` in place: changes this tensor and returns it."""
    def sign(self, *, out: Tensor | None = None) -> Tensor:
        """Return -1, 0 or 1 for negative, zero and positive elements; NaN for NaN."""
    def sign_(self) -> Tensor:
        """`sign` in place: changes this tensor and returns it."""
    def signbit(self, *, out: Tensor | None = None) -> Tensor:
        """Return True for each negative element, including -0 and NaN with a sign."""
    def sin(self, *, out: Tensor | None = None) -> Tensor:
        """Return the sine of each element, in radians."""
    def sin_(self) -> Tensor:
        """`sin` in place: changes this tensor and returns it."""
    def sinc(self, *, out: Tensor | None = None) -> Tensor:
        """Return sin(pi x) / (pi x) for each element; 1 at 0, exactly 0 at other integers."""
    def sinc_(self) -> Tensor:
        """`sinc` in place."""
    def sinh(self, *, out: Tensor | None = None) -> Tensor:
        """Return the hyperbolic sine of each element."""
    def sinh_(self) -> Tensor:
        """`sinh` in place: changes this tensor and returns it."""
    def slice_scatter(self, src: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
        """Return a copy of `input` in which the slice `start:end:step` along `dim` is `src`."""
    def slogdet(self, *, out: Sequence[Tensor] | None = None) -> NamedResults:
        """Compute the sign and the log magnitude of determinants: (sign, logabsdet); 0 and -inf for singular matrices."""
    def softmax(self, dim: builtins.int | None = None, dtype: DTypeLike | None = None, *, axis: builtins.int | None = None, out: Tensor | None = None) -> Tensor:
        """exp(x) / sum(exp(x)) along `dim`."""
    def sort(self, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False, *, axis: builtins.int | None = None, out: Sequence[Tensor] | None = None) -> Extremes:
        """Sort the elements along `dim` and return the pair (values, indices), with their original indices (int64)."""
    def split(self, split_size: Lengths, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """Split this tensor along `dim` into views of equal length (the last may be shorter) or of the given lengths."""
    def split_with_sizes(self, split_sizes: Lengths, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """Split a tensor along `dim` into views of the given lengths: `split` with a list of lengths."""
    def sqrt(self, *, out: Tensor | None = None) -> Tensor:
        """Return the square root of each element; NaN for negative elements (complex tensors: principal branch)."""
    def sqrt_(self) -> Tensor:
        """`sqrt` in place: changes this tensor and returns it."""
    def square(self, *, out: Tensor | None = None) -> Tensor:
        """Return the square of each element; int64 for bool."""
    def square_(self) -> Tensor:
        """`square` in place: changes this tensor and returns it."""
    def squeeze(self, dim: Dims | None = None, *, axis: Dims | None = None) -> Tensor:
        """Return a view without dimensions of length 1: without all of them, or only those in `dim`."""
    def squeeze_(self, dim: Dims | None = None) -> Tensor:
        """Remove dimensions of length 1 from this tensor, as `squeeze` does, and return it."""
    def std(self, dim: Dims | None = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, correction: builtins.float | None = None, out: Tensor | None = None) -> Tensor:
        """Return the standard deviation of all elements, or along `dim`: the square root of `var`, with its arguments."""
    def stft(self, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True, pad_mode: builtins.str = 'reflect', normalized: builtins.bool = False, onesided: builtins.bool | None = None, return_complex: builtins.bool | None = None, align_to_window: builtins.bool | None = None) -> Tensor:
        """`windowed.stft` of this tensor: Fourier transforms of overlapping frames."""
    def storage(self) -> TypedStorage:
        """Return the memory of this tensor, and of all tensors that share it, as elements of its dtype."""
    def sub(self, other: Operand, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
        """Subtract the second element of each pair from the first. Not defined for bool."""
    def sub_(self, other: Operand, *, alpha: Scalar = 1) -> Tensor:
        """`sub` in place: changes this tensor and returns it."""
    def sum(self, dim: Dims | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
        """Return the sum of all elements, or along `dim` (an integer or several)."""
    def sum_to_size(self, *size: Lengths) -> Tensor:
        """Sum a tensor to a shape that broadcasts to its shape: the inverse of `expand`. Dtypes are those of `sum`."""
    def svd(self, some: builtins.bool = True, compute_uv: builtins.bool = True, *, out: Sequence[Tensor] | None = None) -> NamedResults:
        """Return U, S and V with A = U S V^H, for matrices (..., m, n): the older form of `linalg.svd`, which returns V^H."""
    def swapaxes(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """Return a view with two dimensions exchanged; NumPy's name for `transpose`."""
    def swapaxes_(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """Alias of `transpose_`, under NumPy's name."""
    def t(self) -> Tensor:
        """Return the transpose of a matrix, as a view; vectors and numbers are returned unchanged."""
    def t_(self) -> Tensor:
        """Transpose this matrix in place, as `t` does, and return it."""
    def take(self, index: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Return the elements of the flattened `input` at `index`, with the shape of `index`."""
    def take_along_dim(self, indices: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
        """Gather from tensors that broadcast except along `dim`; without `dim`, from both flattened."""
    def tan(self, *, out: Tensor | None = None) -> Tensor:
        """Return the tangent of each element, in radians."""
    def tan_(self) -> Tensor:
        """`tan` in place: changes this tensor and returns it."""
    def tanh(self, *, out: Tensor | None = None) -> Tensor:
        """Return the hyperbolic tangent of each element."""
    def tanh_(self) -> Tensor:
        """`tanh` in place: changes this tensor and returns it."""
    def tensor_split(self, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor | None = None, dim: builtins.int = 0, *, indices: Sequence[builtins.int] | Tensor | None = None, sections: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
        """Split a tensor along `dim` into views: a number of pieces of nearly equal length, or pieces between indices."""
    def tile(self, *counts: Lengths, dims: Lengths | None = None) -> Tensor:
        """Return a copy with dimensions repeated as a whole."""
    def to(self, *args: Tensor | DTypeLike | DeviceLike | None, dtype: DTypeLike | None = None, device: DeviceLike | None = None, copy: builtins.bool = False, non_blocking: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
        """Return this tensor with another dtype or device, or with those of another tensor; itself if neither changes."""
    def to_dense(self, dtype: DTypeLike | None = None, *, masked_grad: builtins.bool | None = None) -> Tensor:
        """Return the tensor itself, which is dense; in another dtype if one is given."""
    def tolist(self) -> builtins.list[Any]:
        """Return the elements as nested lists of Python numbers; a number for zero dimensions."""
    def topk(self, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True, *, axis: builtins.int | None = None, out: Sequence[Tensor] | None = None) -> Extremes:
        """Return the `k` largest or smallest elements along `dim`, as the pair (values, indices)."""
    def trace(self) -> Tensor:
        """Return the sum of the main diagonal of a matrix. Integers are summed in int64."""
    def transpose(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Return a view with two dimensions exchanged."""
    def transpose_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Exchange two dimensions of this tensor, as `transpose` does, and return it."""
    def triangular_solve(self, A: Tensor, upper: builtins.bool = True, transpose: builtins.bool = False, unitriangular: builtins.bool = False, *, out: Sequence[Tensor] | None = None) -> NamedResults:
        """Solve A X = b with a triangular A; return X and a copy of A: the older form of `linalg.solve_triangular`."""
    def tril(self, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
        """Copy matrices (the last two dimensions) with zeros above a diagonal: 0 is the main one, 1 the next above."""
    def tril_(self, diagonal: builtins.int = 0) -> Tensor:
        """`tril` in place: changes `self` and returns it. Arguments: those of `tril`."""
    def triu(self, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
        """Copy matrices (the last two dimensions) with zeros below a diagonal: 0 is the main one, 1 the next above."""
    def triu_(self, diagonal: builtins.int = 0) -> Tensor:
        """`triu` in place: changes `self` and returns it. Arguments: those of `triu`."""
    def trunc(self, *, out: Tensor | None = None) -> Tensor:
        """Return each element without its fractional part. Integers are unchanged."""
    def trunc_(self) -> Tensor:
        """`trunc` in place: changes this tensor and returns it."""
    @overload
    def type(self, dtype: None = None, non_blocking: builtins.bool = False) -> builtins.str:
        """Return this tensor in another dtype, or itself if it has that dtype; without `dtype`, return its type's"""
    @overload
    def type(self, dtype: DTypeLike | builtins.type[Tensor], non_blocking: builtins.bool = False) -> Tensor:
        ...
    def type_as(self, other: Tensor) -> Tensor:
        """Return this tensor cast to the dtype of `other`."""
    def unbind(self, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
        """Return views of the elements along `dim`, as a tuple."""
    def unflatten(self, dim: builtins.int, sizes: Lengths) -> Tensor:
        """Return a view with one dimension split into several."""
    def unfold(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
        """Return a view of all windows of `size` elements, `step` apart, along a dimension: a new last dimension of `size`."""
    def uniform_(self, a: builtins.float = 0.0, b: builtins.float = 1.0, *, generator: Generator | None = None, **ends: builtins.float) -> Tensor:
        """Fill with numbers drawn uniformly from [a, b). As in PyTorch, the bounds may also be passed as `from` and `to`."""
    @overload
    def unique(self, sorted: builtins.bool = True, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: builtins.int | None = None) -> Tensor:
        """Return the distinct elements, or the distinct slices along `dim`, always sorted. Each NaN is distinct."""
    @overload
    def unique(self, sorted: builtins.bool = True, *, return_inverse: Literal[True], return_counts: builtins.bool = False, dim: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
        ...
    @overload
    def unique(self, sorted: builtins.bool = True, *, return_counts: Literal[True], return_inverse: builtins.bool = False, dim: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
        ...
    @overload
    def unique(self, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Tensor | builtins.tuple[Tensor, ...]:
        ...
    @overload
    def unique_consecutive(self, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: builtins.int | None = None) -> Tensor:
        """Return the first of each run of equal elements, or of equal slices along `dim`, with the results of `unique`."""
    @overload
    def unique_consecutive(self, *, return_inverse: Literal[True], return_counts: builtins.bool = False, dim: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
        ...
    @overload
    def unique_consecutive(self, *, return_counts: Literal[True], return_inverse: builtins.bool = False, dim: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
        ...
    @overload
    def unique_consecutive(self, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Tensor | builtins.tuple[Tensor, ...]:
        ...
    def unsafe_chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """Split a tensor like `chunk`. Its pieces may be changed in place, as those of `chunk` may."""
    def unsafe_split(self, split_size: Lengths, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """Split a tensor like `split`. Its pieces may be changed in place, as those of `split` may."""
    def unsafe_split_with_sizes(self, split_sizes: Lengths, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """Split a tensor like `split_with_sizes`. Its pieces may be changed in place, as those of `split_with_sizes` may."""
    def unsqueeze(self, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Tensor:
        """Return a view with a new dimension of length 1 at `dim`."""
    def unsqueeze_(self, dim: builtins.int) -> Tensor:
        """Insert a new dimension of length 1 at `dim` into this tensor, as `unsqueeze` does, and return it."""
    def untyped_storage(self) -> UntypedStorage:
        """Return the memory of this tensor, and of all tensors that share it, as bytes."""
    def var(self, dim: Dims | None = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, axis: Dims | None = None, keepdims: builtins.bool = False, correction: builtins.float | None = None, out: Tensor | None = None) -> Tensor:
        """Return the variance of all elements, or along `dim` (an integer or several); it is real for complex numbers."""
    def vdot(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Compute the dot product of two vectors, conjugating the first."""
    @overload
    def view(self, *shape: Lengths | DTypeLike) -> Tensor:
        """Return a view in another shape, one length of which may be -1; or, as `view(dtype)`, with the same bits."""
    @overload
    def view(self, *, size: Lengths) -> Tensor:
        ...
    @overload
    def view(self, *, dtype: DTypeLike) -> Tensor:
        ...
    def view_as(self, other: Tensor) -> Tensor:
        """Return a view in the shape of `other`."""
    def vsplit(self, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor | None = None, *, indices: Sequence[builtins.int] | Tensor | None = None, sections: builtins.int | None = None) -> builtins.tuple[Tensor, ...]:
        """Split a tensor into equal pieces along the first dimension of at least two."""
    def where(self, condition: Tensor, other: Operand) -> Tensor:
        """Select elements of this tensor where `condition` is true, of `other` elsewhere."""
    def xlogy(self, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return input * log(other) for each pair of elements; 0 if input is 0 (but NaN if other is NaN)."""
    def xlogy_(self, other: Operand) -> Tensor:
        """`xlogy` in place: changes this tensor and returns it."""
    def zero_(self) -> Tensor:
        """Set every element to 0. Returns this tensor."""
    absolute = abs
    absolute_ = abs_
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
    arctan2_ = atan2_
    arctan_ = atan_
    arctanh = atanh
    arctanh_ = atanh_
    clip = clamp
    clip_ = clamp_
    divide = div
    divide_ = div_
    fix = trunc
    fix_ = trunc_
    greater = gt
    greater_ = gt_
    greater_equal = ge
    greater_equal_ = ge_
    less = lt
    less_ = lt_
    less_equal = le
    less_equal_ = le_
    moveaxis = movedim
    multiply = mul
    multiply_ = mul_
    negative = neg
    negative_ = neg_
    not_equal = ne
    not_equal_ = ne_
    subtract = sub
    subtract_ = sub_
    swapdims = transpose
    swapdims_ = transpose_
    true_divide = div
    true_divide_ = div_
