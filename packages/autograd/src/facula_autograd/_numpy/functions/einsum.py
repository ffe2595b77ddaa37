"""`einsum`: the gradient by one operand is an einsum of the result's gradient with all other operands."""

from __future__ import annotations

from string import ascii_letters

from facula_errors import InvalidValueError

from ..arrays import shape_of
from ..variable import operand
from .table import conj, implements, np, operator, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..._types import Array


def _by_operand(k: int, g: Array, y: Array, *arrays: Array, terms: list[str], result: str, **options: Array) -> Array:
    sizes: dict[str, int] = {}
    for term, array in zip(terms, arrays, strict=True):
        for letter, n in zip(term, shape_of(array), strict=True):
            sizes[letter] = max(n, sizes.get(letter, 1))  # an axis of length 1 is broadcast
    mine = terms[k]
    others = [(term, conj(array)) for j, (term, array) in enumerate(zip(terms, arrays, strict=True)) if j != k]
    # Letters that occur in no other operand were summed over: the gradient is constant along them.
    alone = "".join(letter for letter in mine if letter not in result + "".join(term for term, _ in others))
    others += [(alone, np.ones([sizes[letter] for letter in alone], plain(g).dtype))] if alone else []
    subscripts = ",".join([result, *(term for term, _ in others)])
    return np.einsum(f"{subscripts}->{mine}", g, *(array for _, array in others), **options)


_einsum = operator(
    lambda *arrays, terms, result, **options: np.einsum(f"{','.join(terms)}->{result}", *arrays, **options),
    _by_operand,
    "einsum",
    fresh=None,
)


@implements(np.einsum)
def einsum(*args: object, out: None = None, optimize: object = False) -> Array:
    terms, result, arrays = _explicit(*args)
    for k, term in enumerate(terms):
        while len(set(term)) < len(term):  # "ii" is the diagonal
            letter = next(letter for letter in term if term.count(letter) > 1)
            first, second = [i for i, other in enumerate(term) if other == letter][:2]
            arrays[k] = np.diagonal(arrays[k], 0, first, second)
            term = terms[k] = term[:first] + term[first + 1 : second] + term[second + 1 :] + letter
    return _einsum(*arrays, terms=terms, result=result, optimize=optimize)


def _explicit(*args: object) -> tuple[list[str], str, list[Array]]:
    """Return letters for every axis of the operands and of the result, and the operands."""
    if isinstance(args[0], str):
        inputs, arrow, result = args[0].replace(" ", "").partition("->")
        terms = inputs.split(",")
        arrays: list[Array] = [operand(a) for a in args[1:]]
    else:  # the alternative form: array, its axes, array, its axes, ..., the result's axes
        arrays = [operand(a) for a in args[: len(args) // 2 * 2 : 2]]
        terms = [_letters(axes) for axes in args[1::2]]  # type: ignore[arg-type]  # every other one
        arrow, result = ("->", _letters(args[-1])) if len(args) % 2 else ("", "")  # type: ignore[arg-type]
    if len(terms) != len(arrays):
        raise InvalidValueError(f"numpy.einsum: expected an operand for each of {terms}; got {len(arrays)}")
    free = [letter for letter in ascii_letters if letter not in "".join(terms) + result]
    longest = 0
    for k, (term, array) in enumerate(zip(terms, arrays, strict=True)):
        if "..." in term:
            n = array.ndim - (len(term) - 3)
            longest = max(longest, n)
            terms[k] = term.replace("...", "".join(free[:n][::-1]))
        if len(terms[k]) != array.ndim:
            raise InvalidValueError(
                f"numpy.einsum: expected {term!r} to name {array.ndim} axes; got shape {array.shape}"
            )
    rest = "".join(free[:longest][::-1])
    if arrow:
        return terms, result.replace("...", rest), arrays
    every = "".join(terms)
    return terms, rest + "".join(sorted(x for x in set(every) if every.count(x) == 1 and x not in rest)), arrays


def _letters(axes: Iterable[int]) -> str:
    return "".join("..." if axis is Ellipsis else ascii_letters[axis] for axis in axes)


@implements(np.einsum_path)
def einsum_path(*args: Array, **options: Array) -> Array:
    return np.einsum_path(*plain(args), **options)
