"""Marked sizes: tensor sizes that record which decisions the program bases on them.

Note [Marked sizes]
~~~~~~~~~~~~~~~~~~~
A graph for all batch sizes must not contain decisions that depend on the size. If `x[: min(len(x), 8)]` is captured
with 16, 24 and 32 rows, the launches show only the 8. Therefore `shape`, `size()` and `numel()` return marked numbers
to the program during a capture. Arithmetic preserves the mark and the set of sizes from which the number was computed.
Operations that lose the mark (comparisons, `bool`, `hash`, `int`, conversion to text, `len(x)`) are noted with their
line if the program executes them; library code is trusted. `save(batch=True)` compares the notes of several captures: a
line whose numbers came from different sizes makes a decision that depends on the batch size.

Nonlinear arithmetic (`n & 1`, `abs(n)`, `n ** 2`, rounded floats) is noted in the same way: its results may be linear
in the captured sizes by chance, as `-n % 16` is for multiples of 16. Products of sizes and integer divisions are noted
with their operands (`terms`), which determine whether the result is linear for all sizes. `n * t` is linear if only one
of both depends on the batch size; `x.numel() // t` is linear if t divides the size of each row.

Only the second and later signatures of a function are marked, since programs with one signature do not need the marks.
Some C functions read a number without calling its methods (`range`, `math.log`, indexing of lists). Their calls are
found in the source by their operands: Note [Marked operands] in `marked_operands.py`. The alternative, numbers that are
not subclasses of int, would see all of these calls, but programs may store the numbers, and `json` or `decimal` would
reject them.
"""

from __future__ import annotations

import operator
from sys import _getframe
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors.extend import in_library
from facula_tensor.extend.recording import ACCESSORS

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType

    Origins = tuple[int, ...]
    Term = tuple[str, int, int]

ARITHMETIC = "add sub mul floordiv mod pow lshift rshift and or xor truediv divmod".split()
UNARY = "neg pos abs invert round trunc floor ceil".split()
LINEAR = "add sub truediv neg pos invert".split()
ROUNDING = "round trunc floor ceil".split()  # operations that leave integers unchanged
DIVISIONS = "floordiv mod divmod".split()
COMPARISONS = "lt le gt ge eq ne".split()
METHODS = "bit_length bit_count to_bytes as_integer_ratio is_integer hex __complex__".split()
SEQUENCES = (list, tuple, str, bytes, bytearray)
CONVERSIONS = "bool hash int float index str repr format".split()


class Decisions:
    """The decisions that the program based on marked sizes in one run: sets of sizes by code object and instruction."""

    def __init__(self) -> None:
        self.found: dict[tuple[CodeType, int], set[Origins]] = {}
        self.terms: dict[tuple[CodeType, int], dict[Term, None]] = {}
        self.read_sizes: set[int] = set()  # the sizes that the program read
        self.is_open = True

    def note(self, origins: Origins, frame: FrameType | None = None) -> None:
        """Note a decision if the code of the program makes it.

        Arguments:
            origins: the sizes from which the number was computed.
            frame: the frame that decides; by default the caller of the caller.
        """
        frame = frame or _getframe(2)
        if self.is_open and not in_library(frame):
            self.found.setdefault((frame.f_code, frame.f_lasti), set()).add(origins)

    def note_term(self, name: str, left: Any, right: Any, frame: FrameType) -> None:
        """Note a product or an integer division.

        Arguments:
            name: the name of the operation.
            left: the first operand.
            right: the second operand.
            frame: the frame that computes it.
        """
        if self.is_open and not in_library(frame):
            terms = self.terms.setdefault((frame.f_code, frame.f_lasti), {})
            terms[name, plain(left), plain(right)] = None

    def read(self, sizes: tuple[int, ...], is_length: bool) -> tuple[int, ...]:
        """Return sizes for the code that reads them: marked if it is code of the program, else unchanged.

        Arguments:
            sizes: the sizes.
            is_length: True if `len()` reads one, whose result Python converts to a plain integer.
        """
        frame = _getframe(3)
        while frame.f_globals.get("__name__") in ACCESSORS and frame.f_back is not None:
            frame = frame.f_back
        if is_length:
            self.note(sizes, frame)
        if is_length or in_library(frame):
            return sizes
        self.read_sizes.update(sizes)
        return tuple([marked(extent, self, (extent,)) for extent in sizes])


class Marked:
    """The common base of marked integers and floats."""

    decisions: Decisions
    origins: Origins

    def __reduce__(self) -> tuple[Any, ...]:
        return type(plain(self)), (plain(self),)

    def __array__(self, *arguments: Any, **options: Any) -> Any:
        self.decisions.note(self.origins)
        return np.array(plain(self), *arguments, **options)

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        self.decisions.note(self.origins)
        return getattr(function, method)(*map(plain, inputs), **options)


