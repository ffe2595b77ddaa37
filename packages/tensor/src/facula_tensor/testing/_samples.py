"""Descriptions of operators for tests: valid inputs, and the behaviour expected for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .._core.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
NUMBERS = INTEGERS + FLOATS + COMPLEX
REALS = INTEGERS + FLOATS
ALL = ("bool", *NUMBERS)
# Storage dtypes, which few operators accept, each with a computing dtype that can represent its values.
# float8_e8m0fnu is missing because it has no 0.
STORAGE = {
    **dict.fromkeys(("uint16", "uint32", "uint64"), "int64"),
    **dict.fromkeys(("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"), "float32"),
}
LAYOUTS = ("contiguous", "transposed", "sliced", "expanded", "offset", "empty", "zero_dim")


def same(dtype: str) -> str:
    """Return the dtype of the operands as that of the result."""
    return dtype


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Inputs for `check_operator`: shapes, dtypes, layouts, special values, and calls that must raise.

    Dtypes are given by name, such as "float32". Elements are drawn with a fixed seed.

    Arguments:
        arity: the number of tensors that the function takes.
        shapes: the shapes of the operands; by default all are (3, 4), and also empty and zero-dimensional.
        dtypes: the supported dtypes.
        rejects: whether the function must raise for all other dtypes.
        result: a function from the name of the operands' dtype to that of the result.
        layouts: the memory layouts of the operands.
        domain: the bounds of real inputs.
        gradient_domain: the bounds of inputs for derivatives; `domain` if None.
        distinct: whether elements must differ, as for a sort.
        special: numbers such as infinities, for which floating results must match the reference, including the sign of
            zero.
        scales: factors such as 1e20 and 1e-20 for float32 operands, in all combinations. Results must match the
            reference in float64, so intermediate results must not overflow or underflow.
        refused: calls that must raise: tuples of arguments, error class and a regular expression for the message.
        elementwise: whether operands broadcast and promote.
        numbers: whether the second operand may be a Python number.
        with_bool: whether promotion of bool with other dtypes is checked.
        inplace: the in-place form: a function, or the name of a method.
        out: whether the function takes `out=`.
        gradient: the dtypes for checks of derivatives: "float64", "complex128" or both.
        second: whether to check second derivatives.
        forward_mode, batching: whether to check `jvp` and `vmap` of the function.
        changes_first: whether the function copies other operands into the first one, which must then be batched if any
            operand is.
        may_return_operand: whether the function may return an operand itself if it has no work to do.
        meta: whether the shape of the result can be computed without values, on the meta device.
        loose: a factor that multiplies all tolerances.
    """

    arity: int = 1
    shapes: tuple[tuple[int, ...], ...] = ()
    dtypes: tuple[str, ...] = ALL
    result: Callable[[str], str] = same
    layouts: tuple[str, ...] = LAYOUTS
    domain: tuple[float, float] = (-3.0, 3.0)
    gradient_domain: tuple[float, float] | None = None
    distinct: bool = False
    special: tuple[float, ...] = ()
    scales: tuple[float, ...] = ()
    refused: tuple[tuple[tuple[Any, ...], type[BaseException], str], ...] = ()
    rejects: bool = False
    elementwise: bool = False
    numbers: bool = True
    with_bool: bool = True
    inplace: str | Callable[..., Any] | None = None
    out: bool = False
    gradient: tuple[str, ...] = ()
    second: bool = True
    forward_mode: bool = True
    batching: bool = True
    meta: bool = True
    loose: float = 1.0
    changes_first: bool = False
    may_return_operand: bool = False

    @boundary
    def __post_init__(self) -> None:
        for name, known in (("dtypes", ALL), ("layouts", LAYOUTS), ("gradient", (FLOATS[-1], COMPLEX[-1]))):
            _check_sample_names(name, getattr(self, name), known)
        sizes, calls = self.shapes, self.refused
        inner, named = self.gradient_domain, isinstance(self.inplace, str)
        for name, right, wanted in (
            ("arity", isinstance(self.arity, int) and self.arity >= 1, "the number of tensors, 1 or more"),
            ("dtypes", bool(self.dtypes), "at least one name"),
            (
                "shapes",
                not sizes or (len(sizes) == self.arity and all(map(_is_list, sizes))),
                "a shape for each tensor",
            ),
            ("domain", _is_list(self.domain, 2), "two numbers"),
            ("gradient_domain", inner is None or _is_list(inner, 2), "two numbers, or None"),
            ("result", callable(self.result), "a function from one dtype's name to another's"),
            (
                "inplace",
                not named or hasattr(Tensor, str(self.inplace)),
                "a function, or the name of a tensor's method",
            ),
            ("refused", all(_is_list(call, 3) for call in calls), "(arguments, error, pattern) for each of some calls"),
        ):
            if not right:
                raise InvalidValueError(f"Samples: expected {name} to be {wanted}; got {getattr(self, name)!r}")


def _is_list(given: object, length: int | None = None) -> bool:
    return isinstance(given, (tuple, list)) and (length is None or len(given) == length)


def _check_sample_names(name: str, given: object, known: tuple[str, ...]) -> None:
    """Check that a field of `Samples` is a tuple of known names."""
    listed = ", ".join(map(repr, known))
    if not _is_list(given):
        raise InvalidTypeError(f"Samples: expected {name} to be a tuple of names among {listed}; got {given!r}")
    for entry in given:  # type: ignore[attr-defined]  # a list
        if entry not in known:
            raise InvalidValueError(f"Samples: expected {name} among {listed}; got {entry!r}")


@dataclass(frozen=True)
class Case(Samples):
    """Samples of one operator with its function of `arity` tensors and its reference, a function of arrays."""

    name: str
    function: Callable[..., Any]
    reference: Callable[..., Any]
    rejects: bool = field(default=True, kw_only=True)

    def __str__(self) -> str:
        return self.name
