"""Greatest common divisors and least common multiples of integers: `gcd` and `lcm`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_storage import DType, Layout
from facula_storage.extend.layouts import INTEGER

from ..._core.errors import named
from ..._core.tensor import Tensor
from ..._dispatch.declaration import elementwise, under

if TYPE_CHECKING:
    from ..._core.types import Function


def is_integer_dtype(dtype: DType) -> bool:
    """Return True for integer dtypes, excluding bool."""
    return dtype.category == INTEGER


def require_tensors(operation: str, *operands: object) -> None:
    """Raise a TypeError for numbers."""
    for operand in operands:
        if not isinstance(operand, (Layout, Tensor)):
            raise named(InvalidTypeError(f"{operation}: expected two tensors; got a number; make it one with tensor()"))


def integer_pairs(name: str, what: str, zero: str, numbers: str, result: str) -> Function:
    """Declare an operator on pairs of integers; `zero` says what it returns for zeros."""

    @elementwise
    @under(
        name,
        f"""Return the {what} of each pair of elements; 0 {zero}.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.
        out: the tensor that receives the result; None for a new tensor.

    >>> from facula_tensor import tensor
    >>> {name}(tensor([12, -8]), tensor({numbers}))
    tensor({result})
    """,
    )
    class body:
        inputs = ("input", "other")
        accepts = is_integer_dtype

        def validate_layouts(input, other):
            require_tensors(name, input, other)

    return body


gcd = integer_pairs("gcd", "greatest common divisor", "for two zeros. Integers only", "[8, 0]", "[4, 8]")
lcm = integer_pairs("lcm", "least common multiple", "if one is 0. Integers only; overflow wraps", "[8, 3]", "[24, 24]")
