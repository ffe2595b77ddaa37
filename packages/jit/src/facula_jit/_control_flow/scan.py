"""`scan`, `associative_scan` and `map`: functions applied along a dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, InvalidTypeError
from facula_errors.extend import boundary
from facula_tensor import cat, stack
from facula_tensor.func import vmap

from .operands import Leaves, check_agree, check_functions, leaves_of, length_of, slices_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .operands import Tree


@boundary
def scan(
    combine_fn: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, *, dim: int = 0, reverse: bool = False
) -> tuple[Any, Any]:
    """Compute `carry, y = combine_fn(carry, x)` for each slice `x` of `xs`, and return the last carry and all `y`
    stacked.

    This is an ordinary loop: gradients flow through it, it supports transforms, and `capture` records all of its
    iterations.

    Arguments:
        combine_fn: a function of a carry and a slice. It returns the next carry, with the same structure, shapes and
            dtypes, and a result to stack.
        init: the first carry: tensors, in tuples, lists and dicts.
        xs: tensors, in tuples, lists and dicts, with the same length along `dim`.
        dim: the dimension of the slices; results are stacked along their first dimension.
        reverse: start with the last slice; the result of a slice is still stored at the index of the slice.

    Raises:
        TypeError, ValueError: invalid arguments, or carries that do not match.

    >>> from facula_tensor import arange, tensor
    >>> scan(lambda total, x: (total + x, total + x), tensor(0), arange(5))
    (tensor(10), tensor([ 0,  1,  3,  6, 10]))
    """
    check_functions("scan", combine_fn=combine_fn)
    _check_reverse("scan", reverse)
    carried = leaves_of("scan", "init", init, ())
    slices = list(slices_of("scan", leaves_of("scan", "xs", xs, ()), dim))
    made: list[Tree] = []
    for part in reversed(slices) if reverse else slices:
        found = combine_fn(carried.tree(), part)
        if not isinstance(found, (tuple, list)) or len(found) != 2:
            raise InvalidTypeError(
                f"scan: expected combine_fn to return (next carry, result of the slice); got {type(found).__name__} "
                f"{found!r:.60}"
            )
        following = leaves_of("scan", "the carry of combine_fn", found[0], ())
        check_agree("scan", carried, following)
        carried = carried._replace(leaves=following.leaves)
        made.append(found[1])
    return carried.tree(), _stacked("scan", "combine_fn", made[::-1] if reverse else made)


@boundary
def map(f: Callable[..., Any], xs: Any, *args: Any) -> Any:
    """Return `f(x, *args)` for each slice of `xs` along the first dimension, stacked. `vmap` computes all of them at
    once.

    Arguments:
        f: a function of a slice that returns tensors, in tuples, lists and dicts.
        xs: tensors, in tuples, lists and dicts, with the same length along the first dimension.
        args: further arguments of `f`.

    Raises:
        TypeError, ValueError: invalid arguments, or results that do not match.

    >>> from facula_tensor import tensor
    >>> map(lambda x, y: x.sum() * y, tensor([[1.0, 2.0], [3.0, 4.0]]), tensor(10.0))
    tensor([30., 70.])
    """
    check_functions("map", f=f)
    slices = slices_of("map", leaves_of("map", "xs", xs, ()), 0)
    return _stacked("map", "f", [f(part, *args) for part in slices])


@boundary
def associative_scan(
    combine_fn: Callable[[Any, Any], Any], xs: Any, dim: int, reverse: bool = False, combine_mode: str = "pointwise"
) -> Any:
    """Return the results of combining all slices of `xs` up to each one: for a sum, the cumulative sum.

    `combine_fn` is called about twice log2(n) times, on many slices at once. The order of the slices is preserved, but
    their grouping is not specified, since the function is associative.

    Arguments:
        combine_fn: an associative function of two slices that returns one of the same structure.
        xs: tensors, in tuples, lists and dicts, with the same length along `dim`.
        dim: the dimension of the slices.
        reverse: start with the last slice.
        combine_mode: "pointwise" for a function of elementwise operators, which receives many slices as one tensor;
            "generic" for any other, which uses `vmap`.

    Raises:
        TypeError, ValueError: invalid arguments, or results that do not match the slices.

    >>> from facula_tensor import tensor
    >>> associative_scan(lambda a, b: a * b, tensor([1.0, 2.0, 3.0, 4.0]), 0)
    tensor([ 1.,  2.,  6., 24.])
    """
    check_functions("associative_scan", combine_fn=combine_fn)
    _check_reverse("associative_scan", reverse)
    if combine_mode not in ("pointwise", "generic"):
        raise ArgumentError(
            f"associative_scan: expected combine_mode to be 'pointwise' or 'generic'; got {combine_mode!r:.60}"
        )
    given = leaves_of("associative_scan", "xs", xs, ())
    length_of("associative_scan", given, dim)
    leaves = [leaf.movedim(dim, 0) for leaf in given.leaves]
    if reverse:
        leaves = [leaf.flip(0) for leaf in leaves]
    called = combine_fn if combine_mode == "pointwise" else vmap(combine_fn)

    def combine(a: list[Any], b: list[Any]) -> list[Any]:
        first = Leaves("slices", a, given.shape)
        made = leaves_of("associative_scan", "the result of combine_fn", called(first.tree(), first.tree(b)), ())
        check_agree("associative_scan", first, made)
        return made.leaves

    found = _scanned(combine, leaves)
    if reverse:
        found = [leaf.flip(0) for leaf in found]
    return given.tree([leaf.movedim(0, dim) for leaf in found])


def _scanned(combine: Callable[[list[Any], list[Any]], list[Any]], leaves: list[Any]) -> list[Any]:
    """Return the scan along the first dimension: neighbours are combined, and the result is scanned recursively."""
    length = leaves[0].shape[0]
    if length < 2:
        return leaves
    odd = _scanned(combine, combine([leaf[: length - 1 : 2] for leaf in leaves], [leaf[1::2] for leaf in leaves]))
    even = [leaf[:1] for leaf in leaves]
    if length > 2:
        rest = combine([leaf[: (length - 1) // 2] for leaf in odd], [leaf[2::2] for leaf in leaves])
        even = [cat([leaf, more]) for leaf, more in zip(even, rest, strict=True)]
    return [_interleaved(leaf, other) for leaf, other in zip(even, odd, strict=True)]


def _interleaved(even: Any, odd: Any) -> Any:
    """Interleave the slices of both; `even` has as many or one more."""
    count = odd.shape[0]
    pairs = stack([even[:count], odd], 1).flatten(0, 1)
    return pairs if even.shape[0] == count else cat([pairs, even[count:]])


def _stacked(operation: str, function: str, trees: list[Tree]) -> Tree:
    """Stack trees of tensors leaf by leaf."""
    results = [leaves_of(operation, f"the result of {function} for slice {place}", tree, ())
               for place, tree in enumerate(trees)]  # fmt: skip
    for result in results[1:]:
        check_agree(operation, results[0], result)
    return results[0].tree([stack(list(leaves)) for leaves in zip(*[result.leaves for result in results], strict=True)])


def _check_reverse(operation: str, reverse: object) -> None:
    """Raise TypeError for a value that is not a bool."""
    if not isinstance(reverse, bool):
        raise InvalidTypeError(f"{operation}: expected reverse to be a bool; got {reverse!r:.60}")
