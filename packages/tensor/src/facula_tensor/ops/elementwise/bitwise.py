"""Bitwise operators of integers, logical operators of bool: Python's `& | ^ ~ << >>`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import DTypeError
from facula_storage.extend.layouts import BOOL, INTEGER

from ..._dispatch.declaration import elementwise, under

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_storage import DType

    from ..._core.types import Function


def integral(operation: str, *, least: int = BOOL) -> Callable[[DType], DType]:
    """Return the `compute_dtype` rule of a bitwise operator: it keeps integer dtypes (and bool) and rejects others.

    Arguments:
        operation: the operator's name, for error messages.
        least: the lowest accepted category of dtypes: BOOL or INTEGER.
    """

    def compute(dtype: DType) -> DType:
        if not least <= dtype.category <= INTEGER:
            kinds = "bool and integer" if least == BOOL else "integer"
            raise DTypeError(
                f"{operation}: defined for {kinds} tensors; got {dtype.name}; compare first, as in (x > 0) & mask, or "
                "convert with .long()"
            )
        return dtype

    return compute


def bitwise(name: str, symbol: str, method: str, doc: str, first: str, other: str, result: str) -> Function:
    """Declare an operator on pairs of integers, Python's `symbol`, whose methods are `__method__`, `__rmethod__` and
    `__imethod__`. The example in the docstring is `tensor(first) symbol other`.
    """
    shifts = method.endswith("shift")

    @elementwise
    @under(
        name,
        f"""{doc}

    >>> from facula_tensor import tensor
    >>> tensor({first}) {symbol} {other}
    tensor({result})
    """,
    )
    class body:
        inputs = ("input", "other")
        dunders = (f"__{method}__",) if shifts else (f"__{method}__", f"__r{method}__")
        reflected = (f"__r{method}__",) if shifts else ()
        inplace_dunders = (f"__i{method}__",)
        compute_dtype = integral(name, least=INTEGER if shifts else BOOL)
        low_bits = method == "and"  # x & -32 clears five bits of an unsigned x, too

    return body


PAIRS = "Return the bitwise {0} of each pair of elements; for bool, the logical {0}."
SHIFTS = (
    "Shift the bits of each element to the {}\n\n    Shifts by a negative number, or by at least the dtype's width, "
)
LEFT = "left: multiply by 2 ** other. Bits beyond the dtype's width are lost."
RIGHT = "right, keeping its sign: divide by 2 ** other and round down."
bitwise_and = bitwise("bitwise_and", "&", "and", PAIRS.format("and"), "[6, 5]", "3", "[2, 1]")
bitwise_or = bitwise("bitwise_or", "|", "or", PAIRS.format("or"), "[6, 5]", "1", "[7, 5]")
bitwise_xor = bitwise(
    "bitwise_xor", "^", "xor", PAIRS.format("exclusive or"), "[True, False]", "tensor([True, True])", "[False,  True]"
)
bitwise_left_shift = bitwise(
    "bitwise_left_shift", "<<", "lshift", SHIFTS.format(LEFT) + "return 0.", "[1, 3]", "2", "[ 4, 12]"
)
bitwise_right_shift = bitwise(
    "bitwise_right_shift",
    ">>",
    "rshift",
    SHIFTS.format(RIGHT) + "return 0, or -1 for negative elements.",
    "[9, -9]",
    "1",
    "[ 4, -5]",
)


@elementwise
class bitwise_not:
    """Invert the bits of each element; for bool, return the logical not.

    >>> from facula_tensor import tensor
    >>> ~tensor([True, False])
    tensor([False,  True])
    """

    dunders = ("__invert__",)
    compute_dtype = integral("bitwise_not")
