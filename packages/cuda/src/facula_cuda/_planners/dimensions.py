"""Dimensions of operands that kernels walk through together: merged, and as the words of a parameter block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._generate import FEW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import Layout

MANY = 32  # dimensions, for which kernels have room where FEW do not suffice: arrays with more have 2^33 elements

Dimension = tuple[int, ...]  # the length, then the steps of each array


def dimensions_of(shape: Sequence[int], *steps: Sequence[int]) -> list[Dimension]:
    """Return the dimensions of a shape, innermost first, merged in row-major order.

    >>> dimensions_of((2, 3, 1), (3, 1, 7)), dimensions_of((), ())
    ([(6, 1)], [])
    """
    return merged(list(zip(shape, *steps, strict=True))[::-1], ordered=False)


def merged(dims: Sequence[Dimension], *, ordered: bool = True) -> list[Dimension]:
    """Return the fewest dimensions with the same elements, given innermost first.

    With `ordered` they are sorted by the first array's steps, so that neighbouring threads read neighbouring elements.

    >>> merged([(4, 4), (3, 16), (1, 7)])
    [(12, 4)]
    """
    kept = [dim for dim in dims if dim[0] != 1]
    if ordered:
        kept.sort(key=_first_step)
    found: list[Dimension] = []
    for dim in kept:
        if found and dim[1:] == tuple([step * found[-1][0] for step in found[-1][1:]]):
            found[-1] = (found[-1][0] * dim[0], *found[-1][1:])
        else:
            found.append(dim)
    return found


def lines_of(operands: Sequence[Layout], dim: int) -> tuple[list[int], list[int], list[Dimension]]:
    """Return the length of each operand's lines along `dim`, its step in bytes along them, and the lines' dimensions.

    Arguments:
        operands: layouts of one shape but for the length of that dimension. A number is a line of one element.
        dim: the dimension.
    """
    sizes = [one.dtype.itemsize for one in operands]
    if not operands[0].ndim:
        return [1] * len(operands), sizes, []
    dim %= operands[0].ndim
    steps = [[stride * size for stride in one.strides] for one, size in zip(operands, sizes, strict=True)]
    along = [by.pop(dim) for by in steps]
    shape = [*operands[0].shape[:dim], *operands[0].shape[dim + 1 :]]
    return [one.shape[dim] for one in operands], along, merged(list(zip(shape, *steps, strict=True))[::-1])


def _first_step(dim: Dimension) -> int:
    return dim[1]


def padded(words: Sequence[int]) -> list[int]:
    """Return the words, with zeros up to one of a few lengths: so that one compiled kernel serves several shapes.

    >>> len(padded([1, 2, 3])), len(padded([0] * 13))
    (12, 24)
    """
    length = 12
    while length < len(words):
        length *= 2
    return [*words, *[0] * (length - len(words))]


def nest_of(dims: Sequence[Dimension]) -> list[int]:
    """Return the words that `locate` in kernels/common.cuh reads."""
    return padded([number for dim in dims for number in dim])


def room_for(*groups: Sequence[Dimension]) -> int:
    """Return for how many dimensions a kernel needs room, FEW or MANY; 0 if there are more.

    >>> room_for([(2, 1)] * 7, [(2, 1)]), room_for([(2, 1)] * 40)
    (32, 0)
    """
    most = max(map(len, groups))
    return FEW if most <= FEW else MANY if most <= MANY else 0


def packed(dims: Sequence[Dimension], arrays: int, room: int) -> list[int]:
    """Return the words of `dimensions` in kernels/typed.cuh, and of `nest` in _elements/arrays.h."""
    lengths = [dim[0] for dim in dims] + [0] * (room - len(dims))
    steps = [step for dim in dims for step in dim[1:]] + [0] * (arrays * (room - len(dims)))
    return [len(dims), *lengths, *steps]


def suffix_of(room: int) -> str:
    """Return the end of the name of a kernel with this room: of kernels that have one for each."""
    return "" if room == FEW else f"_{room}"
