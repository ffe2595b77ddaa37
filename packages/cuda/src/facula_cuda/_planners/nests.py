"""Dimensions with several steps, as kernels read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def in_order(shape: tuple[int, ...], steps: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return dimensions (extent, steps) in row-major order, innermost first, merged where possible.

    >>> in_order((2, 3, 1), [(3, 1, 7)]), in_order((), [()])
    ([(6, 1)], [(1, 0)])
    """
    merged: list[tuple[int, ...]] = []
    for extent, *by in reversed(list(zip(shape, *steps, strict=True))):
        if extent == 1:
            continue
        if merged and all([step == before * merged[-1][0] for step, before in zip(by, merged[-1][1:], strict=True)]):
            merged[-1] = (extent * merged[-1][0], *merged[-1][1:])
        else:
            merged.append((extent, *by))
    return merged or [(1, *(0 for _ in steps))]


def flat(dims: Sequence[Sequence[int]]) -> list[int]:
    """Return the numbers of all dimensions, one after the other."""
    return [number for dim in dims for number in dim]
