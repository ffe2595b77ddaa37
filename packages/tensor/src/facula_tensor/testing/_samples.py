"""What is known of an operator when it is tested: inputs that make sense, and what it owes for them."""

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
# Dtypes that no case lists, as few operators take them, with one that holds their values. (float8_e8m0fnu has no 0.)
STORAGE = {
    **dict.fromkeys(("uint16", "uint32", "uint64"), "int64"),
    **dict.fromkeys(("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"), "float32"),
}
LAYOUTS = ("contiguous", "transposed", "sliced", "expanded", "offset", "empty", "zero_dim")


def same(dtype: str) -> str:
    """The result has the operands' dtype."""
    return dtype


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Inputs for `check_operator`: shapes, dtypes, strides, special values, and what must be refused.

    Dtypes are named by strings, as "float32". Elements are drawn from a fixed seed.

    Arguments:
        arity: the number of tensors that the function takes.
        shapes: their shapes, where they must fit together; otherwise all are (3, 4), and empty and zero-dim too.
        dtypes: those it takes. `rejects`: whether it must raise for every other one.
        result: the dtype of the result, from that of the operands.
        layouts: how the operands lie in memory.
        domain: the bounds of real inputs. `gradient_domain`: the same where derivatives are taken.
        distinct: whether elements must differ, as for a sort.
        special: numbers such as infinities at which floating results must be the reference's, signs of zero included.
        scales: factors such as 1e20 and 1e-20 by which operands in float32 are multiplied, each by each: results must
            be the reference's in float64, so no intermediate result may overflow or become 0.
        refused: calls that must raise: arguments, the error's class, and a regular expression for its message.
        elementwise: whether operands broadcast and, where there are several, promote.
        numbers: whether the second operand may be a Python number. `with_bool`: whether one may be bool alone.
        inplace: the form that changes its first operand: a function, or the name of a method.
        out: whether the function takes `out=`.
        gradient: the dtypes in which derivatives are taken: "float64", "complex128" or both. `second`: whether second
            ones are, too.
        forward_mode, batching: whether `jvp` and `vmap` of the function are tried.
        changes_first: whether it puts others into its first operand, which then takes no batch unless it is one.
        may_return_operand: whether the result may be an operand itself, where nothing is to do.
        meta: whether the shape of the result follows without values, on the meta device.
        loose: a factor on all tolerances.
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
            ("refused", all(_is_list(one, 3) for one in calls), "(arguments, error, pattern) for each of some calls"),
        ):
            if not right:
                raise InvalidValueError(f"Samples: expected {name} to be {wanted}; got {getattr(self, name)!r}")


def _is_list(given: object, length: int | None = None) -> bool:
    return isinstance(given, (tuple, list)) and (length is None or len(given) == length)


def _check_sample_names(name: str, given: object, known: tuple[str, ...]) -> None:
    """Check that a field of `Samples` is a tuple of names that are known."""
    listed = ", ".join(map(repr, known))
    if not _is_list(given):
        raise InvalidTypeError(f"Samples: expected {name} to be a tuple of names among {listed}; got {given!r}")
    for one in given:  # type: ignore[attr-defined]  # a list
        if one not in known:
            raise InvalidValueError(f"Samples: expected {name} among {listed}; got {one!r}")


@dataclass(frozen=True)
class Case(Samples):
    """Samples of one operator, with its function and a reference, which take as many tensors (arrays) as `arity`."""

    name: str
    function: Callable[..., Any]
    reference: Callable[..., Any]
    rejects: bool = field(default=True, kw_only=True)

    def __str__(self) -> str:
        return self.name
