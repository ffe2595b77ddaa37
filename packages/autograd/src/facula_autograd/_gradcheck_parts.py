"""Values as rows of real numbers, and rows in matrices: what `gradcheck` compares. A complex element counts as two."""

from __future__ import annotations

from ._adapters import adapter_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._types import Leaf

    Matrix = list[list[float]]


def parts_of(value: object) -> list[float]:
    """The elements as real numbers: a complex one gives two."""
    parts: list[float] = []
    for x in adapter_of(value).elements(value):
        parts.extend((x.real, x.imag) if isinstance(x, complex) else (x,))
    return parts


def with_parts(like: object, parts: list[float], requires_grad: bool) -> Leaf:
    """A value like another one, of these numbers."""
    adapter = adapter_of(like)
    elements: Sequence[complex] = parts
    if width(like) == 2:
        elements = [complex(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    value = adapter.from_elements(like, elements)
    return value.requires_grad_() if requires_grad else value


def width(value: object) -> int:
    """How many real numbers an element counts as."""
    elements = adapter_of(value).elements(value)
    return 2 if elements and isinstance(elements[0], complex) else 1


def directions(size: int, fast: bool) -> Matrix:
    """The directions to differentiate along: each component's own, or one of length 1 that is none of these."""
    if not fast:
        return [[1.0 if i == k else 0.0 for i in range(size)] for k in range(size)]
    parts = [0.5 + (k * 0.6180339887) % 1.0 for k in range(1, size + 1)]
    length = sum(x * x for x in parts) ** 0.5
    return [[x / length for x in parts]]


def along(parts: list[float], directions: Matrix, fast: bool) -> list[float]:
    """The components of `parts` along `directions`."""
    if not fast:
        return parts
    return [sum(x * y for x, y in zip(parts, direction, strict=True)) for direction in directions]


def transposed(columns: Matrix, rows: int) -> Matrix:
    """The rows of a matrix, as many as there are, from its columns."""
    return [[column[row] for column in columns] for row in range(rows)]


def far(ours: Matrix, theirs: Matrix, atol: float, rtol: float) -> tuple[int, int, float, float] | None:
    """The first entry where two Jacobians differ too much, or where one is not a number."""
    for row, (xs, ys) in enumerate(zip(ours, theirs, strict=True)):
        for column, (x, y) in enumerate(zip(xs, ys, strict=True)):
            if not abs(x - y) <= atol + rtol * abs(y):
                return row, column, x, y
    return None
