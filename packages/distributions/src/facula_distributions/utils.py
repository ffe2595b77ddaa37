"""Utilities for distributions: broadcasting of arguments, probabilities and logits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import published
from facula_tensor import (
    Tensor,
    as_tensor,
    bfloat16,
    enable_grad,
    float16,
    float32,
    float64,
    get_default_dtype,
    tril_indices,
)
from facula_tensor.functional import log_softmax, softmax

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self, SupportsFloat

    from facula_tensor import dtype as DType

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "euler_constant",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]

__dir__ = published(__name__)

euler_constant: float = 0.57721566490153286061  # Euler's constant, the mean of the standard Gumbel distribution
TINY = {float16: 2.0**-14, bfloat16: 2.0**-126, float32: 2.0**-126, float64: 2.0**-1022}
EPSILON = {float16: 2.0**-10, bfloat16: 2.0**-7, float32: 2.0**-23, float64: 2.0**-52}


def eps_of(dtype: DType) -> float:
    """Return the machine epsilon of a dtype. TypeError for a dtype that is not floating."""
    if dtype not in EPSILON:
        raise InvalidTypeError(f"eps_of: expected a floating dtype; got {dtype}; convert the value with .float()")
    return EPSILON[dtype]


def tiny_of(dtype: DType) -> float:
    """Return the smallest positive normal number of a dtype."""
    return TINY[dtype]


def sum_last(value: Tensor, dims: int) -> Tensor:
    """Return a tensor summed over its last dimensions."""
    return value.sum(tuple(range(-dims, 0))) if dims else value


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """Return the shape to which all shapes broadcast. ValueError if there is none."""
    result: list[int] = []
    for shape in shapes:
        result = [1] * (len(shape) - len(result)) + result
        for i, length in enumerate(reversed(shape), 1):
            if result[-i] == 1:
                result[-i] = length
            elif length not in (1, result[-i]):
                raise InvalidValueError(
                    f"expected shapes that broadcast; got {', '.join(str(tuple(extent)) for extent in shapes)}"
                )
    return tuple(result)


def broadcast_all(*values: Tensor | SupportsFloat) -> tuple[Tensor, ...]:
    """Convert numbers and tensors to tensors of a common shape; numbers get the dtype of the first floating tensor.

    >>> from facula_tensor import ones
    >>> [tuple(t.shape) for t in broadcast_all(ones(2, 1), 0.5, ones(3))]
    [(2, 3), (2, 3), (2, 3)]
    """
    for value in values:
        if isinstance(value, (str, bytes)) or not (isinstance(value, Tensor) or hasattr(value, "__float__")):
            raise InvalidTypeError(f"broadcast_all: expected numbers and tensors; got {value!r}")
    given = [value for value in values if isinstance(value, Tensor)]
    like = next((t for t in given if t.is_floating_point()), None)
    dtype, device = (get_default_dtype(), None) if like is None else (like.dtype, like.device)
    tensors = [
        value if isinstance(value, Tensor) else as_tensor(float(value), dtype=dtype, device=device) for value in values
    ]
    shape = broadcast_shapes(*(t.shape for t in tensors))
    return tuple(t.expand(shape) for t in tensors)


def broadcast_parameters(distribution: object, **parameters: Any) -> tuple[Tensor, ...]:
    """Apply `broadcast_all` to a distribution's parameters; ValueError and TypeError name both."""
    name = type(distribution).__name__
    for parameter, value in parameters.items():
        if isinstance(value, (str, bytes)) or not (isinstance(value, Tensor) or hasattr(value, "__float__")):
            raise InvalidTypeError(f"{name}: expected {parameter} to be a number or a Tensor; got {value!r}")
    shapes = {key: tuple(value.shape) for key, value in parameters.items() if isinstance(value, Tensor)}
    try:
        return broadcast_all(*parameters.values())
    except InvalidValueError:
        given = ", ".join(f"{key} {shape}" for key, shape in shapes.items())
        raise InvalidValueError(f"{name}: expected parameters of shapes that broadcast; got {given}") from None


def clamp_probs(probs: Tensor) -> Tensor:
    """Clamp probabilities away from 0 and 1, so that their logarithms are finite."""
    eps = eps_of(probs.dtype)
    return probs.clamp(eps, 1 - eps)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Convert log odds, or unnormalized log probabilities along the last dimension, to probabilities.

    >>> from facula_tensor import zeros
    >>> logits_to_probs(zeros(2))
    tensor([0.5000, 0.5000])
    """
    return logits.sigmoid() if is_binary else softmax(logits, -1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Invert `logits_to_probs`; probabilities 0 and 1 are clamped to finite logits.

    >>> from facula_tensor import tensor
    >>> probs_to_logits(tensor([0.5, 0.5]))
    tensor([-0.6931, -0.6931])
    """
    clamped = clamp_probs(probs)
    return clamped.log() - (-clamped).log1p() if is_binary else clamped.log()


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """Return the elements of square matrices up to a diagonal (-1: the first below the main one), row by row.

    >>> from facula_tensor import tensor
    >>> tril_matrix_to_vec(tensor([[1.0, 0.0], [2.0, 3.0]]))
    tensor([1., 2., 3.])
    """
    n = mat.shape[-1]
    if not -n < diag < n:
        raise InvalidValueError(f"tril_matrix_to_vec: expected diag above {-n} and below {n}; got {diag}")
    rows, columns = tril_indices(n, n, diag, device=mat.device)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Invert `tril_matrix_to_vec`: return square matrices with zeros above the diagonal.

    >>> from facula_tensor import tensor
    >>> vec_to_tril_matrix(tensor([2.0]), -1)
    tensor([[0., 0.],
            [2., 0.]])
    """
    count = vec.shape[-1]
    n = round((-(1 + 2 * diag) + math.sqrt((1 + 2 * diag) ** 2 + 8 * count + 4 * abs(diag) * (diag + 1))) / 2)
    rows, columns = tril_indices(n, n, diag, device=vec.device)
    if rows.numel() != count:
        raise InvalidValueError(
            f"vec_to_tril_matrix: expected as many numbers as a square matrix has up to diagonal {diag}; got {count}"
        )
    flat = vec.new_zeros((*vec.shape[:-1], n * n))
    places = (rows * n + columns).expand(vec.shape)
    return flat.scatter(-1, places, vec).reshape((*vec.shape[:-1], n, n))


def normalized_logits(logits: Tensor) -> Tensor:
    """Return normalized log probabilities along the last dimension."""
    return log_softmax(logits, -1)


class lazy_property:
    """A property that is computed on first access, with gradients enabled, and then stored as an attribute."""

    __doc__: str | None
    __name__: str

    def __init__(self, wrapped: Callable[[Any], Tensor]):
        self.wrapped, self.__doc__, self.__name__ = wrapped, wrapped.__doc__, wrapped.__name__

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Tensor: ...
    def __get__(self, instance: object, owner: type | None = None) -> Self | Tensor:
        if instance is None:
            return self
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.__name__, value)
        return value