class MarkedInt(Marked, int):
    """An integer computed from sizes."""


class MarkedFloat(Marked, float):
    """A float computed from sizes."""


def _itself(number: Any) -> Any:
    return number


def marked(value: Any, decisions: Decisions, origins: Origins) -> Any:
    """Return a marked number, or a tuple of marked numbers; other values unchanged."""
    if type(value) is tuple:
        return tuple([marked(extent, decisions, origins) for extent in value])
    if not decisions.is_open or type(value) not in (int, float):
        return value
    made = MarkedInt(value) if type(value) is int else MarkedFloat(value)
    made.decisions, made.origins = decisions, origins
    return made


def plain(value: Any) -> Any:
    """Return a number without its mark; other values unchanged."""
    if isinstance(value, MarkedInt):
        return int.__int__(value)
    return float.__float__(value) if isinstance(value, MarkedFloat) else value


def _origins(*values: Any) -> Origins:
    return tuple(sorted({origin for value in values if isinstance(value, Marked) for origin in value.origins}))


def _function(name: str) -> Callable[..., Any]:
    found: Any = getattr(operator, f"__{name}__", None) or {"divmod": divmod, "round": round}.get(name)
    return found or (lambda value: getattr(value, f"__{name}__")())


def _note_arithmetic(number: Marked, name: str, *operands: Any) -> None:
    """Note arithmetic whose result may not be linear in the size.

    Arguments:
        number: one of the marked operands.
        name: the name of the operation.
        operands: all operands.
    """
    are_integers = all([isinstance(operand, int) for operand in operands])
    are_sizes = name == "mul" and all([isinstance(operand, Marked) for operand in operands])
    if (name in DIVISIONS or are_sizes) and are_integers:
        number.decisions.note_term(name, operands[0], operands[1], _getframe(2))
    elif not (name in LINEAR or (name == "mul" and not are_sizes) or (name in ROUNDING and operands == (number,))):
        number.decisions.note(_origins(*operands), _getframe(2))
    elif name in ROUNDING and not are_integers:
        number.decisions.note(number.origins, _getframe(2))


def _arithmetic(name: str) -> Callable[..., Any]:
    function = _function(name)

    def method(self: Any, *others: Any) -> Any:
        found = function(plain(self), *map(plain, others))
        _note_arithmetic(self, name, self, *others)
        return _result(found, name, self, _origins(self, *others))

    return method


def _reflected(name: str) -> Callable[..., Any]:
    function = _function(name)

    def method(self: Any, other: Any) -> Any:
        found = function(plain(other), plain(self))
        _note_arithmetic(self, name, other, self)
        return _result(found, name, self, _origins(self, other))

    return method


def _result(found: Any, name: str, number: Marked, origins: Origins) -> Any:
    """Return a result of arithmetic with its mark. A repeated sequence is noted, since its length depends on the
    number.
    """
    if name == "mul" and isinstance(found, SEQUENCES):
        number.decisions.note(origins, _getframe(2))
        return found
    return marked(found, number.decisions, origins)


def _comparison(name: str) -> Callable[..., Any]:
    function = _function(name)

    def method(self: Any, other: Any) -> Any:
        found = function(plain(self), plain(other))
        is_same_size = name in ("eq", "ne") and isinstance(other, Marked) and plain(self) == plain(other)
        if type(found) is bool and not is_same_size:
            self.decisions.note(_origins(self, other))
        return found

    return method


def _conversion(name: str) -> Callable[..., Any]:
    def method(self: Any, *arguments: Any) -> Any:
        self.decisions.note(self.origins)
        value = plain(self)
        return getattr(value, f"__{name}__")(*arguments)

    return method


def _add_methods(kind: type, base: type) -> None:
    """Add the special methods of the base class to a class of marked numbers."""
    makers = ((ARITHMETIC, _arithmetic), (UNARY, _arithmetic), (COMPARISONS, _comparison), (CONVERSIONS, _conversion))
    methods = {f"__{name}__": make(name) for names, make in makers for name in names}
    methods.update({f"__r{name}__": _reflected(name) for name in ARITHMETIC})
    for name, method in methods.items():
        if hasattr(base, name):
            setattr(kind, name, method)
    for name in ("real", "numerator", "conjugate"):
        if hasattr(base, name):
            setattr(kind, name, _itself if name == "conjugate" else property(_itself))
    for name in METHODS:
        if hasattr(base, name) or name == "__complex__":
            setattr(kind, name, _called(getattr(base, name, complex)))


def _called(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        self.decisions.note(self.origins)
        return function(plain(self), *arguments, **options)

    return method


_add_methods(MarkedInt, int)
_add_methods(MarkedFloat, float)
