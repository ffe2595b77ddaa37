"""Sizes of tensors that a captured function reads, as numbers that note what the program decides by them.

Note [Marked sizes]
~~~~~~~~~~~~~~~~~~~
A graph for all batch sizes must not contain decisions that depend on the size. Of `x[: min(len(x), 8)]`, captured with
16, 24 and 32 rows, only the 8 is visible in the launches. Therefore `shape`, `size()` and `numel()` return marked
numbers to the program during a capture. Arithmetic keeps the mark and the sizes that the number came from. Operations
that lose it (comparisons, `bool`, `hash`, `int`, conversion to text, `len(x)`) are noted with their line if the program
executes them; the library's own code is trusted. `save(batch=True)` compares the notes of several captures: a line
whose numbers came from different sizes decides by the batch size.

Arithmetic that is not linear (`n & 1`, `abs(n)`, `n ** 2`, rounded floats) is noted like that: its results may be
linear in the sizes of the captures by chance, as `-n % 16` is in multiples of 16. Products of sizes and divisions of
integers are noted with their operands (`terms`), which say whether the result is linear for all sizes: `n * t` is if
only one of both follows from the batch size, `x.numel() // t` if t divides every row.

Only the second and later signatures of a function are marked, since programs with one signature have no use for it.
Functions in C that take a number without calling its methods (`range`, `math.log`, indexing of lists) are found by
their operands in the source: Note [Marked operands] in `marked_operands.py`. Numbers that are no subclasses of
int would be asked by all of them, but programs may keep such numbers, and `json` or `decimal` would refuse them.
"""

from __future__ import annotations

import operator
from sys import _getframe
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors.extend import in_library
from facula_tensor.extend import ACCESSORS

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType

    Origins = tuple[int, ...]
    Term = tuple[str, int, int]

ARITHMETIC = "add sub mul floordiv mod pow lshift rshift and or xor truediv divmod".split()
UNARY = "neg pos abs invert round trunc floor ceil".split()
LINEAR = "add sub truediv neg pos invert".split()
ROUNDING = "round trunc floor ceil".split()  # which leave integers as they are
DIVISIONS = "floordiv mod divmod".split()
COMPARISONS = "lt le gt ge eq ne".split()
METHODS = "bit_length bit_count to_bytes as_integer_ratio is_integer hex __complex__".split()
SEQUENCES = (list, tuple, str, bytes, bytearray)
CONVERSIONS = "bool hash int float index str repr format".split()


class Decisions:
    """What the program decided by marked sizes in one run: the sizes, by code object and instruction."""

    def __init__(self) -> None:
        self.found: dict[tuple[CodeType, int], set[Origins]] = {}
        self.terms: dict[tuple[CodeType, int], dict[Term, None]] = {}
        self.read_sizes: set[int] = set()  # the sizes that the program read
        self.is_open = True

    def note(self, origins: Origins, frame: FrameType | None = None) -> None:
        """Note a decision, if the program's own code makes it.

        Arguments:
            origins: the sizes that the number came from.
            frame: what decides; by default the caller of the caller.
        """
        frame = frame or _getframe(2)
        if self.is_open and not in_library(frame):
            self.found.setdefault((frame.f_code, frame.f_lasti), set()).add(origins)

    def note_term(self, name: str, left: Any, right: Any, frame: FrameType) -> None:
        """Note a product or a division of integers.

        Arguments:
            name: of the operation.
            left: the first operand.
            right: the second one.
            frame: what computes it.
        """
        if self.is_open and not in_library(frame):
            terms = self.terms.setdefault((frame.f_code, frame.f_lasti), {})
            terms[name, plain(left), plain(right)] = None

    def read(self, sizes: tuple[int, ...], is_length: bool) -> tuple[int, ...]:
        """Sizes as the code that reads them gets them: marked, if it is the program's.

        Arguments:
            sizes: the sizes.
            is_length: whether `len()` reads one, whose result Python makes a plain integer.
        """
        frame = _getframe(3)
        while frame.f_globals.get("__name__") in ACCESSORS and frame.f_back is not None:
            frame = frame.f_back
        if is_length:
            self.note(sizes, frame)
        if is_length or in_library(frame):
            return sizes
        self.read_sizes.update(sizes)
        return tuple([marked(one, self, (one,)) for one in sizes])


class Marked:
    """What marked integers and floats have in common."""

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
    """An integer that follows from sizes."""


class MarkedFloat(Marked, float):
    """A float that follows from sizes."""


def _itself(number: Any) -> Any:
    return number


def marked(value: Any, decisions: Decisions, origins: Origins) -> Any:
    """A number, or the numbers of a tuple, with a mark; anything else as it is."""
    if type(value) is tuple:
        return tuple([marked(one, decisions, origins) for one in value])
    if not decisions.is_open or type(value) not in (int, float):
        return value
    made = MarkedInt(value) if type(value) is int else MarkedFloat(value)
    made.decisions, made.origins = decisions, origins
    return made


def plain(value: Any) -> Any:
    """A number without its mark; anything else as it is."""
    if isinstance(value, MarkedInt):
        return int.__int__(value)
    return float.__float__(value) if isinstance(value, MarkedFloat) else value


def _origins(*values: Any) -> Origins:
    return tuple(sorted({one for value in values if isinstance(value, Marked) for one in value.origins}))


def _function(name: str) -> Callable[..., Any]:
    found: Any = getattr(operator, f"__{name}__", None) or {"divmod": divmod, "round": round}.get(name)
    return found or (lambda value: getattr(value, f"__{name}__")())


def _note_arithmetic(number: Marked, name: str, *operands: Any) -> None:
    """Note arithmetic whose result may be another function of the size than a linear one.

    Arguments:
        number: one of the operands that is marked.
        name: of the operation.
        operands: all of them.
    """
    are_integers = all([isinstance(one, int) for one in operands])
    are_sizes = name == "mul" and all([isinstance(one, Marked) for one in operands])
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
    """A result of arithmetic with its mark; as many items of a sequence as the number says are noted."""
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
    """Give a kind of marked number the special methods that its base has."""
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
