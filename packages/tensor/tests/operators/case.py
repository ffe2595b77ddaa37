"""One case of an operator: what its function is, the same in NumPy, the dtypes it takes, and inputs that make sense."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
NUMBERS = INTEGERS + FLOATS + COMPLEX
REALS = INTEGERS + FLOATS
ALL = ("bool", *NUMBERS)


def same(dtype: str) -> str:
    """The result has the operands' dtype."""
    return dtype


def floating(dtype: str) -> str:
    """Integers and bool become the default floating dtype."""
    return dtype if dtype in FLOATS + COMPLEX else "float32"


def boolean(dtype: str) -> str:
    """The result is bool."""
    return "bool"


def accumulated(dtype: str) -> str:
    """Integers and bool become int64."""
    return dtype if dtype in FLOATS + COMPLEX else "int64"


def real_part(dtype: str) -> str:
    """Complex numbers become real ones."""
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def always(name: str) -> Callable[[str], str]:
    """The result is of one dtype, whatever the operands are."""
    return lambda dtype: name


@dataclass(frozen=True)
class Case:
    """What is known of one operator.

    `function` and `reference` take as many tensors (arrays) as `arity`. `dtypes` are those it must take; for all
    others it must raise. `domain` bounds real inputs, `distinct` asks for elements that are all different.
    `elementwise` operators broadcast, and promote if there are several operands. `inplace` names the in-place method.
    `shapes` replaces the one default shape of the operands where those must fit together.
    """

    name: str
    function: Callable[..., Any]
    reference: Callable[..., Any]
    arity: int = 1
    dtypes: tuple[str, ...] = ALL
    result: Callable[[str], str] = same
    domain: tuple[float, float] = (-3.0, 3.0)
    distinct: bool = False
    elementwise: bool = False
    inplace: str | None = None
    out: bool = False
    gradient: tuple[str, ...] = ()  # dtypes of derivatives to be checked
    shapes: tuple[tuple[int, ...], ...] = ()
    layouts: tuple[str, ...] = ("contiguous", "transposed", "sliced", "expanded", "offset", "empty", "zero_dim")
    loose: float = 1.0  # factor on the tolerance
    rejects: bool = True  # dtypes outside `dtypes` raise
    meta: bool = True
    second: bool = True
    gradient_domain: tuple[float, float] | None = None
    numbers: bool = True  # the second operand may be a Python number
    with_bool: bool = True  # an operand may be bool where the other is not

    def __str__(self) -> str:
        return self.name
