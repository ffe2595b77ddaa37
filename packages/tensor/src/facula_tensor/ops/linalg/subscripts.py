"""The parser of `einsum` subscripts: equations and lists of integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from facula_errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import EllipsisType

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
MOST_LABELS = len(LETTERS)
Label: TypeAlias = "int | EllipsisType"
Labels: TypeAlias = "Sequence[Label]"


def labels_of(
    subscripts: str | tuple[Sequence[Labels], Labels | None], shapes: tuple[tuple[int, ...], ...]
) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
    """Return the integer labels of each operand's dimensions and of the result's; `...` has negative ones, -1 last.

    >>> labels_of("...ij,jk", ((5, 2, 3), (3, 4)))
    ([(-1, 34, 35), (35, 36)], (-1, 34, 36))
    """
    if isinstance(subscripts, str):
        before, arrow, after = subscripts.replace(" ", "").partition("->")
        written = [_read(text, place) for place, text in enumerate(before.split(","))]
        result: Labels | None = _read(after, None) if arrow else None
    else:
        written = [list(operand) for operand in subscripts[0]]
        result = subscripts[1]
        for label in [entry for some in (*written, result or ()) for entry in some]:
            if label is not Ellipsis and not 0 <= label < MOST_LABELS:
                raise ArgumentError(f"einsum: expected subscripts from 0 to {MOST_LABELS - 1}; got {label}")
    if len(written) != len(shapes):
        raise ArgumentError(f"einsum: expected as many operands as subscripts; got {len(shapes)} for {len(written)}")
    widest = 0
    operands = []
    for place, (labels, shape) in enumerate(zip(written, shapes, strict=True)):
        count = labels.count(Ellipsis)
        named = len(labels) - count
        if count > 1:
            raise ArgumentError(
                f"einsum: expected one ellipsis at most for each operand; got {count} for operand {place}"
            )
        if named > len(shape) or (not count and named < len(shape)):
            raise ArgumentError(
                f"einsum: expected {'at most ' if count else ''}as many subscripts as dimensions; got {named} for "
                f"operand {place} of shape {shape}"
            )
        further = len(shape) - named
        widest = max(widest, further if count else 0)
        operands.append(_without_ellipsis(labels, further))
    if result is None:
        flat = [label for labels in operands for label in labels]
        once = sorted([label for label in set(flat) if label >= 0 and flat.count(label) == 1])
        return operands, (*range(-widest, 0), *once)
    known = {label for labels in operands for label in labels}
    if list(result).count(Ellipsis) > 1:
        raise ArgumentError(f"einsum: expected at most one ellipsis in the result; got {list(result).count(Ellipsis)}")
    final = _without_ellipsis(list(result), widest)
    for label in final:
        if label not in known:
            raise ArgumentError(f"einsum: expected the result's subscripts to be operands'; got {label_text(label)}")
        if final.count(label) > 1:
            raise ArgumentError(f"einsum: expected each subscript once in the result; got {label_text(label)} twice")
    return operands, final


def label_text(label: int) -> str:
    """Return a label's letter in equations, and its number."""
    return f"{LETTERS[label]!r} ({label})"


def _without_ellipsis(labels: list[Label], further: int) -> tuple[int, ...]:
    """Return the labels with those of `further` dimensions in place of the ellipsis."""
    filled: list[int] = []
    for label in labels:
        filled.extend(range(-further, 0) if label is Ellipsis else (label,))
    return tuple(filled)


def _read(text: str, operand: int | None) -> list[Label]:
    where = "the result" if operand is None else f"operand {operand}"
    labels: list[Label] = []
    rest = text
    while rest:
        if rest.startswith("..."):
            labels.append(Ellipsis)
            rest = rest[3:]
            continue
        place = LETTERS.find(rest[0])
        if place < 0:
            raise ArgumentError(f"einsum: expected letters, '...', ',' and '->'; got {rest[0]!r} for {where}")
        labels.append(place)
        rest = rest[1:]
    return labels
