"""Greatest common divisors and least common multiples of integers: `gcd` and `lcm`."""

from __future__ import annotations

from facula_errors import InvalidTypeError
from facula_storage import DType, Layout
from facula_storage.extend import INTEGER

from ..._core.errors import named
from ..._core.tensor import Tensor
from ..._dispatch.declaration import elementwise


def is_integer_dtype(dtype: DType) -> bool:
    """Return True for integer dtypes, excluding bool."""
    return dtype.category == INTEGER


def require_tensors(operation: str, *operands: object) -> None:
    """Raise a TypeError for numbers."""
    for one in operands:
        if not isinstance(one, (Layout, Tensor)):
            raise named(InvalidTypeError(f"{operation}: expected two tensors; got a number; make it one with tensor()"))


@elementwise
class gcd:
    """Return the greatest common divisor of each pair of elements; 0 for two zeros. Integers only.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.
        out: the tensor that receives the result; None for a new tensor.

    >>> from facula_tensor import tensor
    >>> gcd(tensor([12, -8]), tensor([8, 0]))
    tensor([4, 8])
    """

    inputs = ("input", "other")
    accepts = is_integer_dtype

    def validate_layouts(input, other):
        require_tensors("gcd", input, other)


@elementwise
class lcm:
    """Return the least common multiple of each pair of elements; 0 if one is 0. Integers only; overflow wraps.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.
        out: the tensor that receives the result; None for a new tensor.

    >>> from facula_tensor import tensor
    >>> lcm(tensor([12, -8]), tensor([8, 3]))
    tensor([24, 24])
    """

    inputs = ("input", "other")
    accepts = is_integer_dtype

    def validate_layouts(input, other):
        require_tensors("lcm", input, other)
